// Walks through JSON text that is known to be valid and returns spans of it, without decoding or copying. [pure] These
// functions are intended for edits and for reading a few members. To read whole documents, use simdjson
// (chunk_inspector.hpp). Every function expects valid JSON, so validate the text with simdjson first. For invalid text,
// the returned spans are meaningless, but no byte outside `text` is ever read.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The number of bytes that simdjson may read after the end of a text (its padding).
constexpr std::size_t readable_behind = 64;

// True for white space that JSON permits between tokens (RFC 8259, section 2).
constexpr bool is_json_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

inline std::string_view without_space(std::string_view text) {  // removes the white space at both ends of the text
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

// One member of a JSON object. All three views are spans of the object's text.
struct json_member {
  std::string_view raw_key;  // the key without its quotes, with escapes as written
  std::string_view value;    // the value without surrounding white space
  std::string_view whole;    // the complete member, from the opening quote of its key to the end of its value
};

// Iterates over the members of an object or the elements of an array. Example: json_walk walk(text);  while (auto
// member = walk.next_member()) ...
class json_walk {
 public:
  explicit json_walk(std::string_view object_or_array);
  // Begins to iterate over the members of an object or the elements of an array. If the text does not begin with the
  // bracket `opening`, the iteration finds nothing.
  json_walk(std::string_view text, char opening);

  std::optional<json_member> next_member();        // returns the next member; call this only for an object
  std::optional<std::string_view> next_element();  // returns the next element; call this only for an array

 private:
  bool step();  // moves to the next key or element; returns false at the end

  const char* at_;
  const char* end_;
  bool is_first_ = true;
};

// Makes a json_walk usable in range-based for loops. Example: for (const json_member& each : json_members(object)) ...
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

// The members of a JSON object; empty if the text is not an object.
using json_members = json_range<&json_walk::next_member, '{'>;
// The elements of a JSON array; empty if the text is not an array.
using json_elements = json_range<&json_walk::next_element, '['>;

// Returns the last element of an array. Returns an empty view if the text is not an array or is an empty array.
std::string_view json_last_element(std::string_view array);

// Returns the value of the first member with this key. The member's key is unescaped before the comparison. Returns
// nullopt if `object` is not an object or has no such member.
std::optional<std::string_view> json_find(std::string_view object, std::string_view key);

bool json_is_string(std::string_view value);
bool json_is_object(std::string_view value);
bool json_is_array(std::string_view value);
bool json_is_null(std::string_view value);
inline bool json_is_absent(std::string_view value) { return value.empty() || json_is_null(value); }

// Returns a string value without its quotes, with escapes as written. If a string was split between two escapes,
// joining the raw pieces gives the original string, even if the split separated a surrogate pair.
std::string_view json_raw_string(std::string_view string_value);

// Returns the JSON string at the beginning of `text`, including both quotes. If the closing quote is missing, returns
// all of `text`. If `text` does not begin with a quote, returns an empty view. `text` may contain any bytes.
std::string_view json_string_at(std::string_view text);

// Returns the JSON value at the beginning of `text`. Any text may follow the value.
std::string_view json_value_at(std::string_view text);

// True if `json` contains more than `most` values and keys. `json` need not be valid. Strings are skipped quickly. The
// function does not read the text at all if it is too short to contain more than `most` values.
bool has_more_values(std::string_view json, std::size_t most);

// Returns the keys of all objects in `json`, each once, sorted, without quotes. Returns nullopt if there are more than
// `most` distinct keys, or if a key has escapes.
std::optional<std::vector<std::string_view>> json_keys(std::string_view json, std::size_t most);

// Decodes the escapes of a JSON string to UTF-8. An incomplete surrogate pair becomes U+FFFD.
std::string json_unescape(std::string_view raw);

// Returns UTF-8 text as a JSON string, with quotes and escapes.
std::string json_quote(std::string_view text);

}  // namespace photofinish::proxy
