#include "metrics/shard.hpp"

#include "tests/support/by_source.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

struct ShardTest : testing::Test {
  series_budget budget;
  shard worker{budget};
};

TEST_F(ShardTest, HandsOutTheSameSeriesForTheSameName) {
  target_series& declared = worker.declare_target("groq", "openai/gpt-oss-120b");
  EXPECT_EQ(&worker.target("groq", "openai/gpt-oss-120b"), &declared);
  EXPECT_EQ(&worker.declare_target("groq", "openai/gpt-oss-120b"), &declared);
  route_series& route = worker.declare_route("fast");
  EXPECT_EQ(&worker.route("fast"), &route);
  client_series& client = worker.declare_client("search");
  EXPECT_EQ(&worker.client("search"), &client);
}

TEST_F(ShardTest, WhatAClientUsesIsCountedByItsTeamToo) {
  usage_series& web = worker.declare_usage("alice", "web");
  usage_series& alone = worker.declare_usage("alice", none_label);
  EXPECT_NE(&web, &alone);
  EXPECT_EQ(&worker.usage("alice", "web"), &web);
  EXPECT_EQ(worker.usage("alice", "search").client, other_label);
  EXPECT_EQ(worker.usage("mallory", "web").client, other_label);
}

TEST_F(ShardTest, ClientsAndTeamsPastTheBudgetShareOneUsage) {
  series_budget small{{.clients = 2, .teams = 1}};
  shard bounded(small);
  EXPECT_EQ(bounded.declare_usage("alice", "web").team, "web");
  EXPECT_EQ(bounded.declare_usage("bob", "search").team, other_label);
  EXPECT_EQ(bounded.declare_usage("carol", "web").client, other_label);
}

TEST_F(ShardTest, LimitsPastTheBudgetShareOneSeriesOfTheirScope) {
  series_budget small{{.limits = 1}};
  shard bounded(small);
  limit_series& first = bounded.limit("team", "web");
  EXPECT_EQ(&bounded.limit("team", "web"), &first);
  EXPECT_EQ(bounded.limit("key", "web").name, other_label) << "the same name in another scope is another limit";
  EXPECT_EQ(bounded.limit("key", "alice").scope, "key");
  EXPECT_EQ(bounded.limit("key", "\xff").name, other_label);
}

TEST_F(ShardTest, TargetsOfOneProviderShareItsSeries) {
  EXPECT_EQ(&worker.declare_target("groq", "a").provider, &worker.declare_target("groq", "b").provider);
}

TEST_F(ShardTest, HandlesOutliveManyDeclarations) {
  target_series& first = worker.declare_target("groq", "first");
  for (int i = 0; i < 500; ++i) worker.declare_target("groq", std::to_string(i));
  EXPECT_EQ(first.model, "first");
  EXPECT_EQ(&worker.target("groq", "first"), &first);
}

TEST_F(ShardTest, AnUnknownModelOfAKnownProviderKeepsTheProvider) {
  worker.declare_provider("groq");
  EXPECT_EQ(worker.target("groq", "made-up").provider.name, "groq");
  EXPECT_EQ(worker.target("groq", "made-up").model, "_other");
}

TEST_F(ShardTest, WhatIsUnknownIsOther) {
  EXPECT_EQ(worker.target("made-up", "m").provider.name, "_other");
  EXPECT_EQ(worker.target("made-up", "m").model, "_other");
  EXPECT_EQ(worker.route("made-up").name, "_other");
  EXPECT_EQ(worker.client("made-up").name, "_other");
}

TEST_F(ShardTest, KnowsTheRoutesThatNeedNoDeclaration) {
  for (const char* name : {"_direct", "_list", "_none", "_other"}) EXPECT_EQ(worker.route(name).name, name);
  EXPECT_EQ(worker.client("_none").name, "_none");
}

TEST_F(ShardTest, AHundredThousandHostileNamesAddNothing) {
  series_budget tight({.providers = 5, .targets = 100, .routes = 10, .clients = 10});
  shard hostile(tight);
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "hostile\n\"\\" + std::to_string(i);
    hostile.declare_target("groq", name).cell<names::reasoning_tokens_total>().add(1);
    hostile.declare_target(name, name).cell<names::reasoning_tokens_total>().add(1);
    hostile.target(name, name).cell<names::reasoning_tokens_total>().add(1);
    request_observation asked{.route = hostile.declare_route(name), .client = hostile.declare_client(name)};
    hostile.observe(asked);
  }
  const shard::listing all = hostile.list();
  EXPECT_EQ(all.providers.size(), 5u + 1);      // the providers with their own series, and the shared series _other
  EXPECT_EQ(all.targets.size(), 100u + 5 + 1);  // targets with their own series, _other of each provider, and one series without a provider
  EXPECT_EQ(all.routes.size(), 10u + 4);        // the routes with their own series, and the reserved route names
  EXPECT_EQ(all.requests.size(), 10u + 1);      // the pairs of client and route with their own series, and the shared pair (_other, _other)
  std::uint64_t counted = 0;
  for (const auto* target : all.targets) counted += target->cell<names::reasoning_tokens_total>().value();
  EXPECT_EQ(counted, 300'000u);
}

