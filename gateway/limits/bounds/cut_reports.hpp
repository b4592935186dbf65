// Decides when to log that a target reports impossible usage: at most one line per target in ten minutes. Each worker
// has its own object of this class. [pure]
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

  // Returns how many usage reports of the target were reduced since the last log line about it, including the current
  // report. Returns none if no log line is due.
  std::optional<std::uint64_t> note(const std::string& target, proxy::instant now) {
    // Limits the size of the table of targets, because clients choose some of their names.
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
