// Lists the models that a caller may name: routes and targets, from the configuration only. [pure]
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
  std::uint64_t context = 0;  // tokens of prompt and answer that every target accepts; 0 if a target's limit is unknown
};

// Returns routes first, then their aliases that are not patterns, then targets, without duplicates.
std::vector<listed_model> models_of(const config& settings, const caller& who);

// Returns one listed model, or the route whose alias pattern matches the id. Otherwise returns a 404 error.
std::variant<listed_model, api_error> find_model(const config& settings, const caller& who, std::string_view id);

}  // namespace photofinish::gateway
