// Reports the steps of one race's attempts to the housekeeper, which learns from them how fast targets are.
// It runs on the worker's thread. It keeps the names of the targets that are compared, and not the board.
#pragma once

#include "gateway/housekeeping/step_sender.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/forecast/attempt_event.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish::gateway {

class step_reporter {
 public:
  // `route`: the race's, if it is compared. `steps` outlives the reporter.
  step_reporter(const racing::forecast_board& board, const std::string& route, step_sender& steps);

  // The next attempt of the plan begins: `traits` are those that the caller knows.
  void begin(const std::string& target, racing::attempt_event traits);

  racing::attempt_event& event(std::size_t attempt) { return attempts_[attempt].event; }  // as the attempt began
  const racing::attempt_event& event(std::size_t attempt) const { return attempts_[attempt].event; }
  bool is_learned(std::size_t attempt) const { return attempts_[attempt].is_learned; }
  bool is_silent(std::size_t attempt) const { return attempts_[attempt].is_silent; }
  void end_silence(std::size_t attempt) { attempts_[attempt].is_silent = false; }

  // Nothing is sent of a target that is not compared.
  void send(std::size_t attempt, racing::attempt_step step, racing::instant now) const;
  void send(const racing::attempt_event& event) const { steps_.send(event); }

 private:
  struct reported_attempt {
    racing::attempt_event event;
    bool is_learned = false;  // its target is one of those that are compared
    bool is_silent = true;
  };

  const std::shared_ptr<const std::unordered_map<std::string, racing::target_number>> numbers_;
  const std::shared_ptr<racing::start_times> starts_;
  step_sender& steps_;
  const racing::route_number route_;
  std::vector<reported_attempt> attempts_;
};

}  // namespace photofinish::gateway
