// The true prompt cache of one provider: the prompts that it holds, and their times to live.
#pragma once

#include "tests/simulation/conversations/agent_turn.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace photofinish::racing {

struct cache_rules {
  double lives = 300;             // seconds after the start of the last request that used the entry
  double mean_until_evicted = 0;  // seconds after a use; 0: entries are never evicted
  double found = 0.97;            // the share of requests that reach a replica with the entry
  double minimum = 1'024, step = 128;  // tokens of the shortest entry, and its rounding
};

class prompt_cache {
 public:
  prompt_cache(const cache_rules& rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

  // Tokens of the longest prefix that is held, without the replicas' lottery.
  double held(std::span<const prompt_boundary> prompt, double now) const;
  // The same for a read, which renews the entry.
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
  std::unordered_map<std::uint64_t, entry> entries_;  // keyed by a boundary's hash
};

}  // namespace photofinish::racing
