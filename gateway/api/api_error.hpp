// An error that a client gets: JSON in OpenAI's format, an HTTP status, and advice about retries. [pure]
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

// Tells clients whether a retry helps. SDKs retry 408, 409, 429 and 5xx on their own, unless x-should-retry is false.
enum class retry_advice { by_status, no };

struct api_error {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param;  // the name of the invalid request parameter; if empty, `param` is null in the JSON
  std::string code;   // the error's code; if empty, `code` is null in the JSON
  bool is_providers_code = false;  // true if the error's code comes from the provider
  std::optional<std::chrono::milliseconds> retry_after;
  retry_advice advice = retry_advice::by_status;
  std::string allow = {};  // the methods that the path supports, for an error with status 405
  std::string upgrade = {};  // the protocol that the client must use instead, for an error with status 426
  std::string details = {};  // the members of the provider's error that programs read, as JSON; empty if there are none
  // The members `limit` and `overload` appear only in the log and the metrics, not in the client's error.
  std::string limit = {};  // the limit that refused the request, for example "team search tpm"; empty if there is none
  std::optional<metrics::overload_reason> overload = {};
};

// Returns {"error":{"message":…,"type":…,"param":…,"code":…}}.
// The JSON is valid UTF-8 even if the error's texts are not.
std::string to_json(const api_error& error);

// The maximum number of bytes that an error quotes from a client's text. Longer texts are cut, and control characters
// are removed.
inline constexpr std::size_t most_shown = 200;
std::string in_quotes(std::string_view text);

// Returns a 400 error: the request is invalid.
api_error bad_request(std::string message, std::string param = {}, std::string code = {});

// Returns a 503 error: the gateway has reached one of its limits, which the message names. The client should retry
// soon.
api_error overloaded(metrics::overload_reason why, std::string message);
api_error memory_overloaded();    // returns a 503 error because of max_memory
api_error requests_overloaded();  // returns a 503 error because of max_inflight

// Returns a 503 error: the request was still running when drain_timeout ended. The client should retry at another
// gateway.
api_error gateway_draining();

// Describes an exception that ended a request. A failed allocation becomes a 503 error, because a retry may find
// memory. Any other exception becomes a 500 error.
api_error explain_bug(const std::exception_ptr& bug);

// Converts a refusal into an API error. Status 401 becomes an authentication_error, and status 403 a permission_error.
// A refusal that allows a retry becomes a server_error.
api_error to_api_error(const refusal& refused);

// Returns a 503 error: the gateway's own limits allow no attempt at any target. The client should retry soon.
api_error provider_busy(std::string message);

// A failed attempt of a race, and the reason for its failure.
struct attempt_failure {
  std::string target;  // the target of the attempt, as provider/model
  proxy::failure why;
  bool is_callers_key = false;
};

// Returns one error for a race without a winner. If every provider blames the client's request, the error does the
// same. Otherwise, a 429 of any attempt has priority over a 5xx. The message lists each attempt with the reason for its
// failure. Attempts that the gateway's own limits prevented count only if there were no other attempts.
api_error explain_defeat(std::span<const attempt_failure> failures, racing::defeat cause);

// Returns the error for a winner that failed or stalled after its first token.
api_error explain_broken_winner(const std::string& target, const proxy::failure& why);

}  // namespace photofinish::gateway
