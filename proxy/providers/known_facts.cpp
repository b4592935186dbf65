#include "proxy/providers/known_facts.hpp"

#include "proxy/providers/model_facts.hpp"
#include "proxy/words/contains.hpp"

#include <vector>

namespace photofinish::proxy {
namespace {

void fill_in(const target_facts& from, target_facts& into) {
  if (into.quantization.empty()) into.quantization = from.quantization;
  if (into.context == 0) into.context = from.context;
  if (into.max_output == 0) into.max_output = from.max_output;
  if (into.tier.empty()) into.tier = from.tier;
}

bool is_met(const std::vector<std::string>& words, const std::string& known, bool allows_unknown) {
  if (words.empty()) return true;
  return known.empty() ? allows_unknown : contains(words, known);
}

bool is_met(std::uint64_t least, std::uint64_t known, bool allows_unknown) {
  if (least == 0) return true;
  return known == 0 ? allows_unknown : known >= least;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::string is_known_as(const std::string& word) { return word.empty() ? "is not known" : "is " + word; }
std::string is_known_as(std::uint64_t tokens) {
  return tokens == 0 ? "is not known" : "is " + std::to_string(tokens) + " tokens";
}

}  // namespace

target_facts configured_facts(const provider& at, std::string_view model) {
  target_facts made;
  if (at.facts.empty()) return made;
  if (const auto own = at.facts.find(model); own != at.facts.end()) made = own->second;
  if (const auto rest = at.facts.find("*"); rest != at.facts.end()) fill_in(rest->second, made);
  return made;
}

target_facts known_facts(const provider& at, std::string_view model) {
  target_facts made = configured_facts(at, model);
  if (at.dialect == "openai") {
    const openai_facts& facts = openai_facts_of(model, place_of(at));
    const bool is_its_vendor = at.preset == "openai" || at.preset == "azure" || at.preset == "mistral";
    if (is_its_vendor) fill_in({.context = facts.context, .max_output = facts.max_output}, made);
    return made;
  }
  const bool is_own_api = at.dialect == "anthropic" || at.dialect == "bedrock";
  if (!is_own_api && at.dialect != "gemini") return made;
  const model_facts& family = is_own_api ? facts_of(model) : gemini_facts_of(model);
  fill_in({.context = family.context, .max_output = family.max_output}, made);
  return made;
}

std::string_view unmet_fact(const required_facts& required, const target_facts& known) {
  if (!is_met(required.quantization, known.quantization, required.allows_unknown)) return "quantization";
  if (!is_met(required.min_context, known.context, required.allows_unknown)) return "context";
  if (!is_met(required.min_output, known.max_output, required.allows_unknown)) return "max_output";
  if (!is_met(required.tier, known.tier, required.allows_unknown)) return "tier";
  return {};
}

std::string why_unmet(std::string_view fact, const required_facts& required, const target_facts& known) {
  const std::string its = "its " + std::string(fact) + " ";
  if (fact == "quantization")
    return its + is_known_as(known.quantization) + ", and " + alternatives(required.quantization) + " is required";
  if (fact == "tier") return its + is_known_as(known.tier) + ", and " + alternatives(required.tier) + " is required";
  const bool is_context = fact == "context";
  return its + is_known_as(is_context ? known.context : known.max_output) + ", and at least " +
         std::to_string(is_context ? required.min_context : required.min_output) + " are required";
}

std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens) {
  if (known.max_output > 0 && max_tokens > known.max_output) return "max_output";
  if (known.context == 0) return {};
  const std::uint64_t room = known.context > max_tokens ? known.context - max_tokens : 0;
  return input_tokens > room ? "context" : std::string_view{};
}

}  // namespace photofinish::proxy
