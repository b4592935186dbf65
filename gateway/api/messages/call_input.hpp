// Converts the arguments of a tool call into the member `input` of an answer in the Messages API. This member must be a
// JSON object. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class call_input {
 public:
  // Adds arguments, and returns the text that a stream may send immediately. This text is valid until the next call of
  // add(). The text of a JSON object is returned as it arrives. Other arguments must be converted into an object, which
  // is only possible at the end of the tool call.
  std::string_view add(std::string_view more);

  // Ends the tool call, and returns the text that add() has not returned yet. Later arguments belong to the next tool
  // call.
  std::string finish();

  // True if the arguments of a tool call were invalid or incomplete JSON.
  bool has_broken_call() const { return has_broken_call_; }

  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::string text_;  // the part of the current tool call's arguments that has arrived so far
  bool is_passing_ = false;
  bool has_broken_call_ = false;
};

}  // namespace photofinish::gateway
