#include "gateway/probes/probe_ledger.hpp"

#include <charconv>
#include <cstddef>
#include <limits>

namespace photofinish::gateway {
namespace {

constexpr std::string_view first_line = "photofinish probes 1\n";
constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max() / 4;

// Reads a number that is followed by the character `end`.
std::optional<std::int64_t> take_number(std::string_view& text, char end) {
  std::int64_t value = 0;
  const auto [at, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(at - text.data());
  if (ec != std::errc{} || length == text.size() || text[length] != end) return std::nullopt;
  text.remove_prefix(length + 1);
  return value;
}

}  // namespace

bool probe_ledger::reserve(std::int64_t nano_usd, std::int64_t most, std::chrono::sys_days today) {
  if (today > day_) spent_ = 0;
  day_ = today;
  if (spent_ > most - nano_usd) return false;
  spent_ += nano_usd;
  return true;
}

void probe_ledger::close_day(std::chrono::sys_days today) {
  day_ = today;
  spent_ = everything;
}

std::string probe_ledger::text() const {
  const auto day = day_.time_since_epoch().count();
  return std::string(first_line) + std::to_string(day) + " " + std::to_string(spent_) + "\n";
}

std::optional<probe_ledger> probe_ledger::read(std::string_view text) {
  constexpr std::int64_t last_day = 3'000'000;  // the last valid day; it is about eight thousand years in the future
  if (!text.starts_with(first_line)) return std::nullopt;
  text.remove_prefix(first_line.size());
  const auto day = take_number(text, ' ');
  const auto spent = day ? take_number(text, '\n') : std::nullopt;
  if (!spent || *day < 0 || *day > last_day || *spent < 0 || *spent > everything) return std::nullopt;
  probe_ledger made;
  made.day_ = std::chrono::sys_days(std::chrono::days(*day));
  made.spent_ = *spent;
  return made;
}

}  // namespace photofinish::gateway