TEST_F(ShardTest, TheBoundHoldsOverAllWorkers) {
  series_budget tight({.targets = 2});
  shard first(tight), second(tight);
  first.declare_target("groq", "a");
  second.declare_target("groq", "b");
  EXPECT_EQ(first.declare_target("groq", "c").model, "_other");
  EXPECT_EQ(second.declare_target("groq", "a").model, "a");
  EXPECT_EQ(first.declare_target("groq", "b").model, "b");
}

TEST_F(ShardTest, ANameThatWouldSpoilTheScrapeIsFolded) {
  EXPECT_EQ(worker.declare_target("groq", "\xFF\xFE").model, "_other");
  EXPECT_EQ(worker.declare_route("\xC0").name, "_other");
}

TEST_F(ShardTest, CountsARequestByRouteClientEndpointAndOutcome) {
  request_observation request{.route = worker.declare_route("fast"),
                              .client = worker.declare_client("search"),
                              .endpoint = endpoint::models,
                              .outcome = request_outcome::client_error};
  worker.observe(request);
  worker.observe(request);

  const shard::listing all = worker.list();
  ASSERT_EQ(all.requests.size(), 1u);
  EXPECT_EQ(all.requests[0]->route.name, "fast");
  EXPECT_EQ(all.requests[0]->client.name, "search");
  EXPECT_EQ(all.requests[0]->cell<names::requests_total>(endpoint::models, request_outcome::client_error).value(), 2u);
}

TEST_F(ShardTest, WhatIsUndefinedCountsNowhere) {
  route_series& route = worker.declare_route("fast");
  target_series& target = worker.declare_target("groq", "m");
  const attempt_observation attempts[] = {{.target = target, .outcome = attempt_outcome::failed}};
  worker.observe({.route = route, .client = worker.client("_none"), .attempts = attempts});
  EXPECT_EQ(route.cell<names::request_ttft>().read().count() + route.cell<names::request_duration>().read().count() +
                route.cell<names::overhead>().read().count() + route.cell<names::race_margin>().read().count(),
            0u);
  EXPECT_EQ(target.cell<names::attempt_ttft>(ttft_sample::won).read().count() +
                target.cell<names::attempt_first_byte>().read().count() +
                target.cell<names::attempt_abandoned>().read().count() +
                target.cell<names::output_speed>(token_source::tokenizer).read().count() +
                target.cell<names::decode_tokens_total>(token_source::tokenizer).value() +
                target.provider.cell<names::cancel>().read().count(),
            0u);
  EXPECT_EQ(target.cell<names::attempts_total>(attempt_outcome::failed, attempt_reason::none).value(), 1u);
}

TEST_F(ShardTest, AWinnersSpeedFeedsHistogramAndRatioAlike) {
  target_series& target = worker.declare_target("groq", "m");
  const attempt_observation attempts[] = {
      {.target = target, .outcome = attempt_outcome::won, .speed = reported_by(token_source::tokenizer, decode_sample{300, 1500ms})}};
  worker.observe({.route = worker.route("_direct"), .client = worker.client("_none"), .attempts = attempts});
  EXPECT_EQ(target.cell<names::output_speed>(token_source::tokenizer).read().sum, 200);
  EXPECT_EQ(target.cell<names::decode_tokens_total>(token_source::tokenizer).value(), 300u);
  EXPECT_EQ(target.cell<names::decode_seconds_total>(token_source::tokenizer).value(), 1.5);
  EXPECT_EQ(target.cell<names::output_speed>(token_source::usage).read().count(), 0u);
}

TEST_F(ShardTest, AnUnmeasurableAnswerSaysWhyAndCountsNoSpeed) {
  target_series& target = worker.declare_target("groq", "m");
  const attempt_observation attempts[] = {
      {.target = target, .outcome = attempt_outcome::won, .unmeasurable = unmeasurable_reason::one_burst}};
  worker.observe({.route = worker.route("_direct"), .client = worker.client("_none"), .attempts = attempts});
  EXPECT_EQ(target.cell<names::unmeasurable_total>(unmeasurable_reason::one_burst).value(), 1u);
  EXPECT_EQ(target.cell<names::output_speed>(token_source::tokenizer).read().count(), 0u);
}

}  // namespace
}  // namespace photofinish::metrics
