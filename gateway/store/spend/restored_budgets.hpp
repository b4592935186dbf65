// Logs each budget whose sum the store had lost and this gateway has restored. There is a limit of log lines per
// minute.
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
  static constexpr std::size_t most_lines = 20;  // the limit of lines per minute

  // Adds a restored budget to the list for the log. `account` is a name such as "team:search".
  void note(std::string_view account, std::int64_t nano_usd) { all_.emplace_back(account, nano_usd); }
  bool is_empty() const { return all_.empty(); }

  // Logs the listed budgets and clears the list. Returns the number of these budgets.
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
      spdlog::warn("the store had lost what the budget of {} has spent; restored {} of its window",
                   proxy::shown_text(account), dollars_text(nano_usd));
    }
    if (left_out > 0 && lines_ == most_lines) {
      ++lines_;
      spdlog::warn("the store had lost {} more budgets, all restored; no more are logged this minute", left_out);
    }
    return std::exchange(all_, {}).size();
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> all_;
  std::size_t lines_ = 0;  // the number of lines that were logged in the current minute
  proxy::instant minute_ends_{};
};

}  // namespace photofinish::gateway
