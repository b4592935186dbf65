#include "gateway/config/sections/sections.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/http/request_guard.hpp"

#include <algorithm>
#include <array>

namespace photofinish::gateway {
namespace {

constexpr std::size_t most_workers = 1024;
constexpr std::size_t least_memory = 16u << 20;  // below it even a few requests with long prompts are refused

bool uses_port(const std::vector<listen_address>& listen, const listen_address& address) {
  return address.port != 0 && std::find(listen.begin(), listen.end(), address) != listen.end();
}

// A port alone is a number to YAML; what to write instead can still be said.
bool is_bare_port(const section_reader& top, std::string_view name) {
  const yaml_node* node = top.find(name);
  if (!node || node->kind != yaml_kind::scalar || describe(*node) != "a number") return false;
  top.error(name, listen_address_problem(node->text));
  return true;
}

// `listen` is one address or a list of them.
void read_listen(const section_reader& top, config& into) {
  const yaml_node* node = top.find("listen");
  if (!node || is_bare_port(top, "listen")) return;
  std::vector<std::string> texts(1);
  const bool is_there =
      node->kind == yaml_kind::sequence ? top.read("listen", texts) : top.read("listen", texts[0]);
  if (!is_there) return;
  if (texts.empty()) return top.error("listen", "must name at least one address");
  into.listen.clear();
  into.is_listen_default = false;
  for (const std::string& text : texts) {
    const auto address = parse_listen_address(text);
    if (!address) {
      top.error("listen", listen_address_problem(text));
    } else if (uses_port(into.listen, *address)) {
      top.error("listen", to_string(*address) + " is listed twice");
    } else {
      into.listen.push_back(*address);
    }
  }
}

void read_admin(const section_reader& top, config& into) {
  std::string text;
  if (is_bare_port(top, "admin") || !top.read("admin", text)) return;
  into.admin = parse_listen_address(text);
  if (!into.admin) return top.error("admin", listen_address_problem(text));
  if (uses_port(into.listen, *into.admin))
    top.error("admin", "is an address that clients use; choose another, or leave admin out");
}

// What a header of a request may name.
void read_names(const section_reader& top, std::string_view list, std::vector<std::string>& into) {
  if (!top.read(list, into)) return;
  for (auto each = into.begin(); each != into.end(); ++each) {
    if (each->empty() || each->starts_with('_') || !is_printable(*each))
      top.error(list, "'" + *each + "' must be a word that does not begin with '_'");
    if (std::find(into.begin(), each, *each) != each) top.error(list, "'" + *each + "' is listed twice");
  }
}

// scheme://host:port, as browsers send it: no path, nothing upper case.
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

void read_cors_origins(const section_reader& top, config& into) {
  if (!top.read("cors_origins", into.cors_origins)) return;
  const auto& items = top.find("cors_origins")->items;
  for (std::size_t i = 0; i < into.cors_origins.size(); ++i)
    if (into.cors_origins[i] != "*" && !is_origin(into.cors_origins[i]))
      top.shared().error(items[i].at,
                         "cors_origins: an origin is like https://app.example.com, or '*' for any");
}

// name or name:port; `*.` in front stands for any names below it.
bool is_host_pattern(std::string_view text) {
  if (text == "*") return true;
  if (text.starts_with("*.")) text.remove_prefix(2);
  return is_authority(text);
}

void read_allowed_hosts(const section_reader& top, config& into) {
  if (!top.read("allowed_hosts", into.allowed_hosts)) return;
  const auto& items = top.find("allowed_hosts")->items;
  for (std::size_t i = 0; i < into.allowed_hosts.size(); ++i)
    if (!is_host_pattern(into.allowed_hosts[i]))
      top.shared().error(items[i].at, "allowed_hosts: a host is like llm.example.com, llm.example.com:8443 or "
                                      "'*.example.com', without a scheme or path; or '*' for any");
}

void read_open_metrics(const section_reader& top, config& into) {
  if (top.read("metrics_for_admins", into.metrics_for_admins) && into.metrics_for_admins && into.admin)
    top.warn("metrics_for_admins", "has no effect with admin: /metrics is on that address alone");
  if (!top.read("open_metrics", into.open_metrics) || !into.open_metrics) return;
  if (into.metrics_for_admins)
    top.error("open_metrics", "opens /metrics to all clients, and metrics_for_admins closes it: leave one of them out");
  if (into.admin) top.warn("open_metrics", "has no effect with admin: /metrics is on that address alone");
}

void read_metrics(const section_reader& top, config& into) {
  const yaml_node* node = top.find("metrics");
  if (node) section_reader(top.shared(), *node, section::metrics).read("client_label", into.has_client_label);
}

void read_id_secret(const section_reader& top, config& into) {
  constexpr std::size_t least_bytes = 32;  // written by hand or by openssl: what is shorter can be guessed
  if (!top.read("id_secret", into.id_secret)) return;
  if (into.id_secret.reveal().size() < least_bytes)
    top.error("id_secret", "is too short: it needs at least 32 characters, as `openssl rand -hex 32` makes");
}

}  // namespace

void read_server(const section_reader& top, config& into) {
  read_listen(top, into);
  read_admin(top, into);
  if (top.read("workers", into.workers) && into.workers > most_workers)
    top.error("workers", "must be at most 1024");
  read_cors_origins(top, into);
  read_allowed_hosts(top, into);
  read_open_metrics(top, into);
  read_metrics(top, into);
  read_names(top, "tasks", into.tasks);
  read_names(top, "projects", into.projects);
  constexpr std::array pages{page_setting::automatic, page_setting::on, page_setting::off};
  if (const auto place = top.choice("page")) into.page = pages[*place];
  top.read("open", into.open);
  top.read("allow_emptying", into.allow_emptying);
  top.read("share_keys", into.share_keys);
  top.read("proxy", into.forward_proxy);
  constexpr std::array half_closes{half_close::abort, half_close::tolerate};
  if (const auto place = top.choice("half_close")) into.client_half_close = half_closes[*place];
  top.read("drain_delay", into.drain_delay, zero_duration::allowed);
  top.read("drain_timeout", into.drain_timeout, zero_duration::allowed);
  top.read("state_dir", into.state_dir);
  if (top.read("region", into.region) && (!is_printable(into.region) || into.region.size() > 64))
    top.error("region", "must be a word of at most 64 characters");
  read_id_secret(top, into);
  constexpr std::array log_forms{log_form::text, log_form::logfmt, log_form::json};
  if (const auto place = top.choice("log_format")) into.log_format = log_forms[*place];
  if (top.choice("log_level")) top.read("log_level", into.log_level);
}

void read_limits(const section_reader& top, server_limits& into) {
  const yaml_node* node = top.find("limits");
  if (!node) return;
  const section_reader limits(top.shared(), *node, section::limits);
  limits.read("max_body", into.max_body);
  limits.read("max_inflight", into.max_inflight);
  limits.read("max_connections", into.max_connections);
  if (limits.read("max_memory", into.max_memory) && into.max_memory < least_memory)
    limits.error("max_memory", "must be at least 16MiB");
  if (limits.read("max_header", into.max_header) && into.max_header > longest_header)
    limits.error("max_header", "must be at most 256KiB");
  limits.read("header_timeout", into.header_timeout);
  limits.read("body_timeout", into.body_timeout);
  limits.read("idle_timeout", into.idle_timeout);
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
