#include "gateway/commands/keys/key_file.hpp"

#include "gateway/config/access/gateway_key.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

const yaml_node* value_of(const yaml_node& entry, std::string_view name) {
  for (const yaml_member& each : entry.members)
    if (each.key == name) return &each.value;
  return nullptr;
}

bool holds(const yaml_node& value, std::string_view text) {
  return value.text == text || std::any_of(value.items.begin(), value.items.end(),
                                           [&](const yaml_node& each) { return each.text == text; });
}

bool is_meant(const yaml_node& entry, std::string_view name_or_hash) {
  for (const char* name : {"name", "key_hash"})
    if (const yaml_node* value = value_of(entry, name); value != nullptr && holds(*value, name_or_hash)) return true;
  return false;
}

const yaml_node* find_entry(const yaml_node& list, std::string_view name_or_hash) {
  for (const yaml_node& each : list.items)
    if (is_meant(each, name_or_hash)) return &each;
  return nullptr;
}

bool is_blocked(const yaml_node& entry) {
  const yaml_node* value = value_of(entry, "blocked");
  return value != nullptr && value->text == "true";
}

// Converts a position to a byte offset. The position's column counts characters, not bytes.
std::size_t offset_of(std::string_view text, text_position at) {
  std::size_t offset = 0;
  for (int line = 1; line < at.line; ++line) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) return text.size();
    offset = end + 1;
  }
  for (int column = 1; column < at.column && offset < text.size(); ++column) {
    ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80) ++offset;
  }
  return offset;
}

std::string shown_value(const yaml_node& value) {
  if (value.kind == yaml_kind::scalar) return value.text;
  std::string all;
  for (const yaml_node& each : value.items) all += (all.empty() ? "" : ", ") + shown_value(each);
  for (const yaml_member& each : value.members)
    all += (all.empty() ? "" : ", ") + each.key + ": " + shown_value(each.value);
  return all;
}

// Writes a YAML value for a one-line map. A text that needs no quotes on a separate line may need quotes in such a map.
std::string in_flow(const yaml_node& value) {
  if (value.kind == yaml_kind::null) return "null";
  const bool stays_plain = value.is_plain && value.text.find_first_of(",[]{}#") == std::string::npos;
  if (value.kind == yaml_kind::scalar) return stays_plain ? value.text : in_yaml_quotes(value.text);
  std::string all;
  for (const yaml_node& each : value.items) all += (all.empty() ? "" : ", ") + in_flow(each);
  for (const yaml_member& each : value.members)
    all += (all.empty() ? "" : ", ") + in_yaml_quotes(each.key) + ": " + in_flow(each.value);
  return value.kind == yaml_kind::map ? "{" + all + "}" : "[" + all + "]";
}

edited_keys not_edited(std::string problem) { return {{}, std::move(problem)}; }

// Returns the problem of the file, or an empty text.
std::string problem_of(const yaml_result& tree) {
  if (!tree.problems.empty())
    return "line " + std::to_string(tree.problems.front().at.line) + ": " + tree.problems.front().message;
  const bool is_list = tree.root.kind == yaml_kind::sequence || tree.root.kind == yaml_kind::null;
  return is_list ? "" : "is not a list of access keys, as in `- {name: alice, key_hash: ...}`";
}

}  // namespace

std::string in_yaml_quotes(std::string_view text) {
  std::string made = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') made += '\\';
    made += each;
  }
  return made + '"';
}

std::string entry_text(const new_key_entry& entry) {
  std::string text = "- {name: " + in_yaml_quotes(entry.name) + ", key_hash: " + in_yaml_quotes(entry.key_hash);
  if (!entry.team.empty()) text += ", team: " + in_yaml_quotes(entry.team);
  if (!entry.expires.empty()) text += ", expires: " + in_yaml_quotes(entry.expires);
  for (std::size_t at = 0; at < entry.routes.size(); ++at)
    text += (at == 0 ? ", routes: [" : ", ") + in_yaml_quotes(entry.routes[at]);
  if (!entry.routes.empty()) text += "]";
  for (const auto& [name, value] : entry.others) text += ", " + name + ": " + value;
  return text + "}\n";
}

std::string shown_entry(const yaml_node& entry) {
  std::string text;
  for (const yaml_member& each : entry.members)
    if (each.key != "key" && each.key != "key_hash") text += each.key + ": " + shown_value(each.value) + "\n";
  return text;
}

