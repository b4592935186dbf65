// The providers known by name, and the models that several of them serve. [pure but for yaml-cpp]
// Read once from presets.yaml, which is compiled in; the file explains each field and how sure it is.
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/providers/url.hpp"

#include <map>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct preset {
  // For the dialect that suits the provider best. Name and preset are the preset's name; `url` is unset while the
  // preset has needs.
  provider defaults;
  std::string base_url;  // may contain {placeholders}
  std::map<std::string, std::string>
      needs;  // placeholder -> the environment variable that may hold its value
  std::string endpoint_variable;  // may contain a URL, to which endpoint_path is added; empty: no such variable
  std::string endpoint_path;
  // placeholder -> value -> host, for values from which the URL would make a wrong host
  std::map<std::string, std::map<std::string, std::string>> hosts;
  std::vector<std::string>
      key_variables;  // the first variable that is set counts; empty: no variable holds its key
  std::string as_of;   // YYYY-MM-DD: the date of the newest source
  std::string source;  // the source of the values; empty: documentation or a client library of the vendor
  std::string notes;  // facts that no member can express; may be empty
  // If the provider's own API is not OpenAI's: the whole preset for its OpenAI API. Otherwise empty.
  std::vector<preset> compatible = {};
};

// One model under each provider's name for it. The order of the targets is the order in which they start.
struct race_group {
  std::string name;
  std::vector<std::string> targets;  // "preset/model"
};

const std::map<std::string, preset>& presets();
const std::vector<race_group>& race_groups();

// Reads the URL from the preset's endpoint_variable. A path that already ends in endpoint_path does not change.
base_url_result endpoint_url(const preset& known, const std::string& variable_value);

// Returns true if the URL is the preset's own, whatever its placeholders are: the preset's known prices then apply.
bool is_own_url(const preset& known, const base_url& url);

// Returns the name in the provider's list of models that has its prices and facts, if its URL is the preset's. This is
// the preset, or PRESET/regional for a place other than `global`, as in .../locations/us-east5/..., if the list has it.
std::string list_of(const provider& at);

// Returns the preset's URL with its placeholders replaced. Rejects a value that is not a single segment of a host or
// path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
