#include "proxy/dialects/repairs/chat_usage.hpp"

#include "proxy/dialects/largest_count.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::proxy {
namespace {

struct usage_case {
  const char* name;
  const char* json;
  std::uint64_t input;
  std::uint64_t read;
  std::uint64_t written;
  std::uint64_t for_hour = 0;
  std::uint64_t output = 20;
};

std::optional<token_usage> usage_read_from(const std::string& json) {
  simdjson::dom::parser parser;
  bool has_text_counts = false;
  return read_chat_usage(parser.parse(json).value(), has_text_counts);
}

class ChatUsage : public testing::TestWithParam<usage_case> {};

TEST_P(ChatUsage, ReadsWhatCameFromTheCacheAndWentIntoIt) {
  const usage_case& expected = GetParam();
  const auto usage = usage_read_from(expected.json);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->input_tokens, expected.input);
  EXPECT_EQ(usage->cached_input_tokens, expected.read);
  EXPECT_EQ(usage->written_input_tokens, expected.written);
  EXPECT_EQ(usage->written_for_hour_tokens, expected.for_hour);
  EXPECT_EQ(usage->output_tokens, expected.output);
}

// The provider's prompt token count already includes the tokens that the cache read or wrote, so the gateway does not change it.
INSTANTIATE_TEST_SUITE_P(
    Included, ChatUsage,
    testing::Values(
        usage_case{"OpenAI", R"({"prompt_tokens":2000,"completion_tokens":20,"total_tokens":2020,
          "prompt_tokens_details":{"cached_tokens":1500,"cache_write_tokens":300}})", 2000, 1500, 300},
        usage_case{"Moonshot", R"({"prompt_tokens":2000,"completion_tokens":20,"cached_tokens":1500})", 2000, 1500, 0},
        usage_case{"Qwen", R"({"prompt_tokens":2000,"completion_tokens":20,"prompt_tokens_details":{
          "cached_tokens":500,"cache_creation_input_tokens":1000}})", 2000, 500, 1000},
        usage_case{"QwenSplit", R"({"prompt_tokens":2000,"completion_tokens":20,"prompt_tokens_details":{
          "cached_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":1000}}})", 2000, 0, 1000},
        usage_case{"LiteLLM", R"({"prompt_tokens":2000,"completion_tokens":20,"total_tokens":2020,
          "prompt_tokens_details":{"cached_tokens":500,"cache_creation_tokens":1000,"cache_creation_token_details":
          {"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":800}},
          "cache_read_input_tokens":500,"cache_creation_input_tokens":1000})", 2000, 500, 1000, 800},
        usage_case{"LiteLLMTopLevel", R"({"prompt_tokens":2000,"completion_tokens":20,"total_tokens":2020,
          "cache_read_input_tokens":500,"cache_creation_input_tokens":1000})", 2000, 500, 1000},
        usage_case{"TopLevelWithoutTotal", R"({"prompt_tokens":2000,"completion_tokens":20,
          "cache_read_input_tokens":500,"cache_creation_input_tokens":1000})", 2000, 500, 1000},
        usage_case{"DeepSeek", R"({"prompt_tokens":2000,"completion_tokens":20,
          "prompt_cache_hit_tokens":1500,"prompt_cache_miss_tokens":500})", 2000, 1500, 0},
        usage_case{"DeepSeekWithEmptyDetails", R"({"prompt_tokens":2000,"completion_tokens":20,
          "prompt_cache_hit_tokens":1500,"prompt_tokens_details":{}})", 2000, 1500, 0},
        usage_case{"DeepSeekWithZeroDetails", R"({"prompt_tokens":2000,"completion_tokens":20,
          "prompt_cache_hit_tokens":1500,"prompt_tokens_details":{"cached_tokens":0}})", 2000, 1500, 0},
        usage_case{"NullDetails", R"({"prompt_tokens":2000,"completion_tokens":20,
          "cached_tokens":1500,"prompt_tokens_details":null})", 2000, 1500, 0},
        usage_case{"ResponsesNames", R"({"input_tokens":2000,"output_tokens":20,"total_tokens":2020,
          "input_tokens_details":{"cached_tokens":500}})", 2000, 500, 0},
        usage_case{"Strings", R"({"prompt_tokens":"170","completion_tokens":"20","total_tokens":"190",
          "prompt_tokens_details":{"cached_tokens":"100"}})", 170, 100, 0}),
    [](const auto& each) { return each.param.name; });

// The provider's prompt token count excludes the tokens that the cache read or wrote, so the gateway adds them.
INSTANTIATE_TEST_SUITE_P(
    Apart, ChatUsage,
    testing::Values(
        usage_case{"TotalShowsIt", R"({"prompt_tokens":2000,"completion_tokens":20,"total_tokens":3520,
          "cache_read_input_tokens":500,"cache_creation_input_tokens":1000})", 3500, 500, 1000},
        usage_case{"LargerThanThePrompt", R"({"prompt_tokens":10,"completion_tokens":20,
          "cache_read_input_tokens":500,"cache_creation_input_tokens":1000})", 1510, 500, 1000},
        usage_case{"LargerThanThePromptOfTheTotal", R"({"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,
          "cache_read_input_tokens":500})", 510, 500, 0},
        usage_case{"AnthropicNames", R"({"input_tokens":700,"output_tokens":20,"cache_read_input_tokens":100,
          "cache_creation_input_tokens":200,"cache_creation":{"ephemeral_1h_input_tokens":50}})", 1000, 100, 200, 50}),
    [](const auto& each) { return each.param.name; });

// If the count of cached tokens exceeds the count of prompt tokens, the gateway lowers it to the count of prompt tokens.
INSTANTIATE_TEST_SUITE_P(
    Limited, ChatUsage,
    testing::Values(
        usage_case{"Read", R"({"prompt_tokens":170,"completion_tokens":20,"total_tokens":190,
          "prompt_tokens_details":{"cached_tokens":400}})", 170, 170, 0},
        usage_case{"ReadAndWritten", R"({"prompt_tokens":170,"completion_tokens":20,
          "prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":400}})", 170, 100, 70},
        usage_case{"TopLevel", R"({"prompt_tokens":170,"completion_tokens":20,"cached_tokens":400})", 170, 170, 0}),
    [](const auto& each) { return each.param.name; });

TEST(ChatUsageCounts, RejectsTextThatIsNoCount) {
  for (const char* const text : {R"("")", R"("-1")", R"("1.5")", R"("17 ")", R"("many")", "true", "{}"})
    EXPECT_FALSE(usage_read_from(std::string(R"({"prompt_tokens":)") + text + "}")) << text;
  EXPECT_EQ(usage_read_from(R"({"prompt_tokens":"99999999999999999999999"})")->input_tokens, largest_count);
}

TEST(UsageCounts, KeepCachedTokensWithinTheInput) {
  token_usage known{.input_tokens = 100, .written_input_tokens = 90, .written_for_hour_tokens = 90};
  raise_counts(known, {.input_tokens = 80, .cached_input_tokens = 200});
  EXPECT_EQ(known.input_tokens, 100u);
  EXPECT_EQ(known.cached_input_tokens, 100u);
  EXPECT_EQ(known.written_input_tokens, 0u);
  EXPECT_EQ(known.written_for_hour_tokens, 0u);
}

}  // namespace
}  // namespace photofinish::proxy
