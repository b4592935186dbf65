#include "gateway/api/error_response.hpp"

namespace photofinish::gateway {

std::string error_response(const api_error& error, const header_fields& fields, const response_style& style) {
  return error_response(error, to_json(error), fields, style);
}

std::string error_response(const api_error& error, std::string_view json, const header_fields& fields,
                           const response_style& style) {
  header_fields all = fields;
  if (error.retry_after) {
    const auto wait_ms = error.retry_after->count();
    all.add("retry-after", std::to_string((wait_ms + 999) / 1000));
    all.add("retry-after-ms", std::to_string(wait_ms));
  }
  if (!error.allow.empty()) all.add("allow", error.allow);
  if (!error.upgrade.empty()) {
    all.add("upgrade", error.upgrade);
    all.add("connection", "upgrade");
  }
  if (error.advice == retry_advice::no) all.add("x-should-retry", "false");
  return whole_response(error.status, "application/json", json, all, style);
}

}  // namespace photofinish::gateway
