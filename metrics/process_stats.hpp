// Linux's statistics about this process, for the process_* metrics that all Prometheus clients expose. The functions
// read files in /proc, so they must not run on a worker's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::metrics {

// If a value could not be read, it is empty.
struct process_stats {
  std::optional<double> cpu_seconds{};
  std::optional<std::uint64_t> resident_bytes{};
  std::optional<std::uint64_t> virtual_bytes{};
  std::optional<double> start_time_seconds{};  // seconds since 1970
  std::optional<std::uint64_t> open_fds{};
  std::optional<std::uint64_t> max_fds{};
};

process_stats read_process_stats();

// The fields of /proc/PID/stat that the gateway uses, in the kernel's units.
struct stat_fields {
  std::uint64_t cpu_ticks = 0;
  std::uint64_t start_ticks = 0;  // start of the process in clock ticks since boot
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};

// Parses the text of /proc/PID/stat. Returns nullopt if the text is not valid. A process may be named "a) b (c", so the
// fields are counted from the last closing bracket.
std::optional<stat_fields> parse_stat(std::string_view text);

// Reads the boot time of the machine, in seconds since 1970, from the text of /proc/stat.
std::optional<std::uint64_t> parse_boot_time(std::string_view text);

}  // namespace photofinish::metrics
