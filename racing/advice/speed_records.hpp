// The stored data from which route advice is computed, as plain values. For each target it contains the usual time per
// minute and the spread of the times. For each route it contains the requests per minute and the results of its policy.
// Minutes without events are not stored. All other data is grouped into slots of six hours. A minute takes 16 bytes per
// target and 8 bytes per route: 69 kB and 35 kB over 72 hours. [pure]
#pragma once

#include "racing/advice/prompt_use.hpp"
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

// A target's data for one minute.
struct target_minute {
  std::int32_t minute = 0;  // minutes since 1970
  float level = 0;          // mean level in this minute; the level is the natural logarithm of the usual seconds to the
                            // first token
  std::uint16_t attempts = 0, failed = 0;  // number of attempts that ended in this minute, and number of those that
                                           // failed
  std::uint8_t hangs = 0;   // share of attempts that hang, in units of 1/255
  // The value is 1 if the usual time jumped in this minute. The minute then says nothing about the minutes before or
  // after.
  std::uint8_t jumps = 0;

  bool operator==(const target_minute&) const = default;
};

struct target_slot {
  std::int32_t number = 0;  // number of the slot, counted from 1970
  ttft_shape shape;
  sketch speed;  // output speed in tokens per second

  bool operator==(const target_slot&) const = default;
};

struct target_record {
  // How much one more input token increases the time to the first token, as a share of the time without any input.
  double rho = 0;
  // How much each further attempt of this gateway increases the logarithm of the usual time.
  double load_slope = 0;
  std::vector<target_minute> minutes;  // minutes with events, sorted by `minute`
  std::vector<target_slot> slots;      // slots with events, sorted by `number`

  bool operator==(const target_record&) const = default;
};

struct route_minute {
  std::int32_t minute = 0;
  std::uint32_t requests = 0;

  bool operator==(const route_minute&) const = default;
};

struct run_counts {
  // Numbers of attempts at a target. `losses` counts only losers that cost money.
  std::uint32_t starts = 0, wins = 0, losses = 0;
  // Total tokens in the prompts of attempts that won, and of attempts that lost.
  std::uint64_t won_tokens = 0, lost_tokens = 0;

  bool operator==(const run_counts&) const = default;
};

struct route_slot {
  std::int32_t number = 0;
  survival_times first_token, finish;  // seconds from the race's start to the first token, and to the end of the answer
  sketch prompts, answers;             // tokens
  std::map<std::string, run_counts> runs;  // number of attempts at each target; the keys are the targets' names
  prompt_use conversations;

  bool operator==(const route_slot&) const = default;
};

struct route_record {
  std::vector<route_minute> minutes;  // minutes with requests, sorted by `minute`
  std::vector<route_slot> slots;      // slots with requests, sorted by `number`

  bool operator==(const route_record&) const = default;
};

struct speed_records {
  std::map<std::string, target_record> targets;
  std::map<std::string, route_record> routes;

  bool operator==(const speed_records&) const = default;

  // Drops data that is older than 72 hours or later than `now`.
  void expire(std::int32_t now);
  // Shifts all stored times by `minutes` minutes.
  void shift(std::int32_t minutes);
  std::optional<std::int32_t> newest() const;  // returns the latest minute with data, or nothing
  std::size_t memory_bytes() const;
};

inline std::int32_t minute_of(wall_time when) {
  return static_cast<std::int32_t>(std::chrono::floor<std::chrono::minutes>(when).time_since_epoch().count());
}

}  // namespace photofinish::racing
