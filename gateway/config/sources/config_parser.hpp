// A configuration file's text -> a config, and everything that is wrong with it. [pure]
// Reads no clock and opens no socket; variables and files come through `environment`.
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
  config settings;                       // to be used only when is_usable()
  std::vector<config_problem> problems;  // all of them, in the file's order
  std::string hash = {};                 // settings_hash() of what the files say; empty: there is no file

  bool is_usable() const { return !has_errors(problems); }
};

// `listen_instead`, when not empty, takes the place of the file's `listen` (--listen, PHOTOFINISH_LISTEN),
// before the rules about exposed listeners are applied. `missing`, when not null, receives the names of variables and
// files that are not there, and these are then not errors.
config_result parse_config(std::string_view yaml, std::string file_name, const environment& machine,
                           const std::vector<listen_address>& listen_instead = {},
                           std::set<std::string>* missing = nullptr);

}  // namespace photofinish::gateway
