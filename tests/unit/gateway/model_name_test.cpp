// What a client's `model` stands for.
#include "gateway/model_list.hpp"
#include "gateway/model_name.hpp"

#include <gtest/gtest.h>

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
  auto result = resolve_model(settings(), model);
  EXPECT_TRUE(std::holds_alternative<runnable>(result)) << model;
  return std::get<runnable>(result);
}

api_error refused(std::string_view model) {
  auto result = resolve_model(settings(), model);
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

class ANonsenseName : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ModelName, ANonsenseName,
                         ::testing::Values("/", "groq/", "/x", ",", "groq", "nobody/x", "groq/a,", "groq/a,,lab/b", "fast,fast"));
TEST_P(ANonsenseName, IsRefused) { EXPECT_GE(refused(GetParam()).status, 400) << GetParam(); }

TEST(ModelName, OnlyRoutesTargetsAndListedModelsMayBeCalledDirectly) {
  EXPECT_TRUE(may_call_directly(settings(), {"groq", "openai/gpt"}));
  EXPECT_TRUE(may_call_directly(settings(), {"lab", "small"}));
  EXPECT_FALSE(may_call_directly(settings(), {"lab", "big"}));
}

TEST(ModelList, NamesRoutesThenTargetsEachOnce) {
  EXPECT_EQ(list_models(settings(), {}),
            R"({"object":"list","data":[{"id":"fast","object":"model","created":0,"owned_by":"photofinish"},)"
            R"({"id":"cerebras/gpt","object":"model","created":0,"owned_by":"cerebras"},)"
            R"({"id":"groq/openai/gpt","object":"model","created":0,"owned_by":"groq"},)"
            R"({"id":"lab/small","object":"model","created":0,"owned_by":"lab"}]})");
}

TEST(ModelList, AnAccessKeyWithRoutesSeesThoseAlone) {
  const access_key key{"team", proxy::secret("k"), {"other"}};
  EXPECT_EQ(list_models(settings(), {&key}), R"({"object":"list","data":[]})");
}

TEST(ModelList, AnUnknownModelIs404) {
  EXPECT_EQ(std::get<api_error>(describe_model(settings(), {}, "nope")).status, 404);
}

}  // namespace
}  // namespace photofinish::gateway
