// Finds all texts of a JSON value, except those that a reader has taken and those that need not be shown. [pure]
// Reads each byte once, at any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// In an input every word is text; in a conversation, ids and names of tools are known by their members.
enum class walked : std::uint8_t { conversation, input };

class text_walk {
 public:
  enum class unread_kind : std::uint8_t {
    text,    // a JSON string
    data,    // base64: a JSON string
    tokens,  // a list of numbers
  };
  struct unread_value {
    unread_kind kind;
    std::string_view what;  // a span of the walked text
  };

  // `taken` are the values that readers took, in the order of their places. It outlives the walk, and so does all that
  // is walked. Values are walked in the order of their places.
  text_walk(std::span<const std::string_view> taken, walked what) : taken_(taken), what_(what) {}

  // A value of valid JSON, of a member of that name, which is without escapes.
  std::vector<unread_value> read(std::string_view value, std::string_view name);

  // Adds a name or a number that stands for itself: no mask can replace it.
  void add_word(std::string_view word);
  // Names that are shown already.
  void know(std::string name) { known_.insert(std::move(name)); }
  // One in each line.
  const std::string& words() const { return words_; }

 private:
  struct frame {
    bool is_object;
    bool expects_name;
    bool has_tokens;
    std::string name;  // of the member that is read; in a list, of the list's; empty if no API has such a long one
  };

  std::size_t read_token(std::string_view json, std::size_t at);
  std::size_t read_value(std::string_view json, std::size_t at);
  void read_name(std::string_view quoted);
  void read_string(std::string_view quoted);
  void read_number(std::string_view number);
  std::size_t taken_at(const char* place);
  void end_value() { frames_.back().expects_name = frames_.back().is_object; }

  std::span<const std::string_view> taken_;
  walked what_;
  std::vector<frame> frames_;
  std::vector<unread_value> unread_;
  std::set<std::string, std::less<>> known_;
  std::string words_;
};

}  // namespace photofinish::gateway
