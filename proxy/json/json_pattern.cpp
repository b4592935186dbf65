#include "proxy/json/json_pattern.hpp"

#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {

void json_pattern::learn(std::string_view object, std::span<const std::string_view> strings) {
  forget();
  if (object.size() > max_bytes || strings.size() > max_strings) return;
  text_ = object;
  count_ = 0;
  for (const std::string_view string : strings) {
    const auto from = static_cast<std::uint32_t>(string.data() - object.data());
    places_[count_++] = {from, from + static_cast<std::uint32_t>(string.size())};
  }
}

bool json_pattern::matches(std::string_view text) {
  if (text_.empty()) return false;
  std::size_t learnt_at = 0;
  for (std::size_t index = 0; index < count_; ++index) {
    const place& next = places_[index];
    const std::string_view same = learnt().substr(learnt_at, next.from - learnt_at);
    if (!text.starts_with(same)) return false;
    text.remove_prefix(same.size());
    strings_[index] = json_string_at(text);
    if (strings_[index].empty()) return false;
    text.remove_prefix(strings_[index].size());
    learnt_at = next.to;
  }
  return text == learnt().substr(learnt_at);
}

}  // namespace photofinish::proxy
