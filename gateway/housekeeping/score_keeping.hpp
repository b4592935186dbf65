// Results of attempts as cooldowns, as the statistics of the last 72 hours, and as alerts of regressions. Workers get
// the first two as a scoreboard.
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
  // Called on the housekeeper's thread. It hands the snapshot to every worker.
  using publish = std::function<void(std::shared_ptr<const racing::scoreboard>)>;

  // Reads the stored statistics. All that is referred to outlives this.
  score_keeping(house_loop& house, const housekeeping& how, std::size_t workers, publish on_board,
                store_keeping& store, egress_keeping& egress, alert_sender& alerts);

  // On that worker's thread. A failure is judged immediately, everything else within a second.
  void note(std::size_t worker, attempt_evidence sample);
  // Any thread: what a probe has measured.
  void note_probe(racing::target_sample sample);

  // The housekeeper's thread.
  void judge();
  bool review();  // false: it is not due
  void publish_board();
  // The cooldowns that this gateway and others on its store know.
  racing::scoreboard cooling(racing::instant now) const;
  statistics& figures() { return figures_; }
  void shift(std::chrono::milliseconds by);  // the clock was wrong by so much

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
  racing::instant review_at_{};  // with the first tick: workers get the stored statistics
};

}  // namespace photofinish::gateway
