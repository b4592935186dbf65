// What happened in one race, attempt by attempt: plain values for metrics, log lines and error texts. [pure]
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
  lost,       // another won: cancelled by us, or ended without a token before that
  failed,     // before it could win; `why` says so. A limit of ours counts as failed
  cancelled,  // the client left
};

struct attempt_report {
  // Index of its target in the caller's list, which has a place for each attempt: a twin's target is there twice.
  std::size_t target = 0;
  std::size_t plan_target = 0;  // index in the plan, which has the target once
  start_reason why_started = start_reason::first;
  instant started_at;
  instant ended_at;        // of the attempt in the race: its token, failure or cancelling
  attempt_end end = attempt_end::lost;
  proxy::maybe_failure why;  // of a failed one, and of an observed loser that failed
  std::optional<std::chrono::nanoseconds> cancel_duration;  // from the decision to its connection closed
  bool was_observed = false;  // lost, and ran on for its first token; cancel_duration then counts from later
  bool is_prefill_finished = false;  // lost, and ran on so that its target has read the prompt
  bool was_kept = false;      // lost, and ran on to answer where the winner fails; one that won all the same did
  proxy::stream_summary summary;                            // as of its end in the race; the winner's own goes on
};

// It was started, and not sent: a limit of ours left no room.
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
  std::optional<std::size_t> winner;  // index in `attempts`, which is the plan's
  std::optional<defeat> defeated;     // without a winner
  std::optional<std::size_t> replaced;  // the winner that failed before a byte of it was sent: the runner-up went on
  std::vector<attempt_report> attempts;
  std::optional<hold_report> hold;
};

}  // namespace photofinish::racing
