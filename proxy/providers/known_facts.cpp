#include "proxy/providers/known_facts.hpp"

#include "proxy/providers/model_facts.hpp"
#include "proxy/words/contains.hpp"

#include <vector>

namespace photofinish::proxy {
namespace {

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

target_facts known_facts(const provider& at, std::string_view model) {
  target_facts made = configured_facts(at, model);
  if (at.dialect == "openai") {
    const token_limits& known = openai_facts_of(model_at(at, model)).known;
    fill_in({.context = known.context, .max_output = known.max_output}, made);
    return made;
  }
  const bool is_own_api = at.dialect == "anthropic" || at.dialect == "bedrock";
  if (!is_own_api && at.dialect != "gemini") return made;
  const model_facts& family = is_own_api ? facts_of(model_at(at, model)) : gemini_facts_of(model_at(at, model));
  fill_in({.context = family.known.context, .max_output = family.known.max_output}, made);
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
    return its + is_known_as(known.quantization) + ", but " + alternatives(required.quantization) + " is required";
  if (fact == "tier") return its + is_known_as(known.tier) + ", but " + alternatives(required.tier) + " is required";
  const bool is_context = fact == "context";
  return its + is_known_as(is_context ? known.context : known.max_output) + ", but at least " +
         std::to_string(is_context ? required.min_context : required.min_output) + " are required";
}

std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens) {
  if (known.max_output > 0 && max_tokens > known.max_output) return "max_output";
  if (known.context == 0) return {};
  const std::uint64_t room = known.context > max_tokens ? known.context - max_tokens : 0;
  return input_tokens > room ? "context" : std::string_view{};
}

}  // namespace photofinish::proxy
