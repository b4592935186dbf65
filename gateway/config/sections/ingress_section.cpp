#include "gateway/config/sections/sections.hpp"
#include "gateway/ingress/pem_pair.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the content of a file that the section tls names. Returns nothing if the file cannot be read; the
// problem is reported.
std::optional<std::string> watched_text(const section_reader& tls, std::string_view name) {
  std::string path;
  if (!tls.read(name, path)) return std::nullopt;
  auto& watched = tls.shared().watched_files;
  if (std::find(watched.begin(), watched.end(), path) == watched.end()) watched.push_back(path);
  file_content content = tls.shared().machine.read_file(path);
  if (content.problem.empty() && content.is_open_to_all && name == "key_file")
    tls.shared().warn_of_open_file(tls.at(name), name, path);
  if (content.problem.empty()) return std::move(content.text);
  if (!tls.shared().may_miss("file:" + path)) tls.error(name, path + ": " + content.problem);
  return std::nullopt;
}

void read_client_auth(const section_reader& tls, tls_settings& into) {
  const std::optional<std::string> authorities = watched_text(tls, "client_ca_file");
  if (authorities) {
    const std::string problem = authorities_problem(*authorities);
    if (!problem.empty()) tls.error("client_ca_file", problem);
    into.client_authorities = *authorities;
  }
  const bool is_missing = !tls.find("client_ca_file") && !tls.has_unknown();
  if (into.clients != client_auth::none && is_missing)
    tls.error("client_auth", "needs `client_ca_file`, the certificate authorities that are accepted");
  if (into.clients == client_auth::none && tls.find("client_ca_file") && !tls.find("client_auth"))
    tls.warn("client_ca_file", "has no effect without `client_auth: optional` or `require`");
}

void read_pair(const section_reader& tls, tls_settings& into) {
  for (const std::string_view name : {"cert_file", "key_file"})
    if (!tls.find(name) && !tls.has_unknown())
      tls.shared().error(tls.at(), "tls: " + std::string(name) + " is missing; TLS needs `cert_file` and `key_file`");
  auto certificates = watched_text(tls, "cert_file");
  auto key = watched_text(tls, "key_file");
  if (!certificates || !key) return;
  const pem_pair seen = examine_pair(*certificates, *key);
  if (!seen.certificate_problem.empty()) tls.error("cert_file", seen.certificate_problem);
  if (!seen.key_problem.empty()) tls.error("key_file", seen.key_problem);
  if (!seen.warning.empty()) tls.warn("cert_file", seen.warning);
  into.certificates = *std::move(certificates);
  into.key = proxy::secret(*std::move(key));
  into.expires = seen.expires;
}

void read_tls(const section_reader& top, ingress_settings& into) {
  const yaml_node* map = top.find("tls");
  const bool is_there = map && map->kind == yaml_kind::map && !map->members.empty();
  if (!is_there) {
    if (map && map->kind != yaml_kind::map && map->kind != yaml_kind::null)
      top.error("tls", "must be a map, as in {cert_file: ..., key_file: ...}, not " + describe(*map));
    return;
  }
  const section_reader tls(top.shared(), *map, section::tls);
  const std::size_t errors = top.shared().errors;
  tls_settings read;
  tls.read_members(read);
  read_pair(tls, read);
  read_client_auth(tls, read);
  if (top.shared().errors == errors) into.tls = std::move(read);
  if (into.tls && into.tls->covers_admin && !top.find("admin"))
    tls.warn("admin", "has no effect without an `admin` address");
}

// True if the range contains all IPv4 addresses or all IPv6 addresses.
bool is_everything(const address_range& range) {
  constexpr unsigned mapped_bits = 96;
  return range.bits == 0 || (range.bits == mapped_bits && range.first == parse_ip("0.0.0.0"));
}

void read_ranges(const section_reader& top, std::string_view name, std::vector<address_range>& into) {
  std::vector<std::string> texts;
  if (!top.read(name, texts)) return;
  const auto& items = top.find(name)->items;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    const parsed_range parsed = parse_address_range(texts[at]);
    if (parsed.range) into.push_back(*parsed.range);
    else top.shared().error(items[at].at, std::string(name) + ": " + parsed.problem);
  }
}

}  // namespace

void read_ingress(const section_reader& top, ingress_settings& into) {
  read_tls(top, into);
  read_ranges(top, "allow_from", into.allow_from);
  read_ranges(top, "trusted_proxies", into.trusted_proxies);
  if (into.proxy_protocol && !top.find("trusted_proxies") && !top.has_unknown())
    top.error("proxy_protocol", "needs `trusted_proxies`, the addresses of the load balancers that send the PROXY "
                                "header");
  const bool trusts_all = std::any_of(into.trusted_proxies.begin(), into.trusted_proxies.end(), is_everything);
  if (trusts_all) top.warn("trusted_proxies", "contains every address, so any caller could claim any client address");
}

}  // namespace photofinish::gateway
