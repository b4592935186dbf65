// Prepares a plan that considers prompt caches. It computes the hashes of the prompt's prefixes, and finds the longest
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
    // The number that identifies this target in the record of cached prefixes. It is 0 if the target does not take part
    // in the race.
    racing::prefix_holder holder = 0;
    cache_habits habits;
    proxy::cached_report reported = proxy::cached_report::late;
  };

  prefix_memory* memory = nullptr;  // the record of cached prefixes, which outlives the request
  prompt_chain chain;
  racing::prefix_caller caller = 0;
  std::vector<target> targets;  // the targets, in the order of the forecast

  // Sets how many input tokens the target reads from its cache, and how many it adds to its cache. `cached_share` is a
  // number from 0 to 1.
  void split(std::size_t row, double cached_share, proxy::billed_tokens& tokens) const;
  // Records that this target has read the prompt and cached it.
  void note(std::size_t row, racing::prefix_seconds now) const;
};

// Looks up the request's prompt in the record of cached prefixes that `from` contains. Stores the longest cached prefix
// of each target in `into`, and the target's costs without a cache. Returns null if the request is not a conversation,
// or if no prefix is recorded.
std::unique_ptr<prefix_setup> follow_prefixes(const speed_source& from, const parsed_request& asked,
                                              std::string_view route, std::span<const race_candidate> candidates,
                                              forecast_setup& into);

}  // namespace photofinish::gateway
