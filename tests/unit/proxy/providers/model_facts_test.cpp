#include "proxy/providers/model_facts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
    EXPECT_EQ(facts.thinking.form, thinking) << model;
    EXPECT_EQ(facts.drop_params.empty(), has_sampling) << model;
    EXPECT_EQ(facts.max_output, max_output) << model;
  }
}

// Returns a model name that matches this pattern.
std::string name_of(std::string pattern) {
  std::erase_if(pattern, [](char each) { return each == '*' || each == '$' || each == '^'; });
  return pattern;
}

TEST(ModelFacts, WhoeverThinksByEffortSaysWhichWordsItTakes) {
  ASSERT_FALSE(all_model_facts().empty());
  for (const model_facts& row : all_model_facts())
    for (const std::string& match : row.match) {
      const std::string name = name_of(match);
      const model_facts& facts = name.starts_with("gemini") ? gemini_facts_of(name) : facts_of(name);
      const thinking_form form = facts.thinking.form;
      const bool thinks_by_words = form == thinking_form::adaptive || form == thinking_form::level;
      EXPECT_EQ(thinks_by_words || facts.thinking.effort_is_beta, !facts.thinking.efforts.empty()) << name;
      EXPECT_LE(facts.thinking.least_budget, facts.thinking.most_budget) << name;
      EXPECT_EQ(facts.as_of.size(), 10u) << name;
    }
}

struct expected_gemini {
  const char* model;
  thinking_form thinking;
  const char* least_level;  // the lowest thinking level of the model; may be empty
  std::int64_t most_budget;
  bool demands_signatures;
};

TEST(ModelFacts, AGeminiHasThoseOfItsVersionAndKind) {
  using enum thinking_form;
  for (const auto& [model, thinking, least_level, most_budget, demands_signatures] : {
           expected_gemini{"gemini-2.5-pro", budget, "", 32768, false},
           {"models/gemini-2.5-flash-lite-preview", budget, "", 24576, false},
           {"google/gemini-2-5-flash", budget, "", 24576, false},
           {"gemini-2.5-flash-image", refused, "", 0, false},
           {"gemini-2.0-flash", none, "", 0, false},
           {"gemini-1.5-pro", none, "", 0, false},
           {"gemini-3-pro-preview", level, "low", 0, true},
           {"gemini-3-flash", level, "minimal", 0, true},
           {"gemini-3.6-flash-lite", level, "minimal", 0, true},
           {"gemini-3.7-flash", level, "low", 0, true},
           {"gemini-3-pro-image-preview", none, "", 0, true},
           {"gemini-flash-latest", level, "low", 0, true},
           {"gemini-12-ultra", level, "low", 0, true},
           {"gemma-3-27b-it", none, "", 0, false},
           {"claude-opus-5", none, "", 0, false},
       }) {
    const model_facts& facts = gemini_facts_of(model);
    EXPECT_EQ(facts.thinking.form, thinking) << model;
    EXPECT_EQ(facts.thinking.efforts.empty() ? "" : facts.thinking.efforts.front(), least_level) << model;
    EXPECT_EQ(facts.thinking.most_budget, most_budget) << model;
    EXPECT_EQ(facts.demands_signatures, demands_signatures) << model;
    EXPECT_EQ(facts.calls_beside_json, demands_signatures) << model;
  }
}

TEST(ModelFacts, ANameMayEndWhereItsPatternDoes) {
  EXPECT_TRUE(facts_of("claude-opus-5").takes_fast);
  EXPECT_TRUE(facts_of("us.anthropic.claude-opus-5-v1:0").takes_fast);
  EXPECT_TRUE(facts_of("claude-opus-5@20260801").takes_fast);
  EXPECT_TRUE(facts_of("claude-opus-5-20260801").takes_fast);
  EXPECT_FALSE(facts_of("claude-opus-5-1").takes_fast) << "another version";
}

// Some facts about a model are generated from a list, and others are written by hand. The gateway merges both. A newer list replaces only
// the generated facts.
TEST(ModelFacts, RulesAndFoundFactsAreOneModels) {
  const openai_facts& luna = openai_facts_of("gpt-6-luna", "openai");
  EXPECT_EQ(luna.thinking.efforts.words.front(), "none");
  EXPECT_TRUE(luna.params.only_thinking);
  EXPECT_EQ(luna.known.context, 1'050'000u);
  EXPECT_EQ(luna.tools.on_chat[0], chat_tools::with_none);
  EXPECT_FALSE(openai_facts_of("gpt-6-astra", "openai").params.only_thinking);
  EXPECT_EQ(&openai_facts_of("gpt-6-luna", "openai"), &openai_facts_of("gpt-6-luna", "azure")) << "one object for one pair of rows";
  EXPECT_TRUE(openai_facts_of("grok-4.20", "xai").thinking.efforts.are_known);
  EXPECT_FALSE(openai_facts_of("gpt-4o", "openai").thinking.efforts.are_known);
}

TEST(ModelFacts, APlaceMayBeThePartOfAHost) {
  EXPECT_EQ(openai_facts_of("qwen3.8-max", "dashscope-intl.aliyuncs.com").thinking.off, off_switch::enable_thinking);
  EXPECT_EQ(openai_facts_of("qwen3.8-max", "notaliyuncs.com").thinking.off, off_switch::effort_none);
}

TEST(OpenAiFacts, ASizeOfAnOlderModelIsNoVersion) {
  EXPECT_FALSE(openai_facts_of("qwen/qwen3-8b", "siliconflow").thinking.efforts.are_known);
  EXPECT_TRUE(openai_facts_of("qwen/qwen3.8-27b", "siliconflow").thinking.efforts.are_known);
}

