#include "metrics/series_budget.hpp"

#include <cstdint>

namespace photofinish::metrics {

bool series_budget::name_set::admits(std::string_view name) {
  if (names_.contains(name)) return true;
  if (names_.size() >= limit_) return false;
  names_.emplace(name);
  return true;
}

bool series_budget::admits(name_set& names, std::string_view name) {
  if (!is_label_value(name)) return false;
  const std::scoped_lock lock(mutex_);
  return names.admits(name);
}

bool series_budget::admits_target(std::string_view provider, std::string_view model) {
  if (!is_label_value(provider) || !is_label_value(model)) return false;
  std::string name(provider);
  name.append("/").append(model);  // the joined name is unambiguous, because a provider's name contains no slash
  const std::scoped_lock lock(mutex_);
  return targets_.admits(name);
}

bool series_budget::admits_limit(std::string_view scope, std::string_view name) {
  if (!is_label_value(name)) return false;
  std::string both(scope);
  both.append(" ").append(name);  // the joined name is unambiguous, because a limit's scope contains no space
  const std::scoped_lock lock(mutex_);
  return limits_.admits(both);
}

namespace {

struct code_point {
  std::size_t bytes;  // 0: not UTF-8
  std::uint32_t value;
};

code_point first_of(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte_at(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : lead >> 3 == 0x1E ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {0, 0};
  std::uint32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte_at(i) >> 6 != 0x2) return {0, 0};
    value = value << 6 | (byte_at(i) & 0x3Fu);
  }
  // A code point below this value has a shorter encoding, so its encoding here would be overlong.
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[bytes] || value > 0x10FFFF || is_surrogate) return {0, 0};
  return {bytes, value};
}

}  // namespace

bool is_label_value(std::string_view text) {
  if (text.empty() || text.size() > 256) return false;
  while (!text.empty()) {
    const code_point next = first_of(text);
    if (next.bytes == 0) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

}  // namespace photofinish::metrics
