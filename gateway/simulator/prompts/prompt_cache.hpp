// The prompt caches of a simulated provider: which prefixes it still has, for whom and at which replica. [pure]
#pragma once

#include "gateway/simulator/plan/behaviour.hpp"
#include "gateway/simulator/prompts/prompt_prefixes.hpp"
#include "proxy/json/keyed_hash.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string_view>
#include <unordered_map>

namespace photofinish::gateway::simulator {

// The chances of one request, each from 0 up to 1.
struct cache_chances {
  double replica = 0;
  double miss = 0;
  double life = 0;
};

// What separates one cache from another.
struct cache_owner {
  std::string_view credential;
  std::string_view model;
  std::string_view hint;  // empty: the request has none
};

// Tokens of one prompt.
struct cached_tokens {
  std::uint64_t read = 0;
  std::uint64_t written = 0;      // beyond those
  std::uint64_t written_1h = 0;   // of those, for an hour, as a mark says
  std::uint64_t found_hash = 0;   // of the prefix that was read
  microseconds found_ttl{0};      // its time to live; 0: nothing was found
};

class prompt_cache {
 public:
  explicit prompt_cache(std::uint64_t seed);

  // The root of a request's prefixes, for read_prefixes().
  std::uint64_t root_of(const cache_owner& owner, const sim_prompt_cache& settings, double replica_chance) const;
  const proxy::hash_key& key() const { return key_; }

  // Times are counted from the start of the simulator. Changes nothing: a request that is cut before its first token
  // neither keeps its prefixes nor renews others.
  cached_tokens find(const sim_prompt_cache& settings, std::span<const prompt_boundary> prompt,
                     const cache_chances& chances, microseconds now) const;

  // For a request that has its first token: what it wrote and read lives from its start.
  void keep(const sim_prompt_cache& settings, std::span<const prompt_boundary> prompt, const cached_tokens& found,
            const cache_chances& chances, microseconds started_at);

  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::uint64_t hash = 0;
    microseconds ttl{0};
    microseconds expires_at{0};
  };

  const entry* live_at(std::uint64_t hash, microseconds now) const;
  void touch(const entry& used, std::size_t most);

  proxy::hash_key key_;
  std::list<entry> entries_;  // the least recently used first
  std::unordered_map<std::uint64_t, std::list<entry>::iterator> by_hash_;
};

}  // namespace photofinish::gateway::simulator
