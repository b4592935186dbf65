// The result of one race, attempt by attempt: plain values for metrics, log lines and error texts. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"
#include "racing/race.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace photofinish::racing {

enum class attempt_end {
  won,
  lost,       // another attempt won: we cancelled this one, or it ended before that without a token
  failed,     // failed before it could win; `why` has the reason. A limit of ours counts as failed
  cancelled,  // the client left
};

struct attempt_report {
  // The target's index in the caller's list, which has an entry per attempt. A twin's target is listed twice.
  std::size_t target = 0;
  std::size_t plan_target = 0;  // index in the plan, which lists the target once
  start_reason why_started = start_reason::first;
  instant started_at;
  instant ended_at;        // when its token, failure or cancellation ended its part in the race
  attempt_end end = attempt_end::lost;
  proxy::maybe_failure why;  // set if the attempt failed, also as an observed loser
  std::optional<std::chrono::nanoseconds> cancel_duration;  // time from the decision until its connection was closed
  bool was_observed = false;  // lost, and ran on to its first token; cancel_duration then starts later
  bool is_prefill_finished = false;  // lost, and ran on so that its target finished reading the prompt
  bool was_kept = false;      // lost, and ran on as runner-up; it may have won later
  proxy::stream_summary summary;  // state at its end in the race; the winner's own summary continues to grow
};

// True if the attempt was started but not sent, because a limit of ours left no room.
inline bool was_turned_away(const attempt_report& attempt) {
  return attempt.why && attempt.why->kind == proxy::failure_kind::busy;
}

// With `win_on: finish`: the last attempt whose tokens were held.
struct hold_report {
  std::size_t attempt = 0;
  instant began_at;
  instant ended_at;
  hold_end why = hold_end::race_over;
};

struct race_report {
  instant begun_at;
  instant decided_at;
  std::optional<std::size_t> winner;  // index in `attempts`, which is also the attempt's index in the race
  std::optional<defeat> defeated;     // set if there is no winner
  // The winner that failed before a byte of it was sent; the runner-up replaced it.
  std::optional<std::size_t> replaced;
  std::vector<attempt_report> attempts;
  std::optional<hold_report> hold;
};

}  // namespace photofinish::racing
