// The providers that are known by name, and the models that several of them serve. [pure but for yaml-cpp] They are
// read once from presets.yaml, which is compiled in. The file explains each field and how certain its values are.
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/providers/url.hpp"

#include <map>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct preset {
  // The provider in the dialect that suits it best. Its name and its preset are the preset's name. Its `url` is unset
  // while `needs` is not empty.
  provider defaults;
  std::string base_url;  // may contain {placeholders}
  std::map<std::string, std::string>
      needs;                      // maps a placeholder to the environment variable that may hold its value
  std::string endpoint_variable;  // the variable may hold a URL without endpoint_path; empty if there is none
  std::string endpoint_path;
  // Maps a placeholder and its value to a host, for values from which the URL would make a wrong host.
  std::map<std::string, std::map<std::string, std::string>> hosts;
  std::vector<std::string>
      key_variables;   // the first variable that is set counts; empty if no variable holds the key
  std::string as_of;   // the date of the newest source, as YYYY-MM-DD
  std::string source;  // the source of the values; if empty, the vendor's documentation or client library
  std::string notes;   // facts that no member can express; may be empty
  // The whole preset for the provider's OpenAI API, if the provider's own API is not OpenAI's. Otherwise empty.
  std::vector<preset> compatible = {};
};

// One model under the name that each provider uses for it. The targets start in this order.
struct race_group {
  std::string name;
  std::vector<std::string> targets;  // "preset/model"
};

const std::map<std::string, preset>& presets();
const std::vector<race_group>& race_groups();

// Reads the provider's URL from the value of the preset's endpoint_variable. Adds endpoint_path unless the
// path already ends in it.
base_url_result endpoint_url(const preset& known, const std::string& variable_value);

// True if the URL is the preset's own, whatever its placeholders are. The preset's known prices then apply.
bool is_own_url(const preset& known, const base_url& url);

// Returns the provider's name in the list, which has its prices and facts, if its URL is the preset's. The name is the
// preset, or PRESET/regional for a place other than `global`, as in .../locations/us-east5/..., if the list has it.
std::string list_of(const provider& at);

// Returns the preset's URL with its placeholders replaced. Rejects a value that is not a single
// segment of a host or path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
