// Fetches the keys of identity providers. It fetches each key set before it is needed, and again if a token names an
// unknown key. Single-threaded: it runs on the housekeeper's thread, or on a test's thread.
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

// The time between two fetches of a key set. For up to this time, a revoked key may stay valid, and a new key may be
// unknown.
inline constexpr std::chrono::minutes between_key_sets{10};
// The longest time for which an old key set is used if its issuer cannot be reached or sends invalid answers.
inline constexpr std::chrono::hours key_set_life{24};

// Limits the fetches that unauthenticated callers can cause: a few in a row, then one after each pause.
class fetch_budget {
 public:
  // `burst` is the number of fetches that may follow each other without a pause, which is at least 1.
  fetch_budget(int burst, std::chrono::seconds pause) : slack_(pause * (burst - 1)), pause_(pause) {}

  // Returns the earliest time at which the next fetch may begin.
  proxy::instant next() const { return spent_until_ - slack_; }

  void spend(proxy::instant when) { spent_until_ = std::max(spent_until_, when) + pause_; }

 private:
  std::chrono::seconds slack_, pause_;
  proxy::instant spent_until_{};  // the time at which `burst` fetches in a row are allowed again
};

struct key_set_types {
  using value = held_key_set;
  using answer = proxy::result<credential_answer>;
  struct state {
    std::optional<proxy::instant> came_at;
    fetch_budget for_unknown_keys{unknown_key_fetches, unknown_key_pause};
    std::string body;  // the body of the last successful answer from the issuer's key server
  };
  static constexpr std::string_view task = "the fetch of keys";
};

class jwks_keeper final : public refreshing_cache<key_set_types> {
 public:
  using refreshing_cache::refreshing_cache;

  // Sets the configuration whose key sets are fetched from now on. If the earlier configuration named the same source,
  // its keys are kept.
  void adopt(const config& settings);

  // Call this if a token names an unknown key. The keys are fetched now, or as soon as the issuer's fetch_budget
  // allows. Does nothing while a fetch is running. Also does nothing after a failed fetch, because that is repeated
  // anyway.
  void ask_again(const jwks_source& source);

  // The name of an issuer, and the time since its keys were last fetched successfully. The time is not set if no fetch
  // has succeeded yet.
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
