#include "proxy/failures/retry_after.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace photofinish::proxy {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

using std::chrono::milliseconds;

// The time in this test is Sun, 06 Nov 1994 08:49:00 GMT.
constexpr std::chrono::sys_seconds now = std::chrono::sys_days{std::chrono::year{1994} / 11 / 6} +
                                         std::chrono::hours{8} + std::chrono::minutes{49};

struct retry_case {
  std::string name;
  std::string in_ms;
  std::string value;
  std::optional<long> expected_ms;
};
void PrintTo(const retry_case& one, std::ostream* out) { *out << one.name; }

class ReadRetryAfter : public testing::TestWithParam<retry_case> {};

TEST_P(ReadRetryAfter, GivesMillisecondsOrNothing) {
  const auto wait = read_retry_after(GetParam().in_ms, GetParam().value, now);
  ASSERT_EQ(wait.has_value(), GetParam().expected_ms.has_value());
  if (!wait) return;
  EXPECT_EQ(wait->count(), *GetParam().expected_ms);
}

constexpr long day = 86'400'000;

INSTANTIATE_TEST_SUITE_P(
    Cases, ReadRetryAfter,
    testing::Values(retry_case{"nothing", "", "", {}}, retry_case{"seconds", "", "2", 2000},
                    retry_case{"zero", "", "0", 0}, retry_case{"spaces", "", " 7 ", 7000},
                    retry_case{"fraction", "", "1.25", 1250},
                    retry_case{"long_fraction", "", "0.1239999999999999999999", 123},
                    retry_case{"milliseconds_win", "350", "2", 350},
                    retry_case{"fraction_of_a_millisecond", "12.7", "", 12},
                    retry_case{"bad_milliseconds_fall_back", "soon", "2", 2000},
                    retry_case{"a_day_at_most", "", "600000", day},
                    retry_case{"overflow", "", "99999999999999999999999999", day},
                    retry_case{"overflow_with_fraction", "", "99999999999999999999.999", day},
                    retry_case{"negative", "", "-5", {}}, retry_case{"plus", "", "+5", {}},
                    retry_case{"unit", "", "6s", 6000},
                    retry_case{"other_unit", "", "6m", {}}, retry_case{"prose", "", "in 6 seconds", {}}, retry_case{"hex", "", "0x10", {}},
                    retry_case{"dot_alone", "", ".", {}}, retry_case{"dot_at_the_end", "", "5.", {}},
                    retry_case{"two_dots", "", "1.2.3", {}}, retry_case{"exponent", "", "1e3", {}},
                    retry_case{"list", "", "5, 6", {}}, retry_case{"infinity", "", "inf", {}},
                    retry_case{"not_a_number", "", "nan", {}},
                    retry_case{"date", "", "Sun, 06 Nov 1994 08:49:37 GMT", 37'000},
                    retry_case{"rfc_850_date", "", "Sunday, 06-Nov-94 08:49:37 GMT", 37'000},
                    retry_case{"asctime_date", "", "Sun Nov  6 08:49:37 1994", 37'000},
                    retry_case{"past_date", "", "Sat, 05 Nov 1994 08:49:37 GMT", 0},
                    retry_case{"far_date", "", "Fri, 31 Dec 9999 23:59:59 GMT", day},
                    retry_case{"leap_second", "", "Sun, 06 Nov 1994 08:49:60 GMT", 60'000},
                    retry_case{"no_such_day", "", "Thu, 30 Feb 1995 08:49:37 GMT", {}},
                    retry_case{"no_such_hour", "", "Sun, 06 Nov 1994 24:00:00 GMT", {}},
                    retry_case{"no_such_month", "", "Sun, 06 Nom 1994 08:49:37 GMT", {}},
                    retry_case{"other_zone", "", "Sun, 06 Nov 1994 08:49:37 CET", {}},
                    retry_case{"cut_date", "", "Sun, 06 Nov 1994 08:49", {}},
                    retry_case{"text_behind_date", "", "Sun, 06 Nov 1994 08:49:37 GMT!", {}},
                    retry_case{"iso_date", "", "1994-11-06T08:49:37Z", {}}),
    name_of);

int year_of(std::string_view rfc850_date, std::chrono::sys_seconds today) {
  const auto date = read_http_date(rfc850_date, today);
  if (!date) return 0;
  return static_cast<int>(std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(*date)}.year());
}

TEST(ReadHttpDate, TakesATwoDigitYearFarAheadForTheCenturyBefore) {
  const std::chrono::sys_seconds in_2026 = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
  EXPECT_EQ(year_of("Sunday, 06-Nov-76 00:00:00 GMT", in_2026), 2076);
  EXPECT_EQ(year_of("Sunday, 06-Nov-77 00:00:00 GMT", in_2026), 1977);
  EXPECT_EQ(year_of("Sunday, 06-Nov-94 00:00:00 GMT", in_2026), 1994);
}

TEST(ReadDurationSeconds, ReadsGooglesSpelling) {
  EXPECT_EQ(read_duration_seconds("34s"), milliseconds{34'000});
  EXPECT_EQ(read_duration_seconds("0.5s"), milliseconds{500});
  EXPECT_FALSE(read_duration_seconds("34"));
  EXPECT_FALSE(read_duration_seconds("s"));
  EXPECT_FALSE(read_duration_seconds("-1s"));
}

}  // namespace
}  // namespace photofinish::proxy
