// A YAML (or JSON) text as a tree in which every value knows its place in the file. [pure but for yaml-cpp]
// Built from yaml-cpp's events rather than its nodes: those take duplicate keys, unclosed quotes and further
// documents silently. Aliases and merge keys (<<) are resolved here; later readers do not see them.
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
  std::string text = {};                  // of a scalar
  bool is_plain = false;                  // a scalar without quotes: may be meant as a number or a boolean
  std::vector<yaml_node> items = {};      // of a sequence
  std::vector<yaml_member> members;       // of a map, in the file's order, keys distinct
};

struct yaml_member {
  std::string key;
  text_position key_at;
  yaml_node value;
};

struct yaml_result {
  yaml_node root;  // null for an empty file
  std::vector<yaml_problem> problems;
};

// After a syntax error the tree is empty; other problems (a duplicate key) leave what could be read.
yaml_result parse_yaml(std::string_view text);

}  // namespace photofinish::gateway
