// Models the prompt caches of a simulated provider. The provider stores prefixes separately for each client and
// replica. [pure]
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

// Random numbers for one request, each at least 0 and less than 1.
struct cache_chances {
  double replica = 0;
  double miss = 0;
  double life = 0;
};

// The values that decide which requests share cached prefixes. Two requests share prefixes only if all these values are
// equal.
struct cache_owner {
  std::string_view credential;
  std::string_view model;
  std::string_view hint;  // the value of the field in the request that selects the replica; empty if there is none
};

// The number of prompt tokens that were read from the cache, and the number that were written to it.
struct cached_tokens {
  std::uint64_t read = 0;
  std::uint64_t written = 0;      // beyond those
  std::uint64_t written_1h = 0;   // the number of written tokens that the client wants to keep in the cache for an hour
  std::uint64_t found_hash = 0;   // the hash of the cached prefix that was found
  microseconds found_ttl{0};      // the time to live of the cached prefix that was found; 0 if no prefix was found
};

class prompt_cache {
 public:
  explicit prompt_cache(std::uint64_t seed);

  // Returns the hash on which the hashes of all prefixes of a request are based. See read_prefixes().
  std::uint64_t root_of(const cache_owner& owner, const sim_prompt_cache& settings, double replica_chance) const;
  const proxy::hash_key& key() const { return key_; }

  // Finds the longest cached prefix of a prompt. Times are counted from the simulator's start. Does not change the
  // cache. If a request is cancelled before its first token, its prefixes must be neither stored nor renewed.
  cached_tokens find(const sim_prompt_cache& settings, std::span<const prompt_boundary> prompt,
                     const cache_chances& chances, microseconds now) const;

  // Stores the prefixes of a prompt, or renews them. Call keep() when the first token of the answer is sent. The time
  // to live of these prefixes begins with the start of the request.
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
  std::list<entry> entries_;  // the cached prefixes, the least recently used first
  std::unordered_map<std::uint64_t, std::list<entry>::iterator> by_hash_;
};

}  // namespace photofinish::gateway::simulator
