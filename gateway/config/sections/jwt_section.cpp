// Reads the identity providers whose tokens are accepted as keys.
#include "gateway/config/forward_proxy_choice.hpp"
#include "gateway/config/sections/ca_file.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/webhook_url.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

struct known_teams {
  std::vector<std::string> names;
  bool are_known = true;  // false if the section `teams` could not be read, for example because its name is misspelled
};

void read_jwks_url(const section_reader& entry, const std::string& for_all, jwks_source& into) {
  std::string text;
  if (!entry.read("jwks_url", text)) return;
  webhook_url_result read = parse_webhook_url(text);
  if (!read.url) return entry.error("jwks_url", read.problem);
  if (!read.url->origin.is_tls && !proxy::is_loopback(read.url->origin.host))
    return entry.error("jwks_url", "must be an https URL; otherwise an attacker could replace the keys");
  into.at = std::move(read.url->origin);
  into.path = std::move(read.url->path);
  forward_proxy_result found = forward_proxy_for(into.at, for_all, entry.shared().machine);
  if (!found.problem.empty()) entry.error("jwks_url", found.problem);
  if (!found.warning.empty()) entry.warn("jwks_url", "its host " + found.warning);
  into.via = std::move(found.via);
}

// Reads the name of an issuer. If the issuer is a URL, as is usual, the default name is its host.
void read_issuer_name(const section_reader& entry, jwt_issuer& into) {
  if (!entry.has_read("name")) {
    const proxy::base_url_result url = proxy::parse_base_url(into.issuer);
    into.name = url.url ? url.url->host : into.issuer;
  }
  const bool is_plain = std::all_of(into.name.begin(), into.name.end(), [](unsigned char each) {
    return each > 0x20 && each < 0x7F && each != '/';
  });
  if (!is_plain) entry.error("name", "must be printable ASCII without spaces and '/', because the names of callers "
                                     "contain this name");
}

void read_team_of_issuer(const section_reader& entry, const known_teams& teams, jwt_issuer& into) {
  if (!teams.are_known) return;
  if (entry.has_read("team") && std::find(teams.names.begin(), teams.names.end(), into.team) == teams.names.end())
    entry.error("team", "unknown team '" + into.team + "'" + did_you_mean(into.team, teams.names));
  if (!into.team_claim.empty() && teams.names.empty())
    entry.warn("team_claim", "no token can name a team, because no `teams` are configured");
}

jwt_issuer read_issuer(const section_reader& entry, const config& all, const known_teams& teams) {
  jwt_issuer made;
  const bool may_be_misspelled = entry.has_unknown();
  for (const char* name : {"issuer", "audience", "jwks_url"})
    if (!entry.find(name) && !may_be_misspelled)
      entry.shared().error(entry.at(), std::string(name) + ": an identity provider needs this setting");
  entry.read_members(made);
  if (entry.has_read("audience") && made.audiences.empty())
    entry.error("audience", "must name at least one audience; otherwise this gateway would accept tokens for other "
                            "services");
  check_ca_file(entry, made.jwks.ca_file);
  read_jwks_url(entry, all.forward_proxy.reveal(), made.jwks);
  read_issuer_name(entry, made);
  read_team_of_issuer(entry, teams, made);
  return made;
}

void check_distinct_issuer(const section_reader& entry, const jwt_issuer& made,
                           const std::vector<jwt_issuer>& earlier) {
  for (const jwt_issuer& each : earlier) {
    if (each.issuer == made.issuer && !made.issuer.empty())
      entry.error("issuer", "is listed twice; if an issuer has several audiences, write them as a list");
    else if (each.name == made.name && !made.name.empty())
      entry.error("name", "'" + made.name + "' is also the name of another issuer: rename one of them");
  }
}

}  // namespace

void read_jwt(const section_reader& top, config& into) {
  constexpr std::string_view form =
      "a list, as in [{issuer: https://sso.example.com, audience: photofinish, jwks_url: ...}]";
  const yaml_node* list = top.find_sections("jwt", yaml_kind::sequence, form);
  if (!list) return;
  const known_teams teams{declared_names(top, "teams"), knows_names(top, "teams")};
  for (const yaml_node& item : list->items) {
    const section_reader entry(top.shared(), item, section::jwt);
    if (item.kind != yaml_kind::map) continue;
    jwt_issuer made = read_issuer(entry, into, teams);
    check_distinct_issuer(entry, made, into.access.jwt);
    into.access.jwt.push_back(std::move(made));
  }
}

}  // namespace photofinish::gateway
