#include "racing/forecast/target_model.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

// The limits of the time to the first token. A shorter or longer time is replaced by the limit.
constexpr double least_seconds = 0.001, most_seconds = 1'000;
constexpr double most_tokens = 1e8;

double log_seconds(double seconds) { return std::log(std::clamp(seconds, least_seconds, most_seconds)); }

double sane(double value, double least, double most) {
  return std::isfinite(value) ? std::clamp(value, least, most) : least;
}

// Returns the seconds since the previous sample, or 0 for the first sample.
double pass(instant& last, instant at) {
  const double seconds = last == instant{} ? 0 : seconds_between(last, at);
  last = std::max(last, at);
  return seconds;
}

}  // namespace

double target_model::expected_part(double tokens, double in_flight) const {
  return prompt_.log_part(tokens) +
         first_token_load_.slope() * (in_flight - first_token_load_.mean_load());
}

std::optional<residual_sample> target_model::learn(const attempt_event& as_sent) {
  attempt_event event = as_sent;
  event.input_tokens = sane(event.input_tokens, 0, most_tokens);
  event.in_flight = sane(event.in_flight, 1, 1e6);
  switch (event.step) {
    case attempt_step::spoke:
      note_answer(event);
      note_hit(event);
      return learn_time(event);
    case attempt_step::usage: note_hit(event); break;
    case attempt_step::cut: return was_cut(event);
    case attempt_step::failed: failures_.failed(event.at, event.caller); break;
    case attempt_step::answered: {
      const double per_token = event.decode_seconds / event.output_tokens;
      if (!(event.decode_seconds > 0) || !(event.output_tokens > 0) || !(per_token < 60)) break;
      decode_.add(per_token, event.in_flight, pass(last_decode_, event.at));
      break;
    }
    case attempt_step::began:
    case attempt_step::dropped: break;
  }
  return std::nullopt;
}

void target_model::note_hit(const attempt_event& event) {
  if (!event.cached_tokens || !(event.match.tokens >= hit_shares::least_tokens)) return;
  hits_.add(event.match.age_seconds, *event.cached_tokens / event.match.tokens);
}

residual_sample target_model::learn_time(const attempt_event& as_sent) {
  attempt_event event = as_sent;
  const double cached = event.cached_tokens.value_or(event.match.expected());
  event.input_tokens = tokens_to_read(sane(event.input_tokens, 0, most_tokens), sane(cached, 0, most_tokens));
  event.in_flight = sane(event.in_flight, 1, 1e6);
  const double log_time = log_seconds(seconds_between(event.started_at, event.at));
  const residual_sample sample{log_time - level_.value() - expected_part(event.input_tokens, event.in_flight)};
  shape_.add(sample);
  if (!event.is_twin) take_time(log_time, event, 1, 0);
  return sample;
}

// Evaluates a silent attempt. The longer it is silent, the more probable it is that the target has not cached the
// prompt.
target_model::silence target_model::judge_silence(double log_time, double input_tokens, const prefix_match& match,
                                                  double in_flight) const {
  const auto share_after = [&](double tokens) {
    return curve_.at(log_time - (level_.value() + expected_part(tokens, in_flight)));
  };
  if (!match.exists()) return {share_after(input_tokens), input_tokens};
  const double cached = sane(match.tokens, 0, most_tokens), chance = sane(match.hit_chance, 0, 1);
  const double hit = chance * share_after(tokens_to_read(input_tokens, cached));
  const double miss = (1 - chance) * share_after(input_tokens);
  const double alive = hit + miss;
  return {alive, tokens_to_read(input_tokens, alive > 0 ? cached * hit / alive : 0)};
}

// Evaluates an attempt that was cancelled before its first token. The time to its first token is unknown. Instead, the
// function uses the time that is expected after such a silence.
residual_sample target_model::was_cut(const attempt_event& as_sent) {
  attempt_event event = as_sent;
  const double log_time = log_seconds(seconds_between(event.started_at, event.at));
  const silence judged = judge_silence(log_time, event.input_tokens, event.match, event.in_flight);
  event.input_tokens = judged.tokens;
  const double base = level_.value() + expected_part(event.input_tokens, event.in_flight);
  const double residual = log_time - base;
  const double dead = failures_.cut(event.at, judged.alive, event.caller);
  shape_.add_cut(residual, 1 - dead);
  if (!event.is_twin) take_time(base + curve_.mean_above(residual), event, 1 - judged.alive, dead);
  return {residual, 1 - dead, false};
}

void target_model::take_time(double log_time, const attempt_event& event, double information, double doubt) {
  const double seconds = pass(last_time_, event.at);
  const double load = first_token_load_.slope() * (event.in_flight - first_token_load_.mean_load());
  first_token_load_.add(log_time - prompt_.log_part(event.input_tokens), event.in_flight, seconds);
  level_.move(prompt_.add(log_time - load, event.input_tokens));
  const double own = log_time - load - prompt_.log_part(event.input_tokens);
  level_.add({own, event.caller, information, doubt}, curve_, seconds);
}

target_forecast target_model::read(instant now, double fading, std::span<const silent_attempt> silent) {
  shape_.forget(last_read_ == instant{} ? 0 : seconds_between(last_read_, now));
  last_read_ = now;
  curve_ = shape_.curve();
  std::vector<double> residuals, alive;
  bool has_match = false;
  for (const silent_attempt& each : silent) {
    const double tokens = sane(each.input_tokens, 0, most_tokens), in_flight = sane(each.in_flight, 1, 1e6);
    const double log_time = log_seconds(each.seconds);
    const silence judged = judge_silence(log_time, tokens, each.match, in_flight);
    alive.push_back(judged.alive);
    const double residual = log_time - (level_.value() + expected_part(judged.tokens, in_flight));
    has_match |= each.match.exists();
    // If a target has cached a part of the prompt, an attempt at it does not count as evidence of a slowdown until its
    // silence exceeds the median time to the first token. Otherwise new attempts, which cannot have answered yet, would
    // weaken the evidence of older attempts.
    const bool is_young = each.match.exists() && residual < curve_.middle();
    if (!each.is_twin && !is_young) residuals.push_back(residual);
  }
  failures_.weigh(now, fading, alive);
  target_forecast known;
  known.level = level_.value();
  known.shift = level_.shift_by(residuals, curve_, has_match ? level::early_shift : level::jump_alarm);
  known.rho = prompt_.rho();
  known.shape = curve_;
  known.error_share = failures_.error_share();
  known.hang_share = failures_.hang_share();
  known.hits = hits_;
  known.surprise_down = level_.surprise_down();
  known.first_token_load = first_token_load_.read();
  known.decode = decode_.read();
  known.samples = level_.samples();
  known.jumps_up = level_.jumps_up();
  known.jumps_down = level_.jumps_down();
  return known;
}

}  // namespace photofinish::racing
