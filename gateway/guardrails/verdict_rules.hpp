// What becomes of a request by a guardrail's verdict, and what its client is answered. [pure]
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
  unavailable,  // nothing is known of it, and it is refused for that
};

ruling rule_on(metrics::guardrail_verdict said, guardrail_mode mode, without_verdict on_failure);

// content_blocked: 400, or the service's own 4xx. No client should repeat it.
api_error explain_block(std::string_view guardrail, const verdict& said);
// A mask that cannot be applied: with mode: parallel, or to what is not in the request's body as text.
api_error explain_unapplied_mask(std::string_view guardrail);
// guardrail_unavailable: 503, to be repeated soon.
api_error explain_no_verdict(std::string_view guardrail);

}  // namespace photofinish::gateway
