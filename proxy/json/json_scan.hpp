// Checks whether a JSON object that arrives in pieces is valid, and finds its first members. [pure] Each byte is
// read only once, when it arrives, so there is little work left at the end of a long text. Each open bracket
// takes one bit of memory.
#pragma once

#include "proxy/json/json_text.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class json_scan {
 public:
  static constexpr std::size_t max_depth = 512;
  // The limit of members that members() returns. If the object has more members, the rest is checked but not returned.
  static constexpr std::size_t kept_members = 32;

  // Reads more bytes of the object. `text` is the whole text that has arrived so far, including the bytes that earlier
  // calls read. Returns false if the object is invalid, whatever bytes follow.
  bool see(std::string_view text);

  // True if the object has ended and only white space follows it.
  bool is_complete() const { return expected_ == expected::nothing && !is_broken_; }

  // Returns the members of the outermost object, in order. `text` must be the scanned text, and the
  // members are spans of it.
  std::vector<json_member> members(std::string_view text) const;

 private:
  enum class expected : std::uint8_t { object, first_key, key, colon, first_value, value, comma, nothing };
  enum class within : std::uint8_t { structure, key, string, word, number };
  enum class escape : std::uint8_t { none, begun, hex1, hex2, hex3, hex4 };
  enum class digits : std::uint8_t { minus, zero, whole, point, fraction, e, sign, exponent };

  struct place {
    std::size_t key_from, key_to;  // offsets of the key without its quotes
    std::size_t from, to;
  };

  void read_structure(std::string_view text);
  void take(char byte);
  void begin_value(char byte);
  void open(bool is_object);
  void close(bool is_object);
  void read_string(std::string_view text);
  void read_escape(char byte);
  void end_string();
  void read_word(std::string_view text);
  void read_number(std::string_view text);
  void begin_number(char first);
  bool begins_next_number(std::string_view text);
  bool take_in_number(char byte);
  void end_value();
  bool check_utf8(std::string_view text);
  bool is_in_object() const { return depth_ > 0 && is_object_[depth_ - 1]; }

  std::size_t at_ = 0;        // offset of the next unread byte in the text
  std::size_t valid_to_ = 0;  // the text is valid UTF-8 up to this offset
  bool is_broken_ = false;
  expected expected_ = expected::object;
  within within_ = within::structure;
  escape escape_ = escape::none;
  digits digits_ = digits::minus;
  std::string_view word_;  // the unread rest of the word true, false or null
  std::size_t depth_ = 0;
  std::bitset<max_depth> is_object_;
  place current_{};
  std::vector<place> members_;
};

// True if a text is one valid JSON object and nothing else.
inline bool is_whole_object(std::string_view text) {
  json_scan scan;
  return scan.see(text) && scan.is_complete();
}

}  // namespace photofinish::proxy
