// Plans the race of a request: its targets, their order, and the observers of the race.
#pragma once

#include "gateway/requests/stages/limit_stage.hpp"

#include <optional>

namespace photofinish::gateway {

class plan_stage {
 public:
  // `context` and `plan` must outlive the stage. The plan contains the request.
  plan_stage(request_context& context, request_plan& plan) : context_(context), plan_(plan) {}

  // Chooses the targets of the race. Refuses only requests that no target could serve. If the plan cannot run for
  // another reason, record() returns the error.
  stage_result choose_targets(const limit_stage& limits);
  bool can_run() const { return !unknown_state_ && !plan_.setup.error; }

  // Records the plan, even if the request cannot run. If `is_stored` is true, the answer is already stored, and the
  // request has no race.
  stage_result record(bool is_stored);

 private:
  std::optional<api_error> open_state();
  std::optional<speed_source> known_speed() const;
  void note_unsaid_store();
  void draw_observation();
  void record_race();
  void add_observers();
  void add_content_log();

  request_context& context_;
  request_plan& plan_;
  std::optional<api_error> unknown_state_;  // the error for a request that refers to another caller's answer
};

}  // namespace photofinish::gateway
