// The forecaster in the housekeeper's hands: workers send it the steps of their attempts, a ring each, and get a board
// of what is known of routes' targets once a second. Where no route asks for it no board is made, and no step is sent.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/kept/receipt_store.hpp"
#include "gateway/housekeeping/kept/ring.hpp"
#include "gateway/housekeeping/kept/running_totals.hpp"
#include "metrics/exposition.hpp"
#include "racing/adaptive/speed_keeper.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

using step_ring = ring<racing::attempt_event, 2048>;
constexpr std::size_t most_receipts = 256;
using receipt_ring = ring<std::shared_ptr<race_receipt>, most_receipts>;

// What is compared by that configuration: every route with several targets, where one of them asks for it.
std::vector<racing::compared_route> compared_routes(const config& settings);

class speed_keeping {
 public:
  using publish = std::function<void(std::shared_ptr<const racing::speed_board>)>;

  // Called with each receipt, and with each race that is shown while it runs.
  using show = std::function<void(const std::shared_ptr<const race_receipt>&)>;

  speed_keeping(std::size_t workers, publish on_board, show on_race)
      : on_board_(std::move(on_board)), on_race_(std::move(on_race)) {
    for (std::size_t each = 0; each < workers; ++each) rings_.push_back(std::make_unique<worker_rings>());
  }

  // The housekeeper's thread.
  void adopt(const config& settings);
  void drain();  // takes in what has come
  void keep(std::shared_ptr<race_receipt> receipt);
  // Of an attempt that is of no route and no worker, where its target is compared.
  void take(const std::string& target, racing::attempt_event step);
  void tick();   // and tells the workers what that says

  std::vector<metrics::speculation_facts> budgets() const;  // of adaptive routes
  // As of the last tick; null where no route goes by speed.
  const std::shared_ptr<const racing::speed_board>& board() const { return keeper_.board(); }

  // That worker's thread; steps once it has a board. True: the ring fills faster than it is emptied, drain() should
  // come at once.
  bool note(std::size_t worker, const racing::attempt_event& step) {
    worker_rings& own = *rings_[worker];
    own.steps.push(step);  // full: one step less says little
    return own.steps.size() >= urgent_fill;
  }
  // Likewise. False: there is no room, and nothing was taken.
  bool note(std::size_t worker, std::shared_ptr<race_receipt>& receipt) {
    receipt_ring& own = rings_[worker]->receipts;
    return own.size() < most_receipts && own.push(std::move(receipt));
  }
  // drain() should come at once.
  bool has_many_receipts(std::size_t worker) const { return rings_[worker]->receipts.size() >= urgent_receipts; }

  // The housekeeper's thread: what is known of races that have ended.
  const receipt_store& receipts() const { return receipts_; }

 private:
  static constexpr std::size_t urgent_fill = 512, urgent_receipts = 64;
  struct worker_rings {
    step_ring steps;
    receipt_ring receipts;
  };

  void add_up(race_receipt& receipt);

  racing::speed_keeper keeper_;
  publish on_board_;
  show on_race_;
  receipt_store receipts_;
  running_totals sessions_, projects_;  // of the races whose receipts have come
  std::vector<std::unique_ptr<worker_rings>> rings_;
  bool has_board_ = false;
  std::set<std::string> adaptive_;  // routes
};

}  // namespace photofinish::gateway
