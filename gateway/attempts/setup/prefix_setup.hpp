// Prepares a plan that follows prompt caches for one request: the hashes of the prompt's prefixes, and the longest
// cached prefix at each target. [pure]
#pragma once

#include "gateway/attempts/setup/forecast_setup.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "gateway/prefixes/cached_prefixes.hpp"
#include "gateway/prefixes/prefix_memory.hpp"
#include "gateway/prefixes/prompt_chain.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct prefix_setup {
  struct target {
    // The target's number in the memory of cached prefixes; 0 if the target takes no part in the race.
    racing::prefix_holder holder = 0;
    cache_habits habits;
    proxy::cached_report reported = proxy::cached_report::late;
  };

  prefix_memory* memory = nullptr;  // the memory of cached prefixes, which outlives the request
  prompt_chain chain;
  racing::prefix_caller caller = 0;
  std::vector<target> targets;  // the targets, one entry per row of the forecast

  // Splits the input tokens at a row's target into tokens that the target reads from its cache, and tokens that it adds
  // to its cache. `cached_share` is 0 to 1.
  void split(std::size_t row, double cached_share, proxy::billed_tokens& tokens) const;
  // Records that the target of this row has read the prompt and cached it.
  void note(std::size_t row, racing::prefix_seconds now) const;
};

// Looks up the request's prompt in the memory of `from`. Sets the longest cached prefixes of the targets in `into`, and
// their costs without a cache. Returns null if the request is not a conversation, or if nothing is stored.
std::unique_ptr<prefix_setup> follow_prefixes(const speed_source& from, const parsed_request& asked,
                                              std::string_view route, std::span<const race_candidate> candidates,
                                              forecast_setup& into);

}  // namespace photofinish::gateway
