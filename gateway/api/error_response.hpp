// Writes an error as a complete HTTP response. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/http/response.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes the error in the format of the called API, with the headers for retries that SDKs obey: retry-after,
// retry-after-ms, x-should-retry.
std::string error_response(const api_error& error, std::string_view json, const header_fields& fields,
                           const response_style& style);
// Writes the error in OpenAI's format, for requests whose path belongs to no API.
std::string error_response(const api_error& error, const header_fields& fields, const response_style& style);

}  // namespace photofinish::gateway
