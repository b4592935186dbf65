// Prompts of a given length, each unlike any other, so that no cache of prompts answers for the model. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace photofinish::gateway {

// Below this there is no room for words that differ.
inline constexpr std::size_t min_prompt_tokens = 16;

// About `tokens` tokens of plain English: short common words, each one token to the usual tokenizers, drawn from
// `seed` and `number` alone. It asks for a long answer. What the endpoint counted is what is reported.
std::string make_prompt(std::size_t tokens, std::uint64_t seed, std::uint64_t number);

}  // namespace photofinish::gateway
