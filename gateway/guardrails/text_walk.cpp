#include "gateway/guardrails/text_walk.hpp"

#include "gateway/guardrails/api_words.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace photofinish::gateway {
namespace {

// The minimum size of binary data. If the value of a data member is shorter, it may be text.
constexpr std::size_t least_data = 128;
// The maximum length of a member name, in bytes. No API defines a longer name. The limit is needed because the name is
// copied for each nested list or object.
constexpr std::size_t longest_api_name = 64;

bool is_number(std::string_view scalar) {
  return scalar.front() == '-' || (scalar.front() >= '0' && scalar.front() <= '9');
}

std::size_t end_of_scalar(std::string_view json, std::size_t at) {
  return std::min(json.find_first_of(",]} \t\r\n", at), json.size());
}

}  // namespace

std::vector<text_walk::unread_value> text_walk::read(std::string_view value, std::string_view name) {
  unread_.clear();
  frames_.clear();
  frames_.push_back({false, false, false, std::string(name)});
  for (std::size_t at = 0; at < value.size();) at = read_token(value, at);
  return std::move(unread_);
}

void text_walk::add_word(std::string_view word) {
  if (word.empty() || !known_.insert(std::string(word)).second) return;
  if (!words_.empty()) words_ += '\n';
  words_ += word;
}

// Reads the token that begins at position `at`. Returns the position after the token.
std::size_t text_walk::read_token(std::string_view json, std::size_t at) {
  const char sign = json[at];
  if (proxy::is_json_space(sign) || sign == ',' || sign == ':') return at + 1;
  if (sign == '}' || sign == ']') {
    if (frames_.size() > 1) frames_.pop_back();
    end_value();
    return at + 1;
  }
  if (!frames_.back().expects_name) return read_value(json, at);
  const std::string_view quoted = proxy::json_string_at(json.substr(at));
  read_name(quoted);
  return at + std::max<std::size_t>(quoted.size(), 1);
}

std::size_t text_walk::read_value(std::string_view json, std::size_t at) {
  if (const std::size_t taken = taken_at(json.data() + at); taken > 0) {
    end_value();
    return at + taken;
  }
  const char sign = json[at];
  if (sign == '{' || sign == '[') {
    std::string name = frames_.back().name;
    frames_.push_back({sign == '{', sign == '{', false, std::move(name)});
    return at + 1;
  }
  if (sign == '"') {
    const std::string_view quoted = proxy::json_string_at(json.substr(at));
    read_string(quoted);
    end_value();
    return at + quoted.size();
  }
  const std::size_t end = std::max(end_of_scalar(json, at), at + 1);
  const std::string_view scalar = json.substr(at, end - at);
  if (is_number(scalar)) read_number(scalar);
  end_value();
  return end;
}

void text_walk::read_name(std::string_view quoted) {
  frame& object = frames_.back();
  object.expects_name = false;
  const std::string name = proxy::json_unescape(proxy::json_raw_string(quoted));
  if (!is_api_name(name)) add_word(name);
  object.name = name.substr(0, name.size() > longest_api_name ? 0 : name.size());
}

void text_walk::read_string(std::string_view quoted) {
  const std::string& name = frames_.back().name;
  const bool is_in_conversation = what_ == walked::conversation;
  const std::string text = proxy::json_unescape(proxy::json_raw_string(quoted));
  if (is_api_value(name, text) || (is_in_conversation && is_id(name, text))) return;
  const bool is_long_data = text.size() >= least_data && is_data_name(name) && is_base64(text);
  if (is_long_data || is_data_url(text)) return unread_.push_back({unread_kind::data, quoted});
  if (is_in_conversation && name == "name") return add_word(text);
  unread_.push_back({unread_kind::text, quoted});
}

// Adds a number as a word. If the APIs define the member, its numbers are settings, and they are not added.
void text_walk::read_number(std::string_view number) {
  frame& around = frames_.back();
  const bool may_be_tokens = !around.is_object && (around.name == "input" || around.name == "prompt");
  if (may_be_tokens) {
    if (!std::exchange(around.has_tokens, true)) unread_.push_back({unread_kind::tokens, number});
    return;
  }
  const bool is_setting = is_api_name(around.name) && (around.is_object || frames_.size() == 1);
  if (!is_setting) add_word(number);
}

// If the value at this position was already added as a part of the conversation, returns its length. Otherwise returns
// 0.
std::size_t text_walk::taken_at(const char* place) {
  const std::less<> is_before;
  while (!taken_.empty() && is_before(taken_.front().data(), place)) taken_ = taken_.subspan(1);
  std::size_t length = 0;
  for (const std::string_view each : taken_) {
    if (each.data() != place) break;
    length = std::max(length, each.size());
  }
  return length;
}

}  // namespace photofinish::gateway
