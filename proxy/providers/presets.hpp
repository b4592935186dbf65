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
  // The settings of the provider, with the dialect that suits it best. The provider and its preset have the same name.
  // If `needs` is not empty, `url` is not set.
  provider defaults;
  std::string base_url;  // the base URL, which may contain {placeholders}
  std::map<std::string, std::string>
      // The names of the environment variables that may contain the values. The key is the name of a placeholder.
      needs;
  // the name of the environment variable that may contain the URL without endpoint_path; may be empty
  std::string endpoint_variable;
  std::string endpoint_path;
  // Maps the values of a placeholder to hosts. Contains only those values for which the URL would otherwise contain a
  // wrong host.
  std::map<std::string, std::map<std::string, std::string>> hosts;
  std::vector<std::string>
      key_variables;   // the names of environment variables for the key; the first variable that is set counts
  std::string as_of;   // the date of the newest source, as YYYY-MM-DD
  std::string source;  // the source of the values; if empty, the source is the vendor's documentation or client library
  std::string notes;   // facts about the provider that do not fit into any other member; may be empty
  // The preset for the OpenAI-compatible API, if the provider has both this API and its own. Otherwise empty.
  std::vector<preset> compatible = {};
};

// One model, under the names that several providers use for it. The targets start in the order of the list.
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
// preset's. Usually the name is the preset's name. For a URL with a location other than `global`, as in
// .../locations/us-east5/..., the name is PRESET/regional if the catalogue contains it.
std::string list_of(const provider& at);

// Returns the preset's URL with values for its placeholders. Rejects a value that is not a single segment of a host or
// path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
