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
  lost,       // another attempt won: the gateway cancelled this attempt, or it ended earlier without a token
  failed,     // the attempt failed before it could win, or a limit of the gateway rejected it; `why` has the reason
  cancelled,  // the client left before the attempt ended
};

struct attempt_report {
  // The target's index in the caller's list of candidates. This list has an entry per attempt, so it contains a twin's
  // target twice.
  std::size_t target = 0;
  std::size_t plan_target = 0;  // the target's index in the plan, which lists the target once
  start_reason why_started = start_reason::first;
  instant started_at;
  instant ended_at;        // time at which a token, failure or cancellation ended the attempt's part in the race
  attempt_end end = attempt_end::lost;
  proxy::maybe_failure why;  // the reason if the attempt failed, also if it failed as an observed loser
  // Time from the decision until the loser's connection was closed.
  std::optional<std::chrono::nanoseconds> cancel_duration;
  bool was_observed = false;  // true if the loser continued to its first token; cancel_duration then starts later
  bool is_prefill_finished = false;  // true if the loser continued so that its target finished reading the prompt
  bool was_kept = false;      // true if the loser continued as runner-up; it may have won later
  // The figures of the attempt's stream when the attempt's part in the race ended. Only the winner's own summary
  // continues to grow.
  proxy::stream_summary summary;
};

// True if the attempt was started but not sent, because one of the gateway's own limits had no room.
inline bool was_turned_away(const attempt_report& attempt) {
  return attempt.why && attempt.why->kind == proxy::failure_kind::busy;
}

// The last attempt that was held, in a race with `win_on: finish`.
struct hold_report {
  std::size_t attempt = 0;
  instant began_at;
  instant ended_at;
  hold_end why = hold_end::race_over;
};

struct race_report {
  instant begun_at;
  instant decided_at;
  std::optional<std::size_t> winner;  // the winner's index in `attempts`, which is also the attempt's index in the race
  std::optional<defeat> defeated;     // the reason if the race has no winner
  // The index of a winner that failed before a byte of its answer was sent. The runner-up replaced this winner.
  std::optional<std::size_t> replaced;
  std::vector<attempt_report> attempts;
  std::optional<hold_report> hold;
};

}  // namespace photofinish::racing
