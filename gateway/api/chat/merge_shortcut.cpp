#include "gateway/api/chat/merge_shortcut.hpp"

#include <cstddef>

namespace photofinish::gateway {

void merge_shortcut::add(std::string_view piece, merged_object& to, merge_budget& budget) {
  proxy::json_pattern::found_values strings;
  if (last_.matches(piece, strings)) {
    for (std::size_t at = 0; at < members_.size() && !budget.is_exceeded(); ++at)
      merged_object::add_value(*members_[at], strings[at], budget);
    return;
  }
  last_.forget();
  to.add(piece, budget, did_);
  if (!did_.is_all || budget.is_exceeded()) return;
  last_.learn(piece, did_.strings);
  members_ = did_.members;
}

}  // namespace photofinish::gateway
