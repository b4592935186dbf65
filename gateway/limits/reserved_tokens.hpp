// Estimates how many tokens a request will use, before its answer is known. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/limits/limit_hold.hpp"
#include "metrics/outcomes.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::gateway {

// Estimates a prompt's tokens by its size in bytes. Each picture or document in base64 counts as one thousand tokens.
std::uint64_t tokens_of_prompt(std::string_view prompt);

// Estimates the tokens that a request needs. The estimate is based on the prompt's bytes, without pictures and
// documents, and on the request's limits for its answer. After the answer, the real usage replaces the estimate.
wanted_tokens tokens_to_reserve(const parsed_request& asked, metrics::endpoint called);

// Returns the maximum number of tokens of a background response: the request's own limit, or an estimate if the request
// has no limit. Returns 0 for any other request.
std::uint64_t background_output(const parsed_request& asked, metrics::endpoint called);

}  // namespace photofinish::gateway
