// Follows one race for the live page. After each step of an attempt, this observer sends the race's current state to
// the housekeeper. If no other observer makes the race's receipt, this observer makes it. It runs on the worker's
// thread. A request has this observer if an open live page shows the race, or if the request names a session or a
// project.
#pragma once

#include "gateway/attempts/race_observer.hpp"
#include "gateway/attempts/receipt_parts.hpp"
#include "gateway/housekeeping/step_sender.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/race_report.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class race_watch final : public race_observer {
 public:
  // `steps` must outlive this object. `is_shown` is true if the live page shows the race. If it is false, this object
  // only makes the receipt.
  race_watch(step_sender& steps, receipt_head head, bool is_shown)
      : steps_(steps), head_(std::move(head)), is_shown_(is_shown) {}

  void step(const race_progress& race, std::size_t attempt, racing::attempt_step what) override {
    if (!is_shown_) return;
    if (attempts_.size() <= attempt) attempts_.resize(attempt + 1);
    attempts_[attempt].is_running = what == racing::attempt_step::began || what == racing::attempt_step::spoke;
    if (what == racing::attempt_step::spoke) attempts_[attempt].spoke_at = race.now;
    show(race);
  }
  void won(const race_progress& race) override {
    if (is_shown_) show(race);
  }
  // Makes the race's receipt if no other observer has made it.
  void ended(request_record& record, const std::string&) override {
    if (record.notes.receipt || record.race.attempts.empty()) return;
    record.notes.receipt = std::make_shared<race_receipt>(make_receipt(head_, record, record.times.ended_at));
  }

  std::string race_id() const override { return head_.id; }

 private:
  void show(const race_progress& race) const {
    auto seen = std::make_shared<race_receipt>(make_receipt(head_, race.report, race.planned, race.now));
    for (std::size_t index = 0; index < std::min(seen->attempts.size(), attempts_.size()); ++index) {
      receipt_attempt& each = seen->attempts[index];
      each.is_running = attempts_[index].is_running;
      if (!each.first_token && attempts_[index].spoke_at)
        each.first_token = racing::seconds_between(race.report.begun_at, *attempts_[index].spoke_at);
    }
    steps_.send(std::move(seen));
  }

  step_sender& steps_;
  const receipt_head head_;
  const bool is_shown_;
  struct seen_attempt {
    bool is_running = false;
    // The time of an attempt's first token. The race's own report contains this time only after the attempt has ended.
    std::optional<racing::instant> spoke_at;
  };
  std::vector<seen_attempt> attempts_;
};

}  // namespace photofinish::gateway
