// Adds to a merged object what is mostly the piece before with other strings in it, as a stream's chunks are: then
// only these strings are looked at. [pure]
#pragma once

#include "gateway/api/chat/json_merge.hpp"
#include "proxy/json/json_pattern.hpp"

#include <string_view>
#include <vector>

namespace photofinish::gateway {

class merge_shortcut {
 public:
  // Has the effect of to.add(piece, budget). `to` is the same one each time, and nothing else adds to it.
  void add(std::string_view piece, merged_object& to, merge_budget& budget);

 private:
  proxy::json_pattern last_;
  std::vector<merged_object::member*> members_;  // where each string of the pattern goes
  merge_trace did_;
};

}  // namespace photofinish::gateway
