// Lists the targets that have refused to stream, separately for each key. For a while, the gateway asks these targets
// for answers without a stream. The list has a maximum size, and drops its oldest entry first. Each worker has its own
// list, which contains only the refusals of its own attempts. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"
#include "racing/scoreboard.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <utility>

namespace photofinish::gateway {

class unstreamed_targets {
 public:
  static constexpr std::size_t most = 256;
  // A target stays in the list for this time. It is then asked for a stream again, because the provider may have
  // verified the account. If the provider still refuses to stream, this costs one more refused request.
  static constexpr std::chrono::minutes kept_for{10};

  void note(const racing::candidate_id& id, proxy::instant now) {
    if (contains(id, now)) return;
    if (noted_.size() == most) noted_.pop_front();
    noted_.emplace_back(now + kept_for, id);
  }
  bool contains(const racing::candidate_id& id, proxy::instant now) {
    forget_old(now);
    return std::any_of(noted_.begin(), noted_.end(), [&id](const auto& each) { return each.second == id; });
  }

  std::size_t size() const { return noted_.size(); }

 private:
  void forget_old(proxy::instant now) {
    while (!noted_.empty() && noted_.front().first <= now) noted_.pop_front();
  }

  // The refusing targets, identified by their ids, and the times when the entries expire. The oldest entry comes first.
  std::deque<std::pair<proxy::instant, racing::candidate_id>> noted_;
};

}  // namespace photofinish::gateway
