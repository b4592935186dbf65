// Tests how attempts are priced. A winner's price follows from its reported usage, and a loser's price is estimated. Also tests prices in a
// configuration.
#include "gateway/records/cost.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/records/price_book.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds now = std::chrono::sys_days{2026y / 11 / 21};

const proxy::model_prices prices = *proxy::parse_prices("1/0.1/10");

std::shared_ptr<const config> parse(std::string_view yaml) {
  config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
  EXPECT_TRUE(result.is_usable()) << to_string(result.problems.front());
  return std::make_shared<const config>(std::move(result.settings));
}

TEST(Cost, TargetsOfRoutesWithoutAPriceAreCountedOnce) {
  EXPECT_EQ(unpriced_targets(*parse(R"(
race: {policy: all}
providers:
  groq: {api_key: k}
  vllm: {}
  own: {base_url: https://llm.example.com/v1, api_key: k, prices: {known: 1/2}}
routes:
  a: {targets: [groq/openai/gpt-oss-120b, own/known, own/unknown, vllm/m]}
  b: {targets: [own/unknown, groq/never-heard-of]}
)")),
            (std::set<std::string>{"groq/never-heard-of", "own/unknown"}));
}

// A client can request a model by the name provider/model even if the model has no price.
TEST(Cost, ModelsOfProvidersWithoutAPriceAreCounted) {
  EXPECT_EQ(unpriced_targets(*parse(R"(
providers:
  groq: {api_key: k}
  own: {base_url: https://llm.example.com/v1, api_key: k, models: [known, unknown, '*'], prices: {known: 1/2}}
routes:
  a: {targets: [groq/openai/gpt-oss-120b]}
)")),
            std::set<std::string>{"own/unknown"});
}

// Budgets and the list of targets without a price must agree on which targets are free.
TEST(Cost, OnlyLocalPresetsAndProvidersWithoutAKeyAreFree) {
  const auto settings = parse(R"(
race: {policy: all}
providers:
  near: {base_url: "http://127.0.0.1:9000/v1", api_key: k}
  open: {base_url: "http://127.0.0.1:9001/v1", api_key: none}
  far: {base_url: "https://llm.example.com/v1", api_key: none}
  vllm: {api_key: k}
  ollama: {}
routes:
  a: {targets: [near/m, open/m, far/m, vllm/m, ollama/m]}
)");
  price_book book;
  const std::set<std::string> unpriced = unpriced_targets(*settings);
  EXPECT_EQ(unpriced, std::set<std::string>{"near/m"});
  for (const target_name& target : settings->routes.at("a").targets)
    EXPECT_EQ(book.find(settings, target) == nullptr, unpriced.contains(target.text())) << target.text();
}

TEST(Cost, TheFirstTargetOfEveryReadyGroupIsPriced) {
  for (const proxy::race_group& group : proxy::race_groups()) {
    if (group.targets.size() < 2) continue;
    const std::string& target = group.targets.front();
    const std::size_t slash = target.find('/');
    EXPECT_TRUE(proxy::built_in_prices(target.substr(0, slash), target.substr(slash + 1))) << target;
  }
}

TEST(Cost, OfAWinnerIsWhatItsUsageComesTo) {
  proxy::stream_summary summary;
  summary.usage = proxy::token_usage{.input_tokens = 1000, .output_tokens = 100, .cached_input_tokens = 400};
  const metrics::cost cost = winner_cost(prices, summary, {9, 9}, now);
  EXPECT_DOUBLE_EQ(cost.usd, (600 * 1 + 400 * 0.1 + 100 * 10) / 1e6);
  EXPECT_EQ(cost.kind, metrics::cost_kind::winner);
}

TEST(Cost, OfAWinnerHasWhatItWroteIntoTheCache) {
  proxy::stream_summary summary;
  summary.usage = proxy::token_usage{.input_tokens = 1000, .output_tokens = 100, .cached_input_tokens = 400,
                                     .written_input_tokens = 300, .written_for_hour_tokens = 100};
  const metrics::cost cost = winner_cost(*proxy::parse_prices("3/0.3/3.75/6/15"), summary, {9, 9}, now);
  EXPECT_DOUBLE_EQ(cost.usd, (300 * 3 + 400 * 0.3 + 200 * 3.75 + 100 * 6 + 100 * 15) / 1e6);
}

TEST(Cost, OfAWinnerThatToldNoUsageIsOfWhatWeCounted) {
  EXPECT_DOUBLE_EQ(winner_cost(prices, {}, {1000, 100}, now).usd, (1000 * 1 + 100 * 10) / 1e6);
}

TEST(Cost, OfALoserIsItsEstimate) {
  const metrics::cost cost = loser_cost(prices, {.input_tokens = 500, .output_tokens = 50}, now);
  EXPECT_DOUBLE_EQ(cost.usd, (500 * 1 + 50 * 10) / 1e6);
  EXPECT_EQ(cost.kind, metrics::cost_kind::loser);
}

TEST(PriceBook, TakesTheConfigurationsOwnFigureBeforeTheKnownOne) {
  const auto settings = parse("providers: {groq: {api_key: k, prices: {openai/gpt-oss-120b: 7/8}}}");
  price_book book;
  EXPECT_EQ(book.find(settings, {"groq", "openai/gpt-oss-120b"})->at(now).input.usd, 7);
  const proxy::model_prices* known = book.find(settings, {"groq", "openai/gpt-oss-20b"});
  ASSERT_TRUE(known);
  EXPECT_EQ(known, proxy::built_in_prices("groq", "openai/gpt-oss-20b"));
}

TEST(PriceBook, KnowsThePriceOfEachTier) {
  const auto settings = parse("providers: {openai: {api_key: k, prices: {mine: 7/8}}}");
  price_book book;
  const auto input = [&](const char* model, proxy::price_tier tier) {
    return book.find(settings, {"openai", model}, tier)->at(now).input.usd;
  };
  using enum proxy::price_tier;
  const double usual = input("gpt-5.4", standard);
  EXPECT_DOUBLE_EQ(input("gpt-5.4", flex), usual / 2);
  EXPECT_DOUBLE_EQ(input("gpt-5.4", priority), usual * 2);
  EXPECT_DOUBLE_EQ(input("gpt-5.4", ultrafast), usual) << "no price of its own";
  EXPECT_FALSE(book.all_of(settings, {"openai", "gpt-5.4"}).exactly(ultrafast));
  EXPECT_EQ(input("mine", priority), 7) << "a figure of the configuration holds for each tier";
}

TEST(PriceBook, ATargetWithATierHasThePriceOfIt) {
  const auto settings = parse("providers: {openai: {api_key: k, prices: {mine: 1/2, 'mine@flex': 3/4}}}");
  const proxy::provider& openai = settings->providers.at("openai");
  price_book book;
  const auto input = [&](const char* model) { return book.find(settings, target_at(openai, "openai", model))->at(now).input.usd; };
  EXPECT_DOUBLE_EQ(input("gpt-5.4@flex"), input("gpt-5.4") / 2);
  EXPECT_EQ(input("mine"), 1);
  EXPECT_EQ(input("mine@flex"), 3);
  EXPECT_EQ(input("mine@priority"), 1);
  EXPECT_EQ(prices_of(*settings, target_at(openai, "openai", "mine@flex"))->at(now).input.usd, 3);
}

TEST(PriceBook, AStarIsThePriceOfEveryModelThatIsNotNamed) {
  const auto settings = parse("providers: {groq: {api_key: k, prices: {m: 1/1, '*': 2/2}}}");
  price_book book;
  EXPECT_EQ(book.find(settings, {"groq", "m"})->at(now).input.usd, 1);
  EXPECT_EQ(book.find(settings, {"groq", "unheard/of"})->at(now).input.usd, 2);
  EXPECT_EQ(book.find(settings, {"groq", "openai/gpt-oss-20b"})->at(now).input.usd, 2) << "before the known one";
}

TEST(PriceBook, ALocalPresetOrAProviderWithoutAKeyCostsNothing) {
  const auto settings = parse(R"(
providers:
  vllm: {base_url: 'https://gpu.example.com/v1', prices: {sold: 1/2}}
  house: {base_url: 'https://llm.example.com/v1', api_key: none}
)");
  price_book book;
  EXPECT_EQ(book.find(settings, {"vllm", "m"})->at(now).input.usd, 0);
  EXPECT_EQ(book.find(settings, {"vllm", "sold"})->at(now).input.usd, 1);
  EXPECT_EQ(book.find(settings, {"house", "m"})->at(now).output.usd, 0);
  EXPECT_TRUE(book.all_of(settings, {"house", "m"}).exactly(proxy::price_tier::priority));
  EXPECT_FALSE(prices_of(*settings, {"house", "m"})) << "plans go by tokens there";
}

TEST(Cost, ABudgetInMoneyMayBeOfAKeyATeamOrARoute) {
  const std::string head = "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/m], LIMIT}}\n";
  const auto has_one = [&head](const std::string& more, const std::string& limit) {
    std::string yaml = head + more;
    return has_money_budget(*parse(yaml.replace(yaml.find("LIMIT"), 5, limit)));
  };
  EXPECT_FALSE(has_one("", "rpm_limit: 5"));
  EXPECT_TRUE(has_one("", "max_budget: 5"));
  EXPECT_TRUE(has_one("teams: {t: {soft_budget: 5}}\n", "rpm_limit: 5"));
  EXPECT_TRUE(has_one("key_defaults: {max_budget: 5}\n", "rpm_limit: 5"));
  EXPECT_TRUE(has_one(
      "access_keys: [{name: a, key: pf-alice-alice-alice, routes: [r], by_route: {r: {max_budget: 5}}}]\n", "rpm_limit: 5"));
}

TEST(Cost, ManyTargetsAreNotAllNamed) {
  std::set<std::string> targets;
  for (int each = 10; each < 35; ++each) targets.insert("p/m" + std::to_string(each));
  EXPECT_EQ(named_targets({"a/m", "b/m"}), "a/m, b/m");
  EXPECT_TRUE(named_targets(targets).ends_with(", p/m29 and 5 more"));
}

TEST(PriceBook, KnowsNoPriceOfAPresetBehindAnotherUrl) {
  const auto settings = parse("providers: {groq: {api_key: k, base_url: 'http://127.0.0.1:9/v1'}}");
  EXPECT_FALSE(price_book{}.find(settings, {"groq", "openai/gpt-oss-120b"}));
}

TEST(PriceBook, ForgetsWhenTheConfigurationIsReplaced) {
  price_book book;
  EXPECT_EQ(book.find(parse("providers: {groq: {api_key: k, prices: {m: 1/1}}}"), {"groq", "m"})->at(now).input.usd, 1);
  EXPECT_EQ(book.find(parse("providers: {groq: {api_key: k, prices: {m: 2/2}}}"), {"groq", "m"})->at(now).input.usd, 2);
  EXPECT_FALSE(book.find(parse("providers: {groq: {api_key: k}}"), {"groq", "m"}));
}

TEST(PriceBook, StaysBoundedUnderNamesThatCallersInvent) {
  const auto settings = parse("providers: {groq: {api_key: k}}");
  price_book book;
  for (int i = 0; i < 20'000; ++i) EXPECT_FALSE(book.find(settings, {"groq", "invented-" + std::to_string(i)}));
  EXPECT_TRUE(book.find(settings, {"groq", "openai/gpt-oss-120b"}));
}

TEST(Prices, ThatAreNoneAreRefusedWithTheirLine) {
  const config_result result = parse_config("providers:\n  groq:\n    api_key: k\n    prices: {m: cheap}\n", "test.yaml",
                                            tests::table_environment{}.machine());
  ASSERT_FALSE(result.problems.empty());
  EXPECT_NE(to_string(result.problems.front()).find("test.yaml:4"), std::string::npos);
  EXPECT_NE(to_string(result.problems.front()).find("input/output"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
