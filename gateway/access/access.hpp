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

// A caller. The object may be used as long as the configuration exists.
struct caller {
  const access_key* key = nullptr;                // the caller's access key; null if no key is required
  std::shared_ptr<const access_key> sealed = {};  // the rights from the caller's sealed key or token; null if it used
                                                  // neither
  // The value of the metrics label for callers with sealed keys or tokens. All of these callers share the value,
  // because their number is unlimited.
  std::string_view shared_label = sealed_label;

  std::string_view name() const { return key == nullptr ? std::string_view("_none") : key->name; }
  // Returns the value of the metrics label `client`.
  std::string_view label() const { return sealed ? shared_label : name(); }
  std::string_view team() const { return key == nullptr || key->team.empty() ? std::string_view("_none") : key->team; }
};

// Identifies a caller. If access keys are configured, the caller must present one: in x-photofinish-key, as
// `photofinish=` in a keyring, or as a plain bearer token. Without a key, the caller needs a client certificate whose
// name equals an access key's cert_subject. If a caller presents a wrong key explicitly as this gateway's key, it is
// refused even with such a certificate. All other callers get a 401.
std::variant<caller, refusal> identify(const presented_keys& presented, const config& configured,
                                       std::span<const std::string> certificate_names = {});

// True if the caller may use the route. If the access key lists routes, the caller may use only these routes. In that
// case the caller's requests may not name a target, or a list of targets, instead of a route.
bool may_use_route(const caller& who, std::string_view route);
bool may_use_targets_directly(const caller& who);

}  // namespace photofinish::gateway
