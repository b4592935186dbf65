// Builds scripts and key names for the sums of budgets in the store, and reads the replies (docs/decisions/0074).
// [pure] Each sum has a history: the moment when the store began to count the sum, because the sum was new or because
// the store had lost it. Gateways remember this history together with the sum, so that they can distinguish a loss from
// an addition.
#pragma once

#include "gateway/store/store_reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct spend_history {
  // The time of the last `photofinish keys reopen-budget` in microseconds since 1970; 0 if there was none.
  std::int64_t epoch = 0;
  // The time when the history began, in microseconds of the store's clock; 0 if an older version of the gateway wrote
  // the sum.
  std::int64_t begun = 0;
  std::string by = {};     // the gateway that began the history

  bool is_known() const { return begun > 0; }
  bool operator==(const spend_history&) const = default;
};

// The sum of a budget in the store at one moment.
struct spend_sum {
  std::int64_t nano_usd = 0;
  spend_history history = {};

  bool operator==(const spend_sum&) const = default;
};

struct spend_reply {
  spend_sum sum;
  bool is_restored = false;  // true if the store had lost the sum and restored it from the sum that the gateway sent
};

// Reads the reply to the command that adds spending. Returns nothing if the reply has another form.
std::optional<spend_reply> spend_reply_in(const store_reply& reply);
// Reads the reply to GET for the key of a history. The reply nil means an unknown history. Returns nothing if the reply
// has another form.
std::optional<spend_history> history_in(const store_reply& reply);

// Returns the script that adds an amount of spending to a sum, unless the sum contains this amount already. It also
// restores a sum that the store has lost. Its reply is {sum, history, 1 if the sum was restored}.
std::string_view add_spend_script();
// Returns the script that sets a budget's sum to zero and begins a new epoch. Its reply is the old sum.
std::string_view reopen_script();

// Builds the key names of budgets' sums and their histories.
class spend_keys {
 public:
  explicit spend_keys(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string sum(std::string_view account, std::string_view window) const;
  std::string history(std::string_view account, std::string_view window) const;
  std::string last_post(std::string_view writer, std::string_view account, std::string_view window) const;

  // pattern() returns a glob pattern for the sums of an account in all windows. window_in() returns the window in a key
  // that matches this pattern, or nothing if the key belongs to another account.
  std::string pattern(std::string_view account) const;
  std::optional<std::string> window_in(std::string_view key, std::string_view account) const;

 private:
  std::string prefix_;
};

}  // namespace photofinish::gateway
