// One race as the live page shows it: after each step of its attempts the housekeeper gets what it looks like then.
// Of the worker's thread. A request has one only while a page is open, and only where the page can show so many.
#pragma once

#include "gateway/attempts/receipt_parts.hpp"
#include "gateway/housekeeping/step_sender.hpp"
#include "racing/race_report.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class race_watch {
 public:
  // `steps` outlives it.
  race_watch(step_sender& steps, receipt_head head) : steps_(steps), head_(std::move(head)) {}

  // A step of the attempt with that index.
  void step(const racing::race_report& race, const std::vector<planned_attempt>& planned, std::size_t attempt,
            racing::attempt_step what, racing::instant now);

  // The race has a winner.
  void won(const racing::race_report& race, const std::vector<planned_attempt>& planned, racing::instant now) {
    show(race, planned, now);
  }

  // The request has ended: its receipt, where it has none yet.
  void ended(race_account& record) const;

  const std::string& id() const { return head_.id; }

 private:
  void show(const racing::race_report& race, const std::vector<planned_attempt>& planned, racing::instant now) const;

  step_sender& steps_;
  const receipt_head head_;
  struct seen_attempt {
    bool is_running = false;
    std::optional<racing::instant> spoke_at;  // the report has it when the attempt has ended
  };
  std::vector<seen_attempt> attempts_;
};

}  // namespace photofinish::gateway
