// The current cooldowns of all targets, and the report on their speeds. It is an immutable snapshot that the
// housekeeper makes from the results of recent races, and that planners read. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;

// Identifies a target together with a key, because rate limits and quotas belong to one key at one target.
// "groq/openai/gpt-oss-120b" means the target with the configured key. "…#9f3c" means the target with a caller's own
// key, identified by a salted fingerprint.
using candidate_id = std::string;

// Identifies a caller by a fingerprint. Each caller has cooldowns of its own. 0 means all callers.
using caller_id = std::uint64_t;

struct stats_report;  // this struct is defined in stats_report.hpp

struct scoreboard {
  // End of each candidate's cooldown for all callers; a candidate is a target with a key.
  std::unordered_map<candidate_id, instant> cools_until;
  // end of each candidate's cooldown for single callers; a candidate is a target with a key
  std::unordered_map<candidate_id, std::unordered_map<caller_id, instant>> cools_for;
  // The end of rate limits that providers have reported, for each candidate. These limits also caused a cooldown in
  // cools_until.
  std::unordered_map<candidate_id, instant> limited_until;
  // The report on the last 72 hours. It is at most a minute old, or null before the first report.
  std::shared_ptr<const stats_report> stats;

  bool is_cooling(const candidate_id& id, instant now, caller_id caller = 0) const {
    if (const auto found = cools_until.find(id); found != cools_until.end() && now < found->second) return true;
    const auto callers = cools_for.find(id);
    if (callers == cools_for.end()) return false;
    const auto own = callers->second.find(caller);
    return own != callers->second.end() && now < own->second;
  }

  bool is_limited(const candidate_id& id, instant now) const {
    const auto found = limited_until.find(id);
    return found != limited_until.end() && now < found->second;
  }
};

}  // namespace photofinish::racing
