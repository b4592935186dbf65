// If a prompt is too long, a provider rejects it with an error text. Tests which numbers the gateway reads from such texts.
#include "proxy/failures/token_excess.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

TEST(TokenExcess, IsReadFromTheSentencesOfEachVendor) {
  for (const char* sentence :
       {"The input token count (5000) exceeds the maximum number of tokens allowed (4096).",
        "g/gemini: bad_request (HTTP 400): The input token count (5000) exceeds the maximum number of tokens allowed (4096).",
        "This model's maximum prompt length is 4096 but the request contains 5000 tokens.",
        "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
        "This endpoint's maximum context length is 4096 tokens. However, you requested about 5000 tokens",
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens).",
        "Input length 5000 exceeds the maximum allowed input length 4096",
        "Invalid request: Your request exceeded model token limit: 4096 (requested: 5000)",
        "Prompt contains 5000 tokens and 0 draft tokens, too large for model with 4096 maximum context length",
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "prompt token count of 5000 exceeds the limit of 4096",
        "too many tokens: total number of tokens in the prompt cannot exceed 4096 - received 5000.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096."}) {
    const auto excess = find_token_excess(sentence);
    ASSERT_TRUE(excess) << sentence;
    EXPECT_EQ(excess->used, 5000u) << sentence;
    EXPECT_EQ(excess->most, 4096u) << sentence;
  }
}

TEST(TokenExcess, IsNotInvented) {
  for (const std::string sentence :
       {"", "Input is too long for requested model.", "5000 > 4096", "The input token count exceeds the maximum number of tokens allowed (4096).",
        "The input token count (5000", "The input token count (4096) exceeds the maximum number of tokens allowed (5000).",
        "'The input token count (5000) exceeds the maximum number of tokens allowed (4096).'",
        "The input token count (99999999999999999999999) exceeds the maximum number of tokens allowed (4096).",
        "Limit 6000, Requested 8000, please reduce your message size", "Prompt contains 5000 tokens"})
    EXPECT_FALSE(find_token_excess(sentence)) << sentence;
}

}  // namespace
}  // namespace photofinish::proxy
