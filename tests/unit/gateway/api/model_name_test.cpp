// Tests how the gateway interprets `model` in a client's request.
#include "gateway/api/model_name.hpp"

#include "gateway/api/models/model_shapes.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

config settings() {
  config made;
  for (const char* name : {"groq", "cerebras", "lab"}) made.providers[name].name = name;
  made.providers["lab"].models = {"small"};
  route fast{.name = "fast", .targets = {{"groq", "openai/gpt"}, {"cerebras", "gpt"}}};
  fast.race.policy = racing::race_policy::hedge;
  made.routes["fast"] = fast;
  return made;
}

runnable resolved(std::string_view model) {
  auto result = resolve_model(settings(), model, {});
  EXPECT_TRUE(std::holds_alternative<runnable>(result)) << model;
  return std::get<runnable>(result);
}

api_error refused(std::string_view model, const config& of = settings(), const caller& who = {}) {
  auto result = resolve_model(of, model, who);
  EXPECT_TRUE(std::holds_alternative<api_error>(result)) << model;
  return std::get<api_error>(result);
}

TEST(ModelName, ARouteIsItsTargetsAndItsPolicy) {
  const runnable fast = resolved("fast");
  EXPECT_EQ(fast.route, "fast");
  EXPECT_EQ(fast.targets.size(), 2u);
  EXPECT_EQ(fast.race.policy, racing::race_policy::hedge);
}

TEST(ModelName, ATargetIsSplitAtItsFirstSlash) {
  const runnable direct = resolved("groq/openai/gpt");
  EXPECT_EQ(direct.route, "_direct");
  EXPECT_EQ(direct.targets.at(0).model, "openai/gpt");
}

TEST(ModelName, AListIsRacedWithPolicyAll) {
  const runnable list = resolved("groq/openai/gpt, cerebras/gpt");
  EXPECT_EQ(list.route, "_list");
  EXPECT_EQ(list.race.policy, racing::race_policy::all);
  EXPECT_EQ(list.targets.at(1).text(), "cerebras/gpt");
}

TEST(ModelName, AListHoldsATargetOnce) { EXPECT_EQ(refused("groq/a,groq/a").status, 400); }

TEST(ModelName, AListHoldsAtMostMaxParallel) { EXPECT_EQ(refused("groq/a,groq/b,groq/c,groq/d").status, 400); }

TEST(ModelName, AnUnknownNameIs404WithTheNearest) {
  const api_error error = refused("fats");
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.code, "model_not_found");
  EXPECT_NE(error.message.find("'fast'"), std::string::npos);
}

TEST(ModelName, ALongerModelThanTheLimitIsNotWalked) {
  const api_error error = refused(std::string(longest_model + 1, ','));
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, "string_above_max_length");
  EXPECT_NE(error.message.find("16384"), std::string::npos);
}

TEST(ModelName, OneNameIsShorterThanAList) {
  EXPECT_EQ(refused("groq/" + std::string(longest_model_name, 'x')).code, "string_above_max_length");
  EXPECT_EQ(refused("groq/a,groq/" + std::string(longest_model_name, 'x')).code, "string_above_max_length");
  EXPECT_EQ(resolved("groq/" + std::string(longest_model_name - 5, 'x')).targets.size(), 1u);
}

