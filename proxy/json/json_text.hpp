// Walks JSON text that is already known to be valid, and gives spans of it: nothing is decoded or copied. [pure]
// For edits and for reading a few members; whole-document questions are simdjson's (chunk_inspector.hpp).
// Every function takes valid JSON (validate with simdjson first): on other input the spans mean nothing, but
// no byte outside `text` is ever read.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Bytes behind a text that simdjson may read: its padding.
constexpr std::size_t readable_behind = 64;

// White space between JSON's tokens (RFC 8259, 2).
constexpr bool is_json_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

inline std::string_view without_space(std::string_view text) {  // around it
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

// One member of an object. All three are spans of the walked text.
struct json_member {
  std::string_view raw_key;  // between its quotes, escapes as written
  std::string_view value;    // without surrounding white space
  std::string_view whole;    // from the key's opening quote to the value's end
};

// Takes the members of an object, or the elements of an array, one after the other:
//   json_walk walk(text);  while (auto member = walk.next_member()) ...
class json_walk {
 public:
  explicit json_walk(std::string_view object_or_array);
  json_walk(std::string_view text, char opening);  // takes nothing if `text` does not begin with that bracket

  std::optional<json_member> next_member();          // of an object
  std::optional<std::string_view> next_element();    // of an array

 private:
  bool step();  // to the next key or element; false at the end

  const char* at_;
  const char* end_;
  bool is_first_ = true;
};

// The same as a range of one loop: for (const json_member& each : json_members(object)) ...
template <auto next, char opening>
class json_range {
 public:
  explicit json_range(std::string_view text) : walk_(text, opening) {}

  class iterator {
   public:
    explicit iterator(json_walk& walk) : walk_(&walk), item_((walk.*next)()) {}
    const auto& operator*() const { return *item_; }
    void operator++() { item_ = (walk_->*next)(); }
    bool operator==(std::default_sentinel_t) const { return !item_; }

   private:
    json_walk* walk_;
    decltype((walk_->*next)()) item_;
  };
  iterator begin() { return iterator(walk_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  json_walk walk_;
};

using json_members = json_range<&json_walk::next_member, '{'>;     // none if the text is no object
using json_elements = json_range<&json_walk::next_element, '['>;  // none if the text is no array

// Empty if the text is no array, or an empty one.
std::string_view json_last_element(std::string_view array);

// The value of the first member with that key (compared unescaped); none when `object` is no object or has none.
std::optional<std::string_view> json_find(std::string_view object, std::string_view key);

bool json_is_string(std::string_view value);
bool json_is_object(std::string_view value);
bool json_is_array(std::string_view value);
bool json_is_null(std::string_view value);
inline bool json_is_absent(std::string_view value) { return value.empty() || json_is_null(value); }

// The text between a string value's quotes, escapes as written. Pieces of one string that was cut between two
// escapes may be joined: surrogate halves meet again.
std::string_view json_raw_string(std::string_view string_value);

// The string that `text` begins with, quotes included, up to its first quote that is not escaped: all of `text` where
// there is none. Empty: it begins with something else. Here `text` may be anything.
std::string_view json_string_at(std::string_view text);

// The value that `text` begins with; other values may come after it.
std::string_view json_value_at(std::string_view text);

// Whether `json` has more than `most` values and keys; it need not be valid. Strings are passed over quickly, and a
// text that is too short for so many is not looked at.
bool has_more_values(std::string_view json, std::size_t most);

// The keys of all objects in `json`, each once, sorted, without their quotes. None: they are more than `most`, or one
// has escapes.
std::optional<std::vector<std::string_view>> json_keys(std::string_view json, std::size_t most);

// Decodes escapes to UTF-8. A lone surrogate becomes U+FFFD.
std::string json_unescape(std::string_view raw);

// The quoted, escaped form of UTF-8 text.
std::string json_quote(std::string_view text);

}  // namespace photofinish::proxy
