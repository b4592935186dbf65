// Reports the steps of one race's attempts to the housekeeper, which computes the speeds of targets from these steps.
// The reporter runs on the worker's thread. It has its own copy of the names of the measured targets, so it does not
// keep the forecast in memory.
#pragma once

#include "gateway/housekeeping/step_sender.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/forecast/attempt_event.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish::gateway {

class step_reporter {
 public:
  // `route` is the race's route if the speeds of its targets are measured. `steps` must outlive the reporter.
  step_reporter(const racing::forecast_board& board, const std::string& route, step_sender& steps)
      : numbers_(board.targets), starts_(board.starts), steps_(steps) {
    if (const racing::route_speed* const compared = board.route(route)) route_ = compared->number;
  }

  // Call begin() when the next attempt of the plan starts. `traits` contains everything that is known about the attempt
  // at its start.
  void begin(const std::string& target, racing::attempt_event traits) {
    const auto number = numbers_->find(target);
    const bool is_learned = number != numbers_->end();
    traits.attempt = steps_.number_attempt();
    traits.route = route_;
    if (is_learned) {
      traits.target = number->second;
      starts_->started(number->second, traits.started_at);
    }
    attempts_.push_back({traits, is_learned});
    send(attempts_.size() - 1, racing::attempt_step::began, traits.started_at);
  }

  // Returns an event for the attempt, with the values that were known at its start.
  racing::attempt_event& event(std::size_t attempt) { return attempts_[attempt].event; }
  const racing::attempt_event& event(std::size_t attempt) const { return attempts_[attempt].event; }
  bool is_learned(std::size_t attempt) const { return attempts_[attempt].is_learned; }
  bool is_silent(std::size_t attempt) const { return attempts_[attempt].is_silent; }
  void end_silence(std::size_t attempt) { attempts_[attempt].is_silent = false; }

  // Sends a step to the housekeeper, unless the target's speed is not measured.
  void send(std::size_t attempt, racing::attempt_step step, racing::instant now) const {
    if (!is_learned(attempt)) return;
    racing::attempt_event event = attempts_[attempt].event;
    event.step = step;
    event.at = now;
    steps_.send(event);
  }
  void send(const racing::attempt_event& event) const { steps_.send(event); }

 private:
  struct reported_attempt {
    racing::attempt_event event;
    bool is_learned = false;  // true if the speed of the attempt's target is measured
    bool is_silent = true;
  };

  const std::shared_ptr<const std::unordered_map<std::string, racing::target_number>> numbers_;
  const std::shared_ptr<racing::start_times> starts_;
  step_sender& steps_;
  // The number of the race's route. The largest value means that there is no route.
  racing::route_number route_ = std::numeric_limits<racing::route_number>::max();
  std::vector<reported_attempt> attempts_;
};

}  // namespace photofinish::gateway
