// A whole run in figures: what was asked, each level's report, what it cost. What every writer writes. [pure]
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

// What the steady clock's times are on the wall's.
struct wall_clock {
  std::chrono::system_clock::time_point wall;
  proxy::instant steady;

  std::int64_t unix_ns(proxy::instant at) const;
  std::string iso(proxy::instant at) const;  // 2026-11-21T22:46:12Z
};

struct run_report {
  std::string url;
  std::string model;
  std::string version;  // photofinish's own
  bench_plan plan;
  wall_clock clock;
  proxy::instant begun_at;
  proxy::instant ended_at;
  std::vector<level_report> levels;
  token_amount used;  // warm-ups too; worst cases where no usage was reported
  std::optional<double> cost_usd;

  bool was_cancelled() const { return !levels.empty() && levels.back().end == level_end::interrupted; }
};

std::string requests_text(std::size_t count);       // "1 request", "3 requests"
std::string cached_text(const cached_input& of);      // "3 requests had their input in the endpoint's cache (...)"
std::string error_text(const error_count& each);    // "rate_limited (HTTP 429): slow down"

// What a reader of the figures must know about them, a sentence each.
std::vector<std::string> notes_of(const run_report& run);

}  // namespace photofinish::gateway::bench
