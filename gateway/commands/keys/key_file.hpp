// Edits a file of access keys for `photofinish keys`. The text that a person wrote stays unchanged. [pure]
#pragma once

#include "gateway/config/yaml/yaml_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Names of an entry's settings, and their new values as YAML.
using entry_changes = std::vector<std::pair<std::string, std::string>>;

// The content of a new entry.
struct new_key_entry {
  std::string name, key_hash, team, expires;  // an empty `team` or `expires` means none
  std::vector<std::string> routes;
  entry_changes others = {};  // the values of other settings
};

// Quotes a text so that YAML reads the same text. It must not contain a line feed.
std::string in_yaml_quotes(std::string_view text);

std::string entry_text(const new_key_entry& entry);  // returns "- {name: alice, …}" and a line feed

// Returns an entry's settings, one line each, without the key and its hash.
std::string shown_entry(const yaml_node& entry);

// Returns the changed entry in one line, as "{name: alice, …}". An empty value removes a setting.
std::string changed_entry(const yaml_node& entry, const entry_changes& changes);

// Returns a text as one YAML value within an entry, or none if it is not exactly one value. An empty text stays empty.
std::optional<std::string> as_one_value(const std::string& text);

// Returns true if the entry has the key or the key's hash.
bool is_opened_by(const yaml_node& entry, const std::string& key);

struct edited_keys {
  std::string text;
  std::string problem;  // empty: there is no problem
};

// Appends the entry to the list.
edited_keys with_entry(std::string_view file, const new_key_entry& entry);

// Sets `blocked: true` in the entry with that name or key_hash.
edited_keys with_blocked(std::string_view file, std::string_view name_or_hash);
// Blocks the entry of that key. It does not find an entry whose key is in another file (`key: "file:…"`).
edited_keys with_key_blocked(std::string_view file, const std::string& key);

}  // namespace photofinish::gateway
