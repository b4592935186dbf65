// Merges JSON objects faster if most of them differ from the previous object only in some strings, as in a stream of
// chunks. In such objects, only these strings are read. [pure]
#pragma once

#include "gateway/api/chat/json_merge.hpp"
#include "proxy/json/json_pattern.hpp"

#include <string_view>
#include <vector>

namespace photofinish::gateway {

class merge_shortcut {
 public:
  // Does the same as to.add(piece, budget). `to` must be the same object in each call, and only this class may add to
  // it.
  void add(std::string_view piece, merged_object& to, merge_budget& budget);

 private:
  proxy::json_pattern last_;
  // The members of the merged object to which the strings of a chunk are added, one for each string.
  std::vector<merged_object::member*> members_;
  merge_trace did_;
};

}  // namespace photofinish::gateway
