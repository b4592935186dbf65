// Logs the budgets whose total spending the store had lost and this gateway has restored. The number of log lines per
// minute is limited.
#pragma once

#include "gateway/limits/soft_budgets.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/loop/alarms.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class restored_budgets {
 public:
  static constexpr std::size_t most_lines = 20;  // the maximum number of log lines per minute

  // Adds a restored budget to the list that is logged later. `account` is a name such as "team:search".
  void note(std::string_view account, std::int64_t nano_usd) { all_.emplace_back(account, nano_usd); }
  bool is_empty() const { return all_.empty(); }

  // Logs all budgets in the list and clears it. Returns the number of these budgets.
  std::uint64_t report(proxy::instant now) {
    if (now >= minute_ends_) {
      minute_ends_ = now + std::chrono::minutes(1);
      lines_ = 0;
    }
    std::size_t left_out = 0;
    for (const auto& [account, nano_usd] : all_) {
      if (lines_ >= most_lines) {
        ++left_out;
        continue;
      }
      ++lines_;
      spdlog::warn("the store had lost the amount that was spent from the budget of {} in its window; restored {}",
                   proxy::shown_text(account), dollars_text(nano_usd));
    }
    if (left_out > 0 && lines_ == most_lines) {
      ++lines_;
      spdlog::warn("the store had lost {} more budgets, which were all restored; the gateway logs no more such losses "
                   "during this minute", left_out);
    }
    return std::exchange(all_, {}).size();
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> all_;
  std::size_t lines_ = 0;  // the number of lines logged in the current minute
  proxy::instant minute_ends_{};
};

}  // namespace photofinish::gateway
