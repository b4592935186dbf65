// Builds requests to the store: key names, scripts, and commands that use both. [pure] The store runs each script
// atomically. Times in scripts are measured by the store's clock.
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

// The names of the scripts that a connection has loaded into the store. Each name has 40 hex digits.
using script_names = std::array<std::string, script_count>;

// A post is an amount of spending that the store must add to a budget's sum. The store adds each post only once, even
// if the post arrives several times.
struct spend_post {
  std::string account;  // the name of the account with the budget, for example "team:search"
  std::string window;   // the name of the budget window, for example "1mo.1767225600"
  std::int64_t nano_usd = 0;
  std::string writer;         // the id of the gateway's run that spent the amount
  std::uint64_t number = 0;   // the number of the amount, which grows with each amount that the writer sends
  std::chrono::sys_seconds window_ends{};

  bool operator==(const spend_post&) const = default;
};

class store_names {
 public:
  explicit store_names(std::string prefix) : prefix_(std::move(prefix)), spends_(prefix_) {}

  // Adds an amount of spending to a budget's sum. spend_reply_in() reads the reply. `known` is the sum that the gateway
  // `by` knows and that the store may have lost. An amount of 0 only restores the sum.
  store_command add_spend(const script_names& scripts, const spend_post& post, const spend_sum& known,
                          std::string_view by, std::chrono::sys_seconds now) const;
  // Reads a budget's sum, and then its history. In this order the sum is never newer than the history.
  std::array<store_command, 2> read_spend(std::string_view account, std::string_view window) const;

  // Reports that this gateway runs for at least five more seconds. The reply is the number of running gateways.
  store_command live(const script_names& scripts, const std::string& gateway) const;
  store_command leave(const std::string& gateway) const;

  // Pairs of a target's name and its remaining cooldown.
  using cooling = std::vector<std::pair<std::string, std::chrono::milliseconds>>;
  // Adds cooldowns of targets to the store. cooling_in() reads the reply, which contains all known cooldowns.
  store_command cool(const script_names& scripts, const cooling& noted) const;

  // Shares questions and answers about the network routes to the providers (docs/decisions/0072). `asking` is this
  // gateway's name if it asks a question. `answer` is this gateway's answer to other gateways. Both may be empty. The
  // first two replies are the name of an asking gateway and the last answer.
  std::vector<store_command> share_egress(const std::string& asking, const std::string& answer) const;

  // Writes the speeds that a gateway has measured in one quarter of a minute, and reads the speeds from all gateways.
  std::vector<store_command> write_speeds(std::int64_t quarter, const std::string& gateway, const std::string& bytes,
                                          std::chrono::seconds life) const;
  store_command read_speeds(std::int64_t quarter) const;

 private:
  std::string prefix_;
  spend_keys spends_;
};

// Reads the cooldowns in a reply. Returns nothing if the reply has another form. Limits the length and the number of
// cooldowns, and leaves out the rest.
std::optional<store_names::cooling> cooling_in(const store_reply& reply);

}  // namespace photofinish::gateway
