// Identifies callers by a token of an identity provider. Each worker has its own object, which is used only on its
// thread. A token is verified once. The result is stored until the token expires, the configuration changes, or the
// issuer's keys change.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/jwt/jwks_board.hpp"
#include "gateway/access/jwt/jwt_claims.hpp"
#include "gateway/access/jwt/signed_token.hpp"
#include "gateway/access/keys.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The value of the metrics label `client` for callers with a token of an identity provider.
inline constexpr std::string_view jwt_label = "_jwt";

// The error code if the key of a token is unknown, and the issuer's keys are being fetched.
extern const std::string_view unknown_key_code;

class jwt_callers {
 public:
  // A function that requests another fetch of an issuer's keys.
  using ask = std::function<void(const jwks_source&)>;

  jwt_callers() = default;
  jwt_callers(const jwt_callers&) = delete;
  jwt_callers& operator=(const jwt_callers&) = delete;

  void on_unknown_key(ask again) { ask_again_ = std::move(again); }
  void adopt(std::shared_ptr<const jwks_board> board);

  // True if the first fetch of each issuer's keys has ended, with or without success. Stays true afterwards.
  bool is_ready(const config& configured);

  // Finds a token among the presented keys and verifies it. Removes the token from `presented`, so that no provider
  // receives it. Returns nothing if there is no token, or if a configured access key is also presented. Returns a 503
  // if the issuer's keys are not known yet.
  std::optional<std::variant<caller, refusal>> identify(presented_keys& presented,
                                                        const std::shared_ptr<const config>& configured,
                                                        proxy::instant now, std::chrono::sys_seconds wall_now);

  static constexpr std::size_t most_known = 4096;
  std::size_t known() const { return known_.size(); }
  static constexpr std::size_t most_unknown_keys = 1024;
  std::size_t unknown_keys() const { return unknown_.size(); }

 private:
  struct first_bytes {
    std::size_t operator()(const key_digest& of) const {
      std::size_t hash = 0;
      std::memcpy(&hash, of.data(), sizeof hash);
      return hash;
    }
  };
  using verdict = std::variant<token_caller, refusal>;

  verdict verify(std::string_view text, const config& configured, proxy::instant now,
                 std::chrono::sys_seconds wall_now);
  std::variant<const verification_key*, refusal> key_for_token(const signed_token& token, const jwt_issuer& by,
                                                               proxy::instant now, std::chrono::sys_seconds wall_now);
  const held_key_set* find(const jwks_source& source) const;
  refusal unknown_key(const signed_token& token, const jwt_issuer& by, const held_key_set& held, proxy::instant now);
  void ask_for_newer_keys(const held_key_set& held, proxy::instant now);
  void forget_all();

  std::shared_ptr<const jwks_board> board_;  // the latest key sets of all issuers; null until the first ones arrive
  ask ask_again_;
  // The time of the last request for keys, for each issuer. Each issuer has its own time, so that one issuer's requests
  // do not delay another issuer's fetch.
  std::vector<std::pair<jwks_source, proxy::instant>> asked_at_;
  std::map<std::string, proxy::instant> unknown_;  // unknown key ids, and the time when each was first seen
  // The configuration against which the stored tokens were verified.
  std::shared_ptr<const config> settings_;
  std::unordered_map<key_digest, token_caller, first_bytes> known_;
  bool is_ready_ = false;
};

}  // namespace photofinish::gateway
