// The effect of a guardrail's verdict on a request, and the error for the client. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/config/access/guardrail_settings.hpp"
#include "gateway/guardrails/verdict.hpp"

#include <string_view>

namespace photofinish::gateway {

enum class ruling {
  go_on,
  mask,
  refuse,
  unavailable,  // the request is refused because there is no verdict
};

ruling rule_on(metrics::guardrail_verdict said, guardrail_mode mode, without_verdict on_failure);

// Returns the error content_blocked with the status 400, or with the 4xx status that the service chose. The client
// should not retry.
api_error explain_block(std::string_view guardrail, const verdict& said);
// Returns the error for a mask that cannot be applied. The reason is that the mode is parallel, or that the text does
// not occur in the request's body.
api_error explain_unapplied_mask(std::string_view guardrail);
// Returns the error guardrail_unavailable with the status 503. The client should retry soon.
api_error explain_no_verdict(std::string_view guardrail);

}  // namespace photofinish::gateway
