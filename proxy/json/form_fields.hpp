// The fields of a form (multipart/form-data) as members of a body, with their places in its text. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// All members are spans of the form's text. For each field `raw_key` is its name, `value` its content as received, and
// `whole` its part, from its delimiter up to the next one.
struct form_fields {
  std::string boundary;
  std::vector<json_member> all;
};

}  // namespace photofinish::proxy
