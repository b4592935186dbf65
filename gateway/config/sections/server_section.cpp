#include "gateway/config/sections/sections.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/http/request_guard.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// The smallest allowed value of the setting max_memory. If the gateway had less memory, it would refuse even a few
// requests with long prompts.
constexpr std::size_t least_memory = 16u << 20;

bool uses_port(const std::vector<listen_address>& listen, const listen_address& address) {
  return address.port != 0 && std::find(listen.begin(), listen.end(), address) != listen.end();
}

// True if the address is only a port, which YAML reads as a number. In this case the function reports an error that
// suggests the right form.
bool is_bare_port(const section_reader& top, std::string_view name) {
  const yaml_node* node = top.find(name);
  if (!node || node->kind != yaml_kind::scalar || describe(*node) != "a number") return false;
  top.error(name, listen_address_problem(node->text));
  return true;
}

// Reads `listen`, which is one address or a list of addresses.
void read_listen(const section_reader& top, config& into) {
  const yaml_node* node = top.find("listen");
  if (!node || is_bare_port(top, "listen")) return;
  std::vector<std::string> texts(1);
  const bool is_there =
      node->kind == yaml_kind::sequence ? top.read("listen", texts) : top.read("listen", texts[0]);
  if (!is_there) return;
  if (texts.empty()) return top.error("listen", "must name at least one address");
  into.server.listen.clear();
  into.server.is_listen_default = false;
  for (const std::string& text : texts) {
    const auto address = parse_listen_address(text);
    if (!address) top.error("listen", listen_address_problem(text));
    else if (!uses_port(into.server.listen, *address)) into.server.listen.push_back(*address);
    else top.error("listen", to_string(*address) + " is listed twice");
  }
}

void read_admin(const section_reader& top, config& into) {
  std::string text;
  if (is_bare_port(top, "admin") || !top.read("admin", text)) return;
  into.server.admin = parse_listen_address(text);
  if (!into.server.admin) return top.error("admin", listen_address_problem(text));
  if (uses_port(into.server.listen, *into.server.admin))
    top.error("admin", "must differ from the addresses in `listen`: choose another address, or omit `admin`");
}

// Checks the names of tasks or projects. Each name must be a valid value of a request header, and must not be listed
// twice.
void check_names(const section_reader& top, std::string_view list, const std::vector<std::string>& names) {
  for (auto each = names.begin(); each != names.end(); ++each) {
    if (each->empty() || each->starts_with('_') || !is_printable(*each))
      top.error(list, "'" + *each + "' must be a word that does not begin with '_'");
    if (std::find(names.begin(), each, *each) != each) top.error(list, "'" + *each + "' is listed twice");
  }
}

// True for scheme://host:port in the form that browsers send: without a path and without upper-case letters.
bool is_origin(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return false;
  const std::string_view host = text.substr(scheme_end + 3);
  const auto is_allowed = [](char letter) {
    return letter > 0x20 && letter < 0x7F && letter != '/' && letter != '*' &&
           !(letter >= 'A' && letter <= 'Z');
  };
  return !host.empty() && std::all_of(host.begin(), host.end(), is_allowed);
}

void check_cors_origins(const section_reader& top, const std::vector<std::string>& origins) {
  for (std::size_t i = 0; i < origins.size(); ++i)
    if (origins[i] != "*" && !is_origin(origins[i]))
      top.shared().error(top.find("cors_origins")->items[i].at,
                         "cors_origins: an origin must look like https://app.example.com; '*' allows any origin");
}

// True for a host name with or without a port. If the text begins with `*.`, it matches any name below the host name.
bool is_host_pattern(std::string_view text) {
  if (text == "*") return true;
  if (text.starts_with("*.")) text.remove_prefix(2);
  return is_authority(text);
}

void check_allowed_hosts(const section_reader& top, const std::vector<std::string>& hosts) {
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (!is_host_pattern(hosts[i]))
      top.shared().error(top.find("allowed_hosts")->items[i].at,
                         "allowed_hosts: a host must look like llm.example.com, llm.example.com:8443 or "
                         "'*.example.com', without scheme and path; '*' allows any host");
}

void check_open_metrics(const section_reader& top, const config& into) {
  if (into.views.metrics_for_admins && into.server.admin)
    top.warn("metrics_for_admins", "has no effect together with `admin`, because /metrics is then only at the admin "
                                   "address");
  if (!into.views.open_metrics) return;
  if (into.views.metrics_for_admins)
    top.error("open_metrics", "opens /metrics to all clients, but `metrics_for_admins` restricts it to admins: remove "
                              "one of these settings");
  if (into.server.admin)
    top.warn("open_metrics",
             "has no effect together with `admin`, because /metrics is then only at the admin address");
}

void read_metrics(const section_reader& top, config& into) {
  const yaml_node* node = top.find("metrics");
  if (node) section_reader(top.shared(), *node, section::metrics).read_members(into);
}

void check_id_secret(const section_reader& top, const config& into) {
  constexpr std::size_t least_bytes = 32;  // the minimum length of the secret; attackers could guess a shorter secret
  if (!into.access.id_secret.empty() && into.access.id_secret.reveal().size() < least_bytes)
    top.error("id_secret", "is too short: at least 32 characters are needed, as `openssl rand -hex 32` makes");
}

}  // namespace

void read_server(const section_reader& top, config& into) {
  read_listen(top, into);
  read_admin(top, into);
  top.read_members(into);
  check_cors_origins(top, into.server.cors_origins);
  check_allowed_hosts(top, into.server.allowed_hosts);
  check_open_metrics(top, into);
  read_metrics(top, into);
  check_names(top, "tasks", into.names.tasks);
  check_names(top, "projects", into.names.projects);
  if (!is_printable(into.region) || into.region.size() > 64)
    top.error("region", "must be a word of at most 64 characters");
  check_id_secret(top, into);
}

void read_limits(const section_reader& top, config& into) {
  const yaml_node* node = top.find("limits");
  if (!node) return;
  const section_reader limits(top.shared(), *node, section::limits);
  limits.read_members(into);
  if (limits.has_read("max_memory") && into.limits.max_memory < least_memory)
    limits.error("max_memory", "must be at least 16MiB");
}

bool knows_names(const section_reader& top, std::string_view map_name) {
  const yaml_node* map = top.find(map_name);
  if (!map) return !top.has_unknown();
  return map->kind == yaml_kind::map || map->kind == yaml_kind::null;
}

std::vector<std::string> declared_names(const section_reader& top, std::string_view map_name) {
  std::vector<std::string> names;
  if (const yaml_node* map = top.find(map_name))
    for (const yaml_member& member : map->members) names.push_back(member.key);
  return names;
}

}  // namespace photofinish::gateway
