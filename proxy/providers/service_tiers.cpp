#include "proxy/providers/service_tiers.hpp"

#include "proxy/words/contains.hpp"

#include <array>
#include <span>

namespace photofinish::proxy {
namespace {

struct tier_word {
  price_tier tier;
  std::string_view word;  // the provider's word for the tier; empty if requests do not name this tier
};

struct tier_words_of_form {
  std::span<const tier_word> tiers;            // the tiers that the provider offers
  std::span<const std::string_view> own = {};  // the words that clients may use and that are sent unchanged
};

constexpr tier_word usual(std::string_view word) { return {price_tier::standard, word}; }
constexpr tier_word flex_as(std::string_view word) { return {price_tier::flex, word}; }
constexpr tier_word priority_as(std::string_view word) { return {price_tier::priority, word}; }
constexpr tier_word fast_as(std::string_view word) { return {price_tier::fast, word}; }

constexpr std::array<std::string_view, 7> openai_own{"auto",     "default", "flex",     "scale",
                                                     "priority", "fast",    "ultrafast"};
constexpr std::array openai_tiers{usual("default"), flex_as("flex"), priority_as("priority"), fast_as("priority"),
                                  tier_word{price_tier::ultrafast, "ultrafast"}};
constexpr std::array anthropic_tiers{usual(""), fast_as("fast")};
constexpr std::array gemini_tiers{usual("standard"), flex_as("flex"), priority_as("priority"), fast_as("priority")};
constexpr std::array vertex_tiers{usual(""), flex_as("flex"), priority_as("priority"), fast_as("priority")};
constexpr std::array<std::string_view, 4> bedrock_own{"priority", "default", "flex", "reserved"};
constexpr std::array bedrock_tiers{usual("default"), flex_as("flex"), priority_as("priority"), fast_as("priority")};
constexpr std::array<std::string_view, 4> groq_own{"on_demand", "flex", "auto", "performance"};
constexpr std::array groq_tiers{usual("on_demand"), flex_as("flex")};
constexpr std::array cerebras_tiers{usual(""), flex_as("flex"), priority_as("priority"), fast_as("priority")};
constexpr std::array fireworks_tiers{usual(""), priority_as("priority"), fast_as("priority")};

tier_words_of_form words_of_form(tier_form form) {
  switch (form) {
    case tier_form::openai: return {openai_tiers, openai_own};
    case tier_form::anthropic: return {anthropic_tiers};
    case tier_form::gemini: return {gemini_tiers};
    case tier_form::vertex: return {vertex_tiers};
    case tier_form::bedrock: return {bedrock_tiers, bedrock_own};
    case tier_form::groq: return {groq_tiers, groq_own};
    case tier_form::cerebras: return {cerebras_tiers};
    case tier_form::fireworks: return {fireworks_tiers};
    case tier_form::as_sent:
    case tier_form::none: break;
  }
  return {};
}

const tier_word* find_tier(tier_form form, price_tier tier) {
  for (const tier_word& each : words_of_form(form).tiers)
    if (each.tier == tier) return &each;
  return nullptr;
}

// Returns the tier whose price applies. At Groq, this is always the standard tier, because all tiers have the same
// price.
price_tier priced(tier_form form, price_tier tier) { return form == tier_form::groq ? price_tier::standard : tier; }

constexpr std::array<std::string_view, 4> usual_words{"auto", "default", "standard", "on_demand"};

// The part of a base URL that identifies the only location at which Vertex AI offers service tiers.
constexpr std::string_view place_with_tiers = "/locations/global/";

// The tiers that may follow an @ in a target's name. `default` is missing because Vertex AI uses it as a model version.
// `batch` is missing because a batch cannot take part in a race.
constexpr std::array tiers_of_targets{price_tier::standard, price_tier::flex, price_tier::priority, price_tier::fast,
                                      price_tier::ultrafast};

// True if requests for the model cannot name a tier. This is the case for Claude at Bedrock. Requests for Claude do not
// use Converse, and the API that they use has no tiers.
bool lacks_tiers(tier_form form, std::string_view model) {
  return form == tier_form::bedrock && model.find("anthropic.") != std::string_view::npos;
}

bool is_vertex_gemini(const provider& target) {
  return target.key.auth == auth_style::google || target.url.path.ends_with("/publishers/google");
}

tier_form form_of_api(const provider& target) {
  if (target.dialect == "anthropic") return tier_form::anthropic;
  if (target.dialect == "bedrock") return tier_form::bedrock;
  if (target.dialect == "gemini") return is_vertex_gemini(target) ? tier_form::vertex : tier_form::gemini;
  return tier_form::as_sent;
}

}  // namespace

sent_tier fit_tier(tier_form form, std::string_view asked, std::optional<price_tier> wanted) {
  if (wanted) {
    const tier_word* own = find_tier(form, *wanted);
    return {own != nullptr ? own->word : std::string_view{}, priced(form, *wanted)};
  }
  const std::optional<price_tier> tier = parse_price_tier(asked);
  const bool passes = form == tier_form::as_sent || contains(words_of_form(form).own, asked);
  if (passes) return {asked, priced(form, tier.value_or(price_tier::standard))};
  const tier_word* own = tier ? find_tier(form, *tier) : nullptr;
  // Every provider offers the standard tier to a client that asks for it.
  if (own == nullptr || *tier == price_tier::standard)
    return {.is_lost = !asked.empty() && !contains(usual_words, asked)};
  return {own->word, priced(form, *tier)};
}

tier_form tier_form_of(const provider& target) {
  const tier_form given = target.behaves.tiers;
  const tier_form form = given == tier_form::as_sent ? form_of_api(target) : given;
  const bool has_place = form != tier_form::vertex || target.url.path.find(place_with_tiers) != std::string::npos;
  return has_place ? form : tier_form::none;
}

std::optional<price_tier> tier_in_name(const provider& target, std::string_view model) {
  const std::size_t mark = model.rfind('@');
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  const std::string_view word = model.substr(mark + 1);
  const tier_form form = tier_form_of(target);
  for (const price_tier each : tiers_of_targets)
    if (word == to_string(each) && find_tier(form, each) != nullptr && !lacks_tiers(form, model)) return each;
  return std::nullopt;
}

std::string_view tier_word_at_end(std::string_view model) {
  const std::size_t mark = model.rfind('@');
  if (mark == std::string_view::npos || mark == 0) return {};
  const std::string_view word = model.substr(mark + 1);
  const auto tier = parse_price_tier(word);
  return tier && to_string(*tier) == word ? word : std::string_view{};
}

std::string_view without_tier(std::string_view model) { return model.substr(0, model.rfind('@')); }

}  // namespace photofinish::proxy
