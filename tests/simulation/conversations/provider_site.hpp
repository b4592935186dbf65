// The state of a simulated provider: the content of its cache, the unused part of its rate limit, and the number of running attempts.
#pragma once

#include "tests/simulation/conversations/caching_provider.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct sent_prompt {
  double cached = 0, uncached = 0;  // tokens
  bool is_refused = false;          // true if the rate limit rejected the attempt
};

class provider_site {
 public:
  provider_site(const caching_provider& truth, std::uint64_t seed)
      : truth_(&truth), cache_(truth.cache, seed), allowance_(truth.uncached_per_minute) {}

  const caching_provider& truth() const { return *truth_; }
  const prompt_cache& cache() const { return cache_; }
  double in_flight() const { return in_flight_; }

  bool has_headroom(double now) const { return !is_limited() || allowance_at(now) > 0; }

  sent_prompt send(const agent_turn& turn, const attempt_luck& luck, double now) {
    ++in_flight_;
    sent_prompt made;
    made.cached = is_found(*truth_, luck) ? cache_.read(turn.boundaries, now) : 0;
    made.uncached = turn.input_tokens() - made.cached;
    if (!is_limited()) return made;
    allowance_ = allowance_at(now);
    filled_at_ = now;
    made.is_refused = allowance_ < made.uncached;
    if (!made.is_refused) allowance_ -= made.uncached;
    return made;
  }
  void first_token(const agent_turn& turn, double started) { cache_.write(turn.boundaries, started); }
  void end_attempt() { --in_flight_; }

 private:
  bool is_limited() const { return truth_->uncached_per_minute > 0; }
  double allowance_at(double now) const {
    constexpr double minute = 60;
    const double most = truth_->uncached_per_minute;
    return std::min(most, allowance_ + most * (now - filled_at_) / minute);
  }

  const caching_provider* truth_;
  prompt_cache cache_;
  double in_flight_ = 0;
  double allowance_;
  double filled_at_ = 0;
};

}  // namespace photofinish::racing
