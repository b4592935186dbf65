// Edits a file of access keys for `photofinish keys`. All text that a person has written in the file stays unchanged.
// [pure]
#pragma once

#include "gateway/config/yaml/yaml_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Changes of an entry: pairs of a setting's name and its new value as YAML.
using entry_changes = std::vector<std::pair<std::string, std::string>>;

// The data of a new access-key entry.
struct new_key_entry {
  // If `team` is empty, the key has no team. If `expires` is empty, the key does not expire.
  std::string name, key_hash, team, expires;
  std::vector<std::string> routes;
  entry_changes others = {};  // further settings of the entry, as pairs of name and value
};

// Quotes a text so that YAML reads the same text. The text must not contain a line feed.
std::string in_yaml_quotes(std::string_view text);

std::string entry_text(const new_key_entry& entry);  // returns "- {name: alice, …}" with a line feed at the end

// Returns the settings of an entry without the key and its hash, each in one line.
std::string shown_entry(const yaml_node& entry);

// Returns the changed entry in one line, such as "{name: alice, …}". If a change has an empty value, its
// setting is removed.
std::string changed_entry(const yaml_node& entry, const entry_changes& changes);

// Returns the text if it can be written into an entry as one YAML value. Otherwise returns nothing. An empty text stays
// empty.
std::optional<std::string> as_one_value(const std::string& text);

// True if the entry contains the key or the hash of the key.
bool is_opened_by(const yaml_node& entry, const std::string& key);

struct edited_keys {
  std::string text;
  std::string problem;  // an error text for the user; empty if there is no problem
};

// Appends the entry to the list of access keys in the text `file`.
edited_keys with_entry(std::string_view file, const new_key_entry& entry);

// Sets `blocked: true` in the entry that has this name or key_hash.
edited_keys with_blocked(std::string_view file, std::string_view name_or_hash);
// Blocks the entry that contains the key. Does not find an entry whose key is in another file (`key: "file:…"`).
edited_keys with_key_blocked(std::string_view file, const std::string& key);

}  // namespace photofinish::gateway
