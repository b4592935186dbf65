// Finds the known facts of a target, and checks if they meet a route's requirements and fit a request's size. [pure]
#pragma once

#include "proxy/providers/configured_facts.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the facts of the configuration. Missing limits come from the list in use, or from model_facts.yaml for a
// model at its vendor and in its vendor's own API.
target_facts known_facts(const provider& at, std::string_view model);

// Returns the first fact that does not meet `required`: "quantization", "context", "max_output" or "tier". Returns an
// empty text if all facts meet it.
std::string_view unmet_fact(const required_facts& required, const target_facts& known);

// Explains a fact that does not meet the requirement: "its quantization is fp4, and fp8 or bf16 is required".
std::string why_unmet(std::string_view fact, const required_facts& required, const target_facts& known);

// Returns the limit that a request of this size exceeds: "context" or "max_output". Returns an empty text if the
// request fits, as far as the limits are known. `max_tokens` limits the request's answer; 0 means no limit.
std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens);

}  // namespace photofinish::proxy
