// Reads two numbers from a provider's error message about a prompt that is too long: the tokens that were sent, and the
// tokens that the model accepts. [pure]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

struct token_excess {
  std::uint64_t used = 0;  // number of tokens in the prompt alone, or in the prompt and its answer
  std::uint64_t most = 0;  // number of tokens that the model accepts
};

// Returns nullopt if the message is unknown, or if the number of tokens in the prompt is not larger than the limit.
std::optional<token_excess> find_token_excess(std::string_view message);

}  // namespace photofinish::proxy
