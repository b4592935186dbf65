// The scripts, names and replies of budgets' sums in the store (docs/decisions/0074). [pure]
// A sum has a history: the moment when the store began to count it, because it was new, or because the store had lost
// it. Gateways remember the history with the sum, so that they can tell what a store has lost from what was added.
#pragma once

#include "gateway/store/store_reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct spend_history {
  std::int64_t epoch = 0;  // of `photofinish keys reopen-budget`: microseconds since 1970; 0: never reopened
  std::int64_t begun = 0;  // microseconds since 1970 by the store's clock; 0: an older gateway wrote the sum
  std::string by = {};     // the gateway that began it

  bool is_known() const { return begun > 0; }
  bool operator==(const spend_history&) const = default;
};

// A sum as the store had it at one moment.
struct spend_sum {
  std::int64_t nano_usd = 0;
  spend_history history = {};

  bool operator==(const spend_sum&) const = default;
};

struct spend_reply {
  spend_sum sum;
  bool is_restored = false;  // the store had lost it, and has it again from what was sent
};

// The reply of add_spend; none: it is another reply.
std::optional<spend_reply> spend_reply_in(const store_reply& reply);
// The reply of GET for the key of histories; none: it is another reply. Nil is an unknown history.
std::optional<spend_history> history_in(const store_reply& reply);

// Adds what was not added before, restores what the store has lost, and returns {sum, history, whether it restored}.
std::string_view add_spend_script();
// Empties a sum and begins an epoch. Returns the sum that was there.
std::string_view reopen_script();

// The names of a prefix's sums.
class spend_keys {
 public:
  explicit spend_keys(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string sum(std::string_view account, std::string_view window) const;
  std::string history(std::string_view account, std::string_view window) const;
  std::string last_post(std::string_view writer, std::string_view account, std::string_view window) const;

  // A glob pattern for the sums of an account in all windows; and the window in a key that it found, none: of another
  // account.
  std::string pattern(std::string_view account) const;
  std::optional<std::string> window_in(std::string_view key, std::string_view account) const;

 private:
  std::string prefix_;
};

}  // namespace photofinish::gateway
