// Checks whether a JSON object that arrives in pieces is valid, and finds its first members. [pure] Each byte is read
// only once, when it arrives, so little work remains at the end of a long text. Each open bracket takes one bit of
// memory.
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
  // The maximum number of members that members() returns. Any further members are checked but not returned.
  static constexpr std::size_t kept_members = 32;

  // Reads more bytes of the object. `text` is all text that has arrived so far, including the bytes that earlier calls
  // read. Returns false if the object is invalid, no matter which bytes follow.
  bool see(std::string_view text);

  // True if the object has ended and only white space follows it.
  bool is_complete() const { return expected_ == expected::nothing && !is_broken_; }

  // Returns the members of the outermost object, in order. `text` must be the text that see() has checked. The members
  // are spans of `text`.
  std::vector<json_member> members(std::string_view text) const;

 private:
  enum class expected : std::uint8_t { object, first_key, key, colon, first_value, value, comma, nothing };
  enum class within : std::uint8_t { structure, key, string, word, number };
  enum class escape : std::uint8_t { none, begun, hex1, hex2, hex3, hex4 };
  enum class digits : std::uint8_t { minus, zero, whole, point, fraction, e, sign, exponent };

  struct place {
    // the start and end of the member's key without its quotes, as offsets in the text
    std::size_t key_from, key_to;
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

  std::size_t at_ = 0;        // the offset of the next unread byte in the text
  std::size_t valid_to_ = 0;  // the text before this offset is valid UTF-8
  bool is_broken_ = false;
  expected expected_ = expected::object;
  within within_ = within::structure;
  escape escape_ = escape::none;
  digits digits_ = digits::minus;
  std::string_view word_;  // the part of the word true, false or null that has not been read yet
  std::size_t depth_ = 0;
  std::bitset<max_depth> is_object_;
  place current_{};
  std::vector<place> members_;
};

// True if a text is a single valid JSON object and contains nothing else.
inline bool is_whole_object(std::string_view text) {
  json_scan scan;
  return scan.see(text) && scan.is_complete();
}

}  // namespace photofinish::proxy
