#include "gateway/api/api_error.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

namespace photofinish::gateway {

using metrics::overload_reason;
using proxy::failure_kind;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds longest_retry_after{60'000};
constexpr milliseconds usual_retry_after{1'000};
constexpr std::string_view overload_code = "gateway_overloaded";

// Returns the text in quotes, as valid UTF-8. Errors quote texts of clients and providers, whose bytes may be invalid
// UTF-8.
std::string utf8_quote(std::string_view text) { return proxy::json_quote(proxy::valid_utf8(text)); }

// Returns a JSON member of the client's error that contains the provider's own error, in valid UTF-8.
std::string details_member(const std::string& details) {
  return details.empty() ? std::string{} : R"(,"details":)" + proxy::valid_utf8(details);
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : utf8_quote(text); }

std::string describe(const attempt_failure& each) {
  std::string text = each.target + ": " + std::string(to_string(each.why.kind));
  if (each.why.status != 0) text += " (HTTP " + std::to_string(each.why.status) + ")";
  if (!each.why.detail.empty()) text += ": " + each.why.detail;
  return text;
}

std::string describe(std::span<const attempt_failure> failures) {
  if (failures.size() == 1) return describe(failures[0]);
  std::string text = "all " + std::to_string(failures.size()) + " attempts failed";
  const char* separator = ". ";
  for (const attempt_failure& each : failures) text += separator + describe(each), separator = "; ";
  return text;
}

bool is_client_fault(const attempt_failure& each) {
  return each.why.kind == failure_kind::bad_request ||
         (each.why.kind == failure_kind::auth && each.is_callers_key);
}

bool was_sent(const attempt_failure& each) { return each.why.kind != failure_kind::busy; }

bool is_limit(const attempt_failure& each) {
  return each.why.kind == failure_kind::rate_limited || each.why.kind == failure_kind::quota;
}

// Returns the HTTP status for an error that the client caused. SDKs do not retry after any of these statuses.
int client_status(const proxy::failure& why) {
  if (why.kind == failure_kind::auth) return 401;
  const bool is_passable = why.status == 403 || why.status == 404 || why.status == 413;
  return is_passable ? why.status : 400;
}

// Error types of OpenAI's API. Clients of this API do not know the types of other APIs, such as INVALID_ARGUMENT or
// ValidationException.
constexpr std::array<std::string_view, 5> own_types{"invalid_request_error", "authentication_error", "permission_error",
                                                    "image_generation_user_error", "insufficient_quota"};

std::string_view client_type(const proxy::failure& why, int status) {
  const auto own = std::find(own_types.begin(), own_types.end(), why.type);
  if (own != own_types.end()) return *own;
  return status == 403 ? "permission_error" : "invalid_request_error";
}

// Returns the error code for the client. Numeric codes of providers, such as 3051 or 1261, are dropped, because they
// mean nothing to clients.
std::string_view client_code(const proxy::failure& why) {
  const bool is_number = why.code.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::string_view{} : why.code;
}

api_error client_fault(const proxy::failure& why) {
  const int status = client_status(why);
  const std::string_view code = client_code(why);
  return {.status = status, .type = std::string(client_type(why, status)), .param = why.param,
          .code = std::string(code), .is_providers_code = !code.empty(), .details = why.details};
}

api_error limits(std::span<const attempt_failure> failures) {
  std::optional<milliseconds> soonest;
  bool is_quota_only = true;
  for (const attempt_failure& each : failures) {
    if (!is_limit(each)) continue;
    if (each.why.kind == failure_kind::rate_limited) is_quota_only = false;
    if (each.why.retry_after) soonest = std::min(soonest.value_or(longest_retry_after), *each.why.retry_after);
  }
  return {.status = 429,
          .type = is_quota_only ? "insufficient_quota" : "rate_limit_error",
          .code = is_quota_only ? "insufficient_quota" : "rate_limit_exceeded",
          .retry_after = std::min(soonest.value_or(usual_retry_after), longest_retry_after),
          .advice = is_quota_only ? retry_advice::no : retry_advice::by_status};
}

api_error timed_out() {
  return {.status = 504, .type = "timeout_error", .code = "upstream_timeout", .advice = retry_advice::no};
}

// Returns a 503 error, because the gateway has reached one of its own limits.
api_error try_again(std::string message, std::string_view code) {
  return {.status = 503,
          .message = std::move(message),
          .type = "server_error",
          .code = std::string(code),
          .retry_after = usual_retry_after};
}

bool is_overload(const attempt_failure& each) { return each.why.status == 503 || each.why.status == 529; }

// True if a second request would fail too, because the provider refused the gateway's key or cannot process the
// request.
bool is_final(const attempt_failure& each) {
  return each.why.kind == failure_kind::auth || each.why.kind == failure_kind::bad_request;
}

api_error provider_fault(std::span<const attempt_failure> failures) {
  const auto all = [&](auto&& question) { return std::all_of(failures.begin(), failures.end(), question); };
  const auto is = [](failure_kind kind) {
    return [kind](const attempt_failure& each) { return each.why.kind == kind; };
  };
  if (all(is(failure_kind::timeout))) return timed_out();
  api_error error{.status = 502, .type = "upstream_error", .code = "provider_error"};
  if (all(is_overload))
    error = {.status = 503, .type = "upstream_error", .code = "provider_overloaded", .retry_after = usual_retry_after};
  else if (all(is(failure_kind::auth))) error.code = "provider_auth";
  if (all(is_final)) error.advice = retry_advice::no;
  return error;
}

bool is_providers_timeout(const proxy::failure& why) {
  return why.kind == failure_kind::server_error && (why.status == 408 || why.status == 504);
}

// Describes an error that a provider reported after the first token. The description is the same as for an error before
// the first token. Returns nothing if the answer broke off without an error, or if the provider reports only that the
// request failed.
std::optional<api_error> explain_reported(const attempt_failure& broken) {
  const proxy::failure& why = broken.why;
  if (why.origin != proxy::failure_origin::provider) return std::nullopt;
  const std::span<const attempt_failure> only(&broken, 1);
  if (is_limit(broken)) return limits(only);
  api_error error;
  if (why.kind == failure_kind::bad_request) {
    error = client_fault(why);
    if (error.code.empty()) error.code = "upstream_broken";
    return error;
  }
  if (why.kind == failure_kind::auth || (why.kind == failure_kind::server_error && is_overload(broken))) {
    error = provider_fault(only);
    if (why.kind == failure_kind::auth) error.type = why.status == 403 ? "permission_error" : "authentication_error";
  } else if (is_providers_timeout(why)) {
    error = {.status = 504, .type = "timeout_error", .code = "upstream_broken"};
  } else {
    return std::nullopt;
  }
  const std::string_view code = client_code(why);
  error.is_providers_code = !code.empty();
  if (!code.empty()) error.code = code;
  return error;
}

api_error explain_break(const proxy::failure& why) {
  const bool is_crawl = why.kind == failure_kind::crawl;
  const bool is_late = is_crawl || why.kind == failure_kind::stall || why.kind == failure_kind::timeout;
  api_error error{.status = 502, .type = "upstream_error", .code = "upstream_broken"};
  if (is_late) error = timed_out();
  if (is_late) error.code = is_crawl ? "upstream_too_slow" : "upstream_stalled";
  const std::string_view code = client_code(why);
  if (!code.empty()) error.code = code;
  error.is_providers_code = !code.empty() && why.origin == proxy::failure_origin::provider;
  return error;
}

// True if the answer failed because the gateway lacked memory, and not because of a provider.
bool is_out_of_memory(const proxy::failure& why) {
  return why.origin == proxy::failure_origin::gateway && why.code == overload_code;
}

}  // namespace

std::string to_json(const api_error& error) {
  return R"({"error":{"message":)" + utf8_quote(error.message) + R"(,"type":)" +
         utf8_quote(error.type) + R"(,"param":)" + text_or_null(error.param) + R"(,"code":)" +
         text_or_null(error.code) + details_member(error.details) + "}}";
}

std::string in_quotes(std::string_view text) { return "'" + proxy::clean_text(text, most_shown) + "'"; }

api_error bad_request(std::string message, std::string param, std::string code) {
  return {.message = std::move(message), .param = std::move(param), .code = std::move(code)};
}

api_error overloaded(overload_reason why, std::string message) {
  api_error error = try_again(std::move(message), overload_code);
  error.overload = why;
  return error;
}

api_error memory_overloaded() { return overloaded(overload_reason::max_memory, "the gateway has reached max_memory"); }

api_error requests_overloaded() {
  return overloaded(overload_reason::max_inflight, "the gateway has reached max_inflight requests");
}

api_error gateway_draining() {
  return try_again("the gateway is shutting down, and this request took longer than drain_timeout: repeat this request",
                   "gateway_draining");
}

api_error explain_bug(const std::exception_ptr& bug) {
  try {
    std::rethrow_exception(bug);
  } catch (const std::bad_alloc&) {
    return overloaded(overload_reason::no_memory, "the gateway has no memory left for this request");
  } catch (...) {
    return {.status = 500,
            .message = "an internal error of the gateway ended this request",
            .type = "server_error",
            .code = "internal_error"};
  }
}

api_error to_api_error(const refusal& refused) {
  api_error error = bad_request(refused.message, {}, refused.code);
  error.status = refused.status;
  if (refused.status == 401) error.type = "authentication_error";
  if (refused.status == 403) error.type = "permission_error";
  // HTTP has no status code for a lack of memory, so the error's code identifies this case.
  if (refused.code == overload_code) error.overload = overload_reason::max_memory;
  if (refused.retry_after) {
    error.type = "server_error";
    error.retry_after = refused.retry_after;
  } else if (refused.status >= 500) {
    // A retry would fail too, because the gateway does not support an HTTP feature that the request uses.
    error.advice = retry_advice::no;
  }
  return error;
}

api_error provider_busy(std::string message) { return try_again(std::move(message), "provider_busy"); }

api_error explain_defeat(std::span<const attempt_failure> failures, racing::defeat cause) {
  std::vector<attempt_failure> sent;
  std::copy_if(failures.begin(), failures.end(), std::back_inserter(sent), was_sent);
  api_error error;
  const auto is_ours = [](const attempt_failure& each) { return is_out_of_memory(each.why); };
  if (cause == racing::defeat::timed_out) error = timed_out();
  else if (sent.empty() && !failures.empty()) return provider_busy(describe(failures));
  else if (!sent.empty() && std::all_of(sent.begin(), sent.end(), is_ours)) error = memory_overloaded();
  else if (std::all_of(sent.begin(), sent.end(), is_client_fault)) error = client_fault(sent[0].why);
  else if (std::any_of(sent.begin(), sent.end(), is_limit)) error = limits(sent);
  else error = provider_fault(sent);
  error.message = describe(failures);
  if (sent.size() == 1) error.details = sent[0].why.details;
  return error;
}

api_error explain_broken_winner(const std::string& target, const proxy::failure& why) {
  if (is_out_of_memory(why)) return overloaded(overload_reason::max_memory, describe({target, why, false}));
  const attempt_failure broken{target, why, false};
  std::optional<api_error> reported = explain_reported(broken);
  api_error error = reported ? *std::move(reported) : explain_break(why);
  error.details = why.details;
  // The answer exceeded the gateway's own size limit. The answer to a retry would exceed the limit again and cost money
  // again.
  const bool is_our_limit = why.origin == proxy::failure_origin::gateway && why.kind == failure_kind::bad_stream;
  if (is_our_limit) error.advice = retry_advice::no;
  error.message = describe(broken);
  return error;
}

}  // namespace photofinish::gateway
