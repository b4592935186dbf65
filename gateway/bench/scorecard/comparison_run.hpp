// Runs a comparison of endpoints: tries each endpoint, then sends requests to the endpoints alternately, round by
// round, and returns the scorecard. Ctrl-C ends the comparison early and keeps the measured results. A second Ctrl-C
// ends the process.
#pragma once

#include "gateway/bench/load/first_contact.hpp"
#include "gateway/bench/load/load_driver.hpp"
#include "gateway/bench/scorecard/scorecard.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

struct compared_endpoint {
  endpoint to;
  std::string model;  // the model to request; if empty, the first model that the endpoint lists
  // The prices of the model. If none are given, the prices in the program's built-in list apply.
  std::optional<proxy::model_prices> prices;
};

struct comparison_setup {
  comparison_plan plan;
  std::vector<compared_endpoint> endpoints;
  token_counter count_tokens;
  std::string version;
  std::optional<own_traffic> traffic = {};
};

class comparison_run {
 public:
  explicit comparison_run(comparison_setup setup);
  ~comparison_run();

  // Performs the comparison, and returns when the comparison is over. Call run() only once.
  void run();

  // Returns the reasons why there is no scorecard: a sentence for each endpoint with a problem. Empty if there is a
  // scorecard.
  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  int interrupted_by() const { return interrupted_by_; }  // returns the number of the signal that ended the run, or 0
  const scorecard& card() const { return card_; }
  // Returns the measurements in the order of the scorecard.
  const std::vector<measured_cell>& cells() const { return cells_; }

 private:
  struct lane;

  boost::asio::awaitable<void> all();
  boost::asio::awaitable<void> meet(lane& each);
  boost::asio::awaitable<void> measure();
  boost::asio::awaitable<void> warm_up(lane& each);
  boost::asio::awaitable<void> play(const turn& next, std::size_t round);
  bool find_prices(lane& each);
  std::size_t warmup_tokens() const;
  bool is_over(proxy::instant begun_at);
  void interrupt(int signal);
  void finish();
  measured_cell& cell_of(const turn& next) { return cells_[next.size * lanes_.size() + next.endpoint]; }

  comparison_setup setup_;
  boost::asio::io_context loop_{1};
  proxy::outbound over_{loop_};
  boost::asio::signal_set signals_{loop_};
  run_spending spent_;
  std::list<lane> lanes_;  // a std::list, so that references to its elements stay valid
  std::vector<measured_cell> cells_;
  scorecard card_;
  std::vector<std::string> problems_;
  std::vector<std::string> warnings_;
  std::exception_ptr bug_;
  bool is_interrupted_ = false;
  int interrupted_by_ = 0;
};

}  // namespace photofinish::gateway::bench
