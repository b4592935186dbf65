// Holds the state of a schedule, which is saved next to the reports of its runs. After a restart, the schedule
// continues with this state. The state is stored as JSON with a version. [pure]
#pragma once

#include "gateway/bench/schedule/run_schedule.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr int schedule_version = 1;
inline constexpr std::size_t max_state_bytes = 64u << 20;

// The figures of one scheduled run that belong to one line of a chart. Each line shows one level of load, or one
// endpoint at one input size.
struct series_figures {
  std::string group;  // the name of the chart that contains the line, for example "by concurrency" or "1,000 tokens in"
  std::string name;   // the name of the line in the chart, for example "10" or "A"
  std::optional<double> ttft_p50, ttft_p95, speed_p50, speed_p5, finish_p50, error_percent;

  bool operator==(const series_figures&) const = default;
};

struct scheduled_run {
  slot_state state = slot_state::open;
  std::optional<std::chrono::sys_seconds> begun_at;
  std::string folder;  // the name of the folder with the run's report, next to the state file
  std::optional<double> cost_usd;
  std::vector<series_figures> figures;

  bool operator==(const scheduled_run&) const = default;
};

struct schedule_state {
  run_schedule schedule;
  // The command line of the runs; the schedule does not continue if a restart uses another command line.
  std::string command;
  std::vector<scheduled_run> runs;  // the runs of the schedule, in the order of their due times

  std::vector<slot_state> slots() const;
};

std::string write_state(const schedule_state& state);
// Reads a state. Returns an error text if `text` is not a valid state.
std::variant<schedule_state, std::string> read_state(std::string_view text);

}  // namespace photofinish::gateway::bench
