// What recent races say about each target: an immutable snapshot, made by the housekeeper, read by planners. [pure]
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;

// A target as limits see it: rate limits and quotas belong to one key at one target.
// "groq/openai/gpt-oss-120b" on the configured key; "…#9f3c" on a caller's own (a salted fingerprint).
using runner_id = std::string;

struct stats_report;  // stats_report.hpp

struct scoreboard {
  std::unordered_map<runner_id, instant> cools_until;
  std::shared_ptr<const stats_report> stats;  // of the last 72 hours, at most a minute old; none before the first

  bool is_cooling(const runner_id& runner, instant now) const {
    const auto found = cools_until.find(runner);
    return found != cools_until.end() && now < found->second;
  }
};

}  // namespace photofinish::racing
