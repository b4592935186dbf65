#include "gateway/guardrails/verdict_rules.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

api_error blocked(std::string message) {
  api_error error = bad_request(std::move(message), {}, "content_blocked");
  error.advice = retry_advice::no;
  return error;
}

}  // namespace

ruling rule_on(metrics::guardrail_verdict said, guardrail_mode mode, without_verdict on_failure) {
  using enum metrics::guardrail_verdict;
  switch (said) {
    case pass: return ruling::go_on;
    case mask: return mode == guardrail_mode::before ? ruling::mask : ruling::refuse;
    case reject: return ruling::refuse;
    case timeout:
    case error: return on_failure == without_verdict::allow ? ruling::go_on : ruling::unavailable;
  }
  return ruling::unavailable;
}

api_error explain_block(std::string_view guardrail, const verdict& said) {
  std::string message = "the guardrail " + in_quotes(guardrail) + " blocks this request";
  if (!said.reason.empty()) message += ": " + said.reason;
  api_error error = blocked(std::move(message));
  if (said.status >= 400 && said.status < 500) error.status = said.status;
  return error;
}

api_error explain_unapplied_mask(std::string_view guardrail) {
  return blocked("the guardrail " + in_quotes(guardrail) +
                 " allows this request only with changed texts, which is not possible here");
}

api_error explain_no_verdict(std::string_view guardrail) {
  return {.status = 503,
          .message = "the guardrail " + in_quotes(guardrail) + " gave no verdict: repeat the request",
          .type = "server_error",
          .code = "guardrail_unavailable",
          .retry_after = std::chrono::seconds(1)};
}

}  // namespace photofinish::gateway
