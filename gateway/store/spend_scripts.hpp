// Builds scripts and key names for the total spending of budgets in the store, and reads the replies
// (docs/decisions/0074). The total of a budget is called its sum. Each sum has a history, which records when the store
// began to count the sum. The store begins a history if the sum is new, or if the store had lost it. Gateways remember
// the history together with the sum, and so can detect that the store has lost a sum. [pure]
#pragma once

#include "gateway/store/store_reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct spend_history {
  // The time when `photofinish keys reopen-budget` was last run, in microseconds since 1970; 0 if it was never run.
  std::int64_t epoch = 0;
  // The time when the store began to count the spending, in microseconds of the store's clock. It is 0 if the spending
  // was counted by a gateway of an older version.
  std::int64_t begun = 0;
  std::string by = {};     // the gateway that began to count the spending

  bool is_known() const { return begun > 0; }
  bool operator==(const spend_history&) const = default;
};

// The total spending of a budget that was read from the store.
struct spend_sum {
  std::int64_t nano_usd = 0;
  spend_history history = {};

  bool operator==(const spend_sum&) const = default;
};

struct spend_reply {
  spend_sum sum;
  // True if the store had lost the budget's total spending, and has restored it from the total that the gateway knew.
  bool is_restored = false;
};

// Reads the reply of the script that adds spending. Returns nothing if the reply does not have the expected form.
std::optional<spend_reply> spend_reply_in(const store_reply& reply);
// Reads the history of a budget's total spending from the reply to GET. The reply nil means that the history is
// unknown. Returns nothing if the reply does not have the expected form.
std::optional<spend_history> history_in(const store_reply& reply);

// Returns the script that adds an amount to a budget's total spending. If the amount was already added, the script does
// not add it again. It also restores a total that the store has lost. Its reply contains the total, the history of the
// total, and 1 if the total was restored.
std::string_view add_spend_script();
// Returns the script that sets the total spending of a budget to zero and begins a new epoch. Its reply is the old
// total.
std::string_view reopen_script();

// Builds the names of the keys that store the total spending of budgets and the history of each total.
class spend_keys {
 public:
  explicit spend_keys(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string sum(std::string_view account, std::string_view window) const;
  std::string history(std::string_view account, std::string_view window) const;
  std::string last_post(std::string_view writer, std::string_view account, std::string_view window) const;

  // pattern() returns a glob pattern for the keys of an account's total spending in all windows. window_in() returns
  // the window in a key that matches this pattern. It returns nothing if the key belongs to another account.
  std::string pattern(std::string_view account) const;
  std::optional<std::string> window_in(std::string_view key, std::string_view account) const;

 private:
  std::string prefix_;
};

}  // namespace photofinish::gateway
