// How many tokens a request may come to, before it is answered. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/limits/limit_hold.hpp"
#include "metrics/outcomes.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::gateway {

// Of a prompt, by its bytes; a picture or document in base64 counts as a thousand.
std::uint64_t tokens_of_prompt(std::string_view prompt);

// From the prompt's bytes, images and documents apart, and what the request says of its answer's length. An estimate:
// it is settled when the answer has come.
wanted_tokens tokens_to_reserve(const parsed_request& asked, metrics::endpoint called);

// Of a response that goes on behind its request, how many tokens it may come to: what it says itself, else a guess; 0
// of any other request.
std::uint64_t background_output(const parsed_request& asked, metrics::endpoint called);

}  // namespace photofinish::gateway
