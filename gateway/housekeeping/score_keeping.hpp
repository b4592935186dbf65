// Processes the results of attempts. Computes cooldowns, the statistics of the last 72 hours, and alerts about
// regressions. Workers get the cooldowns and the statistics in a scoreboard.
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
  // A function that is called on the housekeeper's thread with a new scoreboard, and that passes it to every worker.
  using publish = std::function<void(std::shared_ptr<const racing::scoreboard>)>;

  // The constructor also reads the stored statistics from their file. All arguments must outlive this object.
  score_keeping(house_loop& house, const housekeeping& how, std::size_t workers, publish on_board,
                store_keeping& store, egress_keeping& egress, alert_sender& alerts);

  // Call this on the thread of the given worker. The housekeeper processes a failure immediately, and any other result
  // within a second.
  void note(std::size_t worker, attempt_evidence sample);
  // Any thread may call this. Records the measurement of a probe.
  void note_probe(racing::target_sample sample);

  // The functions below are called on the housekeeper's thread.
  void judge();
  bool review();  // updates the statistics and the alerts; returns false if an update is not due yet
  void publish_board();
  // Returns the cooldowns that this gateway has started, together with those that other gateways have shared.
  racing::scoreboard cooling(racing::instant now) const;
  statistics& figures() { return figures_; }
  // Moves all stored times by the given duration. Call this if the clock was wrong and has been corrected.
  void shift(std::chrono::milliseconds by);

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
  // The time of the next computation of the statistics. It is initially in the past, so that workers get the stored
  // statistics in the first tick.
  racing::instant review_at_{};
};

}  // namespace photofinish::gateway
