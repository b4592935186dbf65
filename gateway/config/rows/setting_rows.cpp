#include "gateway/config/rows/setting_rows.hpp"

#include <charconv>

namespace photofinish::gateway {
namespace {

template <class Number>
std::string number_text(Number value) {
  char digits[32];
  const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end);
}

}  // namespace

std::string value_text(const setting&, double value) { return number_text(value); }
std::string value_text(const setting&, std::chrono::milliseconds value) { return format_duration(value); }
std::string value_text(const setting&, const std::string& value) { return value; }
std::string value_text(const setting&, const proxy::secret& value) { return value.reveal(); }

std::string value_text(const setting& row, bool value) {
  if (row.type == setting_type::choice) return std::string(row.words[value ? 1 : 0]);
  return value ? "true" : "false";
}

std::string value_text(const setting& row, std::size_t value) {
  if (value < row.least) return {};
  return row.type == setting_type::size ? format_size(value) : std::to_string(value);
}

std::string value_text(const setting&, std::int64_t nano_usd) {
  return nano_usd > 0 ? number_text(static_cast<double>(nano_usd) / 1e9) : std::string();
}

std::string value_text(const setting& row, const std::vector<std::string>&) {
  return row.type == setting_type::texts ? "[]" : "";
}

std::string value_text(const setting&, const std::vector<std::size_t>& values) {
  std::string text;
  for (const std::size_t each : values) text += (text.empty() ? "[" : ", ") + std::to_string(each);
  return text + "]";
}

std::string value_text(const setting&, const std::map<std::string, std::string>&) { return "{}"; }

}  // namespace photofinish::gateway
