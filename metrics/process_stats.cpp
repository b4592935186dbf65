#include "metrics/process_stats.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace photofinish::metrics {

namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end == word.data()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (text.empty()) return found;
    found.push_back(text.substr(0, text.find_first_of(" \n")));
    text.remove_prefix(found.back().size());
  }
}

std::optional<std::uint64_t> count_open_fds() {
  std::error_code ec;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", ec), end; !ec && entry != end;
       entry.increment(ec))
    ++count;
  if (ec || count == 0) return std::nullopt;
  return count - 1;  // the descriptor with which this function read the directory is not counted
}

std::optional<std::uint64_t> read_max_fds() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

std::optional<stat_fields> parse_stat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> fields = words(text.substr(name_end + 1));
  // The manual page proc(5) counts fields from 1, and the first field after the name is number 3.
  const auto field = [&](std::size_t place) {
    return place - 3 < fields.size() ? number(fields[place - 3]) : std::nullopt;
  };
  const auto user = field(14), system = field(15), start = field(22), size = field(23), resident = field(24);
  if (!user || !system || !start || !size || !resident) return std::nullopt;
  return stat_fields{*user + *system, *start, *size, *resident};
}

std::optional<std::uint64_t> parse_boot_time(std::string_view text) {
  constexpr std::string_view key = "\nbtime ";
  const std::size_t found = text.find(key);
  return found == std::string_view::npos ? std::nullopt : number(text.substr(found + key.size()));
}

process_stats read_process_stats() {
  process_stats stats{.open_fds = count_open_fds(), .max_fds = read_max_fds()};
  const auto fields = parse_stat(text_of("/proc/self/stat"));
  if (!fields) return stats;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  stats.cpu_seconds = static_cast<double>(fields->cpu_ticks) / ticks_per_second;
  stats.virtual_bytes = fields->virtual_bytes;
  stats.resident_bytes = fields->resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (const auto boot = parse_boot_time(text_of("/proc/stat")))
    stats.start_time_seconds =
        static_cast<double>(*boot) + static_cast<double>(fields->start_ticks) / ticks_per_second;
  return stats;
}

}  // namespace photofinish::metrics
