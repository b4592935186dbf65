// The providers that photofinish knows by name, and the models that several of them serve. [pure but for yaml-cpp] They
// are read once from presets.yaml, which is compiled into the program. The file explains each field and how certain its
// values are.
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/providers/url.hpp"

#include <map>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct preset {
  // The settings of the provider, with the dialect that suits it best. The provider has the same name as the preset. If
  // `needs` is not empty, `url` is not set.
  provider defaults;
  std::string base_url;  // the base URL, which may contain {placeholders}
  std::map<std::string, std::string>
      // The key is the name of a placeholder. The value lists the environment variables that may contain the
      // placeholder's value.
      needs;
  // the name of an environment variable that may contain the provider's URL, without endpoint_path at its end; may be
  // empty
  std::string endpoint_variable;
  std::string endpoint_path;
  // The outer key is the name of a placeholder in the URL. Some values of the placeholder would give a wrong host. The
  // inner map contains the right host for each of these values.
  std::map<std::string, std::map<std::string, std::string>> hosts;
  std::vector<std::string>
      key_variables;   // the names of environment variables for the key; the first variable that is set counts
  std::string as_of;   // the date of the newest source of these values, as YYYY-MM-DD
  std::string source;  // the source of the values; if empty, the source is the vendor's documentation or client library
  std::string notes;   // facts about the provider that do not fit into any other member; may be empty
  // The preset for the provider's OpenAI-compatible API, if the provider also has an API of its own. Otherwise empty.
  std::vector<preset> compatible = {};
};

// One model, with its targets at several providers, which use different names for it. A race starts the targets in the
// order of the list.
struct race_group {
  std::string name;
  std::vector<std::string> targets;  // "preset/model"
};

const std::map<std::string, preset>& presets();
const std::vector<race_group>& race_groups();

// Parses the provider's URL from the value of the preset's endpoint_variable. Appends endpoint_path unless the path
// already ends in it.
base_url_result endpoint_url(const preset& known, const std::string& variable_value);

// True if the URL is the preset's URL with any values of its placeholders. The preset's known prices then apply.
bool is_own_url(const preset& known, const base_url& url);

// Returns the name under which the catalogue contains a provider's prices and facts. The provider's URL must be the
// preset's. Usually the name is the preset's name. If the URL contains a location other than `global`, as in
// .../locations/us-east5/..., and the catalogue contains the name PRESET/regional, this name is returned.
std::string list_of(const provider& at);

// Returns the preset's URL with values for its placeholders. Rejects a value that is not a single segment of a host or
// path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
