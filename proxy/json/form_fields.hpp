// The fields of a form (multipart/form-data), described in the same way as the members of a JSON body. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// Each json_member describes one field of the form by spans of the form's text. `raw_key` is the field's name, and
// `value` is the field's content as received. `whole` is the text from the field's delimiter to the next delimiter.
struct form_fields {
  std::string boundary;
  std::vector<json_member> all;
};

}  // namespace photofinish::proxy
