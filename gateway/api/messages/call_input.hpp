// Converts the arguments of a tool call into the `input` of a Messages answer, which must be a JSON object. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class call_input {
 public:
  // Adds arguments, and returns the text that a stream may send immediately. The text is valid until the next call of
  // add(). An object's text passes immediately. Other text must be converted into an object, so it waits for the end of
  // the tool call.
  std::string_view add(std::string_view more);

  // Ends the tool call, and returns the rest of its text. Later arguments belong to the next tool call.
  std::string finish();

  // True if the arguments of a tool call were an unfinished object or invalid JSON.
  bool has_broken_call() const { return has_broken_call_; }

  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::string text_;  // the arguments of the current tool call that have arrived until now
  bool is_passing_ = false;
  bool has_broken_call_ = false;
};

}  // namespace photofinish::gateway
