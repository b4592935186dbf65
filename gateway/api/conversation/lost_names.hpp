// Names the parts of an answer that have no place in the client's API, for the end of the answer. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class lost_names {
 public:
  void note(const proxy::delta& each) {
    if (each.kind == proxy::delta_kind::lost_part) note(each.text);
  }
  void note(std::string_view name);

  // Returns a member of an object with a comma before it: ,"x_race_dropped":["audio"]. Empty if nothing was lost.
  std::string member() const;
  // Returns the same member, but only once.
  std::string take_member();

  std::size_t held_bytes() const { return held_; }

 private:
  std::vector<std::string> names_;
  std::size_t held_ = 0;
  bool is_taken_ = false;
};

}  // namespace photofinish::gateway
