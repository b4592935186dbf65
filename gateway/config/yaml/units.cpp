#include "gateway/config/yaml/units.hpp"

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

constexpr std::uint64_t longest_duration_us = 10'000 * std::uint64_t{3'600'000'000};
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
    if (each.name == parts.unit_name && parts.number <= largest / each.factor)
      return parts.number * each.factor;
  return std::nullopt;
}

std::string format(std::uint64_t number, std::span<const unit> units) {
  for (const unit& each : units)
    if (number >= each.factor && number % each.factor == 0)
      return std::to_string(number / each.factor) + std::string(each.name);
  return "0" + std::string(units.back().name);
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
  if (parts->unit_name.empty())
    return parts->number <= largest_size ? std::optional(parts->number) : std::nullopt;
  if (const auto bytes = in_units(*parts, binary_units, largest_size)) return bytes;
  return in_units(*parts, decimal_units, largest_size);
}

std::string format_size(std::uint64_t bytes) { return format(bytes, binary_units); }

}  // namespace photofinish::gateway
