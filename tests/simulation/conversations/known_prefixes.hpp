// Stores which target has read which prefix of a prompt, and when. The simulated gateway predicts cache hits from these records.
#pragma once

#include "racing/forecast/prefix_match.hpp"
#include "tests/simulation/conversations/prompt_cache.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace photofinish::racing {

class known_prefixes {
 public:
  void note(std::span<const prompt_boundary> prompt, std::size_t target, double now) {
    for (const prompt_boundary* each : {&prompt.front(), &prompt.back()}) {
      std::vector<double>& used = used_[each->hash];
      if (used.size() <= target) used.resize(target + 1, never);
      used[target] = now;
    }
  }

  // Returns the prefix of the prompt that has the largest expected number of cached tokens at the target. Tries only 65 of the positions at
  // which a cached prefix may end: the first position, and the last 64 positions.
  prefix_match find(std::span<const prompt_boundary> prompt, std::size_t target, const cache_rules& rules,
                    double now) const {
    constexpr std::size_t tried = 64;
    prefix_match best;
    const std::size_t from = prompt.size() > tried ? prompt.size() - tried : 0;
    for (std::size_t at = prompt.size(); at-- > from;) consider(prompt[at], target, rules, now, best);
    if (from > 0) consider(prompt.front(), target, rules, now, best);
    return best;
  }

 private:
  static constexpr double never = -1e9;

  void consider(const prompt_boundary& each, std::size_t target, const cache_rules& rules, double now,
                prefix_match& best) const {
    const auto known = used_.find(each.hash);
    if (known == used_.end() || known->second.size() <= target || known->second[target] == never) return;
    if (each.tokens < rules.minimum) return;
    prefix_match made;
    made.tokens = std::floor(each.tokens / rules.step) * rules.step;
    made.age_seconds = now - known->second[target];
    made.prior = hit_prior(made.age_seconds, rules.lives);
    if (made.prior * made.tokens > best.prior * best.tokens) best = made;
  }

  std::unordered_map<std::uint64_t, std::vector<double>> used_;  // time of the last use at each target, in seconds, by prefix hash
};

}  // namespace photofinish::racing
