#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/units.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace photofinish::gateway {
namespace {

// Limits for probes. More frequent probes would load idle targets instead of measuring them.
constexpr std::chrono::minutes shortest_pause{10};
constexpr std::size_t most_sizes = 8;
constexpr std::size_t longest_prompt = 100'000;

void read_sizes(const section_reader& probes, std::vector<std::size_t>& into) {
  if (into.empty() || into.size() > most_sizes)
    return probes.error("input_tokens", "must contain from 1 to " + std::to_string(most_sizes) + " sizes");
  if (*std::max_element(into.begin(), into.end()) > longest_prompt)
    return probes.error("input_tokens", "must be at most " + std::to_string(longest_prompt) + " for each prompt");
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

}  // namespace

// Reads the section probes. `probes: {}` is sufficient to turn probes on.
void read_probes(const section_reader& top, std::optional<probe_settings>& into) {
  const yaml_node* node = top.find("probes");
  if (!node) return;
  const section_reader probes(top.shared(), *node, section::probes);
  probe_settings read;
  probes.read_members(read);
  if (read.every < shortest_pause) probes.error("every", "must be at least " + format_duration(shortest_pause));
  read_sizes(probes, read.input_tokens);
  into = std::move(read);
}

}  // namespace photofinish::gateway
