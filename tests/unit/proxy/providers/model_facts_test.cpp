#include "proxy/providers/model_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

struct expected_form {
  const char* model;
  thinking_form thinking;
  bool has_sampling;
  std::uint64_t max_output;
};

TEST(ModelFacts, AModelHasThoseOfItsFamilyHoweverItIsSpelled) {
  using enum thinking_form;
  for (const auto& [model, thinking, has_sampling, max_output] : {
           expected_form{"claude-opus-4-7", adaptive, false, 128000},
           {"claude-sonnet-5", adaptive, false, 128000},
           {"claude-something-9", adaptive, false, 128000},
           {"claude-sonnet-4-6", adaptive, true, 128000},
           {"claude-sonnet-4.5", budget, true, 64000},
           {"us.anthropic.claude-haiku-4-5-20251001-v1:0", budget, true, 64000},
           {"claude-opus-4-20250514", budget, true, 32000},
           {"claude-sonnet-4@20250514", budget, true, 64000},
           {"claude-3-5-sonnet-latest", none, true, 8192},
           {"claude-3-haiku-20240307", none, true, 4096},
           {"kimi-k3", budget, true, 0},
       }) {
    const model_facts& facts = facts_of(model);
    EXPECT_EQ(facts.thinking, thinking) << model;
    EXPECT_EQ(facts.drop_params.empty(), has_sampling) << model;
    EXPECT_EQ(facts.max_output, max_output) << model;
  }
}

TEST(ModelFacts, WhoeverThinksByEffortSaysWhichWordsItTakes) {
  ASSERT_FALSE(all_model_facts().empty());
  for (const model_facts& facts : all_model_facts()) {
    EXPECT_EQ(facts.thinking == thinking_form::adaptive, !facts.efforts.empty()) << facts.match.front();
    EXPECT_EQ(facts.as_of.size(), 10u) << facts.match.front();
  }
}

}  // namespace
}  // namespace photofinish::proxy
