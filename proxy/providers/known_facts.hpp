// Finds the known facts about a target, and checks whether they meet a route's requirements and fit a request's size.
// [pure]
#pragma once

#include "proxy/providers/configured_facts.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the configured facts. If a limit is not configured, it is taken from the current catalogue. If the provider
// serves the model in the API of the model's vendor, the limit may also be taken from model_facts.yaml.
target_facts known_facts(const provider& at, std::string_view model);

// Returns the name of the first fact that does not meet `required`: "quantization", "context", "max_output" or "tier".
// Returns an empty text if all facts meet their requirements.
std::string_view unmet_fact(const required_facts& required, const target_facts& known);

// Explains why a fact does not meet its requirement, for example "its quantization is fp4, and fp8 or bf16 is
// required".
std::string why_unmet(std::string_view fact, const required_facts& required, const target_facts& known);

// Returns the limit that a request of this size exceeds: "context" or "max_output". Returns an empty text if no known
// limit is exceeded. `max_tokens` is the request's limit for the answer; 0 means no limit.
std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens);

}  // namespace photofinish::proxy
