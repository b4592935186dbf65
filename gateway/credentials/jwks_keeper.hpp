// Keeps the keys of identity providers: fetches each set before it is needed, and again if a token names an unknown
// key. Single-threaded: it runs on the housekeeper's thread, or on a test's.
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

// The time between two fetches of a key set. It is the longest time for which a revoked key stays valid and a
// new key stays unknown.
inline constexpr std::chrono::minutes between_key_sets{10};
// The longest time for which a key set stays valid while its issuer cannot be reached or sends invalid answers.
inline constexpr std::chrono::hours key_set_life{24};

// Limits the fetches that strangers can cause: a few in a row, then one after each pause.
class fetch_budget {
 public:
  // `burst`, the number of fetches in a row, is at least 1.
  fetch_budget(int burst, std::chrono::seconds pause) : slack_(pause * (burst - 1)), pause_(pause) {}

  // Returns the earliest time at which another fetch may begin.
  proxy::instant next() const { return spent_until_ - slack_; }

  void spend(proxy::instant when) { spent_until_ = std::max(spent_until_, when) + pause_; }

 private:
  std::chrono::seconds slack_, pause_;
  proxy::instant spent_until_{};  // the time at which the budget is full again
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

  // Sets the configuration whose key sets are kept from now on. A source that the earlier configuration
  // also named keeps its keys.
  void adopt(const config& settings);

  // Call this if a token names an unknown key. It fetches the keys now, or as soon as the issuer's fetch_budget allows.
  // It does nothing during a fetch, or after a failed fetch, which is repeated anyway.
  void ask_again(const jwks_source& source);

  // The name of an issuer, and the time since its keys were fetched. The time is none if they never were.
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
