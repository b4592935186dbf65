#include "metrics/process_stats.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace photofinish::metrics {
namespace {

// A sample line of /proc/PID/stat. These are the numbers of its fields in proc(5): 14 utime, 15 stime, 22 starttime, 23 vsize, 24 rss.
constexpr std::string_view line =
    "4242 (photofinish) S 1 4242 4242 0 -1 4194560 100 200 3 4 150 50 7 8 20 0 5 0 987654 104857600 2560 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n";

TEST(ParseStat, FindsTheFieldsThatCount) {
  const auto fields = parse_stat(line);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->cpu_ticks, 200u);
  EXPECT_EQ(fields->start_ticks, 987654u);
  EXPECT_EQ(fields->virtual_bytes, 104857600u);
  EXPECT_EQ(fields->resident_pages, 2560u);
}

TEST(ParseStat, IsNotFooledByAProcessName) {
  std::string text(line);
  text.replace(text.find("photofinish"), 11, "a) S 1 2 3 (b");
  const auto fields = parse_stat(text);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->cpu_ticks, 200u);
}

TEST(ParseStat, RefusesWhatIsNoStatFile) {
  EXPECT_FALSE(parse_stat(""));
  EXPECT_FALSE(parse_stat("4242 (photofinish"));
  EXPECT_FALSE(parse_stat("4242 (photofinish) S 1 2 3"));
  EXPECT_FALSE(parse_stat(std::string(line).replace(line.find(" 150 "), 5, " x50 ")));
}

TEST(ParseBootTime, FindsItsLine) {
  EXPECT_EQ(parse_boot_time("cpu 1 2 3\nintr 5\nbtime 1700000000\nprocesses 9\n"), 1700000000u);
  EXPECT_FALSE(parse_boot_time("cpu 1 2 3\n"));
}

TEST(ReadProcessStats, TellsAboutThisProcess) {
  const process_stats stats = read_process_stats();
  ASSERT_TRUE(stats.cpu_seconds && stats.resident_bytes && stats.virtual_bytes && stats.open_fds);
  EXPECT_GT(*stats.resident_bytes, 100'000u);
  EXPECT_GE(*stats.virtual_bytes, *stats.resident_bytes);
  EXPECT_GE(*stats.open_fds, 1u);
}

TEST(ReadProcessStats, StartedInThePastButNotLongAgo) {
  const process_stats stats = read_process_stats();
  ASSERT_TRUE(stats.start_time_seconds);
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_LE(*stats.start_time_seconds, now + 1);
  EXPECT_GE(*stats.start_time_seconds, now - 3600);
}

}  // namespace
}  // namespace photofinish::metrics
