// Performs one run of the bench: requests the list of models, tries one request, runs the levels, and returns the
// report. Ctrl-C ends the run early and keeps the measured results. A second Ctrl-C ends the process.
#pragma once

#include "gateway/bench/load/first_contact.hpp"
#include "gateway/bench/load/load_driver.hpp"
#include "gateway/bench/load/progress_bar.hpp"
#include "gateway/bench/run_report.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

struct bench_setup {
  bench_plan plan;
  endpoint to;
  std::string model;  // the model to request; if empty, the first model that the endpoint lists
  token_counter count_tokens;
  std::string version;
};

class bench_run {
 public:
  explicit bench_run(bench_setup setup);

  // Performs the run, and returns when the run is over. Call run() only once.
  void run();

  // Returns the reason why there is no report; empty if there is a report.
  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  int interrupted_by() const { return interrupted_by_; }  // returns the number of the signal that ended the run, or 0
  const run_report& report() const { return report_; }
  // Returns the requests of each level in the report.
  const std::vector<level_result>& levels() const { return levels_; }

 private:
  boost::asio::awaitable<void> all();
  boost::asio::awaitable<void> measure();
  boost::asio::awaitable<bool> choose_model();
  boost::asio::awaitable<bool> try_one();
  void interrupt(int signal);
  void add_level(level_result level);

  bench_setup setup_;
  boost::asio::io_context loop_{1};
  proxy::outbound over_{loop_};
  boost::asio::signal_set signals_{loop_};
  std::optional<first_contact> contact_;
  std::optional<load_driver> driver_;
  std::optional<progress_bar> bar_;
  std::vector<level_result> levels_;
  run_report report_;
  std::vector<std::string> warnings_;
  std::string problem_;
  std::exception_ptr bug_;
  bool is_interrupted_ = false;
  int interrupted_by_ = 0;
};

}  // namespace photofinish::gateway::bench
