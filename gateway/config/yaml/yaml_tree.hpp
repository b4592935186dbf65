// Reads a YAML (or JSON) text as a tree in which every value has its position in the file. [pure but for yaml-cpp] The
// tree is built from yaml-cpp's events. yaml-cpp's own nodes silently accept duplicate keys, unclosed quotes and
// additional documents. Aliases and merge keys (<<) are resolved here, so that the readers of the tree do not see them.
#pragma once

#include "gateway/config/yaml/config_problem.hpp"
#include "gateway/config/yaml/yaml_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

enum class yaml_kind { null, scalar, sequence, map };

struct yaml_member;

struct yaml_node {
  yaml_kind kind = yaml_kind::null;
  text_position at = {};
  std::string text = {};                  // the text of a scalar value
  bool is_plain = false;  // true for a scalar without quotes, which may be a number or a boolean
  std::vector<yaml_node> items = {};      // the items of a list
  std::vector<yaml_member> members;       // the members of a map, in the order of the file, with distinct keys
};

struct yaml_member {
  std::string key;
  text_position key_at;
  yaml_node value;
};

struct yaml_result {
  yaml_node root;  // the root of the tree; null if the file is empty
  std::vector<yaml_problem> problems;
};

// Parses a text. After a syntax error the tree is empty. After another problem, such as a duplicate key, the tree has
// the part that could be read.
yaml_result parse_yaml(std::string_view text);

}  // namespace photofinish::gateway
