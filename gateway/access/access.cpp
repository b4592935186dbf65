#include "gateway/access/access.hpp"

#include "gateway/config/access/gateway_key.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/contains.hpp"

namespace photofinish::gateway {
namespace {

// True if the key has the form of keys that `photofinish keys new` makes.
bool is_made_here(const std::optional<proxy::secret>& key) { return key && public_part(key->reveal()); }

// The error contains the certificate's name, so that an operator can compare it with the configuration.
std::string about_certificate(std::span<const std::string> names) {
  constexpr std::size_t longest = 200;
  return names.empty() ? ""
                       : ", and the client certificate's name, " +
                             proxy::clean_text(names[0], longest) + ", is not the `cert_subject` of any access key";
}

}  // namespace

std::variant<caller, refusal> identify(const presented_keys& presented, const config& configured,
                                       std::span<const std::string> certificate_names) {
  if (!configured.asks_for_keys()) return caller{};
  if (presented.access_key)
    if (const access_key* known = configured.access.keys.find(*presented.access_key)) return caller{known};
  if (const access_key* known = opened_by_bearer(presented, configured)) return caller{known};
  if (!presented.access_key)  // a bearer token may also be present, because SDKs always send one
    if (const access_key* known = configured.access.keys.find_certificate(certificate_names)) return caller{known};
  if (configured.awaits_stored_keys() && (is_made_here(presented.access_key) || is_made_here(presented.bearer)))
    return refusal{503,
                   "the gateway has not yet read the access keys from the store: the gateway's log shows whether the "
                   "store answers",
                   "access_keys_unavailable", std::chrono::seconds(1)};
  const bool brought_any = presented.access_key || presented.bearer;
  return refusal{401,
                 std::string(brought_any ? "the key is not one of this gateway's access keys"
                                         : "this gateway requires an access key") +
                     (presented.access_key ? std::string() : about_certificate(certificate_names)) +
                     ": send `Authorization: Bearer KEY`, `Authorization: Bearer photofinish=KEY,…` together with "
                     "providers' keys, or the header `x-photofinish-key: KEY`",
                 "invalid_api_key"};
}

bool may_use_route(const caller& who, std::string_view route) {
  if (who.key == nullptr || who.key->routes.empty()) return true;
  return proxy::contains(who.key->routes, route);
}

bool may_use_targets_directly(const caller& who) { return who.key == nullptr || who.key->routes.empty(); }

}  // namespace photofinish::gateway
