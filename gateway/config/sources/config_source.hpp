// Which configuration counts: --config, else PHOTOFINISH_CONFIG, else ./photofinish.yaml, else none at all.
// Shared by every command that works with one.
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
  std::string file_name;  // as it was given; empty in zero-config
  std::string text;
  std::string problem;  // the file that was asked for cannot be read; empty: none
};

// An empty flag counts as none, as an empty variable does.
config_source find_config(const std::optional<std::string>& flag, const environment& machine);

// The same source once more, for a reload: a file that has gone is a problem, and nothing is tried instead.
config_source read_again(const config_source& before, const environment& machine);

// Parses what was found. `listen_instead` and `missing`: as in parse_config().
config_result load_config(const config_source& source, const environment& machine,
                          const std::vector<listen_address>& listen_instead = {},
                          std::set<std::string>* missing = nullptr);

// For people: "photofinish.yaml (from PHOTOFINISH_CONFIG)".
std::string describe(const config_source& source);

}  // namespace photofinish::gateway
