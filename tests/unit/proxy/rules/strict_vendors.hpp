// The requests that today's vendors refuse with 400 for one model, according to their documentation and to live probes by others. The rules
// are written from those sources and not from models.yaml: each rule exists a second time here.
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
  std::map<std::string, std::string> headers;  // names in lower case
  nlohmann::json body;
};

// The vendor's error text; empty if it answers.
std::string refusal_of(const vendor_request& request);

}  // namespace photofinish::proxy::rules
