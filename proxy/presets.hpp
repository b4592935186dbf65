// The providers known by name, and the models that several of them serve. [pure but for yaml-cpp]
// Read once from presets.yaml, which is compiled in; the file explains each field and how sure it is.
#pragma once

#include "proxy/provider.hpp"
#include "proxy/url.hpp"

#include <map>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct preset {
  provider defaults;     // name and preset are its own name; `url` is unset while the preset has needs
  std::string base_url;  // as text; may hold {placeholders}
  std::map<std::string, std::string>
      needs;  // placeholder -> the environment variable that may hold its value
  std::vector<std::string>
      key_variables;  // the first one that is set counts; empty: no variable holds its key
  std::string as_of;  // YYYY-MM-DD of the newest source
  std::string notes;  // what no flag can say; may be empty
};

// One model under each provider's name for it: targets in the order in which to start.
struct race_group {
  std::string name;
  std::vector<std::string> targets;  // "preset/model"
};

const std::map<std::string, preset>& presets();
const std::vector<race_group>& race_groups();

// The preset's URL with its placeholders replaced. Refuses values that are no single word of a host or path.
base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params);

}  // namespace photofinish::proxy
