#include "tests/simulation/conversations/prompt_cache.hpp"

#include "tests/simulation/adaptive/dice.hpp"

#include <cmath>
#include <limits>

namespace photofinish::racing {

double prompt_cache::held(std::span<const prompt_boundary> prompt, double now) const {
  const prompt_boundary* const found = longest(prompt, now);
  return found ? rounded(found->tokens) : 0;
}

double prompt_cache::read(std::span<const prompt_boundary> prompt, double now) {
  const prompt_boundary* const found = longest(prompt, now);
  if (!found) return 0;
  renew(*found, now);
  return rounded(found->tokens);
}

// Stores only two boundaries of a prompt: the end of the system prompt and tools, and the end of the prompt. In this simulation,
// conversations fork only at these boundaries.
void prompt_cache::write(std::span<const prompt_boundary> prompt, double started) {
  for (const prompt_boundary* each : {&prompt.front(), &prompt.back()})
    if (each->tokens >= rules_.minimum) renew(*each, started);
}

const prompt_boundary* prompt_cache::longest(std::span<const prompt_boundary> prompt, double now) const {
  for (std::size_t left = prompt.size(); left > 0; --left) {
    const auto known = entries_.find(prompt[left - 1].hash);
    if (known == entries_.end()) continue;
    if (now < known->second.used + rules_.lives && now < known->second.evicted) return &prompt[left - 1];
  }
  return nullptr;
}

void prompt_cache::renew(const prompt_boundary& boundary, double now) {
  entry& each = entries_[boundary.hash];
  if (now < each.used) return;
  const double luck = dice{seed_, boundary.hash, ++uses_}.exponential();
  const bool can_be_evicted = rules_.mean_until_evicted > 0;
  each = {now, can_be_evicted ? now + luck * rules_.mean_until_evicted : std::numeric_limits<double>::infinity()};
}

double prompt_cache::rounded(double tokens) const { return std::floor(tokens / rules_.step) * rules_.step; }

}  // namespace photofinish::racing
