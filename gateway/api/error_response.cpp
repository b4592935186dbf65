#include "gateway/api/error_response.hpp"

namespace photofinish::gateway {

std::string error_response(const api_error& error, const header_fields& fields, const response_style& style) {
  header_fields all = fields;
  if (error.retry_after) {
    const auto milliseconds = error.retry_after->count();
    all.add("retry-after", std::to_string((milliseconds + 999) / 1000));
    all.add("retry-after-ms", std::to_string(milliseconds));
  }
  if (!error.allow.empty()) all.add("allow", error.allow);
  if (error.advice == retry_advice::no) all.add("x-should-retry", "false");
  return whole_response(error.status, "application/json", to_json(error), all, style);
}

}  // namespace photofinish::gateway
