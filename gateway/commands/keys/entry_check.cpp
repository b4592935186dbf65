#include "gateway/commands/keys/entry_check.hpp"

#include "gateway/commands/keys/key_file.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"

#include <algorithm>
#include <memory>

namespace photofinish::gateway {
namespace {

bool has(const yaml_node& entry, std::string_view name) {
  const auto is_it = [&](const yaml_member& each) { return each.key == name; };
  return std::any_of(entry.members.begin(), entry.members.end(), is_it);
}

// Makes a minimal configuration that contains the teams and routes of an access-key entry.
config one_for(const yaml_node& entry) {
  config made;
  for (const yaml_member& each : entry.members) {
    if (each.key == "team") made.access.teams[each.value.text];
    if (each.key == "routes")
      for (const yaml_node& route : each.value.items) made.routes[route.text];
    if (each.key == "by_route")
      for (const yaml_member& route : each.value.members) made.routes[route.key];
  }
  made.server.ingress.tls.emplace().clients = client_auth::optional;
  return made;
}

// Returns an access-key entry in the form in which a store would contain it. The key itself is removed, because it may
// be a secret of this machine.
std::string without_key(const yaml_node& entry) {
  entry_changes changes{{"key", ""}};
  if (!has(entry, "key_hash") && has(entry, "key"))
    changes.emplace_back("key_hash", in_yaml_quotes("sha256:" + std::string(64, '0')));
  return changed_entry(entry, changes);
}

}  // namespace

std::string entry_problem(const std::string& text, const config* settings) {
  config into = settings != nullptr ? *settings : one_for(parse_yaml(text).root);
  const auto entry = std::make_shared<const stored_key>(stored_key{"", text});
  const auto left_out = add_stored_keys({stored_keys_state::known, {entry}}, into);
  return left_out.empty() ? std::string() : left_out.front().why;
}

std::string entries_problem(std::string_view file) {
  for (const yaml_node& each : parse_yaml(file).root.items) {
    const std::string text = each.kind == yaml_kind::map ? without_key(each) : each.text;
    if (text.find("${") != std::string::npos) continue;
    const std::string problem = entry_problem(text, nullptr);
    if (!problem.empty()) return "line " + std::to_string(each.at.line) + ": " + problem;
  }
  return {};
}

}  // namespace photofinish::gateway
