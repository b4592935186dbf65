#include "proxy/json/json_pattern.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {
namespace {

// Returns the digits of the unsigned number at the beginning of `text`. Returns an empty view if there is no number, or
// if it has more than 18 digits.
std::string_view plain_number_at(std::string_view text) {
  constexpr std::size_t most_digits = 18;
  std::size_t count = 0;
  while (count < text.size() && count <= most_digits && is_digit(text[count])) ++count;
  const bool is_plain = count > 0 && count <= most_digits && (text[0] != '0' || count == 1);
  return is_plain ? text.substr(0, count) : std::string_view{};
}

}  // namespace

bool json_pattern::is_plain_number(std::string_view value) {
  return !value.empty() && plain_number_at(value).size() == value.size();
}

void json_pattern::learn(std::string_view object, std::span<const std::string_view> values) {
  forget();
  if (object.size() > max_bytes || values.size() > max_values) return;
  text_ = object;
  count_ = 0;
  for (const std::string_view value : values) {
    const auto from = static_cast<std::uint16_t>(value.data() - object.data());
    places_[count_++] = {from, static_cast<std::uint16_t>(from + value.size())};
  }
}

bool json_pattern::matches(std::string_view text, found_values& found) const {
  if (text_.empty()) return false;
  std::size_t learnt_at = 0;
  for (std::size_t index = 0; index < count_; ++index) {
    const place& next = places_[index];
    const std::string_view same = learnt().substr(learnt_at, next.from - learnt_at);
    if (!text.starts_with(same)) return false;
    text.remove_prefix(same.size());
    found[index] = text_[next.from] == '"' ? json_string_at(text) : plain_number_at(text);
    if (found[index].empty()) return false;
    text.remove_prefix(found[index].size());
    learnt_at = next.to;
  }
  return text == learnt().substr(learnt_at);
}

}  // namespace photofinish::proxy
