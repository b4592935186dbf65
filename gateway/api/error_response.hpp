// An error as a whole HTTP response. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/http/response.hpp"

#include <string>

namespace photofinish::gateway {

// The error as JSON, with the headers that SDKs obey: retry-after, retry-after-ms, x-should-retry.
std::string error_response(const api_error& error, const header_fields& fields, const response_style& style);

}  // namespace photofinish::gateway
