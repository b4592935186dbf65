// Lists the models that a caller may name: routes and targets. The list uses only the configuration. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct listed_model {
  std::string id;
  std::string owner;
  // The number of prompt and answer tokens that every target accepts; 0 if a target's limit is unknown.
  std::uint64_t context = 0;
};

// Returns the routes, then the routes' aliases except patterns, and then the targets. No name occurs twice.
std::vector<listed_model> models_of(const config& settings, const caller& who);

// Returns the listed model with this id, or the route whose
// alias pattern matches this id. Otherwise returns a 404 error.
std::variant<listed_model, api_error> find_model(const config& settings, const caller& who, std::string_view id);

}  // namespace photofinish::gateway
