// Keeps track of this gateway's spending on budgets, and of the total spending of all gateways, which is in the store.
// Decides which amounts the gateway sends to the store. A post is an amount of spending that the gateway sends
// repeatedly until the store confirms it. [pure]
#pragma once

#include "gateway/store/store_scripts.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The values of an account that has a budget. The ledger reads these values in each round.
struct spend_reading {
  std::string account;
  std::string window;  // the name of the account's current budget window
  std::chrono::sys_seconds window_ends{};
  std::int64_t spent_ever = 0;  // the total spending of this process in all budget windows, in nano dollars
  // The nano dollars spent in the current budget window. The ledger uses this value only when it first reads the
  // account.
  std::int64_t spent_in_window = 0;
};

// The last known total spending of an account in a budget window that has not ended.
struct known_spend {
  std::string account, window;
  std::chrono::sys_seconds window_ends{};
  spend_sum sum;

  bool operator==(const known_spend&) const = default;
};

class spend_ledger {
 public:
  // The maximum number of amounts that wait for the store's confirmation. Above this number, the ledger drops the
  // oldest amounts. This can happen if the store is unreachable for days and budgets have windows of minutes.
  static constexpr std::size_t most_posts = 100'000;
  // The maximum number of accounts in the ledger. Above this number, the ledger drops accounts that were not read for
  // an hour.
  static constexpr std::size_t most_states = 50'000;

  explicit spend_ledger(std::string writer) : writer_(std::move(writer)) {}

  // Restores the ledger of the gateway's previous run from its file. The file contains the amounts that the store has
  // not confirmed, with their numbers and the writer's name. It also contains the last known totals.
  void restore(std::vector<spend_post> posts, std::vector<known_spend> sums = {});

  // Begins a new round. In each round, the gateway reads the spending of each account once.
  void begin_round() { ++round_; }

  // Adds an account's new spending to the amounts for the store. Does nothing if the store has not yet confirmed an
  // earlier amount of this account.
  void read(const spend_reading& each, std::chrono::sys_seconds now);
  // Adds an account's new spending to the amounts for the store, even if the store has not confirmed an earlier amount.
  // Call this function before the process ends. The store gets older amounts first.
  void read_last(const spend_reading& each, std::chrono::sys_seconds now);
  // Returns all amounts that the store has not confirmed, the oldest first. Drops an amount if its budget window ended
  // so long ago that the store no longer counts it.
  const std::deque<spend_post>& open_posts(std::chrono::sys_seconds now);
  bool has_open_post(std::string_view account) const;

  // Returns the last total that the store reported for the account. The store can restore a lost total from this value.
  // Returns zero if `window` is not the account's current window.
  spend_sum known(std::string_view account, std::string_view window) const;
  // Returns the known total spending of accounts that the gateway has not read since the last call of begin_round().
  // Either no request has used such an account since the start, or the configuration no longer contains it. The gateway
  // also sends these totals to the store, so that the store can restore them.
  std::vector<known_spend> unread(std::chrono::sys_seconds now) const;
  std::vector<known_spend> all_known(std::chrono::sys_seconds now) const;

  // Handles the store's reply to an amount of spending that this gateway has sent. The total `sum` already includes
  // this amount.
  void answered(const spend_post& post, const spend_sum& sum);
  // Handles the store's reply to a script that added no spending, for example because it only restored a lost total.
  void settled(std::string_view account, std::string_view window, const spend_sum& sum);
  // Handles a total that was read from the store, together with the history of the total. They may not match, because
  // they are read one after the other. Returns false if the store has lost the total or has begun a new history. In
  // that case, the gateway must run the script that adds spending. Until the script's reply arrives, the gateway uses
  // the last known total.
  bool heard(std::string_view account, std::string_view window, const spend_sum& sum);

  // Returns the spending in the account's window: the total that the store reported, plus the unreported amount
  // multiplied by `times`.
  std::int64_t spent(const spend_reading& each, std::uint64_t times) const;

 private:
  struct state {
    std::string window;
    std::chrono::sys_seconds window_ends{};
    std::int64_t posted = 0;  // the part of `spent_ever` that was sent to the store, confirmed or not
    spend_sum sum;            // the last total spending that the store reported
    std::int64_t open = 0;    // the spending in the current budget window that the store has not confirmed
    std::size_t open_posts = 0;  // the number of unconfirmed amounts in all budget windows
    std::chrono::sys_seconds read_at{};
    // The number of the round in which the gateway last read the account; 0 if it has not read the account since the
    // start.
    std::uint64_t round = 0;
  };

  state* find(std::string_view account, std::string_view window);
  void post(const std::string& account, state& its, std::int64_t spent_ever);
  void give_up(const spend_post& lost);
  void forget(std::chrono::sys_seconds now);

  const std::string writer_;
  std::uint64_t number_ = 0, round_ = 1;
  std::map<std::string, state, std::less<>> states_;
  std::deque<spend_post> posts_;
};

}  // namespace photofinish::gateway
