// The attempts of one race, with their states. [pure]
#pragma once

#include "racing/race_command.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace photofinish::racing {

class attempt_list {
 public:
  enum class state { waiting, running, spoken, failed, empty, observed, kept, ready, done };
  struct attempt {
    state is = state::waiting;
    instant started;
    std::size_t target = 0;  // the target's index in the plan
    bool is_whole = false;
    instant spoke{};
    bool is_prefill = false;  // true if the attempt continues only so that its target finishes reading the prompt
  };

  explicit attempt_list(std::size_t places) : attempts_(places) {}

  // Attempts are numbered in the order of their starts.
  attempt& operator[](std::size_t index) { return attempts_[index]; }
  const attempt& operator[](std::size_t index) const { return attempts_[index]; }
  std::size_t started() const { return started_; }
  std::size_t places() const { return attempts_.size(); }
  void add_place() { attempts_.emplace_back(); }

  std::size_t count(state wanted) const;
  // Returns the first attempt in the state `wanted`. Attempts are in the order of their starts.
  std::optional<std::size_t> find(state wanted) const;
  bool has(state wanted) const { return find(wanted).has_value(); }

  // These functions change the state of attempts, and append the commands that put the changes into effect.
  void start(start_reason why, std::size_t target, instant now, std::vector<race_command>& commands) {
    attempts_[started_] = {state::running, now, target};
    commands.push_back(start_attempt{started_, why, target});
    ++started_;
  }
  void cancel(std::size_t index, cancel_cause cause, std::vector<race_command>& commands) {
    attempts_[index].is = state::done;
    commands.push_back(cancel_attempt{index, cause});
  }
  template <class Condition>
  void cancel_if(Condition is_meant, cancel_cause cause, std::vector<race_command>& commands) {
    for (std::size_t index = 0; index < started_; ++index)
      if (is_meant(attempts_[index])) cancel(index, cause, commands);
  }

 private:
  // The vector reserves memory for one attempt per target that may run. If a limit rejects an attempt, memory for its
  // replacement is added.
  std::vector<attempt> attempts_;
  std::size_t started_ = 0;
};

// True if the attempt can still win the race.
inline bool is_live(const attempt_list::attempt& each) {
  return each.is == attempt_list::state::running || each.is == attempt_list::state::spoken;
}

inline std::size_t attempt_list::count(state wanted) const {
  const auto is_it = [wanted](const attempt& each) { return each.is == wanted; };
  return static_cast<std::size_t>(std::count_if(attempts_.begin(), attempts_.end(), is_it));
}

inline std::optional<std::size_t> attempt_list::find(state wanted) const {
  for (std::size_t index = 0; index < started_; ++index)
    if (attempts_[index].is == wanted) return index;
  return std::nullopt;
}

}  // namespace photofinish::racing
