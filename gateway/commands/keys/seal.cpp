#include "gateway/commands/keys/seal.hpp"

#include "gateway/access/sealed_key.hpp"
#include "gateway/commands/keys/make_key.hpp"
#include "gateway/config/access/gateway_key.hpp"
#include "gateway/config/yaml/units.hpp"
#include "gateway/http/header_names.hpp"
#include "gateway/http/response.hpp"

namespace photofinish::gateway {
namespace {

int refuse_order(std::ostream& err, const std::string& what) {
  err << "error: " << what << "\n";
  return 2;  // the exit code for wrong usage
}

// Adds the provider keys that the new key must contain. Returns an error text, or an empty text.
std::string add_provider_keys(const seal_order& order, const config& settings, const environment& machine,
                              sealed_claims& into) {
  for (const std::string& each : order.provider_keys) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    const auto provider = settings.providers.find(name);
    if (equals == std::string::npos) return "--provider-keys '" + each + "' must be PROVIDER=VARIABLE";
    if (provider == settings.providers.end()) return "--provider-keys: '" + name + "' is not a configured provider";
    const auto key = machine.variable(each.substr(equals + 1));
    if (!key) return "--provider-keys: the variable " + each.substr(equals + 1) + " is not set";
    if (!is_sendable_key(*key))
      return "--provider-keys: the variable " + each.substr(equals + 1) +
          " does not contain a key: a key is one line of ASCII";
    into.keys[name] = {provider->second.url.host, proxy::secret(*key)};
  }
  return {};
}

}  // namespace

int seal_key(const seal_order& order, const config& settings, const environment& machine,
             std::chrono::sys_seconds now, std::ostream& out, std::ostream& err) {
  const sealed_key_settings& with = settings.access.sealed_keys;
  if (with.secrets.empty()) return refuse_order(err, "the configuration has no secrets in sealed_keys");
  if (order.subject.empty()) return refuse_order(err, "the key needs a name: give its owner's name");
  if (order.expires.empty())
    return refuse_order(err, "--expires is missing: give the time when the sealed key expires, as a day or a time in "
                             "UTC, for example 2027-03-31");
  const auto expires = parse_time(order.expires);
  if (!expires || *expires <= now) return refuse_order(err, "--expires must be a future day or time in UTC");
  const proxy::secret id = make_gateway_key();
  sealed_claims claims{.audience = with.audience, .id = std::string(*public_part(id.reveal())),
                       .subject = order.subject, .team = order.team, .issued = now, .expires = *expires,
                       .routes = order.routes};
  for (const std::string& each : order.routes)
    if (!settings.routes.contains(each)) return refuse_order(err, "--routes: unknown route '" + each + "'");
  if (!order.team.empty() && !settings.access.teams.contains(order.team))
    return refuse_order(err, "--team: unknown team '" + order.team + "'");
  if (const std::string problem = add_provider_keys(order, settings, machine, claims); !problem.empty())
    return refuse_order(err, problem);
  const std::string made = seal(claims, with.secrets.front());
  if (made.size() > longest_sealed_key)
    return refuse_order(err, "the key would have more than " + std::to_string(longest_sealed_key) + " characters");
  out << made << "\n";
  err << "the key's id, which can be listed in `revoked`, is " << claims.id << "";
  return 0;
}

int show_sealed_key(const std::string& key, const config& settings, std::ostream& out, std::ostream& err) {
  const auto claims = open_sealed_key(key, settings.access.sealed_keys.secrets);
  if (!claims) {
    err << "error: no secret of this configuration opens this key, or the key was changed\n";
    return 1;
  }
  out << "id: " << claims->id << "\nsubject: " << claims->subject << "\naudience: " << claims->audience << "\n";
  if (!claims->team.empty()) out << "team: " << claims->team << "\n";
  for (const std::string& each : claims->routes) out << "route: " << each << "\n";
  for (const auto& [provider, its] : claims->keys) out << "key of: " << provider << " at " << its.host << "\n";
  out << "issued: " << http_date(claims->issued) << "\nexpires: " << http_date(claims->expires) << "\n";
  if (settings.access.sealed_keys.revoked.contains(claims->id)) out << "revoked\n";
  return 0;
}

}  // namespace photofinish::gateway
