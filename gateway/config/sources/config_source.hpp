// Finds the configuration for every command that needs one. Uses the first of these places that exists: --config,
// PHOTOFINISH_CONFIG, ./photofinish.yaml. If none exists, there is no configuration file.
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/process/environment.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

enum class config_origin { flag, variable, working_folder, zero_config };

struct config_source {
  config_origin origin = config_origin::zero_config;
  std::string file_name;  // the file's name as the user wrote it; empty if there is no file
  std::string text;
  std::string problem;  // the reason why the requested file cannot be read; empty if there is no problem
};

// Finds the configuration. An empty `flag` has the same effect as no flag, and an empty variable has the same effect as
// no variable.
config_source find_config(const std::optional<std::string>& flag, const environment& machine);

// Reads the same source again for a reload. If the file is missing, this is a problem, and no other source is tried.
config_source read_again(const config_source& before, const environment& machine);

// Parses the source. See parse_config() for `listen_instead` and `missing`.
config_result load_config(const config_source& source, const environment& machine,
                          const std::vector<listen_address>& listen_instead = {},
                          std::set<std::string>* missing = nullptr);

// Returns a text for people that describes the source, such as "photofinish.yaml (from PHOTOFINISH_CONFIG)".
std::string describe(const config_source& source);

}  // namespace photofinish::gateway
