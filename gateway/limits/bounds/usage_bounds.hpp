// How much usage a provider can honestly report for one request. More is cut before anything is counted or charged.
// [pure]
// A bound is generous: it may let a lie of some cents pass, and never cuts an honest report. The reasons for each
// number are in docs/decisions/0067.
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <optional>

namespace photofinish::gateway {

// All that a request tells of its possible usage; kept after its body is freed.
struct request_extent {
  std::uint64_t bytes = 0;        // of the whole body
  std::uint64_t answers = 1;      // that it buys
  std::uint64_t most_output = 0;  // tokens of one answer, as the request says; 0: it does not
  // Its input is its text alone. False: pictures, files, searches, a stored conversation or an unknown member may add
  // tokens that are not in its bytes.
  bool is_text_alone = false;

  bool operator==(const request_extent&) const = default;
};

request_extent extent_of(const parsed_request& asked);

struct usage_bounds {
  std::uint64_t input = 0, output = 0;  // tokens
};

// `text_bytes`: of the answer as it was received.
usage_bounds bounds_of(const request_extent& request, const proxy::target_facts& known, std::uint64_t text_bytes);

// Without facts of the target, which may only raise a bound: usage within these bounds needs no second look.
usage_bounds least_bounds_of(const request_extent& request, std::uint64_t text_bytes);

bool is_within(const proxy::token_usage& usage, const usage_bounds& bounds);

// Cuts the counts to the bounds, and each part to the count that it is a part of.
void cut_to(const usage_bounds& bounds, proxy::token_usage& usage);

// What a report was before it was cut, for the log.
struct cut_usage {
  proxy::token_usage reported, counted;
};

// Nothing where the usage was possible; then only its parts are cut to their sums.
template <class Facts>
std::optional<cut_usage> cut_if_impossible(proxy::token_usage& usage, const request_extent& request,
                                           std::uint64_t text_bytes, const Facts& known) {
  usage_bounds bounds = least_bounds_of(request, text_bytes);
  if (!is_within(usage, bounds)) bounds = bounds_of(request, known(), text_bytes);
  const proxy::token_usage reported = usage;
  cut_to(bounds, usage);
  if (is_within(reported, bounds)) return std::nullopt;
  return cut_usage{reported, usage};
}

}  // namespace photofinish::gateway
