// Which facts of a target are known, and whether they are what is required of it and hold a request. [pure]
#pragma once

#include "proxy/providers/configured_facts.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// What the configuration says, and for the rest the limits of the list in use, or those that model_facts.yaml has of
// models at their vendor and in their own API.
target_facts known_facts(const provider& at, std::string_view model);

// The first fact that does not meet it: "quantization", "context", "max_output" or "tier"; empty: all do.
std::string_view unmet_fact(const required_facts& required, const target_facts& known);

// Why that is so, for people: "its quantization is fp4, and fp8 or bf16 is required".
std::string why_unmet(std::string_view fact, const required_facts& required, const target_facts& known);

// Which fact a request of that size is too long for: "context" or "max_output"; empty: it fits, as far as is known.
// `max_tokens`: of its answer; 0: it does not say.
std::string_view exceeded_fact(const target_facts& known, std::uint64_t input_tokens, std::uint64_t max_tokens);

}  // namespace photofinish::proxy
