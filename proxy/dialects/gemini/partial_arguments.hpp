// Joins a call's arguments, which come as values with paths, to JSON text. [pure] Gemini writes the values in the order
// of the object, so this class keeps only the open containers and not a tree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class partial_arguments {
 public:
  // Reads one entry of partialArgs, a JSON object: {"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}.
  // Appends the new part of the text. Returns false if the path is invalid, or if its place is already closed.
  bool add(std::string_view entry, std::string& out);

  // Closes the text after the last entry, and prepares for the next call.
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

  // The progress in one open container. The list begins with the object itself, and its last container
  // holds the last value.
  struct container {
    bool is_array = false;
    std::size_t values = 0;
  };
  std::vector<container> open_;
  steps at_;                   // path of the last value, with one step for each open container
  bool is_in_string_ = false;  // true if the last value continues in the next entry
};

}  // namespace photofinish::proxy
