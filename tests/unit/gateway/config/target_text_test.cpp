#include "gateway/config/target_text.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(TargetText, TheFirstSlashSplitsProviderFromModel) {
  EXPECT_EQ(parse_target("groq/openai/gpt-oss-120b"), (target_name{"groq", "openai/gpt-oss-120b"}));
  EXPECT_EQ(parse_target("bedrock/openai.gpt-oss-120b-1:0")->text(), "bedrock/openai.gpt-oss-120b-1:0");
}

TEST(TargetText, WithoutBothPartsItIsNoTarget) {
  for (const std::string_view text : {"", "groq", "groq/", "/model", "/", "groq/a b", "groq/a\n"})
    EXPECT_FALSE(parse_target(text)) << text;
}

TEST(TargetText, APartOfAPathThatLeadsElsewhereIsFound) {
  for (const std::string_view model : {".", "..", "a/..", "../a", "a/./b"}) EXPECT_TRUE(has_dot_segment(model)) << model;
  for (const std::string_view model : {"a", "...", "a..b/c.", ".a/b", "", "a/"}) EXPECT_FALSE(has_dot_segment(model)) << model;
}

TEST(TargetText, ProviderNamesAreLowerCaseWords) {
  for (const std::string_view name : {"groq", "llama-cpp", "0x", "a-"})
    EXPECT_TRUE(is_provider_name(name)) << name;
  for (const std::string_view name : {"", "-a", "Groq", "a_b", "llama.cpp", "a b", "é"})
    EXPECT_FALSE(is_provider_name(name)) << name;
}

}  // namespace
}  // namespace photofinish::gateway
