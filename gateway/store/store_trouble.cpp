#include "gateway/store/store_trouble.hpp"

#include "proxy/failures/redactor.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_shown = 160;

// Removes characters that are unsafe in a log line. The text comes from the store, and is untrusted.
std::string shown(std::string_view text) {
  std::string line(text.substr(0, longest_shown));
  std::replace_if(line.begin(), line.end(), [](char byte) { return byte < 0x20 || byte > 0x7E; }, '?');
  return line;
}

constexpr std::array<std::pair<std::string_view, store_error>, 15> meanings{{
    {"NOAUTH", store_error::auth},       {"WRONGPASS", store_error::auth},
    {"ERR invalid password", store_error::auth},
    {"ERR AUTH", store_error::auth},     {"ERR Client sent AUTH", store_error::auth},
    {"NOPERM", store_error::permission},
    {"ERR The user executing the script", store_error::permission},
    {"OOM", store_error::full},
    {"MISCONF", store_error::full},      {"LOADING", store_error::not_ready},
    {"BUSY", store_error::not_ready},    {"READONLY", store_error::not_ready},
    {"MASTERDOWN", store_error::not_ready},
    {"MOVED", store_error::not_ready},   {"NOSCRIPT", store_error::scripts},
}};

// Removes the text that Redis puts before the error text of a script. Redis up to 6.2 adds positions: "ERR Error
// running script (call to …): @user_script:6: @user_script: 6: -READONLY You can't write …".
std::string_view own_words(std::string_view text) {
  constexpr std::string_view wrapped = "ERR Error running script", place = "user_script:";
  const std::size_t at = text.rfind(place);
  if (!text.starts_with(wrapped) || at == std::string_view::npos) return text;
  text.remove_prefix(at + place.size());
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" 0123456789:")));
  if (text.starts_with('-')) text.remove_prefix(1);
  return text;
}

bool means(std::string_view text, std::string_view words) {
  constexpr std::string_view generic = "ERR ";
  if (text.starts_with(words)) return true;
  // If a command inside a script fails, its error lacks the prefix "ERR ".
  return words.starts_with(generic) && text.starts_with(words.substr(generic.size()));
}

}  // namespace

store_trouble trouble_in(const store_reply& error, const proxy::secret& password) {
  const std::string text = shown(proxy::redact(error.text, std::span(&password, 1)));
  const std::string_view said = own_words(error.text);
  for (const auto& [words, kind] : meanings)
    if (means(said, words)) return {kind, text};
  return {store_error::refused, text};
}

void move_errors(metrics::store_facts& from, metrics::store_facts& to) {
  for (std::size_t each = 0; each < from.errors.size(); ++each) to.errors[each] += std::exchange(from.errors[each], 0);
}

}  // namespace photofinish::gateway
