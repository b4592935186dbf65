// Holds the report of a whole run: its options, the report of each level, and its cost. All report writers use it.
// [pure]
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/number_text.hpp"
#include "gateway/bench/plan.hpp"
#include "gateway/bench/request_record.hpp"
#include "gateway/bench/spend_guard.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

// Converts times of the steady clock to times of the wall clock.
struct wall_clock {
  std::chrono::system_clock::time_point wall;
  proxy::instant steady;

  std::int64_t unix_ns(proxy::instant at) const;
  std::string iso(proxy::instant at) const;  // formats a time such as 2026-11-21T22:46:12Z
};

struct run_report {
  std::string url;
  std::string model;
  std::string version;  // the version of photofinish
  bench_plan plan;
  wall_clock clock;
  proxy::instant begun_at;
  proxy::instant ended_at;
  std::vector<level_report> levels;
  // The tokens that the run used, including warm-ups. If the endpoint did not report the usage of a request, the
  // largest possible usage of this request is counted.
  token_amount used;
  std::optional<double> cost_usd;

  bool was_cancelled() const { return !levels.empty() && levels.back().end == level_end::interrupted; }
};

std::string requests_text(std::size_t count);       // returns a text such as "1 request" or "3 requests"
// Returns a note such as "3 requests had their input in the endpoint's cache (...)".
std::string cached_text(const cached_input& of);
// Returns a description such as "rate_limited (HTTP 429): slow down".
std::string error_text(const error_count& each);

// Returns notes that help users to understand the figures, one sentence for each note.
std::vector<std::string> notes_of(const run_report& run);

}  // namespace photofinish::gateway::bench
