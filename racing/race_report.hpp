// The result of one race, with a report on each attempt. All types are plain values, for metrics, log lines and error
// texts. [pure]
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
  lost,       // another attempt won; this attempt was cancelled, or had ended earlier without a token
  failed,     // the attempt failed before it could win, or a limit of the gateway rejected it; see `why`
  cancelled,  // the client left before the attempt ended
};

struct attempt_report {
  // The index of the attempt's target in the caller's list of candidates. This list has one entry per attempt, so a
  // target with two attempts is listed twice.
  std::size_t target = 0;
  std::size_t plan_target = 0;  // index of the target in the plan, which contains each target once
  start_reason why_started = start_reason::first;
  instant started_at;
  instant ended_at;        // when the attempt's part in the race ended, with a token, a failure or its cancellation
  attempt_end end = attempt_end::lost;
  proxy::maybe_failure why;  // reason for a failure; also set if a loser failed while it continued to its first token
  // The time from the decision until the loser's connection was closed.
  std::optional<std::chrono::nanoseconds> cancel_duration;
  bool was_observed = false;  // true if the loser continued until its first token; cancel_duration then begins later
  bool is_prefill_finished = false;  // true if the loser continued so that its target finished reading the prompt
  bool was_kept = false;      // true if the loser continued as the runner-up; it may have won later
  // The attempt's tokens, times and other facts. They are copied when the attempt ends or the race no longer needs it.
  // Only the winner's summary is updated later.
  proxy::stream_summary summary;
};

// True if the attempt was started but not sent, because one of the gateway's own limits was reached.
inline bool was_turned_away(const attempt_report& attempt) {
  return attempt.why && attempt.why->kind == proxy::failure_kind::busy;
}

// Describes the last time that a race with `win_on: finish` held back an attempt. A race holds back an attempt while it
// waits for another attempt that will probably finish sooner.
struct hold_report {
  std::size_t attempt = 0;
  instant began_at;
  instant ended_at;
  hold_end why = hold_end::race_over;
};

struct race_report {
  instant begun_at;
  instant decided_at;
  std::optional<std::size_t> winner;  // the winner's index in `attempts`
  std::optional<defeat> defeated;     // the reason why the race has no winner, if there is none
  // The index of the winner that the runner-up replaced, if any. This winner failed before a byte of its answer was
  // sent.
  std::optional<std::size_t> replaced;
  std::vector<attempt_report> attempts;
  std::optional<hold_report> hold;
};

}  // namespace photofinish::racing
