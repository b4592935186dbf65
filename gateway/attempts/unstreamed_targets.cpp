#include "gateway/attempts/unstreamed_targets.hpp"

#include <algorithm>

namespace photofinish::gateway {

void unstreamed_targets::note(const racing::candidate_id& id, proxy::instant now) {
  if (contains(id, now)) return;
  if (noted_.size() == most) noted_.pop_front();
  noted_.emplace_back(now + kept_for, id);
}

bool unstreamed_targets::contains(const racing::candidate_id& id, proxy::instant now) {
  forget_old(now);
  return std::any_of(noted_.begin(), noted_.end(), [&id](const auto& each) { return each.second == id; });
}

void unstreamed_targets::forget_old(proxy::instant now) {
  while (!noted_.empty() && noted_.front().first <= now) noted_.pop_front();
}

}  // namespace photofinish::gateway
