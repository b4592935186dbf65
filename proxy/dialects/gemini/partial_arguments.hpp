// A call's arguments that come a value at a time, each with its path -> the JSON text that they are. [pure]
// The values come in the order of the object, as Gemini writes them: what is open is kept, and no tree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class partial_arguments {
 public:
  // One entry of partialArgs, a JSON object: {"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}. Appends
  // what it adds to the text. False: the path is none, or lies where nothing can be added any more.
  bool add(std::string_view entry, std::string& out);

  // All of it has come: appends what closes it, and begins anew.
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

  // Of what is open, the object itself first: how far it has been written. The last one holds the last value.
  struct container {
    bool is_array = false;
    std::size_t values = 0;
  };
  std::vector<container> open_;
  steps at_;                   // of the last value: one step for each of those
  bool is_in_string_ = false;  // the last value goes on
};

}  // namespace photofinish::proxy
