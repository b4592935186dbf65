// Collects the names of answer parts that the client's API cannot represent. The names are reported at the end of the
// answer. [pure]
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

  // Returns the names as a JSON member with a comma before it: ,"x_race_dropped":["audio"]. Returns an empty text if
  // nothing was lost.
  std::string member() const;
  // Returns the JSON member with the names of lost parts at the first call. Later calls return an empty text.
  std::string take_member();

  std::size_t held_bytes() const { return held_; }

 private:
  std::vector<std::string> names_;
  std::size_t held_ = 0;
  bool is_taken_ = false;
};

}  // namespace photofinish::gateway
