// Who is calling, and which routes they may use. [pure]
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

// The metrics' label of callers with sealed keys.
inline constexpr std::string_view sealed_label = "_sealed";

// Lives as long as the configuration does.
struct caller {
  const access_key* key = nullptr;  // null: none is required
  std::shared_ptr<const access_key> sealed = {};  // where it came out of a sealed key or a token, `key` is this
  std::string_view shared_label = sealed_label;   // of those: subjects may be any number

  std::string_view name() const { return key == nullptr ? std::string_view("_none") : key->name; }
  // Label `client`.
  std::string_view label() const { return sealed ? shared_label : name(); }
  std::string_view team() const { return key == nullptr || key->team.empty() ? std::string_view("_none") : key->team; }
};

// With access keys configured, one of them must be among the presented: x-photofinish-key or the keyring's
// `photofinish=`, else the plain bearer token. Else a name of the client's verified certificate must be an access key's
// cert_subject; a key that is presented as this gateway's own, and is not, is refused all the same. 401 otherwise.
std::variant<caller, refusal> identify(const presented_keys& presented, const config& configured,
                                       std::span<const std::string> certificate_names = {});

// A key with routes of its own opens those alone: no other route, and no target called directly or in a list.
bool may_use_route(const caller& who, std::string_view route);
bool may_use_targets_directly(const caller& who);

}  // namespace photofinish::gateway
