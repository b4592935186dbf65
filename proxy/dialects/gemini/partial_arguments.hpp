// Builds the JSON text of a call's arguments. [pure] Gemini sends each value of the arguments with its path. The values
// arrive in the order of the JSON text, so this class stores only the objects and lists that are still open.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class partial_arguments {
 public:
  // Reads one entry of partialArgs, such as {"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}. Appends the
  // next part of the arguments' JSON text. Returns false if the path is invalid, or if it leads into an object or list
  // that is already closed.
  bool add(std::string_view entry, std::string& out);

  // Closes all open objects and lists after the last entry, and prepares this object for the next call.
  void finish(std::string& out);

 private:
  struct step {
    bool is_index = false;
    std::size_t index = 0;
    std::string key = {};
    bool operator==(const step&) const = default;
  };
  using steps = std::vector<step>;

  static bool read_path(std::string_view path, steps& into);
  bool go_to(const steps& path, std::string& out);
  bool enter(const step& next, std::string& out);
  void close_to(std::size_t depth, std::string& out);

  // An object or list of the arguments that is still open. The outermost one is the object with all arguments, and the
  // innermost one contains the last value.
  struct container {
    bool is_array = false;
    std::size_t values = 0;
  };
  std::vector<container> open_;
  steps at_;                   // the path of the last value, with one step for each open container
  bool is_in_string_ = false;  // true if the last value continues in the next entry
};

}  // namespace photofinish::proxy
