// Summarizes the records of one level of load: distributions, rates, errors, winners. [pure] Names, units and formulas
// are the same as AIPerf's, so that reports can be compared.
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
  std::string_view tag;     // the metric's name in JSON, for example time_to_first_token
  std::string_view header;  // the metric's name in tables, for example Time to First Token
  std::string_view unit;    // the metric's unit, for example ms
  double avg = 0;           // the mean of the metric, or its value if the metric has no distribution
  std::optional<distribution> spread{};
};

struct error_count {
  // The HTTP status of the response; 499 if the bench stopped the request; 0 if there was no response.
  int code = 0;
  std::string type;     // the type of the error, for example "rate_limited"
  std::string message;  // the message of the first error of the type `type`
  std::size_t count = 0;
};

enum class level_end {
  complete,     // the level ended because all its planned requests have ended
  duration,     // the level ended because its maximum duration has passed
  spend_cap,    // the level ended because the next request might exceed a spending cap
  interrupted,  // the level ended because the user stopped it
};

constexpr auto words_of(level_end) {
  using enum level_end;
  return proxy::enum_words<level_end, 4>{
      {{complete, "complete"}, {duration, "duration"}, {spend_cap, "spend_cap"}, {interrupted, "interrupted"}}};
}

// The figures of requests whose input was partly in the endpoint's cache. They are reported separately, because the
// answers to these requests start earlier and cost less.
struct cached_input {
  std::size_t requests = 0;  // the number of requests with at least half of their input in the endpoint's cache
  double tokens = 0;         // the sum of cached tokens over all requests that reported cached tokens
  double share = 0;          // the share of all input tokens that was cached
  std::optional<distribution> ttft{};           // the time to the first token of requests with cached input, in ms
  std::optional<distribution> uncached_ttft{};  // the time to the first token of requests without cached input, in ms
};

// Facts about requests of a replay that started more than 10 ms after their due time: their number and their delays.
struct late_starts {
  std::size_t requests = 0;
  double worst_ms = 0;
};

// The figures of one load level. They cover the measured requests; only `spent` also includes warm-up requests.
struct level_report {
  load_level level;
  level_end end = level_end::complete;
  std::vector<metric> metrics;      // the metrics whose values are known, in the order of the printed table
  std::vector<error_count> errors;  // the errors, the most frequent error first
  // The number of wins by target, from x-race-winner; empty unless the endpoint is photofinish.
  std::map<std::string, std::size_t> winners;
  std::optional<double> attempts_per_request;  // the mean of the numbers in the x-race-attempts headers
  // The figures of requests with cached input. None if the endpoint reported no cached tokens.
  std::optional<cached_input> cached;
  // The requests that started late. None if the level is not a replay, or if no request started late.
  std::optional<late_starts> late;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  // The number of requests that the bench cancelled. These requests neither succeeded nor failed.
  std::size_t cancelled = 0;
  std::size_t without_usage = 0;        // the number of successful requests whose tokens are unknown
  // The number of successful requests whose tokens the bench itself counted, because the endpoint reported none.
  std::size_t by_tokenizer = 0;
  // The number of streams whose speed is unknown, because they were too short or arrived in one burst.
  std::size_t unmeasurable_speed = 0;
  std::size_t fresh_connections = 0;    // the number of requests that had to wait until a new connection was open

  const metric* find(std::string_view tag) const;  // returns the metric with this name, or null if there is none
  // Returns the value of a metric, or one figure of its distribution. Returns nothing if the report does not contain
  // the metric.
  std::optional<double> value(std::string_view tag) const;
  std::optional<double> part(std::string_view tag, double distribution::* which) const;
};

level_report report_of(const load_level& level, level_end end, std::span<const request_record> records,
                       const std::vector<goodput_limit>& limits);

}  // namespace photofinish::gateway::bench
