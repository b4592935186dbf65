// The true content of a provider's prompt cache: the cached prefixes and their times to live.
#pragma once

#include "tests/simulation/conversations/agent_turn.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace photofinish::racing {

struct cache_rules {
  double lives = 300;             // time to live in seconds, counted from the start of the last request that used the entry
  double mean_until_evicted = 0;  // mean time in seconds from a use of an entry to its eviction; 0 if entries are never evicted
  double found = 0.97;            // share of requests that reach a replica with the cached prompt
  double minimum = 1'024, step = 128;  // tokens of the shortest prefix that is cached; cached lengths are multiples of `step`
};

class prompt_cache {
 public:
  prompt_cache(const cache_rules& rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

  // Returns the number of tokens in the longest cached prefix. Ignores that a request may reach a replica without this prefix.
  double held(std::span<const prompt_boundary> prompt, double now) const;
  // Returns the number of tokens in the longest cached prefix, and renews the prefix's time to live.
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
  std::unordered_map<std::uint64_t, entry> entries_;  // the cached prefixes, keyed by the hash of the prefix
};

}  // namespace photofinish::racing
