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

// The metrics label of callers with sealed keys.
inline constexpr std::string_view sealed_label = "_sealed";

// Lives as long as the configuration does.
struct caller {
  const access_key* key = nullptr;  // null: no key is required
  std::shared_ptr<const access_key> sealed = {};  // owns the key if it came from a sealed key or a token
  // The metrics label of such callers, because there may be any number of subjects.
  std::string_view shared_label = sealed_label;

  std::string_view name() const { return key == nullptr ? std::string_view("_none") : key->name; }
  // The metrics label `client`.
  std::string_view label() const { return sealed ? shared_label : name(); }
  std::string_view team() const { return key == nullptr || key->team.empty() ? std::string_view("_none") : key->team; }
};

// If access keys are configured, the caller must present one: x-photofinish-key or the keyring's `photofinish=`,
// otherwise the plain bearer token. Otherwise a name in the client's verified certificate must be an access key's
// cert_subject; even then, a wrong key that was presented as this gateway's own is refused. All other callers get a
// 401.
std::variant<caller, refusal> identify(const presented_keys& presented, const config& configured,
                                       std::span<const std::string> certificate_names = {});

// A key with a list of routes opens only these: no other route, and no target called directly or in a list.
bool may_use_route(const caller& who, std::string_view route);
bool may_use_targets_directly(const caller& who);

}  // namespace photofinish::gateway
