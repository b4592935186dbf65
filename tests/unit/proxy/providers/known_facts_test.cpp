// Tests the known facts about a model at a provider, and whether these facts satisfy a route's requirements.
#include "proxy/providers/known_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

provider lab(const std::string& dialect = "openai") {
  provider made;
  made.dialect = dialect;
  made.facts["m"] = {.quantization = "fp8", .context = 32'000};
  made.facts["*"] = {.quantization = "fp4", .max_output = 4'000, .tier = "paid"};
  return made;
}

TEST(TargetFacts, AModelsOwnComeBeforeThoseOfTheRest) {
  EXPECT_EQ(configured_facts(lab(), "m"),
            (target_facts{.quantization = "fp8", .context = 32'000, .max_output = 4'000, .tier = "paid"}));
  EXPECT_EQ(configured_facts(lab(), "other").quantization, "fp4");
  EXPECT_EQ(configured_facts({}, "m"), target_facts{});
}

TEST(TargetFacts, WhatIsKnownOfAFamilyFillsInWhereItIsSpokenToInItsOwnApi) {
  provider made;
  made.dialect = "anthropic";
  EXPECT_EQ(known_facts(made, "claude-haiku-4-5").context, 200'000u);
  EXPECT_EQ(known_facts(made, "claude-haiku-4-5").max_output, 64'000u);
  made.facts["claude-haiku-4-5"].context = 1'000'000;
  EXPECT_EQ(known_facts(made, "claude-haiku-4-5").context, 1'000'000u) << "the configuration comes first";
  EXPECT_EQ(configured_facts(made, "claude-haiku-4-5").max_output, 0u);
  made.dialect = "gemini";
  EXPECT_EQ(known_facts(made, "gemini-2.5-flash").max_output, 65'536u);
  made.dialect = "openai";
  EXPECT_EQ(known_facts(made, "gemini-2.5-flash").max_output, 0u);
}

TEST(TargetFacts, EachThatIsRequiredMustHold) {
  const target_facts known{.quantization = "fp8", .context = 32'000, .max_output = 4'000, .tier = "paid"};
  EXPECT_EQ(unmet_fact({}, known), "");
  EXPECT_EQ(unmet_fact({.quantization = {"bf16", "fp8"}, .min_context = 32'000, .tier = {"paid"}}, known), "");
  EXPECT_EQ(unmet_fact({.quantization = {"bf16"}}, known), "quantization");
  EXPECT_EQ(unmet_fact({.min_context = 32'001}, known), "context");
  EXPECT_EQ(unmet_fact({.min_output = 4'001}, known), "max_output");
  EXPECT_EQ(unmet_fact({.tier = {"eu", "free"}}, known), "tier");
}

TEST(TargetFacts, WhatIsNotKnownSitsOutUnlessItIsAllowed) {
  for (const required_facts& each : {required_facts{.quantization = {"fp8"}}, required_facts{.min_context = 1},
                                     required_facts{.min_output = 1}, required_facts{.tier = {"paid"}}}) {
    EXPECT_NE(unmet_fact(each, {}), "");
    required_facts lenient = each;
    lenient.allows_unknown = true;
    EXPECT_EQ(unmet_fact(lenient, {}), "");
  }
  EXPECT_EQ(unmet_fact({.quantization = {"fp8"}, .allows_unknown = true}, {.quantization = "fp4"}), "quantization");
}

TEST(TargetFacts, WhyIsSaidInWords) {
  EXPECT_EQ(why_unmet("quantization", {.quantization = {"fp8", "fp16", "bf16"}}, {}),
            "its quantization is not known, but fp8, fp16 or bf16 is required");
  EXPECT_EQ(why_unmet("context", {.min_context = 128'000}, {.context = 32'000}),
            "its context is 32000 tokens, but at least 128000 are required");
  EXPECT_EQ(why_unmet("tier", {.tier = {"paid"}}, {.tier = "free"}), "its tier is free, but paid is required");
}

TEST(TargetFacts, APromptAndItsAnswerShareTheContext) {
  const target_facts known{.context = 1'000, .max_output = 400};
  EXPECT_EQ(exceeded_fact(known, 600, 400), "");
  EXPECT_EQ(exceeded_fact(known, 601, 400), "context");
  EXPECT_EQ(exceeded_fact(known, 1'001, 0), "context");
  EXPECT_EQ(exceeded_fact(known, 1, 401), "max_output");
  EXPECT_EQ(exceeded_fact({.context = 10}, 0, UINT64_MAX), "") << "no prompt";
  EXPECT_EQ(exceeded_fact({.context = 10}, 1, UINT64_MAX), "context");
  EXPECT_EQ(exceeded_fact({}, UINT64_MAX, UINT64_MAX), "");
}

}  // namespace
}  // namespace photofinish::proxy
