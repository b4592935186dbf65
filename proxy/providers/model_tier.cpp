#include "proxy/providers/model_tier.hpp"

#include "proxy/providers/model_facts.hpp"
#include "proxy/words/contains.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::string_view bedrock = "bedrock";  // the name of Bedrock's dialect, and of its cloud in models.yaml

bool is_mantle(const provider& target) { return cloud_of(target) == "bedrock-mantle"; }

// True if requests for the model are written in the format of Anthropic's API.
bool is_for_claude(const provider& target, std::string_view model) {
  const bool is_claude_at_bedrock = target.dialect == bedrock && model.find("anthropic.") != std::string_view::npos;
  return target.dialect == "anthropic" || is_claude_at_bedrock;
}

// True if the model may have a fast mode. Unknown models are assumed to have one.
bool has_fast_mode(const provider& target, std::string_view model) {
  const bool is_invoked = target.dialect == bedrock && !is_mantle(target);
  const cloud_facts& cloud = cloud_facts_of(is_invoked ? bedrock : cloud_of(target), &target);
  const model_facts& facts = facts_of(model_at(target, model));
  return target.behaves.tiers != tier_form::none && (facts.match.empty() || facts.takes_fast) &&
         !contains(cloud.drop_params, "speed") && !contains(target.behaves.drop_params, "speed");
}

bool lacks_tiers(const provider& target, std::string_view model) {
  if (target.dialect == "gemini") return !gemini_facts_of(model_at(target, model)).takes_tiers;
  const bool is_converse = target.dialect == bedrock && !is_mantle(target);
  return is_converse && !converse_facts_of(model_at(target, model)).takes_tiers;
}

}  // namespace

sent_tier tier_for_model(const provider& target, std::string_view model, std::string_view asked,
                         std::optional<price_tier> wanted) {
  if (is_for_claude(target, model)) {
    if (has_fast_mode(target, model)) return fit_tier(tier_form::anthropic, asked, wanted);
    const bool is_lost = wanted && *wanted != price_tier::standard;
    return wanted ? sent_tier{.is_lost = is_lost} : fit_tier(tier_form::none, asked, wanted);
  }
  const bool is_plain = !wanted && lacks_tiers(target, model);
  return fit_tier(is_plain ? tier_form::none : tier_form_of(target), asked, wanted);
}

}  // namespace photofinish::proxy
