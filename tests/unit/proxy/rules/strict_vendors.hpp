// Simulates vendors that refuse invalid requests with status 400, as the real vendors do today. The sources are the vendors' documentation,
// and other people's tests of the real APIs. The rules here are written from these sources, independently of models.yaml, so that each rule
// exists twice.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace photofinish::proxy::rules {

// A request as the vendor receives it.
struct vendor_request {
  std::string host;
  std::string path;
  std::string model;
  std::map<std::string, std::string> headers;  // headers with their names in lower case
  nlohmann::json body;
};

// Returns the vendor's error text, or an empty string if the vendor accepts the request.
std::string refusal_of(const vendor_request& request);

}  // namespace photofinish::proxy::rules
