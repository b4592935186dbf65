// Models, in memory, the total spending that the store keeps for one budget. Changes the total in the same way as the store's scripts, and
// may lose its data at any point. An integration test compares this model with the scripts in a real redis-server.
#pragma once

#include "gateway/store/store_scripts.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace photofinish::testing {

class modelled_spend {
 public:
  struct history_key {
    gateway::spend_history history;
    // The part of the budget's total that the gateways restored after the store had lost its data. Later requests added the rest of the
    // total.
    std::int64_t base = 0;
  };
  // the data that the store keeps for this budget
  std::optional<std::int64_t> total;
  std::optional<history_key> history;
  std::map<std::string, std::uint64_t> last;  // for each gateway: the number of the gateway's last update
  std::int64_t clock = 1'000'000;             // the store's clock, in microseconds
  std::int64_t callers_clock = 1'000'000;

  gateway::spend_reply add(const gateway::spend_post& post, const gateway::spend_sum& known, const std::string& by) {
    if (!history && !total && known == gateway::spend_sum{} && post.nano_usd == 0) return {};
    const std::optional<std::int64_t> before = total;
    const std::int64_t epoch_before = history ? history->history.epoch : known.history.epoch;
    std::int64_t since = 0;
    std::optional<std::int64_t> base;
    bool begins = false;
    const auto merged = [&](std::int64_t own) {
      if (epoch_before < known.history.epoch) return known.nano_usd;
      return epoch_before == known.history.epoch ? std::max(own, known.nano_usd) : own;
    };
    if (!history) {
      base = std::max(total.value_or(0), known.nano_usd), begins = true;
    } else if (!total || *total < history->base) {
      base = merged(history->base), begins = true;
    } else if (history->history.begun == known.history.begun && history->history.by == known.history.by) {
      if (*total < known.nano_usd) base = known.nano_usd, begins = true;
    } else if (history->history.begun < known.history.begun) {
      base = merged(*total), begins = true;
    } else {
      begins = epoch_before < known.history.epoch;
      const std::int64_t more = merged(history->base);
      if (begins || more != history->base) base = more, since = *total - history->base;
    }
    if (begins) {
      const std::int64_t own = history ? history->history.begun : 0;
      const std::int64_t begun = std::max({clock, callers_clock, own + 1, known.history.begun + 1});
      history = history_key{{epoch_before, begun, by}, *base};
    }
    history->history.epoch = std::max(epoch_before, known.history.epoch);
    bool is_restored = false;
    if (base) {
      history->base = *base;
      total = *base + since;
      is_restored = before.value_or(0) < *total;
    }
    if (post.nano_usd != 0 && (!last.contains(post.writer) || last[post.writer] < post.number)) {
      *total += post.nano_usd;
      last[post.writer] = post.number;
    }
    return {{*total, history->history}, is_restored};
  }

  void reopen() {
    const gateway::spend_history before = history_now();
    history = history_key{
        {std::max({clock, callers_clock, before.epoch + 1}), std::max(clock, before.begun + 1), "reopened"}, 0};
    total = 0;
  }

  gateway::spend_history history_now() const { return history ? history->history : gateway::spend_history{}; }
};

}  // namespace photofinish::testing
