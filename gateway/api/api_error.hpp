// An error as clients see it: OpenAI's JSON shape, an HTTP status, and what to do about it. [pure]
#pragma once

#include "gateway/http/refusal.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/failures/failure.hpp"
#include "racing/race.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The SDKs repeat 408, 409, 429 and 5xx on their own, unless x-should-retry says otherwise.
enum class retry_advice { by_status, no };

struct api_error {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param;  // empty: null
  std::string code;   // empty: null
  bool is_providers_code = false;  // the code is a provider's own word, and none of ours
  std::optional<std::chrono::milliseconds> retry_after;
  retry_advice advice = retry_advice::by_status;
  std::string allow = {};  // of a 405: the methods that are served there
  std::string upgrade = {};  // of a 426: the protocol that is spoken instead
  std::string details = {};  // a provider's members for programs, as JSON; empty: none
  // For the log and the metrics alone.
  std::string limit = {};  // "team search tpm": the limit that refused the request; empty: none
  std::optional<metrics::overload_reason> overload = {};
};

// {"error":{"message":…,"type":…,"param":…,"code":…}}, in valid UTF-8 whatever its texts hold.
std::string to_json(const api_error& error);

// A client's own text as an error shows it: in quotes, without control characters, and cut after so many bytes.
inline constexpr std::size_t most_shown = 200;
std::string in_quotes(std::string_view text);

// The request is at fault: 400.
api_error bad_request(std::string message, std::string param = {}, std::string code = {});

// The gateway has reached a limit of its own, which the message names: 503, to be repeated soon.
api_error overloaded(metrics::overload_reason why, std::string message);
api_error memory_overloaded();    // max_memory
api_error requests_overloaded();  // max_inflight

// drain_timeout has passed while the request ran: 503, to be repeated at another gateway.
api_error gateway_draining();

// Of an exception that ended a request. A failed allocation is 503, for the next try may find memory; any other is 500.
api_error explain_bug(const std::exception_ptr& bug);

// A refusal as an error: 401 is an authentication_error, 403 a permission_error, one that may be repeated a
// server_error.
api_error to_api_error(const refusal& refused);

// Limits of ours left no room anywhere: 503, to be repeated soon.
api_error provider_busy(std::string message);

// Why one attempt came to nothing.
struct attempt_failure {
  std::string target;  // provider/model
  proxy::failure why;
  bool is_callers_key = false;
};

// One error for a race without a winner. The best cause wins: a client fault agreed by all, then 429, then
// 5xx; the message names each attempt with its reason. Attempts that were never sent, for want of room, count only
// where there is no other.
api_error explain_defeat(std::span<const attempt_failure> failures, racing::defeat cause);

// The winner broke or fell silent after its first token.
api_error explain_broken_winner(const std::string& target, const proxy::failure& why);

}  // namespace photofinish::gateway
