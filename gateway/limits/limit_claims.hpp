// Lists the accounts to which a request is charged, with their limits. Also defines the kinds of limits. [pure]
#pragma once

#include "gateway/limits/limit_account.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

enum class limit_scope : std::uint8_t { key, key_on_route, team, route, subject };
constexpr std::string_view to_string(limit_scope scope) {
  constexpr std::array<std::string_view, 5> words{"key", "key_on_route", "team", "route", "subject"};
  return words[static_cast<std::size_t>(scope)];
}

enum class limit_kind : std::uint8_t { budget, too_large, parallel, requests, tokens };

// Indicates whether a request may still wait for the shared store when this gateway has no leased quota left. The value
// `over` means that the request has already waited as long as it may.
enum class store_patience : std::uint8_t { left, over };

// An account to which a request is charged, and the account's limits. Both pointers are valid as long as the limit
// table.
struct limit_claim {
  limit_scope scope = limit_scope::key;
  const limit_settings* limits = nullptr;
  limit_account* account = nullptr;
};

// The accounts to which a request is charged. Accounts without a limit are not in the list.
class limit_claims {
 public:
  void add(limit_scope scope, const limit_settings& limits, limit_account& account) {
    all_[count_++] = {scope, &limits, &account};
  }
  bool empty() const { return count_ == 0; }
  // Keeps `owner` in memory as long as the claims. Call this function if `owner` contains an account that the limit
  // table does not contain.
  void keep(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }
  const limit_claim* begin() const { return all_.data(); }
  const limit_claim* end() const { return all_.data() + count_; }

 private:
  // A request is charged to at most four accounts, because it is charged either to a key or to a subject (the owner of
  // a token or a sealed key), never to both.
  std::array<limit_claim, 4> all_{};
  std::size_t count_ = 0;
  std::shared_ptr<const void> owner_ = {};
};

}  // namespace photofinish::gateway
