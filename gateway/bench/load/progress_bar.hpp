// Shows the progress of the run on standard error. On a terminal, it updates one line. Otherwise it writes a line at
// the beginning and at the end of each level.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/load/load_driver.hpp"
#include "proxy/loop/alarms.hpp"

#include <string>

namespace photofinish::gateway::bench {

// Returns a line such as "concurrency 10  [#########-----------]  23/50  10 running  2 failed  12 s".
std::string progress_line(const run_progress& progress, proxy::instant now);

// Returns a line such as "concurrency 10: 10 warm-up requests, then 50" or "rate 2/s: 5 warm-up requests, then as many
// as the duration allows".
std::string began_line(const load_level& level);
// Returns a line such as "concurrency 10: 48 answered, 2 failed".
std::string ended_line(const level_report& level);

class progress_bar {
 public:
  // The load driver `of` must outlive this object.
  progress_bar(const load_driver& of, proxy::alarms& clock);
  ~progress_bar() { clear(); }

  void began(const load_level& level);
  void ended(const level_report& level);

 private:
  void draw();
  void clear();  // clears the line of the progress bar, so that other text can be written there

  const load_driver& of_;
  proxy::alarms& clock_;
  proxy::alarm next_;
  const bool is_terminal_;
  bool is_drawn_ = false;
};

}  // namespace photofinish::gateway::bench
