#include "gateway/config/change/settings_hash.hpp"

#include "gateway/config/access/gateway_key.hpp"
#include "gateway/config/config_values.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace photofinish::gateway {
namespace {

// Writes the length before the text. Otherwise two consecutive texts could look the same as one longer text.
void add_sized(std::string_view text, std::string& into) {
  into += std::to_string(text.size()) + ":";
  into += text;
}

std::vector<const yaml_member*> sorted_members(const yaml_node& map) {
  std::vector<const yaml_member*> members;
  members.reserve(map.members.size());
  for (const yaml_member& each : map.members) members.push_back(&each);
  std::sort(members.begin(), members.end(), [](const auto* one, const auto* other) { return one->key < other->key; });
  return members;
}

template <class Add>
void add_items(const yaml_node& list, std::string& into, Add add) {
  into += '[';
  for (const yaml_node& each : list.items) add(each, into);
  into += ']';
}

template <class Add>
void add_members(const yaml_node& map, std::string& into, Add add) {
  into += '{';
  for (const yaml_member* each : sorted_members(map)) {
    add_sized(each->key, into);
    add(each->value, into);
  }
  into += '}';
}

void add_plain_value(const yaml_node& node, std::string& into) {
  if (node.kind == yaml_kind::sequence) return add_items(node, into, add_plain_value);
  if (node.kind == yaml_kind::map) return add_members(node, into, add_plain_value);
  if (node.kind == yaml_kind::null) into += '-';
  else add_sized(node.text, into);
}

// True only for ${NAME} without a default. A default could be a secret.
bool is_one_variable(std::string_view text) {
  return text.starts_with("${") && text.find('}') + 1 == text.size() && text.find(":-") == text.npos;
}

void add_without_secret(const yaml_node& node, std::string& into) {
  if (node.kind == yaml_kind::sequence) return add_items(node, into, add_without_secret);
  if (node.kind == yaml_kind::map) return add_members(node, into, add_without_secret);
  const bool is_reference = file_reference(node.text) || is_one_variable(node.text);
  if (node.kind == yaml_kind::scalar && is_reference) add_sized(node.text, into);
  else into += '*';
}

void add_section(const yaml_node& node, section where, std::string& into);

void add_setting(const yaml_node& node, const setting& row, std::string& into) {
  const auto add_inner = [&](const yaml_node& each, std::string& to) { add_section(each, row.inner, to); };
  switch (row.type) {
    case setting_type::secret:
    case setting_type::secrets:
    case setting_type::secret_map: return add_without_secret(node, into);
    case setting_type::one: return add_inner(node, into);
    case setting_type::list_of:
    case setting_type::list_or_file:
      return node.kind == yaml_kind::sequence ? add_items(node, into, add_inner) : add_without_secret(node, into);
    case setting_type::map_of: return add_members(node, into, add_inner);
    default: return add_plain_value(node, into);
  }
}

void add_section(const yaml_node& node, section where, std::string& into) {
  into += '{';
  for (const yaml_member* each : sorted_members(node)) {
    const setting* row = find_setting(where, each->key);
    if (!row || row->is_of_one_machine) continue;
    add_sized(each->key, into);
    add_setting(each->value, *row, into);
  }
  into += '}';
}

}  // namespace

std::string comparable_text(const yaml_node& node, section where) {
  std::string text;
  add_section(node, where, text);
  return text;
}

std::string comparable_list(const yaml_node& list, section where) {
  std::string text;
  add_items(list, text, [where](const yaml_node& each, std::string& into) { add_section(each, where, into); });
  return text;
}

std::string settings_hash(std::string_view comparable) {
  constexpr std::size_t scheme = 7, digits = 16;  // `scheme` is the length of the prefix "sha256:", which is removed
  return key_hash_of(comparable).substr(scheme, digits);
}

}  // namespace photofinish::gateway
