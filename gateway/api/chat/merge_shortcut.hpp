// Merges a piece that differs from the previous piece only in some strings, as most chunks of a stream do. Only these
// strings are read. [pure]
#pragma once

#include "gateway/api/chat/json_merge.hpp"
#include "proxy/json/json_pattern.hpp"

#include <string_view>
#include <vector>

namespace photofinish::gateway {

class merge_shortcut {
 public:
  // Has the same effect as to.add(piece, budget). `to` must be the same object in each call, and only this class may
  // add to it.
  void add(std::string_view piece, merged_object& to, merge_budget& budget);

 private:
  proxy::json_pattern last_;
  std::vector<merged_object::member*> members_;  // the member of the merged object for each string of the pattern
  merge_trace did_;
};

}  // namespace photofinish::gateway
