// What is changed in a body of gemini_form.hpp for the model that gets it. [pure]
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Behind the base URL: "/models/gemini-3-pro:generateContent".
std::string gemini_path(std::string_view model, std::string_view verb);

// Writes how the model is to think in its own words, takes away what stands for signatures where it demands none, and
// what the provider's drop_params name, by Gemini's names. What said something and is left out is added to `dropped`.
void edit_gemini_body(const client_body& body, std::string_view model, const behaviour& behaves, json_edits& edits,
                      std::vector<std::string>& dropped);

}  // namespace photofinish::proxy
