// Computes forecasts of speeds on the housekeeper's thread. Workers report each step of their attempts. Once per
// second, the workers get a forecast board, which is a table with the speeds of all routes' targets. If no route
// compares speeds, there is no board, and workers report no steps.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"
#include "gateway/housekeeping/stores/receipt_store.hpp"
#include "gateway/housekeeping/stores/running_totals.hpp"
#include "metrics/exposition.hpp"
#include "racing/adaptive/forecast_keeper.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

constexpr std::size_t most_receipts = 256;  // the maximum number of receipts in one worker's queue

// Returns the routes for which speeds are forecast. If at least one route needs speeds, returns all routes with several
// targets. Otherwise returns an empty list.
std::vector<racing::compared_route> compared_routes(const config& settings);

class forecast_store {
 public:
  using publish = std::function<void(std::shared_ptr<const racing::forecast_board>)>;

  // A function that is called with each receipt, and with the state of each running race that workers report.
  using show = std::function<void(const std::shared_ptr<const race_receipt>&)>;

  forecast_store(boost::asio::io_context& loop, std::size_t workers, publish on_board, show on_race)
      : loop_(loop), on_board_(std::move(on_board)), on_race_(std::move(on_race)),
        steps_(loop, workers, [this] { drain(); }), receipts_sent_(loop, workers, [this] { drain(); }) {}

  // Call this on the thread of the given worker, after the worker has received a forecast board (the table of targets'
  // speeds). If the worker's queue is full, this step of the attempt is not recorded, because a single step hardly
  // matters.
  void note(std::size_t worker, const racing::attempt_event& step) { steps_.put(worker, step); }
  // Call this on the thread of the given worker, with the receipt of a race that is running or has ended. Receipts with
  // costs are never lost.
  void note(std::size_t worker, std::shared_ptr<race_receipt> receipt);
  // Any thread may call this. Records a step of a probe, if the speed of the probe's target is forecast. The caller
  // need not set the numbers of the target and the route.
  void note_probe(std::string target, racing::attempt_event step);

  // The functions below are called on the housekeeper's thread.
  void adopt(const config& settings);
  void drain();  // processes the steps of attempts that workers have sent
  // Records a step of an attempt that belongs to no route and no worker, if the speed of the attempt's target is
  // forecast.
  void take(const std::string& target, racing::attempt_event step);
  void tick();   // updates the forecast with the new steps of attempts, and sends a new table of speeds to the workers

  std::vector<metrics::speculation_facts> budgets() const;  // the unspent budgets for hedges on adaptive routes
  // The table of speeds that the last tick made. Null if no route needs speeds.
  const std::shared_ptr<const racing::forecast_board>& board() const { return keeper_.board(); }

  // The receipts of races that have ended.
  const receipt_store& receipts() const { return receipts_; }

 private:
  void keep(std::shared_ptr<race_receipt> receipt);
  void add_up(race_receipt& receipt);

  boost::asio::io_context& loop_;
  racing::forecast_keeper keeper_;
  publish on_board_;
  show on_race_;
  receipt_store receipts_;
  running_totals sessions_, projects_;  // the sums of the usage in all receipts, by session and by project
  mailbox<racing::attempt_event, 2048, 512> steps_;
  mailbox<std::shared_ptr<race_receipt>, most_receipts, 64> receipts_sent_;
  bool has_board_ = false;
  std::set<std::string> adaptive_;  // the names of adaptive routes
};

}  // namespace photofinish::gateway
