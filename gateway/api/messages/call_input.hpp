// Turns the arguments of one call into `input` of a Messages answer, which must be an object. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class call_input {
 public:
  // Returns the text that a stream may send now; it lives until the next call. An object passes immediately. Any other
  // text waits for the end of the call, because only then is it known how it becomes an object.
  std::string_view add(std::string_view more);

  // Ends the call. Returns the text that is still to be sent. The next arguments belong to another call.
  std::string finish();

  // True if the arguments of a call began as an object and ended before the object did, or were not valid JSON.
  bool has_broken_call() const { return has_broken_call_; }

  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::string text_;  // all arguments of the call
  bool is_passing_ = false;
  bool has_broken_call_ = false;
};

}  // namespace photofinish::gateway
