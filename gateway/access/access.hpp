// Identifies callers, and decides which routes they may use. [pure]
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/refusal.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// The value of the metrics label `client` for callers with sealed keys.
inline constexpr std::string_view sealed_label = "_sealed";

// A caller. It is valid as long as the configuration.
struct caller {
  const access_key* key = nullptr;                // the caller's access key; null if no key is required
  std::shared_ptr<const access_key> sealed = {};  // the owner of the key, if the key comes from a sealed key or a token
  // The metrics label that all callers with sealed keys or tokens share, because there may be any number of subjects.
  std::string_view shared_label = sealed_label;

  std::string_view name() const { return key == nullptr ? std::string_view("_none") : key->name; }
  // Returns the value of the metrics label `client`.
  std::string_view label() const { return sealed ? shared_label : name(); }
  std::string_view team() const { return key == nullptr || key->team.empty() ? std::string_view("_none") : key->team; }
};

// Identifies a caller. If access keys are configured, the caller must present one: x-photofinish-key or the keyring's
// `photofinish=`, otherwise the plain bearer token. A caller without a key must have a client certificate with a name
// that is an access key's cert_subject. A wrong key that was presented as this gateway's own is refused even with such
// a certificate. All other callers get a 401.
std::variant<caller, refusal> identify(const presented_keys& presented, const config& configured,
                                       std::span<const std::string> certificate_names = {});

// True if the caller may use the route. A key with a list of routes opens only these. It opens no other route, and no
// target that is called directly or in a list.
bool may_use_route(const caller& who, std::string_view route);
bool may_use_targets_directly(const caller& who);

}  // namespace photofinish::gateway
