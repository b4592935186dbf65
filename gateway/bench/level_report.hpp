// One level of the sweep in figures: every record of it -> distributions, rates, errors, winners. [pure]
// Names, units and formulas are AIPerf's, so that reports can be laid side by side.
#pragma once

#include "gateway/bench/distribution.hpp"
#include "gateway/bench/plan.hpp"
#include "gateway/bench/request_figures.hpp"
#include "gateway/bench/request_record.hpp"
#include "proxy/words/enum_words.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

struct metric {
  std::string_view tag;     // time_to_first_token
  std::string_view header;  // Time to First Token
  std::string_view unit;    // ms
  double avg = 0;           // the value itself where there is no distribution
  std::optional<distribution> spread{};
};

struct error_count {
  int code = 0;         // the HTTP status; 499: stopped by us; 0: none came
  std::string type;     // "rate_limited"
  std::string message;  // of the first of them
  std::size_t count = 0;
};

enum class level_end {
  complete,     // as many requests as planned
  duration,     // its time was over
  spend_cap,    // the next request might have gone above a cap
  interrupted,  // by the user
};

constexpr auto words_of(level_end) {
  using enum level_end;
  return proxy::enum_words<level_end, 4>{
      {{complete, "complete"}, {duration, "duration"}, {spend_cap, "spend_cap"}, {interrupted, "interrupted"}}};
}

// Answers whose input came from the endpoint's cache, apart from the others: they begin sooner and cost less.
struct cached_input {
  std::size_t requests = 0;  // half of the input or more came from there
  double tokens = 0;         // of all requests, where reported
  double share = 0;          // of all input tokens
  std::optional<distribution> ttft{};           // of those requests, ms
  std::optional<distribution> uncached_ttft{};  // of all others
};

// Of a replay: requests that started more than 10 ms after they were due.
struct late_starts {
  std::size_t requests = 0;
  double worst_ms = 0;
};

// The level's profiling requests; warm-ups are in none of the figures, but in `spent`.
struct level_report {
  load_level level;
  level_end end = level_end::complete;
  std::vector<metric> metrics;      // in the table's order; what cannot be said is missing
  std::vector<error_count> errors;  // the most frequent first
  std::map<std::string, std::size_t> winners;  // x-race-winner: empty unless the endpoint is photofinish
  std::optional<double> attempts_per_request;  // x-race-attempts
  std::optional<cached_input> cached;          // none: no token of the input came from a cache, or none was reported
  std::optional<late_starts> late;             // none: this is no replay, or none was late
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t cancelled = 0;            // by us: neither succeeded nor failed
  std::size_t without_usage = 0;        // of the succeeded: their tokens are unknown
  std::size_t by_tokenizer = 0;         // of the succeeded: counted here, not by the endpoint
  std::size_t unmeasurable_speed = 0;   // of those with tokens and a stream: too short, or all in one burst
  std::size_t fresh_connections = 0;    // requests that had to wait for a new connection

  const metric* find(std::string_view tag) const;  // null when there is none
  // A metric's value, or one figure of its distribution. Nothing if the report does not have it.
  std::optional<double> value(std::string_view tag) const;
  std::optional<double> part(std::string_view tag, double distribution::* which) const;
};

level_report report_of(const load_level& level, level_end end, std::span<const request_record> records,
                       const std::vector<goodput_limit>& limits);

}  // namespace photofinish::gateway::bench
