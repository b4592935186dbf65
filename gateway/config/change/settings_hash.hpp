// Makes a hash of a configuration. By comparing hashes, people can see if many gateways have the same configuration.
// The hash does not depend on secrets or on the machine. [pure but for SHA-256]
#pragma once

#include "gateway/config/settings.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns a section of the configuration as text. If the settings are equal, the texts are equal, even if comments, the
// order of names, anchors or quotes differ.
// - Secrets are left out. If a secret is in a file or a variable, the text contains the name of the file or variable.
// - Other variables stay as they are written, because their values may differ between machines or be secret.
// - Settings of one machine are left out: instance, region, listen, admin, workers, state_dir.
std::string comparable_text(const yaml_node& node, section where);
// Returns a list of sections as text for comparisons, for example the sections of a file of access keys.
std::string comparable_list(const yaml_node& list, section where);

// 16 hex digits.
std::string settings_hash(std::string_view comparable);

}  // namespace photofinish::gateway
