// Finds the known facts of a target, and checks if they meet a route's requirements and a request's size. [pure]
#pragma once

#include "proxy/providers/configured_facts.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// The facts of the configuration. Missing limits come from the list in use, or from model_facts.yaml for models at
// their vendor and in their vendor's own API.
target_facts known_facts(const provider& at, std::string_view model);

// Returns the first fact that does not meet `required`: "quantization", "context", "max_output" or "tier". Empty: all
// do.
std::string_view unmet_fact(const required_facts& required, const target_facts& known);

// Explains an unmet fact to people: "its quantization is fp4, and fp8 or bf16 is required".
std::string why_unmet(std::string_view fact, const required_facts& required, const target_facts& known);

// Returns the limit that a request of this size exceeds: "context" or "max_output". Empty: the request fits, as far as
// the limits are known.
// `max_tokens` is the limit of its answer; 0: the request has no limit.
std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens);

}  // namespace photofinish::proxy
