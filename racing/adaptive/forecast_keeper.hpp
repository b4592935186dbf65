// Maintains the forecasts for planners. Receives events of attempts and makes a new snapshot once a second. Only the
// housekeeper's thread uses this class. A route without requests costs almost nothing: its table is rebuilt rarely, or
// when many samples were added for one of its targets. At most a few of these tables are rebuilt per second. [pure]
#pragma once

#include "racing/adaptive/forecast_board.hpp"
#include "racing/forecast/forecaster.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::racing {

class forecast_keeper {
 public:
  // Sets the routes whose targets are compared from now on. If there are none, nothing is measured. Measurements for
  // other routes are kept.
  void adopt(const std::vector<compared_route>& routes);
  bool is_on() const { return !routes_.empty(); }

  void take(const attempt_event& event);
  // Makes a new snapshot for the planners. Returns null if no routes are compared.
  std::shared_ptr<const forecast_board> tick(instant now);

  // Returns the forecast that the last call of tick() made.
  const forecast& latest() const { return known_; }
  const std::shared_ptr<const forecast_board>& board() const { return board_; }

 private:
  struct kept_route {
    std::shared_ptr<const compared_route> is;
    route_number number = 0;
    std::vector<target_number> targets;
    std::shared_ptr<speculation_budget> budget;
    std::shared_ptr<std::atomic<std::uint32_t>> last_first = std::make_shared<std::atomic<std::uint32_t>>(0);
    std::array<instant, input_classes> asked{};  // time of the last prompt in each size class
    // Size class of the last prompt. At first it is the class of prompts with a few hundred tokens.
    std::size_t last_class = 2;
    instant asked_at{}, made_at{};
    std::vector<std::uint64_t> samples;  // number of samples of each target when the tables were made
    std::array<std::shared_ptr<const choice_table>, input_classes> tables;
  };

  void keep(const compared_route& each);
  bool is_due(const kept_route& each, instant now, std::size_t& idle_made) const;
  bool is_known_better(const kept_route& each) const;
  void make_tables(kept_route& each, instant now);

  forecaster forecaster_;
  forecast known_;
  std::shared_ptr<const forecast_board> board_;
  std::map<std::string, kept_route> routes_;
  std::vector<kept_route*> by_number_;
  std::shared_ptr<const std::unordered_map<std::string, target_number>> targets_;
  std::shared_ptr<start_times> starts_ = std::make_shared<start_times>(forecaster::max_targets);
  instant last_tick_{};
};

}  // namespace photofinish::racing
