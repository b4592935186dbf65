// Compares this gateway's spending on budgets with the sums in the store, which count all gateways. Decides which
// amounts the gateway sends to the store, and which sums it uses. A post is an amount of spending that the gateway
// sends to the store until the store confirms it. [pure]
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

// The state of an account with a budget when the ledger reads it.
struct spend_reading {
  std::string account;
  std::string window;  // the name of the account's current budget window
  std::chrono::sys_seconds window_ends{};
  std::int64_t spent_ever = 0;  // the nano dollars that this process has spent in all windows
  // The nano dollars spent in this window. The ledger uses this value when it reads the account for the first time.
  std::int64_t spent_in_window = 0;
};

// The last known sum of an account in a window that has not ended.
struct known_spend {
  std::string account, window;
  std::chrono::sys_seconds window_ends{};
  spend_sum sum;

  bool operator==(const known_spend&) const = default;
};

class spend_ledger {
 public:
  // The largest number of amounts that wait for the store's confirmation. If there are more, the ledger drops the
  // oldest amounts. The limit is reached if a store is away for days and budgets have windows of minutes.
  static constexpr std::size_t most_posts = 100'000;
  // The largest number of accounts in the ledger. If there are more, the ledger forgets accounts that were not read for
  // an hour.
  static constexpr std::size_t most_states = 50'000;

  explicit spend_ledger(std::string writer) : writer_(std::move(writer)) {}

  // Takes over the spending that an earlier run of the gateway could not send to the store, with the writer and numbers
  // of that run. Also takes over the known sums of that run.
  void restore(std::vector<spend_post> posts, std::vector<known_spend> sums = {});

  // Begins a round. In each round, the gateway reads each account once.
  void begin_round() { ++round_; }

  // Adds an account's new spending to the amounts for the store, unless the account still has an amount that the store
  // has not confirmed.
  void read(const spend_reading& each, std::chrono::sys_seconds now);
  // Adds an account's new spending to the amounts for the store, even if the account has an unconfirmed amount. Call
  // this before the process ends. The store gets all amounts in their order.
  void read_last(const spend_reading& each, std::chrono::sys_seconds now);
  // Returns the amounts of spending that the store has not confirmed, the oldest first. Drops amounts whose budget
  // window has ended too long ago to be counted.
  const std::deque<spend_post>& open_posts(std::chrono::sys_seconds now);
  bool has_open_post(std::string_view account) const;

  // Returns the last sum that the store reported. The gateway sends this sum, so that the store can restore a lost sum.
  // Returns zero for a window that is not the account's current window.
  spend_sum known(std::string_view account, std::string_view window) const;
  // Returns the known sums of accounts that were not read in this round. No request has used such an account since the
  // start, or the configuration no longer contains it. The gateway also sends these sums, so that the store can restore
  // them.
  std::vector<known_spend> unread(std::chrono::sys_seconds now) const;
  std::vector<known_spend> all_known(std::chrono::sys_seconds now) const;

  // Handles the store's reply to a script that adds spending. `sum` includes this spending.
  void answered(const spend_post& post, const spend_sum& sum);
  // Handles the store's reply to a script that adds no spending.
  void settled(std::string_view account, std::string_view window, const spend_sum& sum);
  // Handles a sum and its history that were not read at the same moment. Returns false if the store has lost the sum,
  // or has begun another history. In that case the gateway must run a script. Until the script's reply, the known sum
  // counts.
  bool heard(std::string_view account, std::string_view window, const spend_sum& sum);

  // Returns the spending in the account's window: the sum that the store reported, plus `times` the amount that the
  // store does not have yet.
  std::int64_t spent(const spend_reading& each, std::uint64_t times) const;

 private:
  struct state {
    std::string window;
    std::chrono::sys_seconds window_ends{};
    std::int64_t posted = 0;  // the part of `spent_ever` that was sent to the store, confirmed or not
    spend_sum sum;            // the last sum that the store reported
    std::int64_t open = 0;    // the unconfirmed spending of the current window
    std::size_t open_posts = 0;  // the number of amounts of any window that the store has not confirmed
    std::chrono::sys_seconds read_at{};
    std::uint64_t round = 0;  // the round in which the account was last read; 0 if only an earlier run has read it
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
