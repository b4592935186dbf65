// What advice is made from, as plain values: of each target its level by the minute and its residuals, of each route
// its requests by the minute and what its policy gave. [pure]
// Minutes are kept where something happened, all else in slots of six hours. A full minute takes 16 bytes of a target
// and 8 of a route: 69 kB and 35 kB over 72 hours.
#pragma once

#include "racing/forecast/ttft_shape.hpp"
#include "racing/statistics/sketch.hpp"
#include "racing/statistics/survival.hpp"
#include "racing/statistics/wall_clock_filter.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

inline constexpr std::int32_t advice_minutes = 72 * 60;
inline constexpr std::int32_t minutes_of_slot = 6 * 60;

// Of a target.
struct target_minute {
  std::int32_t minute = 0;  // since 1970
  float level = 0;          // ln seconds: where it stood, a mean over its time
  std::uint16_t attempts = 0, failed = 0;  // that ended in it
  std::uint8_t hangs = 0;   // a share, of 255
  std::uint8_t jumps = 0;   // 1: the level has jumped in it, so it says nothing about the minutes beside it

  bool operator==(const target_minute&) const = default;
};

struct target_slot {
  std::int32_t number = 0;  // time since 1970 in slots
  ttft_shape shape;
  sketch speed;  // tokens per second

  bool operator==(const target_slot&) const = default;
};

struct target_record {
  double rho = 0;         // of the levels: per input token
  double load_slope = 0;  // by how much ln seconds grow with each further attempt of ours
  std::vector<target_minute> minutes;  // by number
  std::vector<target_slot> slots;      // likewise

  bool operator==(const target_record&) const = default;
};

struct route_minute {
  std::int32_t minute = 0;
  std::uint32_t requests = 0;

  bool operator==(const route_minute&) const = default;
};

struct run_counts {
  std::uint32_t starts = 0, wins = 0, losses = 0;   // losses: those that were paid for
  std::uint64_t won_tokens = 0, lost_tokens = 0;    // of their prompts

  bool operator==(const run_counts&) const = default;
};

struct route_slot {
  std::int32_t number = 0;
  survival_times first_token, finish;  // seconds, from the request's race on
  sketch prompts, answers;             // tokens
  std::map<std::string, run_counts> runs;  // by target

  bool operator==(const route_slot&) const = default;
};

struct route_record {
  std::vector<route_minute> minutes;  // by number
  std::vector<route_slot> slots;      // likewise

  bool operator==(const route_record&) const = default;
};

struct speed_records {
  std::map<std::string, target_record> targets;
  std::map<std::string, route_record> routes;

  bool operator==(const speed_records&) const = default;

  // Lets go of what is older than the window, or later than now.
  void expire(std::int32_t now);
  // All that is kept happened so many minutes later than it was counted for.
  void shift(std::int32_t minutes);
  std::optional<std::int32_t> newest() const;  // minute; none where there is none
  std::size_t memory_bytes() const;
};

inline std::int32_t minute_of(wall_time when) {
  return static_cast<std::int32_t>(std::chrono::floor<std::chrono::minutes>(when).time_since_epoch().count());
}

}  // namespace photofinish::racing
