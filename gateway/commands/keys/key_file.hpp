// A file of access keys under the hands of `photofinish keys`: what a person wrote stays as it is written. [pure]
#pragma once

#include "gateway/config/yaml/yaml_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Settings of an entry by name, their values as YAML.
using entry_changes = std::vector<std::pair<std::string, std::string>>;

// What a new entry says.
struct new_key_entry {
  std::string name, key_hash, team, expires;  // but for the first two: empty, none
  std::vector<std::string> routes;
  entry_changes others = {};  // further settings
};

// As YAML takes it for text, whatever it is but a line feed.
std::string in_yaml_quotes(std::string_view text);

std::string entry_text(const new_key_entry& entry);  // "- {name: alice, …}" and a line feed

// What an entry says, a line each, but for the key and its hash.
std::string shown_entry(const yaml_node& entry);

// One entry in one line, as "{name: alice, …}", changed so; an empty value takes a setting out.
std::string changed_entry(const yaml_node& entry, const entry_changes& changes);

// A value as it is written within an entry; none: it is not one value. An empty text stays empty.
std::optional<std::string> as_one_value(const std::string& text);

// Whether it has the key, or a hash of it.
bool is_opened_by(const yaml_node& entry, const std::string& key);

struct edited_keys {
  std::string text;
  std::string problem;  // empty: none
};

// At the end of the list.
edited_keys with_entry(std::string_view file, const new_key_entry& entry);

// The entry of that name, or with that key_hash, becomes `blocked: true`.
edited_keys with_blocked(std::string_view file, std::string_view name_or_hash);
// The entry that the key opens. What stands in a file of its own, as `key: "file:…"`, is not known here.
edited_keys with_key_blocked(std::string_view file, const std::string& key);

}  // namespace photofinish::gateway
