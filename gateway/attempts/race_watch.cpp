#include "gateway/attempts/race_watch.hpp"

#include "racing/forecast/attempt_event.hpp"

#include <algorithm>
#include <memory>

namespace photofinish::gateway {

void race_watch::step(const race_progress& race, std::size_t attempt, racing::attempt_step what) {
  if (!is_shown_) return;
  if (attempts_.size() <= attempt) attempts_.resize(attempt + 1);
  attempts_[attempt].is_running = what == racing::attempt_step::began || what == racing::attempt_step::spoke;
  if (what == racing::attempt_step::spoke) attempts_[attempt].spoke_at = race.now;
  show(race);
}

void race_watch::show(const race_progress& race) const {
  auto seen = std::make_shared<race_receipt>(make_receipt(head_, race.report, race.planned, race.now));
  for (std::size_t index = 0; index < std::min(seen->attempts.size(), attempts_.size()); ++index) {
    receipt_attempt& each = seen->attempts[index];
    each.is_running = attempts_[index].is_running;
    if (!each.first_token && attempts_[index].spoke_at)
      each.first_token = racing::seconds_between(race.report.begun_at, *attempts_[index].spoke_at);
  }
  steps_.send(std::move(seen));
}

void race_watch::ended(request_record& record, const std::string&) {
  if (record.notes.receipt || record.race.attempts.empty()) return;
  record.notes.receipt = std::make_shared<race_receipt>(make_receipt(head_, record, record.times.ended_at));
}

}  // namespace photofinish::gateway
