#include "proxy/providers/configured_facts.hpp"

namespace photofinish::proxy {

void fill_in(const target_facts& from, target_facts& into) {
  if (into.quantization.empty()) into.quantization = from.quantization;
  if (into.context == 0) into.context = from.context;
  if (into.max_output == 0) into.max_output = from.max_output;
  if (into.tier.empty()) into.tier = from.tier;
}

target_facts configured_facts(const provider& at, std::string_view model) {
  target_facts made;
  if (at.facts.empty()) return made;
  if (const auto own = at.facts.find(model); own != at.facts.end()) made = own->second;
  if (const auto rest = at.facts.find("*"); rest != at.facts.end()) fill_in(rest->second, made);
  return made;
}

}  // namespace photofinish::proxy
