// Turns a configuration file's text into a config and a list of its problems. [pure]
// It reads no clock and opens no socket; variables and files come through `environment`.
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
  config settings;                       // use this only if is_usable() is true
  std::vector<config_problem> problems;  // all problems, in the file's order
  std::string hash = {};                 // settings_hash() of the files' settings; empty if there is no file

  bool is_usable() const { return !has_errors(problems); }
};

// `listen_instead`, if not empty, replaces the file's `listen` (--listen, PHOTOFINISH_LISTEN) before the rules about
// exposed listeners are applied. `missing`, if not null, receives the names of missing variables and files, which are
// then not errors.
config_result parse_config(std::string_view yaml, std::string file_name, const environment& machine,
                           const std::vector<listen_address>& listen_instead = {},
                           std::set<std::string>* missing = nullptr);

}  // namespace photofinish::gateway
