// Stores the data from which route advice is computed. Receives raced requests of all policies, and determines the
// usual time of each target in each minute. Only one thread uses this class. An attempt is added to the model only
// after a minute, so that attempts with long answers are also added in the order of their times. Memory: at most
// max_targets records of 69 kB and models of 3 kB, max_routes records, and the attempts that have not been added to a
// model yet. [pure]
#pragma once

#include "racing/advice/raced_request.hpp"
#include "racing/advice/speed_records.hpp"
#include "racing/forecast/target_model.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace photofinish::racing {

class speed_history {
 public:
  // The maximum numbers of targets and routes. Further targets and routes are ignored.
  static constexpr std::size_t max_targets = 256, max_routes = 128;
  static constexpr std::size_t max_attempts = 32;      // maximum number of attempts per race
  // The maximum number of attempts that wait to be added to the model. If there are more, the oldest attempts are
  // dropped.
  static constexpr std::size_t max_waiting = 100'000;
  static constexpr std::chrono::seconds wait{60};

  // Receives a race that has ended. `now` and `wall` must be read at the same moment.
  void take(const raced_request& request, instant now, wall_time wall);
  // Defines which attempts are added to the model: only attempts that have waited for a minute (`settled`), or all.
  enum class learning { settled, all };
  void tick(instant now, learning which = learning::settled);

  void expire(wall_time now);
  void shift(std::chrono::milliseconds by);  // if the clock was wrong, corrects all stored times by its error
  void restore(speed_records kept) { records_ = std::move(kept); }

  const speed_records& records() const { return records_; }

 private:
  struct waiting_attempt {
    attempt_event event;
    std::string target;
    std::int32_t minute = 0;
  };
  // The attempts that wait to be added to the model, sorted by the time of their end. Because of this order, attempts
  // that must still wait need not be examined. Attempts with equal times stay in order.
  using waiting_list = std::multimap<instant, waiting_attempt>;
  struct followed_target {
    target_model model;
    double log_tokens = 0;  // mean of log(1 + tokens) over the prompts of the target's attempts
    double gap = 2;         // mean seconds between the target's attempts
    instant last{};
    instant last_read{};
    target_forecast known;
    std::uint64_t jumps = 0;
    double seconds = 0;     // seconds of the current minute that the mean level already includes
    instant last_level{};
  };

  bool has_room_for(const std::string& target) const {
    return records_.targets.size() < max_targets || records_.targets.contains(target);
  }
  void count(const raced_request& request, route_record& into, std::int32_t minute);
  void learn(const waiting_attempt& attempt);
  static void note_level(followed_target& target, const target_record& record, target_minute& minute, instant at);
  static void follow_slope(followed_target& target, target_record& record);
  static void read(followed_target& target, instant at);

  speed_records records_;
  std::map<std::string, followed_target> followed_;
  waiting_list waiting_;
};

}  // namespace photofinish::racing