// The list has more names than max_parallel permits, so it is refused before any name is looked up. Otherwise the unknown name in the list
// would cause status 404.
TEST(ModelName, AListIsReadNoFurtherThanMaxParallel) {
  const api_error error = refused("groq/a,groq/b,groq/c,no-such/d,groq/e");
  EXPECT_EQ(error.status, 400);
  EXPECT_NE(error.message.find("5 names"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("at most 3 (max_parallel)"), std::string::npos) << error.message;
}

config with_aliases() {
  config made = settings();
  made.names.aliases.add("claude-*", "fast");
  made.names.aliases.add("gpt-4o-mini", "fast");
  made.names.aliases.add("fast", "other");
  made.names.aliases.add("groq/*", "other");
  made.routes["other"] = {.name = "other", .targets = {{"lab", "small"}}};
  return made;
}

TEST(ModelName, AnAliasLeadsToItsRoute) {
  for (const char* model : {"claude-opus-5-5", "gpt-4o-mini"}) {
    const auto result = resolve_model(with_aliases(), model, {});
    ASSERT_TRUE(std::holds_alternative<runnable>(result)) << model;
    EXPECT_EQ(std::get<runnable>(result).route, "fast");
    EXPECT_EQ(std::get<runnable>(result).targets.size(), 2u);
    EXPECT_NE(std::get<runnable>(result).from, nullptr);
  }
}

TEST(ModelName, ARouteATargetAndAListComeBeforeAliases) {
  const auto route_of = [](std::string_view model) {
    return std::get<runnable>(resolve_model(with_aliases(), model, {})).route;
  };
  EXPECT_EQ(route_of("fast"), "fast");
  EXPECT_EQ(route_of("groq/openai/gpt"), "_direct");
  EXPECT_EQ(route_of("groq/a,cerebras/b"), "_list");
}

TEST(ModelName, TheNearestMayBeAnAlias) {
  EXPECT_NE(refused("gpt-4o-mimi", with_aliases()).message.find("'gpt-4o-mini'"), std::string::npos);
}

class ALimitedKey : public ::testing::Test {
 protected:
  ALimitedKey() {
    route open{.name = "slow", .targets = {{"groq", "other"}}};
    open.race.policy = racing::race_policy::all;
    known.routes["slow"] = open;
  }
  config known = settings();
  access_key key{"team", proxy::secret("k"), {"slow"}};
  caller who{&key};
};

// This key may use only one route, so a list of names is refused before any name is looked up. Otherwise the unknown name in the list would
// cause status 404.
TEST_F(ALimitedKey, IsRefusedAListBeforeItIsWalked) {
  const api_error error = refused("no-such/a,groq/b", known, who);
  EXPECT_EQ(error.status, 403);
  EXPECT_EQ(error.code, "model_not_allowed");
}

TEST_F(ALimitedKey, OpensItsRoutesAlone) {
  EXPECT_TRUE(std::holds_alternative<runnable>(resolve_model(known, "slow", who)));
  EXPECT_EQ(refused("fast", known, who).status, 403);
  EXPECT_EQ(refused("groq/other", known, who).status, 403);
}

TEST_F(ALimitedKey, OpensTheAliasesOfItsRoutesAlone) {
  known.names.aliases.add("claude-*", "slow");
  known.names.aliases.add("claude-opus-*", "fast");
  EXPECT_EQ(std::get<runnable>(resolve_model(known, "claude-haiku", who)).route, "slow");
  const api_error error = refused("claude-opus-5", known, who);
  EXPECT_EQ(error.status, 403);
  EXPECT_EQ(error.code, "model_not_allowed");
}

TEST_F(ALimitedKey, IsToldTheNearestOfWhatItMayUse) {
  EXPECT_NE(refused("slwo", known, who).message.find("did you mean 'slow'?"), std::string::npos);
  for (const char* near_to_others : {"fats", "grog/openai/gpt"}) {
    const api_error error = refused(near_to_others, known, who);
    EXPECT_EQ(error.status, 404);
    EXPECT_EQ(error.message.find("did you mean"), std::string::npos) << error.message;
  }
}

TEST(ModelName, TheNearestNamesAreDifferentOnes) {
  config known = settings();
  route same = known.routes["fast"];
  known.routes["again"] = same;
  EXPECT_EQ(refused("grog/openai/gpt", known).message,
            "unknown route or target 'grog/openai/gpt'; did you mean 'groq/openai/gpt'?");
}

// The name has 100 letters of three bytes each, so the limit of 200 bytes falls inside a letter.
TEST(ModelName, AnUnknownNameIsCutBetweenItsLetters) {
  std::string name;
  for (int times = 0; times < 100; ++times) name += "\xe8\xaa\x9e";
  EXPECT_TRUE(simdjson::validate_utf8(refused(name).message));
}

class ANonsenseName : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ModelName, ANonsenseName,
                         ::testing::Values("/", "groq/", "/x", ",", "groq", "no-such/x", "groq/a,", "groq/a,,lab/b", "fast,fast", "groq/..", "groq/.", "groq/a/../b",
                                           "groq/../a", "groq/a,lab/.."));
