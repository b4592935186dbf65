// Turns the results of attempts into cooldowns, the statistics of the last 72 hours, and alerts of regressions. Workers
// get the cooldowns and the statistics as a scoreboard.
#pragma once

#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/housekeeping.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"
#include "gateway/housekeeping/stores/statistics.hpp"
#include "gateway/records/attempt_evidence.hpp"
#include "racing/cooldowns.hpp"
#include "racing/scoreboard.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace photofinish::gateway {

class alert_sender;
class egress_keeping;
class store_keeping;

class score_keeping {
 public:
  // Called on the housekeeper's thread. The function hands the snapshot to every worker.
  using publish = std::function<void(std::shared_ptr<const racing::scoreboard>)>;

  // The constructor reads the stored statistics. All arguments outlive this object.
  score_keeping(house_loop& house, const housekeeping& how, std::size_t workers, publish on_board,
                store_keeping& store, egress_keeping& egress, alert_sender& alerts);

  // Call this on the thread of the given worker. The housekeeper judges a failure immediately, and any other result
  // within a second.
  void note(std::size_t worker, attempt_evidence sample);
  // Any thread may call this. Records the measurement of a probe.
  void note_probe(racing::target_sample sample);

  // The functions below are called on the housekeeper's thread.
  void judge();
  bool review();  // reviews the statistics; returns false if no review is due
  void publish_board();
  // The cooldowns that this gateway has found, and the cooldowns that other gateways on its store have shared.
  racing::scoreboard cooling(racing::instant now) const;
  statistics& figures() { return figures_; }
  void shift(std::chrono::milliseconds by);  // moves all stored times by this difference, after the clock was wrong

 private:
  house_loop& house_;
  const housekeeping& how_;
  mailbox<attempt_evidence, 1024, 256> samples_;
  racing::cooldowns cooldowns_;
  statistics figures_;
  racing::regression_watch regressions_;
  const publish on_board_;
  store_keeping& store_;
  egress_keeping& egress_;
  alert_sender& alerts_;
  // The time of the next review. The first tick makes a review, so that workers get the stored statistics.
  racing::instant review_at_{};
};

}  // namespace photofinish::gateway
