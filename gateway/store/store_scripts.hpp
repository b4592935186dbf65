// Builds requests to the store: key names, scripts, and the commands that use them. The store runs each script
// atomically. Scripts measure time by the store's clock. [pure]
#pragma once

#include "gateway/store/spend_scripts.hpp"
#include "gateway/store/store_reply.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

enum class store_script : std::uint8_t { add_spend, live, cool, lease, permit };
inline constexpr std::size_t script_count = 5;
std::string_view text_of(store_script script);

// The names of the scripts that a connection has loaded into the store. Each name consists of 40 hex digits.
using script_names = std::array<std::string, script_count>;

// A post is an amount of spending that the store must add to a budget's total. The store adds each post only once, even
// if it arrives several times.
struct spend_post {
  std::string account;  // the name of the account with the budget, for example "team:search"
  std::string window;   // the name of the budget window, for example "1mo.1767225600"
  std::int64_t nano_usd = 0;
  std::string writer;         // the id of the gateway process that spent the amount
  std::uint64_t number = 0;   // the number of this amount; each new amount from the same writer has a higher number
  std::chrono::sys_seconds window_ends{};

  bool operator==(const spend_post&) const = default;
};

class store_names {
 public:
  explicit store_names(std::string prefix) : prefix_(std::move(prefix)), spends_(prefix_) {}

  // Adds an amount of spending to a budget's total. spend_reply_in() reads the reply. If the store has lost the total,
  // the command restores it from `known`, the last total that the gateway `by` has read. If the amount is 0, the
  // command only restores the total.
  store_command add_spend(const script_names& scripts, const spend_post& post, const spend_sum& known,
                          std::string_view by, std::chrono::sys_seconds now) const;
  // Reads a budget's total spending, and then the record of when the store began to count it. Because of this order,
  // the total is never newer than the record.
  std::array<store_command, 2> read_spend(std::string_view account, std::string_view window) const;

  // Reports that this gateway will run for at least five more seconds. The reply is the number of running gateways.
  store_command live(const script_names& scripts, const std::string& gateway) const;
  store_command leave(const std::string& gateway) const;

  // Pairs of a target's name and the time until its cooldown ends.
  using cooling = std::vector<std::pair<std::string, std::chrono::milliseconds>>;
  // Adds the cooldowns of targets to the store. The reply contains all cooldowns in the store, and cooling_in() reads
  // it.
  store_command cool(const script_names& scripts, const cooling& noted) const;

  // Exchanges questions and answers between gateways about the network routes to providers (docs/decisions/0072).
  // `asking` is this gateway's name if it has a question; otherwise it is empty. `answer` is this gateway's answer to a
  // question of another gateway, or empty. The first reply is the name of a gateway that has a question. The second
  // reply is the last answer.
  std::vector<store_command> share_egress(const std::string& asking, const std::string& answer) const;

  // write_speeds() writes the speeds that a gateway has measured in 15 seconds. read_speeds() reads the speeds of all
  // gateways.
  std::vector<store_command> write_speeds(std::int64_t quarter, const std::string& gateway, const std::string& bytes,
                                          std::chrono::seconds life) const;
  store_command read_speeds(std::int64_t quarter) const;

 private:
  std::string prefix_;
  spend_keys spends_;
};

// Reads the cooldowns in a reply. Returns nothing if the reply does not have the expected form. Shortens cooldowns that
// are too long. If there are too many cooldowns, returns only the first of them.
std::optional<store_names::cooling> cooling_in(const store_reply& reply);

}  // namespace photofinish::gateway
