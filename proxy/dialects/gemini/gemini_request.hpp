// What is changed in a body of gemini_form.hpp for the model that gets it. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Behind the base URL: "/models/gemini-3-pro:generateContent".
std::string gemini_path(std::string_view model, std::string_view verb);

// The edits of prepared.body, which is the request's own: how the model is to think in its own words, without what
// stands for signatures where it demands none, without signatures at all where the provider has refused them, and
// without what its drop_params name, by Gemini's names. What they leave out is noted in prepared.
void edit_gemini_body(const attempt_request& request, prepared_request& prepared);

// Whether the conversation ends with words or calls of the model.
bool ends_with_model(const client_body& body);

}  // namespace photofinish::proxy
