// Converts targets and provider names from and to text. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Splits "provider/model" at the first slash. Returns nothing if a part is missing or contains a space or a control
// character. It does not check that the provider exists.
std::optional<target_name> parse_target(std::string_view text);

// Makes a target from a provider and a model's name with or without a tier.
target_name target_at(const proxy::provider& provider, std::string_view name, std::string_view model);

// Returns all targets of routes and rules, and all models that providers name, without duplicates.
std::vector<target_name> configured_targets(const config& settings);

// Returns the policy of a route's race as a text for the user. A route with only one target has the policy `single`,
// regardless of its setting.
std::string policy_text(const route& each);

bool is_provider_name(std::string_view text);  // true for [a-z0-9][a-z0-9-]*
bool is_printable(std::string_view text);      // true if the text has neither spaces nor control characters

// True if a part between slashes of a model's name is "." or "..". Some providers have the model's name in the path of
// their URL, where such a part would lead to another path.
bool has_dot_segment(std::string_view model);

}  // namespace photofinish::gateway
