// The housekeeper's forecaster. Workers send it the steps of their attempts, and once per second get a board with the
// speeds of routes' targets. If no route needs speeds, no board is made and no steps are sent.
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

constexpr std::size_t most_receipts = 256;  // limit for the waiting receipts of one worker

// Returns the routes whose targets are compared in the given configuration. If any of its routes needs speeds, these
// are all routes with several targets.
std::vector<racing::compared_route> compared_routes(const config& settings);

class forecast_store {
 public:
  using publish = std::function<void(std::shared_ptr<const racing::forecast_board>)>;

  // Called with each receipt, and with each running race that workers show.
  using show = std::function<void(const std::shared_ptr<const race_receipt>&)>;

  forecast_store(boost::asio::io_context& loop, std::size_t workers, publish on_board, show on_race)
      : loop_(loop), on_board_(std::move(on_board)), on_race_(std::move(on_race)),
        steps_(loop, workers, [this] { drain(); }), receipts_sent_(loop, workers, [this] { drain(); }) {}

  // Call this on the thread of the given worker, after it has a board. A full ring drops the step, because one step
  // hardly matters.
  void note(std::size_t worker, const racing::attempt_event& step) { steps_.put(worker, step); }
  // Call this on the thread of the given worker. The receipt is final or of a running race. No receipt
  // with sums is lost.
  void note(std::size_t worker, std::shared_ptr<race_receipt> receipt);
  // Any thread may call this. Records a step of a probe if its target is compared. The step needs neither the number of
  // its target nor of its route.
  void note_probe(std::string target, racing::attempt_event step);

  // The functions below are called on the housekeeper's thread.
  void adopt(const config& settings);
  void drain();  // processes the steps that workers have sent
  // Records a step of an attempt that has no route and no worker, if its target is compared.
  void take(const std::string& target, racing::attempt_event step);
  void tick();   // learns from the steps, and sends a new board to the workers

  std::vector<metrics::speculation_facts> budgets() const;  // the remaining budgets of adaptive routes
  // The board of the last tick; null if no route is planned by speed.
  const std::shared_ptr<const racing::forecast_board>& board() const { return keeper_.board(); }

  // The stored receipts of races that have ended.
  const receipt_store& receipts() const { return receipts_; }

 private:
  void keep(std::shared_ptr<race_receipt> receipt);
  void add_up(race_receipt& receipt);

  boost::asio::io_context& loop_;
  racing::forecast_keeper keeper_;
  publish on_board_;
  show on_race_;
  receipt_store receipts_;
  running_totals sessions_, projects_;  // totals of usage from the receipts that have arrived
  mailbox<racing::attempt_event, 2048, 512> steps_;
  mailbox<std::shared_ptr<race_receipt>, most_receipts, 64> receipts_sent_;
  bool has_board_ = false;
  std::set<std::string> adaptive_;  // names of adaptive routes
};

}  // namespace photofinish::gateway
