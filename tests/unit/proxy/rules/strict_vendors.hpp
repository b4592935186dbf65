// Simulates which requests today's vendors refuse with 400 for one model, according to their documentation and live probes by others. These
// rules are written from those sources, independently of models.yaml, so that each rule exists twice.
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

// Returns the vendor's error text, or an empty text if the vendor accepts the request.
std::string refusal_of(const vendor_request& request);

}  // namespace photofinish::proxy::rules
