// Fetches keys that expire. It fetches a new key before the old key expires, and after a provider has refused the key.
// The keeper decides when to fetch; obtain.hpp decides how. Single-threaded: it runs on the housekeeper's thread, or on
// a test's thread.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/credentials/refreshing_cache.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

struct credential_types {
  using value = held_credential;
  using answer = obtained_credential;
  struct state {
    bool is_refused = false;  // the provider has refused the current key, so a newer key is needed
  };
  static constexpr std::string_view task = "the fetch of credentials";
};

class credential_keeper final : public refreshing_cache<credential_types> {
 public:
  using refreshing_cache::refreshing_cache;

  // Sets the configuration whose keys are fetched from now on. If the earlier configuration named the same source, its
  // key is kept.
  void adopt(const config& settings);

  // Call this if a provider refused the key with that number. It does nothing if a newer key has arrived or is being
  // fetched. It also does nothing after a failed fetch, because that is repeated anyway.
  void renew(const proxy::credential_source& source, std::uint64_t serial);

 private:
  boost::asio::awaitable<obtained_credential> load(const proxy::credential_source& from, credential_io& io) override;
  std::optional<refresh_times> accept(entry& item, held_credential& next, obtained_credential given) override;
  void end_value(entry& item, held_credential& next) override;

  std::uint64_t serial_ = 0;  // the serial number of the newest key from any source
};

// Returns human-readable advice, such as "give google_credentials, set GOOGLE_APPLICATION_CREDENTIALS, or run where
// Google's metadata server is".
std::string_view credential_advice(const proxy::credential_source& source);

}  // namespace photofinish::gateway
