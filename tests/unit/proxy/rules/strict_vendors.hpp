// What today's vendors refuse with 400 for one model, as their documentation and live probes of others have it. Written from
// those sources and not from models.yaml: each rule stands here a second time.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace photofinish::proxy::rules {

// A request as it reaches its vendor.
struct vendor_request {
  std::string host;
  std::string path;
  std::string model;
  std::map<std::string, std::string> headers;  // names in lower case
  nlohmann::json body;
};

// The vendor's words; empty: it answers.
std::string refusal_of(const vendor_request& request);

}  // namespace photofinish::proxy::rules
