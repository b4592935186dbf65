// The forecaster's model of one target. According to the model, an attempt fails, or never answers, or has its first
// token after exp(level) x (1 + rho x input tokens) x load x shape. `load` is the effect of running attempts, and
// `shape` is random. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/failure_shares.hpp"
#include "racing/forecast/level.hpp"
#include "racing/forecast/load_line.hpp"
#include "racing/forecast/prompt_part.hpp"
#include "racing/forecast/target_forecast.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <optional>
#include <span>

namespace photofinish::racing {

struct silent_attempt {
  double seconds = 0;  // seconds for which the attempt has been silent
  double input_tokens = 0;
  double in_flight = 1;
  prefix_match match{};
  bool is_twin = false;  // true if another attempt of the race at this target already counts as evidence for the
                         // target's usual time
};

class target_model {
 public:
  // Evaluates any event except `began`. Events must come in the order of their times. If the event contains a time,
  // returns its deviation from the usual time.
  std::optional<residual_sample> learn(const attempt_event& event);

  // Counts an attempt as answered. If the provider reports the cached tokens only after the first token, the time to
  // the first token is evaluated later, by learn().
  void note_answer(const attempt_event& event) { failures_.answered(event.at, event.caller); }
  residual_sample learn_time(const attempt_event& event);

  // Assumes the usual time of the best known target of the route. Call this function before the first sample.
  void assume(double log_seconds) { level_.assume(log_seconds); }

  // Returns the current forecast. `silent` contains the silent attempts that began later than every attempt that has
  // answered. `fading` is explained in failure_shares.
  target_forecast read(instant now, double fading, std::span<const silent_attempt> silent);

  double level_value() const { return level_.value(); }
  std::uint64_t samples() const { return level_.samples(); }
  std::uint64_t jumps() const { return level_.jumps_up() + level_.jumps_down(); }
  double rho() const { return prompt_.rho(); }

 private:
  // The facts that follow from an attempt's silence: the share of attempts that are silent for at least as long, and
  // the expected number of uncached tokens.
  struct silence {
    double alive = 1, tokens = 0;
  };

  // Returns the part of ln TTFT that depends on the prompt and on the running attempts.
  double expected_part(double tokens, double in_flight) const;
  silence judge_silence(double log_time, double input_tokens, const prefix_match& match, double in_flight) const;
  residual_sample was_cut(const attempt_event& event);
  void note_hit(const attempt_event& event);
  void take_time(double log_time, const attempt_event& event, double information, double doubt);

  level level_;
  prompt_part prompt_;
  ttft_shape shape_;
  survival_curve curve_;  // survival curve as of the last call of read()
  failure_shares failures_;
  hit_shares hits_;
  load_line first_token_load_{{.ridge = 40, .most_slope = 0.5}};
  load_line decode_{{.ridge = 8, .most_slope = 1e9, .renewed_after = 30}};
  instant last_time_{};
  instant last_decode_{};
  instant last_read_{};
};

}  // namespace photofinish::racing
