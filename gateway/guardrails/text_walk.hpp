// Finds all texts of a JSON value, except the texts that a reader has taken and the texts that guardrails need not see.
// [pure] Reads each byte once, at any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The kind of the walked value. In an input every word is text. In a conversation, ids and names of tools are
// recognized by their members.
enum class walked : std::uint8_t { conversation, input };

class text_walk {
 public:
  enum class unread_kind : std::uint8_t {
    text,    // a JSON string
    data,    // a JSON string in base64
    tokens,  // a list of numbers
  };
  struct unread_value {
    unread_kind kind;
    std::string_view what;  // a span of the text that is walked
  };

  // `taken` are the values that readers took, in the order of their places. `taken` and all walked values outlive the
  // walk. Values are walked in the order of their places.
  text_walk(std::span<const std::string_view> taken, walked what) : taken_(taken), what_(what) {}

  // Reads a valid JSON value of the member `name`. The name has no escapes.
  std::vector<unread_value> read(std::string_view value, std::string_view name);

  // Adds a name or a number as a word. No mask can replace it.
  void add_word(std::string_view word);
  // Notes a name that is already shown elsewhere.
  void know(std::string name) { known_.insert(std::move(name)); }
  // Returns all words, one per line.
  const std::string& words() const { return words_; }

 private:
  struct frame {
    bool is_object;
    bool expects_name;
    bool has_tokens;
    // The name of the current member. In a list it is the name of the member that contains the list. It is empty if the
    // name is longer than any API's name.
    std::string name;
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
