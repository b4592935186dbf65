#include "proxy/failures/rate_headroom.hpp"

#include "proxy/failures/retry_after.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::chrono::sys_seconds now{std::chrono::seconds(1'790'000'000)};  // 2026-09-21T14:13:20Z

rate_headroom read(const fields& from) { return read_rate_headroom(from, now); }

TEST(RateHeadroom, OpenAisHeadersAreDurations) {
  const rate_headroom got = read({{"x-ratelimit-limit-requests", "60"},
                                  {"x-ratelimit-remaining-requests", "59"},
                                  {"x-ratelimit-reset-requests", "1h2m3.5s"},
                                  {"x-ratelimit-remaining-tokens", "149984"},
                                  {"x-ratelimit-reset-tokens", "20ms"}});
  EXPECT_EQ(got, (rate_headroom{59, 149'984, 3'723'500, 20, 60, rate_headroom::unknown}));
}

TEST(RateHeadroom, AnthropicsAreTimesAndTheLeastOfItsTokensCounts) {
  const rate_headroom got = read({{"anthropic-ratelimit-requests-limit", "50"},
                                  {"anthropic-ratelimit-output-tokens-limit", "8000"},
                                  {"anthropic-ratelimit-tokens-limit", "100000"},
                                  {"anthropic-ratelimit-requests-remaining", "0"},
                                  {"anthropic-ratelimit-requests-reset", "2026-09-21T14:13:50Z"},
                                  {"anthropic-ratelimit-tokens-remaining", "90000"},
                                  {"anthropic-ratelimit-tokens-reset", "2026-09-21T14:14:20Z"},
                                  {"anthropic-ratelimit-output-tokens-remaining", "8000"},
                                  {"anthropic-ratelimit-output-tokens-reset", "2026-09-21T14:13:21.5Z"},
                                  {"anthropic-ratelimit-unified-remaining", "1"}});
  EXPECT_EQ(got, (rate_headroom{0, 8'000, 30'000, 1'000, 50, 8'000}));
}

TEST(RateHeadroom, OfSeveralWindowsTheFullestCounts) {
  const rate_headroom got = read({{"x-ratelimit-limit-requests-minute", "30"},
                                  {"x-ratelimit-limit-requests-day", "14400"},
                                  {"x-ratelimit-remaining-requests-day", "14398"},
                                  {"x-ratelimit-reset-requests-day", "33011.38"},
                                  {"x-ratelimit-remaining-requests-minute", "0"},
                                  {"x-ratelimit-reset-requests-minute", "12"}});
  EXPECT_EQ(got.requests, 0u);
  EXPECT_EQ(got.requests_reset_ms, 12'000u);
  EXPECT_EQ(got.requests_limit, 30u);
  EXPECT_EQ(got.tokens, rate_headroom::unknown);
}

TEST(RateHeadroom, WhatMakesNoSenseIsNotSaid) {
  for (const char* value : {"", "-1", "many", "5 left", "nan"})
    EXPECT_FALSE(read({{"x-ratelimit-remaining-requests", value}}).says_something()) << value;
  for (const char* value : {"", "soon", "-5s", "2026-13-40T00:00:00Z", "1y"})
    EXPECT_EQ(read({{"x-ratelimit-remaining-requests", "5"}, {"x-ratelimit-reset-requests", value}}).requests_reset_ms, 0u) << value;
  EXPECT_EQ(read({{"x-ratelimit-remaining-tokens", "1e300"}, {"x-ratelimit-reset-tokens", "9e99h"}}),
            (rate_headroom{rate_headroom::unknown, 4'000'000'000, 0, 86'400'000}));
  EXPECT_FALSE(read({{"x-ratelimit-remaining-images", "5"}, {"ratelimit-remaining", "5"}}).says_something());
}

TEST(Rfc3339, IsReadInUtcAndAFractionIsLeftOut) {
  EXPECT_EQ(read_rfc3339("2026-09-21T14:13:20Z"), now);
  EXPECT_EQ(read_rfc3339("2026-09-21T14:13:20.999999Z"), now);
  for (const char* text : {"", "2026-09-21", "2026-09-21T14:13:20", "2026-09-21T25:00:00Z", "2026-02-30T00:00:00Z", "2026-00-10T00:00:00Z"})
    EXPECT_FALSE(read_rfc3339(text)) << text;
}

}  // namespace
}  // namespace photofinish::proxy
