// What is asked of the store: names, scripts, and commands made of both. [pure]
// A script is atomic in the store, and its times are by the store's clock.
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

// By which a connection's store knows them: 40 digits in hex each.
using script_names = std::array<std::string, script_count>;

// A part of a budget's sum that the store does not have yet, or of which that is not known. It is added once, however
// often it is sent.
struct spend_post {
  std::string account;  // "team:search"
  std::string window;   // "1mo.1767225600"
  std::int64_t nano_usd = 0;
  std::string writer;         // who spent it: a gateway's run
  std::uint64_t number = 0;   // of that writer, growing
  std::chrono::sys_seconds window_ends{};

  bool operator==(const spend_post&) const = default;
};

class store_names {
 public:
  explicit store_names(std::string prefix) : prefix_(std::move(prefix)), spends_(prefix_) {}

  // The reply is for spend_reply_in(). `known`: what the gateway `by` knows of the sum, and the store may have lost.
  // A post of 0 only restores.
  store_command add_spend(const script_names& scripts, const spend_post& post, const spend_sum& known,
                          std::string_view by, std::chrono::sys_seconds now) const;
  // The sum, then its history. Read in this order, a sum is never newer than the history that is read with it.
  std::array<store_command, 2> read_spend(std::string_view account, std::string_view window) const;

  // This gateway lives for five seconds more; the reply is how many do.
  store_command live(const script_names& scripts, const std::string& gateway) const;
  store_command leave(const std::string& gateway) const;

  using cooling = std::vector<std::pair<std::string, std::chrono::milliseconds>>;  // by target, how long from now on
  // Notes these; the reply is all that are known, for cooling_in().
  store_command cool(const script_names& scripts, const cooling& noted) const;

  // Questions and answers about the ways to the providers (docs/decisions/0072). `asking` is this gateway's name if it
  // asks, `answer` its answer to others; both may be empty. The first two replies are a name that asks, and the last
  // answer.
  std::vector<store_command> share_egress(const std::string& asking, const std::string& answer) const;

  // What a gateway has measured in one quarter of a minute, and what all have.
  std::vector<store_command> write_speeds(std::int64_t quarter, const std::string& gateway, const std::string& bytes,
                                          std::chrono::seconds life) const;
  store_command read_speeds(std::int64_t quarter) const;

 private:
  std::string prefix_;
  spend_keys spends_;
};

// None: it is no such reply. Bounded in length and in number; what is over is left out.
std::optional<store_names::cooling> cooling_in(const store_reply& reply);

}  // namespace photofinish::gateway