TEST_P(ANonsenseName, IsRefused) { EXPECT_GE(refused(GetParam()).status, 400) << GetParam(); }

TEST(ModelName, OnlyRoutesTargetsAndListedModelsMayBeCalledDirectly) {
  EXPECT_TRUE(may_call_directly(settings(), {"groq", "openai/gpt"}));
  EXPECT_TRUE(may_call_directly(settings(), {"lab", "small"}));
  EXPECT_FALSE(may_call_directly(settings(), {"lab", "big"}));
}

TEST(ModelName, AListedModelIncludesTheTiersThatItsProviderHas) {
  config made = settings();
  const auto target_of = [&made](proxy::tier_form tiers) {
    made.providers.at("lab").behaves.tiers = tiers;
    return std::get<runnable>(resolve_model(made, "lab/small@ultrafast", {})).targets.at(0);
  };
  EXPECT_TRUE(may_call_directly(made, target_of(proxy::tier_form::openai)));
  const target_name plain = target_of(proxy::tier_form::none);
  EXPECT_EQ(plain.sent_model(), "small@ultrafast");
  EXPECT_FALSE(may_call_directly(made, plain));
}

TEST(ModelList, NamesRoutesThenTargetsEachOnce) {
  EXPECT_EQ(std::get<std::string>(list_models(settings(), {}, {}, std::chrono::sys_seconds{})),
            R"({"object":"list","data":[{"id":"fast","object":"model","created":0,"owned_by":"photofinish"},)"
            R"({"id":"cerebras/gpt","object":"model","created":0,"owned_by":"cerebras"},)"
            R"({"id":"groq/openai/gpt","object":"model","created":0,"owned_by":"groq"},)"
            R"({"id":"lab/small","object":"model","created":0,"owned_by":"lab"}]})");
}

TEST(ModelList, AnAccessKeyWithRoutesSeesThoseAlone) {
  const access_key key{"team", proxy::secret("k"), {"other"}};
  EXPECT_EQ(std::get<std::string>(list_models(settings(), {&key}, {}, std::chrono::sys_seconds{})), R"({"object":"list","data":[]})");
}

TEST(ModelList, NamesAliasesThatAreWholeNames) {
  config known = settings();
  known.names.aliases.add("gpt-4o-mini", "fast");
  known.names.aliases.add("claude-*", "fast");
  std::vector<std::string> ids;
  for (const listed_model& each : models_of(known, {})) ids.push_back(each.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"fast", "gpt-4o-mini", "cerebras/gpt", "groq/openai/gpt", "lab/small"}));
}

TEST(ModelList, AnAccessKeyWithRoutesSeesTheirAliasesAlone) {
  config known = settings();
  known.names.aliases.add("gpt-4o-mini", "fast");
  known.names.aliases.add("gpt-4o", "other");
  const access_key key{"team", proxy::secret("k"), {"fast"}};
  const auto models = models_of(known, {&key});
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[1].id, "gpt-4o-mini");
}

TEST(ModelList, ANameThatAPatternFitsIsDescribed) {
  config known = settings();
  known.names.aliases.add("claude-*", "fast");
  const access_key key{"team", proxy::secret("k"), {"other"}};
  EXPECT_EQ(std::get<listed_model>(find_model(known, {}, "claude-opus-5")).id, "claude-opus-5");
  EXPECT_EQ(std::get<api_error>(find_model(known, {&key}, "claude-opus-5")).status, 404);
}

TEST(ModelList, AnUnknownModelIs404) {
  EXPECT_EQ(std::get<api_error>(describe_model(settings(), {}, "nope", {}, std::chrono::sys_seconds{})).status, 404);
}

}  // namespace
}  // namespace photofinish::gateway
