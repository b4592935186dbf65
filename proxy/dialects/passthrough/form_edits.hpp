// Edits a client's form for one provider: sets the model and removes fields that the provider refuses. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <string>

namespace photofinish::proxy {

// Returns the content type of the form, with its boundary as the only parameter.
std::string content_type_of(const client_body& form);

// `prepared.body` must contain the form of the request without edits.
void edit_form(const attempt_request& request, prepared_request& prepared);

}  // namespace photofinish::proxy
