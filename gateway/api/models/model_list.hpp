// The models that a caller may name: routes and targets, from the configuration alone. [pure]
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
  std::uint64_t context = 0;  // tokens of a prompt and its answer that every target takes; 0: not known of one of them
};

// Routes first, then their aliases that are whole names, then targets, each once.
std::vector<listed_model> models_of(const config& settings, const caller& who);

// One of them, or a name that a pattern of aliases leads to a route; otherwise 404.
std::variant<listed_model, api_error> find_model(const config& settings, const caller& who, std::string_view id);

}  // namespace photofinish::gateway
