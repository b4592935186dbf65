// Turns the text of a configuration file into a config and a list of its problems. [pure] The parser reads no clock and
// opens no socket. It reads variables and files through `environment`.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/yaml/config_problem.hpp"
#include "gateway/process/environment.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct config_result {
  config settings;                       // use the settings only if is_usable() is true
  std::vector<config_problem> problems;  // all problems, in the order of the file
  std::string hash = {};                 // the settings_hash() of the settings in the file; empty if there is no file

  bool is_usable() const { return !has_errors(problems); }
};

// Parses a configuration. If `listen_instead` is not empty, it replaces the file's `listen` (--listen,
// PHOTOFINISH_LISTEN) before the rules about exposed listeners are checked. If `missing` is not null, missing variables
// and files do not count as errors, and their names are added to this set.
config_result parse_config(std::string_view yaml, std::string file_name, const environment& machine,
                           const std::vector<listen_address>& listen_instead = {},
                           std::set<std::string>* missing = nullptr);

}  // namespace photofinish::gateway
