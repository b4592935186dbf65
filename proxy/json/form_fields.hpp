// The fields of a form (multipart/form-data) as members of a body: where they lie in its text. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// All are spans of the form's text. Of each field `raw_key` is its name, `value` its content as it came, and `whole`
// its part: from its delimiter up to the next one.
struct form_fields {
  std::string boundary;
  std::vector<json_member> all;
};

}  // namespace photofinish::proxy
