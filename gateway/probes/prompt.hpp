// Makes prompts of a given length. Each prompt is different, so that providers cannot answer from a prompt cache.
// [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace photofinish::gateway {

// The number of tokens in the shortest prompt. A shorter prompt has too few words to be unique.
inline constexpr std::size_t min_prompt_tokens = 16;

// Makes a prompt of about `tokens` tokens. It consists of short common English words that are one token each in the
// usual tokenizers. The words depend only on `seed` and `number`. The prompt asks for a long answer. Reports contain
// the number of tokens that the provider reports, not this estimate.
std::string make_prompt(std::size_t tokens, std::uint64_t seed, std::uint64_t number);

}  // namespace photofinish::gateway
