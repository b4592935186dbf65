// Decides when to log that a target reports impossible usage. It allows at most one line per target in ten minutes.
// Each worker has its own object of this class. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {

class cut_reports {
 public:
  static constexpr std::chrono::minutes pause{10};

  // Returns how often the gateway has reduced the target's reported usage since the last log line about it, including
  // this time. Returns nothing if it is too early for the next log line.
  std::optional<std::uint64_t> note(const std::string& target, proxy::instant now) {
    // The maximum number of targets in the table. A maximum is necessary because clients may choose names of targets.
    if (targets_.size() >= most_targets && !targets_.contains(target)) targets_.clear();
    reported& its = targets_[target];
    ++its.count;
    if (its.next && now < *its.next) return std::nullopt;
    its.next = now + pause;
    return std::exchange(its.count, 0);
  }

 private:
  static constexpr std::size_t most_targets = 1'000;

  struct reported {
    std::uint64_t count = 0;
    std::optional<proxy::instant> next = {};
  };
  std::map<std::string, reported> targets_;
};

}  // namespace photofinish::gateway
