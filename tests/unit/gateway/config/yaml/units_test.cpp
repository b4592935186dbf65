#include "gateway/config/yaml/units.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using std::chrono::microseconds;

TEST(Units, DurationsAreReadInEveryUnit) {
  const std::vector<std::pair<std::string_view, std::int64_t>> cases{{"0", 0},
                                                                     {"0s", 0},
                                                                     {"500us", 500},
                                                                     {"300ms", 300'000},
                                                                     {"2s", 2'000'000},
                                                                     {"10m", 600'000'000},
                                                                     {"1h", 3'600'000'000},
                                                                     {"100000h", 360'000'000'000'000}};
  for (const auto& [text, count] : cases) EXPECT_EQ(parse_duration(text), microseconds(count)) << text;
}

TEST(Units, WhatIsNoDurationIsRefused) {
  for (const std::string_view text : {"", "5", "ms", "-1s", "+1s", " 1s", "1s ", "1 s", "1.5s", "1S", "1d",
                                      "1m30s", "100001h", "99999999999999999999s", "18446744073709551615h"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Units, DurationsAreWrittenInTheLargestWholeUnit) {
  const std::vector<std::pair<std::int64_t, std::string_view>> cases{
      {0, "0s"},          {500, "500us"},        {300'000, "300ms"}, {1'500'000, "1500ms"},
      {60'000'000, "1m"}, {5'400'000'000, "90m"}};
  for (const auto& [count, text] : cases) EXPECT_EQ(format_duration(microseconds(count)), text);
}

TEST(Units, SizesAreReadInEveryUnit) {
  const std::vector<std::pair<std::string_view, std::uint64_t>> cases{
      {"0", 0},          {"512", 512},          {"7B", 7},
      {"64KiB", 65'536}, {"32MiB", 33'554'432}, {"1GiB", 1'073'741'824},
      {"10KB", 10'000},  {"3MB", 3'000'000},    {"2GB", 2'000'000'000}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_size(text), bytes) << text;
}

TEST(Units, WhatIsNoSizeIsRefused) {
  for (const std::string_view text :
       {"", "KiB", "-1", "1.5MiB", "1 KiB", "1kib", "1K", "1TiB", "18446744073709551615", "9999999999999GiB"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Units, SizesAreWrittenInTheLargestWholeUnit) {
  const std::vector<std::pair<std::uint64_t, std::string_view>> cases{
      {0, "0B"}, {1000, "1000B"}, {65'536, "64KiB"}, {33'554'432, "32MiB"}, {1'073'741'824, "1GiB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(format_size(bytes), text);
}

}  // namespace
}  // namespace photofinish::gateway
