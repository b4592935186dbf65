// Tests which usage report in a stream counts as the largest.
#include "proxy/dialects/openai/largest_usage.hpp"

#include "proxy/json/json_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

chunk_facts facts_of_usage(std::uint64_t input, std::uint64_t output) {
  chunk_facts facts;
  facts.has_choices = facts.has_usage = true;
  facts.usage = token_usage{.input_tokens = input, .output_tokens = output};
  return facts;
}

std::string usage_chunk_of(std::string_view usage) { return R"({"choices":[],"usage":)" + std::string(usage) + "}"; }

TEST(LargestUsage, AUsageIsKeptAsItsProviderWroteIt) {
  const std::string usage = R"({"prompt_tokens":3,"completion_tokens":2,"cost":0.10})";
  largest_usage kept;
  EXPECT_TRUE(kept.keep(facts_of_usage(3, 2), usage_chunk_of(usage)));
  EXPECT_EQ(kept.json(), usage);
  EXPECT_EQ(kept.chunk(), usage_chunk_of(usage));
}

TEST(LargestUsage, AChunkThatSaysMoreThanItsUsageIsNotKept) {
  chunk_facts facts = facts_of_usage(3, 2);
  facts.choices.emplace_back();
  largest_usage kept;
  EXPECT_TRUE(kept.keep(facts, usage_chunk_of(R"({"prompt_tokens":3,"completion_tokens":2})")));
  EXPECT_TRUE(kept.chunk().empty());
}

TEST(LargestUsage, ALaterReportLowersNoCount) {
  largest_usage kept;
  (void)kept.keep(facts_of_usage(9, 1), usage_chunk_of(R"({"prompt_tokens":9,"completion_tokens":1})"));
  EXPECT_FALSE(kept.keep(facts_of_usage(0, 1), usage_chunk_of(R"({"prompt_tokens":0,"completion_tokens":1})")));
  EXPECT_EQ(kept.json(), R"({"prompt_tokens":9,"completion_tokens":1})");
  EXPECT_FALSE(kept.keep(facts_of_usage(0, 20), usage_chunk_of(R"({"prompt_tokens":0,"completion_tokens":20})")));
  EXPECT_EQ(json_find(kept.json(), "prompt_tokens"), "9");
  EXPECT_EQ(json_find(kept.json(), "completion_tokens"), "20");
  EXPECT_EQ(json_find(kept.json(), "total_tokens"), "29");
}

TEST(LargestUsage, CountsGetTheNamesThatChatClientsRead) {
  largest_usage kept;
  EXPECT_FALSE(kept.keep(facts_of_usage(3, 2), usage_chunk_of(R"({"input_tokens":3,"output_tokens":2})")));
  EXPECT_EQ(json_find(kept.json(), "prompt_tokens"), "3");
  EXPECT_EQ(json_find(kept.json(), "completion_tokens"), "2");
  EXPECT_EQ(json_find(kept.json(), "input_tokens"), "3") << "its own names stay";
}

TEST(LargestUsage, AChunkWithoutCountsReportsNothing) {
  largest_usage kept;
  EXPECT_FALSE(kept.keep(facts_of_usage(0, 0), R"({"choices":[],"usage":{}})"));
  EXPECT_TRUE(kept.empty());
}

}  // namespace
}  // namespace photofinish::proxy
