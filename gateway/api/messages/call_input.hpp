// Converts a tool call's arguments into the `input` of a Messages answer, which must be an object. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class call_input {
 public:
  // Returns the text that a stream may send now; it lives until the next call. An object's text passes immediately. Any
  // other text waits for the end of the call, because only then its conversion into an object is known.
  std::string_view add(std::string_view more);

  // Ends the call, and returns the text that must still be sent. Later arguments belong to the next call.
  std::string finish();

  // True if a call's arguments were an unfinished object or invalid JSON.
  bool has_broken_call() const { return has_broken_call_; }

  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::string text_;  // the arguments of the call that have arrived so far
  bool is_passing_ = false;
  bool has_broken_call_ = false;
};

}  // namespace photofinish::gateway