std::optional<std::string> as_one_value(const std::string& text) {
  if (text.empty()) return text;
  const yaml_result tree = parse_yaml("[" + text + "\n]");
  const bool is_one = tree.problems.empty() && tree.root.kind == yaml_kind::sequence && tree.root.items.size() == 1;
  return is_one ? std::optional(in_flow(tree.root.items.front())) : std::nullopt;
}

bool is_opened_by(const yaml_node& entry, const std::string& key) {
  const yaml_node* its_key = value_of(entry, "key");
  const yaml_node* its_hash = value_of(entry, "key_hash");
  return (its_key != nullptr && holds(*its_key, key)) || (its_hash != nullptr && holds(*its_hash, key_hash_of(key)));
}

std::string changed_entry(const yaml_node& entry, const entry_changes& changes) {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += (text.empty() ? "{" : ", ") + name + ": " + value;
  };
  const auto is_of = [](const std::string& name) { return [&name](const auto& each) { return each.first == name; }; };
  for (const yaml_member& each : entry.members)
    if (std::none_of(changes.begin(), changes.end(), is_of(each.key))) add(each.key, in_flow(each.value));
  for (const auto& [name, value] : changes)
    if (!value.empty()) add(name, value);
  return text + "}";
}

edited_keys with_entry(std::string_view file, const new_key_entry& entry) {
  const yaml_result before = parse_yaml(file);
  if (std::string problem = problem_of(before); !problem.empty()) return not_edited(std::move(problem));
  if (find_entry(before.root, entry.name) != nullptr) return not_edited("already has a key '" + entry.name + "'");
  std::string indent;
  if (!before.root.items.empty()) {
    const std::size_t first = offset_of(file, before.root.at);
    const std::size_t line = file.rfind('\n', first) == std::string_view::npos ? 0 : file.rfind('\n', first) + 1;
    indent = file.substr(line, first - line);
  }
  std::string text(file);
  // If the file contains only an empty list, such as "[]", the new entry replaces the text.
  if (before.root.items.empty() && before.root.kind == yaml_kind::sequence) text.clear();
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += indent + entry_text(entry);
  const yaml_result after = parse_yaml(text);
  const bool is_there = after.problems.empty() && after.root.items.size() == before.root.items.size() + 1 &&
                        find_entry(after.root, entry.name) != nullptr;
  if (!is_there) return not_edited("cannot be extended automatically in its present form: add the entry by hand");
  return {std::move(text), {}};
}

edited_keys with_blocked(std::string_view file, std::string_view name_or_hash) {
  const yaml_result before = parse_yaml(file);
  if (std::string problem = problem_of(before); !problem.empty()) return not_edited(std::move(problem));
  const yaml_node* entry = find_entry(before.root, name_or_hash);
  if (entry == nullptr || entry->members.empty()) return not_edited("has no key with this name");
  if (is_blocked(*entry)) return {std::string(file), {}};
  std::string text(file);
  if (const yaml_node* value = value_of(*entry, "blocked")) {
    text.replace(offset_of(file, value->at), value->text.size(), "true");
  } else {
    const std::size_t at = offset_of(file, entry->members.front().key_at);
    const std::size_t line = file.rfind('\n', at) == std::string_view::npos ? 0 : file.rfind('\n', at) + 1;
    const bool is_flow = file.substr(offset_of(file, entry->at), 1) == "{";
    text.insert(at, is_flow ? "blocked: true, " : "blocked: true\n" + std::string(at - line, ' '));
  }
  const yaml_result after = parse_yaml(text);
  const yaml_node* done = after.problems.empty() ? find_entry(after.root, name_or_hash) : nullptr;
  if (done == nullptr || !is_blocked(*done) || after.root.items.size() != before.root.items.size())
    return not_edited("cannot be changed automatically in its present form: add `blocked: true` to the entry by hand");
  return {std::move(text), {}};
}

edited_keys with_key_blocked(std::string_view file, const std::string& key) {
  const yaml_result before = parse_yaml(file);
  if (std::string problem = problem_of(before); !problem.empty()) return not_edited(std::move(problem));
  for (const yaml_node& each : before.root.items)
    if (const yaml_node* name = value_of(each, "name"); name != nullptr && is_opened_by(each, key))
      return with_blocked(file, name->text);
  return not_edited("has no entry with this key or with the key's hash; if `key` of the entry is file:PATH, revoke the "
                    "key by its name");
}

}  // namespace photofinish::gateway
