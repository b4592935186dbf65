#include "gateway/attempts/setup/facts_check.hpp"

#include "gateway/attempts/setup/forecast_setup.hpp"
#include "gateway/limits/reserved_tokens.hpp"
#include "proxy/providers/known_facts.hpp"

#include <algorithm>
#include <limits>

namespace photofinish::gateway {
namespace {

// Returns true for request formats with one prompt and one answer. A request in any other format may have several
// prompts, and the model's limit applies to each prompt separately.
bool has_one_prompt(proxy::wire_format format) {
  using enum proxy::wire_format;
  return format == openai_chat || format == openai_responses || format == anthropic_messages;
}

}  // namespace

facts_check::facts_check(const parsed_request& asked, const proxy::required_facts* required)
    : asked_(asked), required_(required && !required->is_empty() ? required : nullptr) {}

std::string_view facts_check::unmet(const race_candidate& each) const {
  if (!required_) return {};
  return proxy::unmet_fact(*required_, proxy::known_facts(*each.provider, each.target.sent_model()));
}

std::string_view facts_check::too_long(const race_candidate& each) {
  if (each.provider->facts.empty() || !has_one_prompt(asked_.format)) return {};
  const proxy::target_facts known = proxy::configured_facts(*each.provider, each.target.sent_model());
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t max_tokens = std::min(max_tokens_of(asked_).value_or(0), most);
  if (exceeded_fact(known, input_tokens_of(asked_), max_tokens).empty()) return {};
  // The first estimate of the prompt's tokens may be too high, because it counts pictures by their bytes. A better
  // estimate is computed only if the prompt seems too long.
  if (!tokens_) tokens_ = tokens_of_prompt(asked_.prompt);
  return exceeded_fact(known, *tokens_, max_tokens);
}

}  // namespace photofinish::gateway
