#include "proxy/failures/retry_after.hpp"

#include "proxy/json/character_set.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace photofinish::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_seconds;

constexpr milliseconds longest = std::chrono::hours{24};

std::string_view trim(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// Reads a plain decimal number and multiplies it by `scale`. Rounds the result down to whole milliseconds, and caps it
// at the longest allowed wait.
std::optional<milliseconds> read_decimal(std::string_view text, std::int64_t scale) {
  text = trim(text);
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  std::int64_t total = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at)
    total = std::min<std::int64_t>(total * 10 + (text[at] - '0') * scale, longest.count());
  if (at == text.size()) return milliseconds{total};
  if (text[at++] != '.' || at == text.size()) return std::nullopt;
  for (; at < text.size() && is_digit(text[at]); ++at) total += (text[at] - '0') * (scale /= 10);
  if (at != text.size()) return std::nullopt;
  return std::min(milliseconds{total}, longest);
}

// Reads the parts of a date from front to back. Each function also removes the separator `behind`, which must follow
// the part that it reads. After a mismatch all further reads fail.
class date_reader {
 public:
  explicit date_reader(std::string_view text) : rest_(text) {}

  bool is_whole() const { return fits_ && rest_.empty(); }

  int number(std::size_t digits, std::string_view behind = {}) {
    int value = 0;
    for (std::size_t taken = 0; taken < digits; ++taken) {
      if (!fits_ || rest_.empty() || !is_digit(rest_[0])) return fits_ = false, 0;
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    literal(behind);
    return value;
  }

  // Reads a day of the month. asctime writes " 6" for the sixth.
  int padded_day(std::string_view behind) {
    if (!rest_.starts_with(' ')) return number(2, behind);
    rest_.remove_prefix(1);
    return number(1, behind);
  }

  unsigned one_of(std::span<const std::string_view> words, std::string_view behind) {
    const auto starts = [this](std::string_view word) { return rest_.starts_with(word); };
    const auto found = std::find_if(words.begin(), words.end(), starts);
    if (found == words.end()) return fits_ = false, 0;
    literal(*found);
    literal(behind);
    return static_cast<unsigned>(found - words.begin());
  }

  std::chrono::seconds time_of_day(std::string_view behind) {
    const int hour = number(2, ":"), minute = number(2, ":"), second = number(2, behind);
    if (hour > 23 || minute > 59 || second > 60) fits_ = false;  // 60: a leap second
    return std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
  }

 private:
  void literal(std::string_view text) {
    fits_ = fits_ && rest_.starts_with(text);
    if (fits_) rest_.remove_prefix(text.size());
  }

  std::string_view rest_;
  bool fits_ = true;
};

constexpr std::array<std::string_view, 7> short_days{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> long_days{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                    "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<sys_seconds> moment(const date_reader& reader, int year, unsigned month_index, int day,
                                  std::chrono::seconds time) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month_index + 1},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!reader.is_whole() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days{date} + time;
}

// Reads a date such as "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<sys_seconds> read_fixdate(std::string_view text) {
  date_reader reader(text);
  reader.one_of(short_days, ", ");
  const int day = reader.number(2, " ");
  const unsigned month = reader.one_of(months, " ");
  const int year = reader.number(4, " ");
  const auto time = reader.time_of_day(" GMT");
  return moment(reader, year, month, day, time);
}

// Reads a date such as "Sunday, 06-Nov-94 08:49:37 GMT". A year more than 50 years in the future belongs
// to the previous century.
std::optional<sys_seconds> read_rfc850_date(std::string_view text, sys_seconds now) {
  date_reader reader(text);
  reader.one_of(long_days, ", ");
  const int day = reader.number(2, "-");
  const unsigned month = reader.one_of(months, "-");
  int year = reader.number(2, " ");
  const auto time = reader.time_of_day(" GMT");
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  const int this_year = static_cast<int>(today.year());
  year += this_year - this_year % 100;
  if (year > this_year + 50) year -= 100;
  return moment(reader, year, month, day, time);
}

// Sun Nov  6 08:49:37 1994
std::optional<sys_seconds> read_asctime_date(std::string_view text) {
  date_reader reader(text);
  reader.one_of(short_days, " ");
  const unsigned month = reader.one_of(months, " ");
  const int day = reader.padded_day(" ");
  const auto time = reader.time_of_day(" ");
  const int year = reader.number(4);
  return moment(reader, year, month, day, time);
}

}  // namespace

std::optional<sys_seconds> read_http_date(std::string_view text, sys_seconds now) {
  text = trim(text);
  if (const auto date = read_fixdate(text)) return date;
  if (const auto date = read_rfc850_date(text, now)) return date;
  return read_asctime_date(text);
}

std::optional<sys_seconds> read_rfc3339(std::string_view text) {
  text = trim(text);
  const std::size_t dot = text.find('.');
  const std::string whole = dot == std::string_view::npos || !text.ends_with('Z')
                                ? std::string(text)
                                : std::string(text.substr(0, dot)) + "Z";
  date_reader reader(whole);
  const int year = reader.number(4, "-"), month = reader.number(2, "-"), day = reader.number(2, "T");
  const auto time = reader.time_of_day("Z");
  return moment(reader, year, static_cast<unsigned>(month) - 1, day, time);
}

std::optional<milliseconds> read_duration_seconds(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('s')) return std::nullopt;
  return read_decimal(text.substr(0, text.size() - 1), 1000);
}

std::optional<milliseconds> read_retry_after(std::string_view retry_after_ms, std::string_view retry_after,
                                             sys_seconds now) {
  if (const auto wait = read_decimal(retry_after_ms, 1)) return wait;
  if (const auto wait = read_decimal(retry_after, 1000)) return wait;
  if (const auto wait = read_duration_seconds(retry_after)) return wait;
  const auto date = read_http_date(retry_after, now);
  if (!date) return std::nullopt;
  // Seconds are compared, because a conversion to milliseconds could overflow.
  const auto wait =
      std::clamp<std::chrono::seconds>(*date - now, std::chrono::seconds{0}, std::chrono::hours{24});
  return std::chrono::duration_cast<milliseconds>(wait);
}

}  // namespace photofinish::proxy
