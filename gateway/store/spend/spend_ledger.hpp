// What of budgets is spent here, and what the store says was spent by all: which sums go to it, and what is then shown.
// [pure]
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

// An account with a budget, at one moment.
struct spend_reading {
  std::string account;
  std::string window;  // that it is in
  std::chrono::sys_seconds window_ends{};
  std::int64_t spent_ever = 0;  // nano-dollars by this process, whichever the window
  std::int64_t spent_in_window = 0;  // likewise; counts where the account is read for the first time
};

// A sum that a gateway knows, in a window that has not ended.
struct known_spend {
  std::string account, window;
  std::chrono::sys_seconds window_ends{};
  spend_sum sum;

  bool operator==(const known_spend&) const = default;
};

class spend_ledger {
 public:
  // Above it the oldest posts are given up: a store that is away for days, and budgets of minutes.
  static constexpr std::size_t most_posts = 100'000;
  // Above it accounts that were not read for an hour are forgotten.
  static constexpr std::size_t most_states = 50'000;

  explicit spend_ledger(std::string writer) : writer_(std::move(writer)) {}

  // Posts that a run before could not send, with its own writer and numbers; and sums that it knew.
  void restore(std::vector<spend_post> posts, std::vector<known_spend> sums = {});

  // Each account is read once in a round.
  void begin_round() { ++round_; }

  // What is new becomes a post, where the account has none that is open.
  void read(const spend_reading& each, std::chrono::sys_seconds now);
  // Likewise, before the process ends: all of it becomes posts. They are sent in their order, so that no later one is
  // added before an earlier one.
  void read_last(const spend_reading& each, std::chrono::sys_seconds now);
  // Those that are not answered yet, the oldest first. What no budget counts any more is not among them.
  const std::deque<spend_post>& open_posts(std::chrono::sys_seconds now);
  bool has_open_post(std::string_view account) const;

  // The store's last sum, as it is sent to be restored. Zero for another window than the account's.
  spend_sum known(std::string_view account, std::string_view window) const;
  // Known sums of accounts that were not read in this round, because no request has used them since the gateway
  // started, or because the configuration lost them. The store must not lose them either.
  std::vector<known_spend> unread(std::chrono::sys_seconds now) const;
  std::vector<known_spend> all_known(std::chrono::sys_seconds now) const;

  // A script's reply: the sum with the post.
  void answered(const spend_post& post, const spend_sum& sum);
  // A script's reply, without a post.
  void settled(std::string_view account, std::string_view window, const spend_sum& sum);
  // Two reads, which were not made at one moment. False: the store has lost something, or began another history. A
  // script must settle it, and until then the known sum holds.
  bool heard(std::string_view account, std::string_view window, const spend_sum& sum);

  // What is spent in the account's window: the store's sum, and what it does not have, as many times as said.
  std::int64_t spent(const spend_reading& each, std::uint64_t times) const;

 private:
  struct state {
    std::string window;
    std::chrono::sys_seconds window_ends{};
    std::int64_t posted = 0;  // of spent_ever: in posts, answered or not
    spend_sum sum;            // the store's
    std::int64_t open = 0;    // in a post of this window that is not answered
    std::size_t open_posts = 0;  // of any window
    std::chrono::sys_seconds read_at{};
    std::uint64_t round = 0;  // in which it was read last; 0: only a run before has read it
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
