// An error as clients see it: OpenAI's JSON shape, an HTTP status, and advice about retries. [pure]
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

// SDKs retry 408, 409, 429 and 5xx on their own, unless x-should-retry says otherwise.
enum class retry_advice { by_status, no };

struct api_error {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param;  // empty: written as null
  std::string code;   // empty: written as null
  bool is_providers_code = false;  // true if the code is the provider's word, not the gateway's
  std::optional<std::chrono::milliseconds> retry_after;
  retry_advice advice = retry_advice::by_status;
  std::string allow = {};  // for a 405: the methods that are served there
  std::string upgrade = {};  // for a 426: the protocol that is spoken instead
  std::string details = {};  // a provider's members for programs, as JSON; empty: none
  // The following members appear only in the log and the metrics.
  std::string limit = {};  // for example "team search tpm": the limit that refused the request; empty: none
  std::optional<metrics::overload_reason> overload = {};
};

// {"error":{"message":…,"type":…,"param":…,"code":…}}, in valid UTF-8 whatever bytes its texts contain.
std::string to_json(const api_error& error);

// Quotes a client's text for an error: without control characters, and cut after this many bytes.
inline constexpr std::size_t most_shown = 200;
std::string in_quotes(std::string_view text);

// A 400: the request is invalid.
api_error bad_request(std::string message, std::string param = {}, std::string code = {});

// A 503: the gateway has reached its own limit, which the message names. The client should retry soon.
api_error overloaded(metrics::overload_reason why, std::string message);
api_error memory_overloaded();    // a 503 because of max_memory
api_error requests_overloaded();  // a 503 because of max_inflight

// A 503: drain_timeout passed while the request ran. The client should retry at another gateway.
api_error gateway_draining();

// Describes an exception that ended a request. A failed allocation is a 503, because a retry may find memory; any other
// exception is a 500.
api_error explain_bug(const std::exception_ptr& bug);

// Converts a refusal into an error: 401 is an authentication_error, 403 a permission_error, and a refusal that allows a
// retry a server_error.
api_error to_api_error(const refusal& refused);

// A 503: the gateway's own limits left no room at any target. The client should retry soon.
api_error provider_busy(std::string message);

// The reason why one attempt failed.
struct attempt_failure {
  std::string target;  // written as provider/model
  proxy::failure why;
  bool is_callers_key = false;
};

// Returns one error for a race without a winner. The best cause wins: first a client fault that all attempts agree on,
// then 429, then 5xx. The message names each attempt with its reason. Attempts that were not sent because a limit left
// no room count only if there are no others.
api_error explain_defeat(std::span<const attempt_failure> failures, racing::defeat cause);

// Describes a winner that broke or fell silent after its first token.
api_error explain_broken_winner(const std::string& target, const proxy::failure& why);

}  // namespace photofinish::gateway
