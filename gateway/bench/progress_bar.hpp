// One line on a terminal that says where the run is. Elsewhere: nothing.
#pragma once

#include "gateway/bench/load_driver.hpp"
#include "proxy/alarms.hpp"

#include <string>

namespace photofinish::gateway::bench {

// "concurrency 10  [#########-----------]  23/50  10 running  2 failed  12 s"
std::string progress_line(const run_progress& progress, proxy::instant now);

class progress_bar {
 public:
  // Writes to standard error, when that is a terminal. `of` outlives the bar.
  progress_bar(const load_driver& of, proxy::alarms& clock);
  ~progress_bar() { clear(); }

  void clear();  // the line, so that something else can be written there

 private:
  void draw();

  const load_driver& of_;
  proxy::alarms& clock_;
  proxy::alarm next_;
  bool is_drawn_ = false;
};

}  // namespace photofinish::gateway::bench
