// The effect of a guardrail's verdict on a request, and the error that the client gets. [pure]
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

// Returns the error content_blocked with 400, or with the service's own 4xx. Clients should not repeat the request.
api_error explain_block(std::string_view guardrail, const verdict& said);
// Returns the error for a mask that cannot be applied, because the mode is parallel, or the text is not
// in the request's body.
api_error explain_unapplied_mask(std::string_view guardrail);
// Returns the error guardrail_unavailable with 503. Clients should repeat the request soon.
api_error explain_no_verdict(std::string_view guardrail);

}  // namespace photofinish::gateway
