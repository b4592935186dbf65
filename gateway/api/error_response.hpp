// An error as a whole HTTP response. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/http/response.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// The error as the called API words it, with the headers that SDKs obey: retry-after, retry-after-ms, x-should-retry.
std::string error_response(const api_error& error, std::string_view json, const header_fields& fields,
                           const response_style& style);
// Where no API was called: in OpenAI's words.
std::string error_response(const api_error& error, const header_fields& fields, const response_style& style);

}  // namespace photofinish::gateway
