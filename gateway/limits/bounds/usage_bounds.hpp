// Computes the largest usage that a provider can honestly report for one request. If a provider reports more, the
// gateway reduces the report before it counts or charges it. The bounds are generous: they never reduce an honest
// report, but they may accept a false report that costs a few cents. docs/decisions/0067 gives the reason for each
// number. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <optional>

namespace photofinish::gateway {

// The properties of a request that limit its usage. This object may outlive the request's body.
struct request_extent {
  std::uint64_t bytes = 0;        // the size of the whole request body
  std::uint64_t answers = 1;      // the number of answers for which the client pays
  std::uint64_t most_output = 0;  // the request's limit for the tokens of one answer; 0 if there is no limit
  // True if the input is only the text in the request's body. It is false if the request contains pictures, files,
  // searches, a stored conversation or an unknown member. Such parts may add tokens that are not in the body.
  bool is_text_alone = false;

  bool operator==(const request_extent&) const = default;
};

request_extent extent_of(const parsed_request& asked);

struct usage_bounds {
  std::uint64_t input = 0, output = 0;  // the maximum numbers of input and output tokens
};

// Returns the maximum token counts of a request and its answer. `text_bytes` is the size of the answer's text that the
// gateway has received.
usage_bounds bounds_of(const request_extent& request, const proxy::target_facts& known, std::uint64_t text_bytes);

// Returns the maximum token counts of a request and its answer, as if the limits of the target's model were unknown.
// Known limits can only raise these counts. Therefore usage within these counts needs no second check.
usage_bounds least_bounds_of(const request_extent& request, std::uint64_t text_bytes);

bool is_within(const proxy::token_usage& usage, const usage_bounds& bounds);

// Caps the token counts of `usage`. Some counts are parts of other counts; for example, cached input tokens are also
// input tokens. If a part is larger than the whole count, it is reduced to the whole count.
void cut_to(const usage_bounds& bounds, proxy::token_usage& usage);

// A reported usage before and after the gateway has reduced it, for the log.
struct cut_usage {
  proxy::token_usage reported, counted;
};

// If the usage exceeds the bounds, reduces it, and returns the usage before and after the change. Otherwise returns
// nothing. In both cases, reduces each part of a count that is larger than the whole count, for example cached input
// tokens.
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
