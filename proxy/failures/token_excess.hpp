// Reads the two numbers in a provider's sentence about a prompt that does not fit: tokens sent, and
// tokens accepted. [pure]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

struct token_excess {
  std::uint64_t used = 0;  // tokens of the prompt, or of the prompt and its answer
  std::uint64_t most = 0;  // tokens that the model accepts
};

// Returns nullopt if the sentence is unknown, or if the number of used tokens is not larger than the limit.
std::optional<token_excess> find_token_excess(std::string_view message);

}  // namespace photofinish::proxy
