// Makes a hash with which people compare the configurations of many gateways. The hash depends on no secret and on no
// machine. [pure but for SHA-256]
#pragma once

#include "gateway/config/settings.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns a section as text. Equal settings have the same text: comments, the order of names, anchors and quotes do not
// matter.
// - A secret is left out. If it is in a file or a variable, the text has the name of the file or variable.
// - Other variables stay as they are written, because their values may differ between machines or be secret.
// - Settings of one machine are left out: instance, region, listen, admin, workers, state_dir.
std::string comparable_text(const yaml_node& node, section where);
// Returns the comparable text of a list of sections, such as a file of access keys.
std::string comparable_list(const yaml_node& list, section where);

// 16 hex digits.
std::string settings_hash(std::string_view comparable);

}  // namespace photofinish::gateway
