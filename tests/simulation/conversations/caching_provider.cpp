#include "tests/simulation/conversations/caching_provider.hpp"

#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double stalled_times = 5;
// The probability that a further attempt at a provider has the same random times as the turn's first attempt there.
constexpr double shared_luck = 1.0 / 3;
constexpr std::uint64_t lottery = 11, speed = 12, sharing = 13;  // distinct numbers keep draws for different purposes independent

// Returns the attempt number from which the random times of this attempt are derived. This is 0, the number of the turn's first attempt, if
// the attempt has the same times as the first attempt. Otherwise it is the attempt's own number.
std::size_t luck_of(const attempt_luck& luck) {
  const double lot = dice{luck.seed, luck.conversation, luck.turn, sharing, luck.target, luck.attempt}.uniform();
  return lot < shared_luck ? 0 : luck.attempt;
}

double share_above(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

}  // namespace

bool is_found(const caching_provider& provider, const attempt_luck& luck) {
  return dice{luck.seed, luck.conversation, luck.turn, lottery, luck.target, luck.attempt}.uniform() < provider.cache.found;
}

true_outcome draw_first_token(const caching_provider& provider, const attempt_luck& luck, double now, double cached,
                              double uncached) {
  constexpr double error_after = 0.05;
  dice chance{luck.seed, luck.conversation, luck.turn, speed, luck.target, luck_of(luck)};
  const spell state = provider.speed.at(now);
  const double lot = chance.uniform();
  if (lot < state.error_share) return {true_end::error, error_after};
  if (lot < state.error_share + state.hang_share) return {true_end::hang, 0};
  const bool is_stalled = chance.uniform() < provider.speed.stall_share;
  const double shape = std::exp(provider.speed.spread * chance.normal()) * (is_stalled ? stalled_times : 1);
  return {true_end::answer, provider.seconds(cached, uncached) * state.factor * shape};
}

survival_curve true_shape(const true_target& truth) {
  survival_curve::edges alive{};
  for (std::size_t edge = 0; edge < alive.size(); ++edge) {
    const double residual = least_residual + log_step * static_cast<double>(edge);
    const double stalled = share_above((residual - std::log(stalled_times)) / truth.spread);
    const double usual = share_above(residual / truth.spread);
    alive[edge] = static_cast<float>(usual + truth.stall_share * (stalled - usual));
  }
  return survival_curve(alive);
}

}  // namespace photofinish::racing
