// What is changed in a client's form for one provider: the model, and what it does not take. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <string>

namespace photofinish::proxy {

// The body's own content type: the boundary and nothing else.
std::string content_type_of(const client_body& form);

// `prepared.body` is of the request's form, not edited yet.
void edit_form(const attempt_request& request, prepared_request& prepared);

}  // namespace photofinish::proxy
