// Keeps the keys of identity providers: fetches each set before it is needed, and again if a token names an unknown
// key. Single-threaded: the housekeeper's thread, or a test's.
#pragma once

#include "gateway/access/jwt/jwks_board.hpp"
#include "gateway/config/config.hpp"
#include "gateway/credentials/refreshing_cache.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Time between two fetches of a set. It is the longest time that a revoked key stays valid and that a new key stays
// unknown.
inline constexpr std::chrono::minutes between_key_sets{10};
// The longest time that a set stays valid while its issuer cannot be reached or sends invalid answers.
inline constexpr std::chrono::hours key_set_life{24};

// Limits the fetches that strangers can cause: a few in a row, then one after each pause.
class fetch_budget {
 public:
  // `burst` is at least 1.
  fetch_budget(int burst, std::chrono::seconds pause) : slack_(pause * (burst - 1)), pause_(pause) {}

  // The earliest time at which another fetch may begin.
  proxy::instant next() const { return spent_until_ - slack_; }

  void spend(proxy::instant when) { spent_until_ = std::max(spent_until_, when) + pause_; }

 private:
  std::chrono::seconds slack_, pause_;
  proxy::instant spent_until_{};  // the budget is full again from this time on
};

struct key_set_types {
  using value = held_key_set;
  using answer = proxy::result<credential_answer>;
  struct state {
    std::optional<proxy::instant> came_at;
    fetch_budget for_unknown_keys{unknown_key_fetches, unknown_key_pause};
    std::string body;  // the answer of the last fetch that returned keys
  };
  static constexpr std::string_view task = "the fetch of keys";
};

class jwks_keeper final : public refreshing_cache<key_set_types> {
 public:
  using refreshing_cache::refreshing_cache;

  // Keeps the keys that this configuration names from now on. A source that was there before keeps its keys.
  void adopt(const config& settings);

  // Call this if a token names an unknown key. It fetches the keys now, or as soon as the issuer's fetch_budget allows.
  // It does nothing during a fetch, or after a failed fetch, which is repeated anyway.
  void ask_again(const jwks_source& source);

  // The time since each issuer's keys were fetched, by the issuer's name; none: never.
  struct age {
    std::string issuer;
    std::optional<std::chrono::nanoseconds> since;
  };
  std::vector<age> ages() const;

 private:
  boost::asio::awaitable<proxy::result<credential_answer>> load(const jwks_source& from, credential_io& io) override;
  std::optional<refresh_times> accept(entry& item, held_key_set& next, proxy::result<credential_answer> given) override;
  void end_value(entry& item, held_key_set& next) override;
};

}  // namespace photofinish::gateway
