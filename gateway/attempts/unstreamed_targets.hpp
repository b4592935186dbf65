// Lists the targets that have refused to stream, for each key. For a while, the gateway asks these targets for answers
// without streaming. [pure] The size of the list is limited: the oldest entry is dropped first. Each worker has its own
// list, and adds only refusals of its own attempts.
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
  // The time after which an entry expires, because the account may be verified later. Another try costs one refused
  // request.
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

  // The keys and the times when their entries expire, the oldest first.
  std::deque<std::pair<proxy::instant, racing::candidate_id>> noted_;
};

}  // namespace photofinish::gateway
