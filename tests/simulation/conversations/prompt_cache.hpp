// The true prompt cache of one provider: the prompts in the cache, and their times to live.
#pragma once

#include "tests/simulation/conversations/agent_turn.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace photofinish::racing {

struct cache_rules {
  double lives = 300;             // time to live in seconds, from the start of the last request that used the entry
  double mean_until_evicted = 0;  // mean seconds from a use until the entry is evicted; 0 if entries are never evicted
  double found = 0.97;            // share of the requests that reach a replica with the cached prompt
  double minimum = 1'024, step = 128;  // tokens of the shortest cached prefix, and the step to which lengths are rounded
};

class prompt_cache {
 public:
  prompt_cache(const cache_rules& rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

  // Returns the number of tokens in the longest prefix in the cache. Ignores that a request may reach a replica without the prefix.
  double held(std::span<const prompt_boundary> prompt, double now) const;
  // Returns the number of tokens in the longest prefix in the cache, and renews the time to live of this prefix.
  double read(std::span<const prompt_boundary> prompt, double now);
  void write(std::span<const prompt_boundary> prompt, double started);

 private:
  struct entry {
    double used = 0, evicted = 0;
  };

  const prompt_boundary* longest(std::span<const prompt_boundary> prompt, double now) const;
  void renew(const prompt_boundary& boundary, double now);
  double rounded(double tokens) const;

  cache_rules rules_;
  std::uint64_t seed_;
  std::uint64_t uses_ = 0;
  std::unordered_map<std::uint64_t, entry> entries_;  // entries keyed by a boundary's hash
};

}  // namespace photofinish::racing
