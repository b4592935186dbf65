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
  // With the dialect that it is best spoken to in. Name and preset are its own name; `url` is unset while the preset
  // has needs.
  provider defaults;
  std::string base_url;  // as text; may hold {placeholders}
  std::map<std::string, std::string>
      needs;  // placeholder -> the environment variable that may hold its value
  std::string endpoint_variable;  // may hold a URL to which endpoint_path is added; empty: there is none
  std::string endpoint_path;
  // placeholder -> value -> the host where it is not the one that the URL makes of the value
  std::map<std::string, std::map<std::string, std::string>> hosts;
  std::vector<std::string>
      key_variables;  // the first one that is set counts; empty: no variable holds its key
  std::string as_of;   // YYYY-MM-DD of the newest source
  std::string source;  // where the values were found; empty: documentation or a client library of the vendor
  std::string notes;  // what no flag can say; may be empty
  // The same provider in OpenAI's words, where it has an API of its own: its whole preset. Else empty.
  std::vector<preset> compatible = {};
};

// One model under each provider's name for it: targets in the order in which to start.
struct race_group {
  std::string name;
  std::vector<std::string> targets;  // "preset/model"
};

const std::map<std::string, preset>& presets();
const std::vector<race_group>& race_groups();

// The URL that the preset's endpoint_variable holds. A path that ends in endpoint_path already stays as it is.
base_url_result endpoint_url(const preset& known, const std::string& variable_value);

// Whether the URL is the preset's own, whatever its placeholders are: there its known prices hold.
bool is_own_url(const preset& known, const base_url& url);

// The name in the provider's list of models that has its prices and facts, if its URL is the preset's: the preset, or
// PRESET/regional for a place other than `global`, as in .../locations/us-east5/..., if the list has that name.
std::string list_of(const provider& at);

// The preset's URL with its placeholders replaced. Refuses values that are no single word of a host or path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
