// Finds all texts in a JSON value, except texts that were already added and texts that guardrails do not need. [pure]
// Reads each byte once, regardless of the nesting depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The kind of a JSON value. In the input of an API without conversations, every word is text. In a conversation, some
// members contain ids and names of tools.
enum class walked : std::uint8_t { conversation, input };

class text_walk {
 public:
  enum class unread_kind : std::uint8_t {
    text,    // a JSON string
    data,    // a JSON string that contains base64
    tokens,  // a list of numbers
  };
  struct unread_value {
    unread_kind kind;
    std::string_view what;  // a view of the text that is searched
  };

  // `taken` contains the values that the guardrail's text already includes, in the order of their positions in the
  // body. `taken` and all searched values must outlive this object. Values must be searched in the order of their
  // positions.
  text_walk(std::span<const std::string_view> taken, walked what) : taken_(taken), what_(what) {}

  // Searches a valid JSON value of the member `name`. The name contains no escapes.
  std::vector<unread_value> read(std::string_view value, std::string_view name);

  // Adds a name or a number as a word. Words cannot be masked.
  void add_word(std::string_view word);
  // Stores a name whose text was already added elsewhere, so that the name is not added again.
  void know(std::string name) { known_.insert(std::move(name)); }
  // Returns all collected words, one per line.
  const std::string& words() const { return words_; }

 private:
  struct frame {
    bool is_object;
    bool expects_name;
    bool has_tokens;
    // The name of the current member. For values in a list it is the name of the member that contains the list. The
    // name is left empty if it is longer than all names in the APIs.
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