TEST(CloudFacts, EachPlaceHasItsBetas) {
  EXPECT_TRUE(cloud_facts_of("").takes_all_betas);
  EXPECT_EQ(cloud_facts_of("bedrock").betas.at("advanced-tool-use-2025-11-20"), "tool-search-tool-2025-10-19");
  EXPECT_EQ(cloud_facts_of("vertex").betas.at("compact-2026-09-04"), "compact-2026-09-04");
  EXPECT_FALSE(cloud_facts_of("azure").refused_betas.empty());
  EXPECT_EQ(members_of_beta("task-budgets-2026-03-13"), std::vector<std::string>{"output_config.task_budget"});
  EXPECT_TRUE(members_of_beta("no-such-beta").empty());
}

TEST(OpenAiFacts, ARowHoldsForItsModelsAndWhereItSays) {
  EXPECT_FALSE(openai_facts_of("gpt-5.2-pro", "").serves_chat);
  EXPECT_TRUE(openai_facts_of("gpt-5.2", "azure").serves_chat);
  EXPECT_TRUE(openai_facts_of("gpt-5.2", "").params.only_thinking);
  EXPECT_TRUE(openai_facts_of("openai/o3", "openrouter").renames_max_tokens);
  EXPECT_FALSE(openai_facts_of("solo3", "").renames_max_tokens) << "a name that only ends so";
  EXPECT_FALSE(openai_facts_of("gpt-oss-20b", "").thinking.is_possible);
  EXPECT_EQ(openai_facts_of("kimi-k3", "moonshot").thinking.demands, demanded_reasoning::of_calls);
  EXPECT_EQ(openai_facts_of("kimi-k3", "fireworks").thinking.demands, demanded_reasoning::none);
  EXPECT_EQ(openai_facts_of("deepseek-v4-pro", "deepseek").thinking.demands, demanded_reasoning::of_all);
}

TEST(ConverseFacts, ARowSaysWhatItsModelsTake) {
  EXPECT_EQ(converse_facts_of("us.amazon.nova-lite-v1:0").top_k, "inferenceConfig.topK");
  EXPECT_TRUE(converse_facts_of("us.amazon.nova-lite-v1:0").takes_forced_calls);
  EXPECT_TRUE(converse_facts_of("us.amazon.nova-lite-v1:0").takes_cache_points);
  EXPECT_FALSE(converse_facts_of("us.meta.llama4-maverick-17b-instruct-v1:0").takes_cache_points);
  EXPECT_EQ(converse_facts_of("openai.gpt-oss-120b-1:0").think, "reasoning_effort");
  EXPECT_EQ(converse_facts_of("openai.gpt-6-sol").think, "reasoning.effort");
  EXPECT_TRUE(converse_facts_of("us.meta.llama4-maverick-17b-instruct-v1:0").wants_results_alone);
  EXPECT_FALSE(converse_facts_of("us.meta.llama4-maverick-17b-instruct-v1:0").takes_schema);
  EXPECT_TRUE(converse_facts_of("mistral.mistral-large-3-675b-instruct").takes_schema);
  EXPECT_FALSE(converse_facts_of("mistral.mistral-large-2407-v1:0").takes_schema);
  EXPECT_TRUE(converse_facts_of("qwen.qwen3-vl-235b-a22b").result_media.empty());
  EXPECT_EQ(converse_facts_of("deepseek.r1-v1:0").think, "");
}

// Looks up more model names than the cache can store. Names that are looked up again in between must keep their facts. One of the names has
// different facts at two presets.
TEST(OpenAiFacts, ManyNamesInTurnKeepTheirMeaning) {
  for (int number = 0; number < 1'000; ++number) {
    const std::string name = "tuned-" + std::to_string(number);
    EXPECT_EQ(&openai_facts_of(name, ""), &openai_facts_of("no-model-of-this-name", "")) << name;
    EXPECT_FALSE(openai_facts_of("gpt-5.2-pro", "").serves_chat);
    EXPECT_EQ(openai_facts_of("kimi-k3", "moonshot").thinking.demands, demanded_reasoning::of_calls);
    EXPECT_EQ(openai_facts_of("kimi-k3", "fireworks").thinking.demands, demanded_reasoning::none);
    EXPECT_EQ(&facts_of(name), &facts_of("no-model-of-this-name"));
    EXPECT_NE(&facts_of("claude-opus-4-5"), &facts_of(name));
  }
  EXPECT_TRUE(openai_facts_of("openai/o3" + std::string(1'000'000, '-'), "").thinking.is_possible) << "too long to be remembered";
}

TEST(ConverseFacts, AnUnknownModelRefusesNothing) {
  const converse_facts& unknown = converse_facts_of("arn:aws:bedrock:us-east-1:123456789012:imported-model/a1b2");
  EXPECT_TRUE(unknown.takes_forced_calls && unknown.takes_schema && unknown.takes_result_status);
  EXPECT_FALSE(unknown.wants_results_alone || unknown.wants_short_ids);
  EXPECT_EQ(unknown.think, "");
  EXPECT_EQ(unknown.result_media.size(), 2u);
}

TEST(ConverseFacts, WhoeverThinksSaysWhichWordsItTakes) {
  ASSERT_FALSE(all_converse_facts().empty());
  for (const converse_facts& row : all_converse_facts())
    for (const std::string& name : row.match) {
      const converse_facts& facts = converse_facts_of(name);
      EXPECT_EQ(facts.think.empty(), facts.efforts.empty()) << name;
      EXPECT_EQ(facts.as_of.size(), 10u) << name;
    }
}

}  // namespace
}  // namespace photofinish::proxy
