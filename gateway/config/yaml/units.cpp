#include "gateway/config/yaml/units.hpp"

#include "proxy/words/parse_number.hpp"

#include <array>
#include <charconv>
#include <span>
#include <system_error>

namespace photofinish::gateway {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<unit, 5> duration_units{
    {{"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};
constexpr std::array<unit, 4> binary_units{
    {{"GiB", 1u << 30}, {"MiB", 1u << 20}, {"KiB", 1u << 10}, {"B", 1}}};
constexpr std::array<unit, 3> decimal_units{{{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"KB", 1'000}}};

constexpr std::uint64_t longest_duration_us = 100'000 * std::uint64_t{3'600'000'000};
constexpr std::uint64_t largest_size = (std::uint64_t{1} << 60) - 1;

struct quantity {
  std::uint64_t number;
  std::string_view unit_name;
};

std::optional<quantity> split(std::string_view text) {
  quantity parts{};
  const char* end = text.data() + text.size();
  const auto [after, ec] = std::from_chars(text.data(), end, parts.number);
  if (ec != std::errc{}) return std::nullopt;
  parts.unit_name = std::string_view(after, static_cast<std::size_t>(end - after));
  return parts;
}

std::optional<std::uint64_t> in_units(const quantity& parts, std::span<const unit> units,
                                      std::uint64_t largest) {
  for (const unit& each : units)
    if (each.name == parts.unit_name && parts.number <= largest / each.factor) return parts.number * each.factor;
  return std::nullopt;
}

std::string format(std::uint64_t number, std::span<const unit> units) {
  for (const unit& each : units)
    if (number >= each.factor && number % each.factor == 0)
      return std::to_string(number / each.factor) + std::string(each.name);
  return "0" + std::string(units.back().name);
}

// True if `text` has the form of `form`. A zero in `form` stands for any digit, and all other characters must be equal.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_digit = text[at] >= '0' && text[at] <= '9';
    if (form[at] == '0' ? !is_digit : text[at] != form[at]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::chrono::microseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::microseconds(0);
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  const auto count = in_units(*parts, duration_units, longest_duration_us);
  if (!count) return std::nullopt;
  return std::chrono::microseconds(static_cast<std::int64_t>(*count));
}

std::string format_duration(std::chrono::microseconds duration) {
  if (duration.count() <= 0) return "0s";
  return format(static_cast<std::uint64_t>(duration.count()), duration_units);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  if (parts->unit_name.empty()) return parts->number <= largest_size ? std::optional(parts->number) : std::nullopt;
  if (const auto bytes = in_units(*parts, binary_units, largest_size)) return bytes;
  return in_units(*parts, decimal_units, largest_size);
}

std::string format_size(std::uint64_t bytes) { return format(bytes, binary_units); }

std::optional<std::chrono::sys_seconds> parse_time(std::string_view text) {
  const bool is_day = has_form(text, "0000-00-00");
  if (!is_day && !has_form(text, "0000-00-00T00:00:00Z")) return std::nullopt;
  const auto number = [text](std::size_t from, std::size_t count) {
    return proxy::parse_leading_number<int>(text.substr(from, count)).value_or(0);
  };
  const std::chrono::year_month_day date(std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!date.ok()) return std::nullopt;
  const std::chrono::sys_seconds midnight = std::chrono::sys_days(date);
  if (is_day) return midnight;
  const int hours = number(11, 2), minutes = number(14, 2), seconds = number(17, 2);
  if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  return midnight + std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds);
}

}  // namespace photofinish::gateway
