// The part of a request's prompt that a target probably still has in its prompt cache, and the probability of a cache
// hit. [pure]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace photofinish::racing {

// The time for a cached token, as a share of the time for an uncached token.
inline constexpr double cached_token_time = 0.05;

inline constexpr double hit_within_ttl = 0.93, hit_after_ttl = 0.05;

// Returns the assumed probability of a cache hit, before any hits or misses were observed. A time to live of 0 means
// that it is unknown, and five minutes are assumed.
inline double hit_prior(double age_seconds, double ttl_seconds) {
  constexpr double assumed_ttl = 300;
  return age_seconds <= (ttl_seconds > 0 ? ttl_seconds : assumed_ttl) ? hit_within_ttl : hit_after_ttl;
}

struct prefix_match {
  // The number of tokens in the longest prefix of the prompt that the target has read before. It is 0 if there is no
  // such prefix, or if the prefix is too short for the provider to cache it.
  double tokens = 0;
  double age_seconds = 0;  // seconds since the target last sent a first token for a prompt with this prefix
  double prior = hit_within_ttl;  // the hit probability that is assumed before any observations; see hit_prior()
  double hit_chance = 0;   // predicted hit probability; expect_hits() sets it, not the caller

  bool exists() const { return tokens > 0; }
  double expected() const { return hit_chance * tokens; }  // expected number of cached tokens
};

// Returns how many uncached tokens would take as long to read as this prompt with its cached tokens.
inline double tokens_to_read(double input, double cached) {
  return std::max(0.0, input - (1 - cached_token_time) * std::clamp(cached, 0.0, std::max(0.0, input)));
}

// Counts the share of matching prefixes that the provider found in its cache, by the time since the prefix was last
// used.
class hit_shares {
 public:
  // The classes of the time since a prefix was last used end at 1, 5, 10, 30 and 60 minutes and 4 hours. The last class
  // has no end.
  static constexpr std::size_t classes = 7;
  // Prefixes with fewer tokens than this are not counted, because they are weak evidence.
  static constexpr double least_tokens = 2'048;

  // Adds one prefix. `found` is the share of its tokens that the provider found in the cache.
  void add(double age_seconds, double found) {
    constexpr float most = 60;
    share& each = shares_[class_of(age_seconds)];
    if (each.samples >= most) each.found *= (most - 1) / each.samples, each.samples = most - 1;
    each.found += static_cast<float>(std::isfinite(found) ? std::clamp(found, 0.0, 1.0) : 0.0);
    each.samples += 1;
  }

  double chance(double age_seconds, double prior) const {
    constexpr double prior_weight = 6;
    const share& each = shares_[class_of(age_seconds)];
    const double usual = std::isfinite(prior) ? std::clamp(prior, 0.0, 1.0) : hit_after_ttl;
    return (prior_weight * usual + static_cast<double>(each.found)) /
           (prior_weight + static_cast<double>(each.samples));
  }

 private:
  struct share { float found = 0, samples = 0; };
  static constexpr std::array<double, classes - 1> ages{60, 300, 600, 1'800, 3'600, 14'400};

  static std::size_t class_of(double age_seconds) {
    std::size_t at = 0;
    while (at < ages.size() && age_seconds > ages[at]) ++at;
    return at;
  }

  std::array<share, classes> shares_{};
};

}  // namespace photofinish::racing
