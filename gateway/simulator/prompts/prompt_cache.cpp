#include "gateway/simulator/prompts/prompt_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

// Two rules of Anthropic's API. First, only the last four marks of a prompt have an effect. Second, a cached prefix is
// found only if it ends at most 20 blocks before a mark.
constexpr std::size_t most_marks = 4;
constexpr std::size_t most_blocks_back = 20;

std::uint64_t tokens_kept(const sim_prompt_cache& cache, const prompt_boundary& boundary) {
  if (boundary.tokens < std::max<std::uint64_t>(cache.minimum, 1)) return 0;
  return boundary.tokens - boundary.tokens % cache.step;
}

microseconds ttl_of(const sim_prompt_cache& cache, const prompt_boundary& boundary) {
  if (!cache.needs_marks || boundary.mark == prompt_mark::usual) return cache.ttl;
  return boundary.mark == prompt_mark::one_hour ? std::chrono::hours(1) : std::chrono::minutes(5);
}

// Returns the positions at which the cached prefixes of this prompt end, the last position first.
std::vector<const prompt_boundary*> written_of(const sim_prompt_cache& cache,
                                               std::span<const prompt_boundary> prompt) {
  std::vector<const prompt_boundary*> written;
  for (auto each = prompt.rbegin(); each != prompt.rend(); ++each) {
    const bool is_written = cache.needs_marks ? each->mark != prompt_mark::none : each->ends_message;
    if (!is_written || tokens_kept(cache, *each) == 0) continue;
    if (cache.needs_marks && written.size() == most_marks) break;
    written.push_back(&*each);
  }
  return written;
}

// Returns how long a prefix remains in the cache. The cache loses prefixes at random times with a constant rate.
// Therefore the result has an exponential distribution.
microseconds life_of(const sim_prompt_cache& cache, microseconds ttl, double chance) {
  if (cache.evict.count() == 0) return ttl;
  const double life = -std::log1p(-chance) * static_cast<double>(cache.evict.count());
  return life < static_cast<double>(ttl.count()) ? microseconds(std::llround(life)) : ttl;
}

void count_written(const sim_prompt_cache& cache, const std::vector<const prompt_boundary*>& written,
                   cached_tokens& tokens) {
  const auto beyond_read = [&](const prompt_boundary& boundary) {
    return std::max(tokens_kept(cache, boundary), tokens.read) - tokens.read;
  };
  if (written.empty()) return;
  tokens.written = beyond_read(*written.front());
  if (!cache.needs_marks) return;
  for (const prompt_boundary* each : written)
    if (each->mark == prompt_mark::one_hour) tokens.written_1h = std::max(tokens.written_1h, beyond_read(*each));
}

}  // namespace

prompt_cache::prompt_cache(std::uint64_t seed) : key_{seed, ~seed} {}

std::uint64_t prompt_cache::root_of(const cache_owner& owner, const sim_prompt_cache& cache,
                                    double replica_chance) const {
  std::string text = std::to_string(owner.credential.size()) + " ";
  text.append(owner.credential);
  std::uint64_t replica = 0;
  if (cache.replicas > 1 && owner.hint.empty())
    replica = static_cast<std::uint64_t>(replica_chance * cache.replicas);
  else if (cache.replicas > 1)
    replica = proxy::keyed_hash(text + std::string(owner.hint), key_) % cache.replicas;
  text.append(std::to_string(replica)).append(" ").append(owner.model);
  return proxy::keyed_hash(text, key_);
}

const prompt_cache::entry* prompt_cache::live_at(std::uint64_t hash, microseconds now) const {
  const auto found = by_hash_.find(hash);
  return found != by_hash_.end() && now < found->second->expires_at ? &*found->second : nullptr;
}

cached_tokens prompt_cache::find(const sim_prompt_cache& cache, std::span<const prompt_boundary> prompt,
                                 const cache_chances& chances, microseconds now) const {
  cached_tokens tokens;
  const auto written = written_of(cache, prompt);
  const auto take = [&](const prompt_boundary& boundary) {
    const std::uint64_t kept = tokens_kept(cache, boundary);
    const entry* live = kept > tokens.read ? live_at(boundary.hash, now) : nullptr;
    if (live) tokens.read = kept, tokens.found_hash = live->hash, tokens.found_ttl = live->ttl;
    return live != nullptr;
  };
  const bool is_miss = chances.miss < cache.miss_share;
  for (std::size_t next = 0; !is_miss && next < written.size(); ++next) {
    const auto through = static_cast<std::size_t>(written[next] - prompt.data()) + 1;
    const std::size_t back = cache.needs_marks ? std::min(through, most_blocks_back) : 1;
    const auto blocks = prompt.subspan(through - back, back);
    if (std::any_of(blocks.rbegin(), blocks.rend(), take)) break;
  }
  count_written(cache, written, tokens);
  return tokens;
}

void prompt_cache::keep(const sim_prompt_cache& cache, std::span<const prompt_boundary> prompt,
                        const cached_tokens& found, const cache_chances& chances, microseconds started_at) {
  const auto keep_one = [&](std::uint64_t hash, microseconds ttl) {
    entry kept{hash, ttl, started_at + life_of(cache, ttl, chances.life)};
    // If the simulated cache does not lose prefixes at random, a prefix keeps the later of its old and its new expiry
    // time. Therefore a request that started earlier cannot shorten the life of the prefix.
    const entry* live = cache.evict.count() == 0 ? live_at(hash, started_at) : nullptr;
    if (live) kept.expires_at = std::max(kept.expires_at, live->expires_at);
    touch(kept, cache.entries);
  };
  if (cache.needs_marks && found.found_ttl.count() > 0 && live_at(found.found_hash, started_at))
    keep_one(found.found_hash, found.found_ttl);
  // Stores the longest prefix first, so that a full cache drops it first. Shorter prefixes are more useful, because
  // other prompts also begin with them.
  for (const prompt_boundary* each : written_of(cache, prompt)) keep_one(each->hash, ttl_of(cache, *each));
}

void prompt_cache::touch(const entry& used, std::size_t most) {
  const auto [known, is_new] = by_hash_.try_emplace(used.hash);
  if (is_new) known->second = entries_.insert(entries_.end(), used);
  else entries_.splice(entries_.end(), entries_, known->second);
  *known->second = used;
  while (entries_.size() > most) {
    by_hash_.erase(entries_.front().hash);
    entries_.pop_front();
  }
}

}  // namespace photofinish::gateway::simulator
