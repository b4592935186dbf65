#include "tests/simulation/adaptive/scenario.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double stall_factor = 6, stall_spread = 0.5;
constexpr double hour = 3'600, turn_of_circle = 6.283185307179586;

double normal_above(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

}  // namespace

spell true_target::at(double now) const {
  spell all{now, now, std::exp(tide * std::sin(turn_of_circle * now / hour + tide_phase)), 0, 0, 1};
  for (const spell& each : spells) {
    if (now < each.from || now >= each.to) continue;
    all.factor *= each.factor;
    all.decode_factor *= each.decode_factor;
    all.hang_share = std::max(all.hang_share, each.hang_share);
    all.error_share = std::max(all.error_share, each.error_share);
  }
  return all;
}

double scenario::rate_at(double now) const {
  return burst_every > 0 && std::fmod(now, burst_every) < burst_seconds ? burst_rate : rate;
}

double scenario::change_from() const { return targets[0].spells.empty() ? 0 : targets[0].spells[0].from; }
double scenario::change_to() const { return targets[0].spells.empty() ? 0 : targets[0].spells[0].to; }

true_request draw_request(const scenario& world, std::uint64_t seed, std::uint64_t number) {
  dice chance{seed, number, 1};
  true_request made;
  made.input_tokens = std::clamp(std::round(world.prompt_median * std::exp(world.prompt_spread * chance.normal())), 1.0, 1e6);
  const auto kind = std::min(static_cast<std::size_t>(chance.uniform() * static_cast<double>(world.answers.size())),
                             world.answers.size() - 1);
  const answer_kind& answer = world.answers[kind];
  made.output_tokens = std::max(1.0, std::round(answer.median * std::exp(answer.spread * chance.normal())));
  if (answer.max_tokens) made.output_tokens = std::min(made.output_tokens, static_cast<double>(*answer.max_tokens));
  made.max_tokens = answer.max_tokens;
  made.caller = 1 + static_cast<std::uint64_t>(chance.uniform() * 5);
  return made;
}

true_outcome draw_outcome(const scenario& world, std::uint64_t seed, std::uint64_t number, std::size_t target, std::size_t turn,
                          double now, double input_tokens, double in_flight, bool is_quick) {
  const true_target& truth = world.targets[target];
  dice own{seed, number, 2, target, turn};
  dice common{seed, number, 3, truth.vendor, turn};
  const double shared = std::sqrt(world.correlation), apart = std::sqrt(1 - world.correlation);
  const double stalls = shared * common.normal() + apart * own.normal();
  const double z = shared * common.normal() + apart * own.normal();
  const spell state = truth.at(now);
  const double lot = own.uniform();
  if (lot < state.error_share) return {true_end::error, 0.05};
  if (lot < state.error_share + state.hang_share) return {true_end::hang, 0};
  double seconds = (is_quick ? truth.median : truth.limited_median) * state.factor * (1 + truth.rho * input_tokens) *
                   (1 + truth.first_token_load * std::max(0.0, in_flight - 1));
  if (truth.stall_share > 0 && normal_above(stalls) < truth.stall_share) seconds *= stall_factor * std::exp(stall_spread * z);
  else seconds *= std::exp(truth.spread * z);
  return {true_end::answer, seconds};
}

double true_decode(const true_target& target, double in_flight, double now) {
  return target.decode * target.at(now).decode_factor * (1 + target.decode_load * std::max(0.0, in_flight - 1));
}

target_forecast true_forecast(const true_target& target, double now, bool is_quick) {
  const spell state = target.at(now);
  target_forecast known;
  known.level = std::log((is_quick ? target.median : target.limited_median) * state.factor);
  known.rho = target.rho;
  survival_curve::edges alive{};
  for (std::size_t edge = 0; edge <= residual_bins; ++edge) {
    const double r = least_residual + log_step * static_cast<double>(edge);
    alive[edge] = static_cast<float>((1 - target.stall_share) * normal_above(r / target.spread) +
                                     target.stall_share * normal_above((r - std::log(stall_factor)) / stall_spread));
  }
  known.shape = survival_curve(alive);
  known.error_share = state.error_share;
  known.hang_share = state.hang_share;
  known.first_token_load = {0, 1, std::log1p(target.first_token_load), -1e9, 1'000};
  const double decode = true_decode(target, 1, now);
  known.decode = {decode, 1, decode * target.decode_load, decode, 1'000};
  known.samples = 1'000'000;
  return known;
}

double true_length(const scenario& world, std::optional<std::uint64_t> max_tokens) {
  for (const answer_kind& each : world.answers) {
    if (each.max_tokens != max_tokens) continue;
    const double mean = each.median * std::exp(0.5 * each.spread * each.spread);
    return max_tokens ? std::min(mean, static_cast<double>(*max_tokens)) : mean;
  }
  return 250;
}

}  // namespace photofinish::racing
