// The housekeeper's forecaster: workers send it the steps of their attempts, and get a board with the speed of routes'
// targets once per second. If no route needs the speed, no board is made, and no step is sent.
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

constexpr std::size_t most_receipts = 256;  // receipts of one worker that may wait

// The routes that are compared in that configuration: every route with several targets, if one of these routes needs
// it.
std::vector<racing::compared_route> compared_routes(const config& settings);

class forecast_store {
 public:
  using publish = std::function<void(std::shared_ptr<const racing::forecast_board>)>;

  // Called with each receipt, and with each race that is shown while it runs.
  using show = std::function<void(const std::shared_ptr<const race_receipt>&)>;

  forecast_store(boost::asio::io_context& loop, std::size_t workers, publish on_board, show on_race)
      : loop_(loop), on_board_(std::move(on_board)), on_race_(std::move(on_race)),
        steps_(loop, workers, [this] { drain(); }), receipts_sent_(loop, workers, [this] { drain(); }) {}

  // Call this on that worker's thread, after it has a board. If the ring is full, the step is lost: one step hardly
  // matters.
  void note(std::size_t worker, const racing::attempt_event& step) { steps_.put(worker, step); }
  // Call this on that worker's thread with a race's receipt, final or of a running race. No receipt with sums is lost.
  void note(std::size_t worker, std::shared_ptr<race_receipt> receipt);
  // Any thread may call this. Takes a step of a probe, if its target is compared. The numbers of its target and its
  // route are not needed.
  void note_probe(std::string target, racing::attempt_event step);

  // The functions below are called on the housekeeper's thread.
  void adopt(const config& settings);
  void drain();  // processes the received steps
  // Takes a step of an attempt without a route and a worker, if its target is compared.
  void take(const std::string& target, racing::attempt_event step);
  void tick();   // learns from the steps, and sends the workers the new board

  std::vector<metrics::speculation_facts> budgets() const;  // the budgets of adaptive routes
  // The board of the last tick; null if no route is planned by speed.
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
  running_totals sessions_, projects_;  // totals over the races whose receipts have arrived
  mailbox<racing::attempt_event, 2048, 512> steps_;
  mailbox<std::shared_ptr<race_receipt>, most_receipts, 64> receipts_sent_;
  bool has_board_ = false;
  std::set<std::string> adaptive_;  // names of adaptive routes
};

}  // namespace photofinish::gateway
