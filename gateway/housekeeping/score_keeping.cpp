#include "gateway/housekeeping/score_keeping.hpp"

#include "gateway/housekeeping/egress/egress_keeping.hpp"
#include "gateway/housekeeping/exports/alert_sender.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace photofinish::gateway {

score_keeping::score_keeping(house_loop& house, const housekeeping& how, std::size_t workers, publish on_board,
                             store_keeping& store, egress_keeping& egress, alert_sender& alerts)
    : house_(house), how_(how), samples_(house.context(), workers, [this] { judge(); }), figures_(how, house.now()),
      regressions_(how.regressions), on_board_(std::move(on_board)), store_(store), egress_(egress),
      alerts_(alerts) {}

void score_keeping::note(std::size_t worker, attempt_evidence sample) {
  const bool is_failure = sample.verdict && sample.verdict->failed;
  // If the queue is full, the sample is dropped, because a single sample hardly matters.
  samples_.put(worker, std::move(sample));
  if (is_failure) samples_.wake();
}

void score_keeping::note_probe(racing::target_sample sample) {
  boost::asio::post(house_.context(), [this, sample = std::move(sample)] {
    if (!sample.says_something()) return;
    figures_.note(sample, house_.now());
    store_.note(sample);
  });
}

void score_keeping::judge() {
  const racing::instant now = std::chrono::steady_clock::now();
  const racing::wall_time wall = house_.now();
  bool has_changed = false;
  samples_.take([&](const attempt_evidence& sample) {
    if (sample.verdict) egress_.watch().note(sample.verdict->failed, now);
    if (sample.verdict && cooldowns_.note(*sample.verdict, now)) {
      has_changed = true;
      store_.note(*sample.verdict);
    }
    if (!sample.measured.says_something()) return;
    figures_.note(sample.measured, wall);
    store_.note(sample.measured);
  });
  if (has_changed) publish_board();
}

bool score_keeping::review() {
  const racing::instant begun = std::chrono::steady_clock::now();
  if (begun < review_at_) return false;
  const racing::wall_time now = house_.now();
  figures_.expire(now);
  figures_.report(now);
  publish_board();
  const auto readings = racing::read_regressions(figures_.window(), how_.regressions, now);
  const auto changes = regressions_.on(readings, now);
  alerts_.send(changes, regressions_.firing());
  review_at_ = begun + how_.review_every;
  return true;
}

racing::scoreboard score_keeping::cooling(racing::instant now) const {
  racing::scoreboard board = cooldowns_.snapshot(now);
  store_.add_cooling(board, now);
  return board;
}

void score_keeping::publish_board() {
  racing::scoreboard board = cooling(std::chrono::steady_clock::now());
  board.stats = figures_.latest();
  on_board_(std::make_shared<const racing::scoreboard>(std::move(board)));
}

void score_keeping::shift(std::chrono::milliseconds by) {
  figures_.shift(by);
  regressions_.shift(by);
}

}  // namespace photofinish::gateway
