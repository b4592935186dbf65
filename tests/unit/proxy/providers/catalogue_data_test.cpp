// Tests the catalogue of models and prices that is compiled into the binary. Each price must equal the result of the price calculator of
// the price's source. The catalogue must also contain models that an earlier price list lacked.
#include "proxy/providers/catalogue.hpp"

#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_seconds noon = sys_days{2026y / 11 / 28} + 12h;

const catalogue& known() { return *built_in_catalogue(); }

sys_seconds time_of(const std::string& text) {
  std::istringstream from(text);
  std::tm parts{};
  from >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
  return sys_days{std::chrono::year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday} +
         std::chrono::hours(parts.tm_hour) + std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
}

// Returns the prices of input and output, in USD per million tokens, for a short prompt.
std::pair<double, double> price_of(std::string_view provider, std::string_view model, sys_seconds when = noon,
                                   price_tier tier = price_tier::standard) {
  const model_prices* prices = known().prices(provider, model, tier);
  if (!prices) return {-1, -1};
  return {prices->at(when).input.usd, prices->at(when).output.usd};
}

using both = std::pair<double, double>;

TEST(CatalogueData, IsTheFileOfTheTree) {
  const catalogue_result read = parse_catalogue(tests::source_file("proxy/providers/data/catalogue.json"));
  ASSERT_TRUE(read.value) << read.error;
  EXPECT_EQ(read.value->id(), known().id());
  EXPECT_LT(tests::source_file("proxy/providers/data/catalogue.json").size(), 1'000'000u);
}

TEST(CatalogueData, CostsWhatTheSourcesOwnCalculatorsSay) {
  const auto rows = nlohmann::json::parse(tests::source_file("tests/support/price_vectors.json"));
  ASSERT_GE(rows.size(), 500u);
  std::map<std::string, std::size_t> tiers;
  for (const auto& row : rows) {
    const auto tier = parse_price_tier(row[3].get<std::string>());
    ASSERT_TRUE(tier) << row;
    const model_prices* prices = known().prices(row[1].get<std::string>(), row[2].get<std::string>(), *tier);
    ASSERT_TRUE(prices) << row;
    const billed_tokens tokens{.input = row[4], .cached_input = row[5], .written_input = row[6],
                               .written_for_hour = row[7], .output = row[8], .reasoning = row[9]};
    const double expected = row[11].get<double>();
    EXPECT_NEAR(cost_usd(*prices, tokens, time_of(row[10])), expected, 1e-9 * std::max(1.0, expected)) << row;
    ++tiers[row[3]];
  }
  for (const char* tier : {"standard", "batch", "flex", "priority", "fast", "ultrafast"})
    EXPECT_GE(tiers[tier], 3u) << tier;
}

TEST(CatalogueData, ANameThatIsListedHasItsOwnPrice) {
  EXPECT_EQ(known().prices("anthropic", "claude-sonnet-5-5", price_tier::standard)->at(noon).cached_input->usd, 0.1);
  EXPECT_EQ(known().prices("anthropic", "claude-sonnet-5", price_tier::standard)->at(noon).cached_input->usd, 0.2);
  EXPECT_EQ(price_of("groq", "openai/gpt-oss-safeguard-20b"), both(0.075, 0.3));
  EXPECT_EQ(price_of("groq", "openai/gpt-oss-120b"), both(0.15, 0.6));
  EXPECT_EQ(price_of("anthropic", "claude-sonnet-5-6"), both(-1, -1)) << "the version after is another model";
  EXPECT_EQ(price_of("openai", "gpt-4o-2024-05-13"), both(5, 15));
  EXPECT_EQ(price_of("openai", "gpt-4o-2024-08-06"), both(2.5, 10));
  EXPECT_EQ(price_of("openai", "ft:gpt-4o-2024-08-06:acme::id"), both(3.75, 15));
}

TEST(CatalogueData, KnowsPricesThatChangeOnADate) {
  const sys_seconds december = sys_days{2026y / 12 / 1}, january = sys_days{2027y / 1 / 1};
  for (const std::string provider : {"gemini", "vertex-gemini", "vertex"}) {
    const std::string vendor = provider == "vertex" ? "google/" : "";
    EXPECT_EQ(price_of(provider, vendor + "gemini-4-argon"), both(2, 10)) << provider;
    EXPECT_EQ(price_of(provider, vendor + "gemini-4-argon", december - 1s), both(2, 10)) << provider;
    EXPECT_EQ(price_of(provider, vendor + "gemini-4-argon", december), both(4, 20)) << provider;
    for (const std::string& flash : {vendor + "gemini-3.6-flash", vendor + "gemini-3.7-flash", vendor + "gemini-3.8-flash"}) {
      EXPECT_EQ(price_of(provider, flash, january - 1s), both(0.75, 3.75)) << provider << flash;
      EXPECT_EQ(price_of(provider, flash, january), both(1.5, 7.5)) << provider << flash;
      EXPECT_EQ(price_of(provider, flash, january, price_tier::flex), both(0.75, 3.75)) << provider << flash;
    }
  }
}

TEST(CatalogueData, KnowsDeepSeeksHoursOfPeak) {
  const sys_days tuesday = 2026y / 12 / 1, saturday = 2026y / 12 / 5, holiday = 2026y / 10 / 1;
  for (const auto& [name, low] : {std::pair("deepseek-flash", both(0.15, 0.6)), std::pair("deepseek-v4-flash", both(0.15, 0.6)),
                                  std::pair("deepseek-v4-pro", both(0.66, 1.98))}) {
    const both peak(2 * low.first, 2 * low.second);
    EXPECT_EQ(price_of("deepseek", name, tuesday + 1h - 1s), low) << name;
    EXPECT_EQ(price_of("deepseek", name, tuesday + 1h), peak) << name;
    EXPECT_EQ(price_of("deepseek", name, tuesday + 4h), low) << name;
    EXPECT_EQ(price_of("deepseek", name, tuesday + 9h), peak) << name;
    EXPECT_EQ(price_of("deepseek", name, tuesday + 10h), low) << name;
    EXPECT_EQ(price_of("deepseek", name, saturday + 2h), low) << name;
    EXPECT_EQ(price_of("deepseek", name, holiday + 2h), low) << name;
  }
}

TEST(CatalogueData, ARegionOfBedrockCostsATenthMoreThanTheWorld) {
  for (const char* model : {"anthropic.claude-opus-5-5", "anthropic.claude-sonnet-5-5"}) {
    const both world = price_of("bedrock", "global." + std::string(model));
    EXPECT_GT(world.first, 0) << model;
    for (const char* region : {"us.", "eu.", "jp.", "au.", ""}) {
      const both there = price_of("bedrock", region + std::string(model));
      EXPECT_NEAR(there.first, 1.1 * world.first, 1e-9) << region << model;
      EXPECT_NEAR(there.second, 1.1 * world.second, 1e-9) << region << model;
    }
    EXPECT_NEAR(price_of("bedrock-mantle", model).first, 1.1 * world.first, 1e-9) << model;
  }
  EXPECT_EQ(price_of("bedrock-mantle", "openai.gpt-6.1-sol"), both(2.2, 11));
}

TEST(CatalogueData, ARegionOfVertexCostsATenthMoreForNewerModels) {
  for (const char* model : {"claude-sonnet-4-5@20250929", "claude-haiku-4-5@20251001", "claude-opus-4-6", "claude-opus-5-5"}) {
    const both world = price_of("vertex-anthropic", model), there = price_of("vertex-anthropic/regional", model);
    EXPECT_GT(world.first, 0) << model;
    EXPECT_NEAR(there.first, 1.1 * world.first, 1e-9) << model;
    EXPECT_NEAR(there.second, 1.1 * world.second, 1e-9) << model;
  }
  for (const char* older : {"claude-sonnet-4@20250514", "claude-opus-4-1@20250805", "claude-3-5-haiku@20241022"})
    EXPECT_EQ(price_of("vertex-anthropic/regional", older), price_of("vertex-anthropic", older)) << older;
  EXPECT_EQ(price_of("vertex-gemini/regional", "gemini-4-argon"), both(2.2, 11));
  EXPECT_EQ(price_of("vertex/regional", "google/gemini-4-argon"), both(2.2, 11));
}

TEST(CatalogueData, KnowsPricesThatAnEarlierListHadWrong) {
  EXPECT_EQ(price_of("zai", "glm-5.3-flash"), both(0.15, 0.5));
  EXPECT_EQ(price_of("mistral", "mistral-small-latest"), both(0.15, 0.6));
  EXPECT_EQ(price_of("mistral", "mistral-large-4"), both(0.7, 2.1));
  EXPECT_EQ(price_of("mistral", "mistral-large-latest"), both(0.7, 2.1)) << "the alias of mistral-large-4";
  EXPECT_EQ(price_of("mistral", "mistral-large-2512"), both(0.5, 1.5));
}

TEST(CatalogueData, TheSameModelCostsSomethingElseAtAnotherHost) {
  EXPECT_EQ(price_of("bedrock", "global.moonshotai.kimi-k3.1"), both(4, 20));
  EXPECT_EQ(price_of("moonshot", "kimi-k3.1-pro"), both(2, 10));
  const both glm = price_of("zai", "glm-5.3"), foundry = price_of("azure", "FW-GLM-5.3");
  EXPECT_NEAR(foundry.first, 1.25 * glm.first, 1e-9);
  EXPECT_NEAR(foundry.second, 1.25 * glm.second, 1e-9);
  const std::string flash = "accounts/fireworks/models/deepseek-v4p1-flash-1017";
  const std::string router = "accounts/fireworks/routers/deepseek-v4p1-flash-1017";
  const double base = price_of("fireworks", flash).first;
  EXPECT_GT(base, 0);
  EXPECT_NEAR(price_of("fireworks", router + "-spot").first, 0.7 * base, 1e-9);
  EXPECT_NEAR(price_of("fireworks", router + "-ultrafast").first, 8 * base, 1e-9);
  const double fireworks_glm = price_of("fireworks", "accounts/fireworks/models/glm-5p3").first;
  EXPECT_NEAR(price_of("fireworks", "accounts/fireworks/routers/glm-5p3-fast").first, 1.5 * fireworks_glm, 1e-9);
  EXPECT_NEAR(price_of("fireworks", "accounts/fireworks/routers/glm-5p3-us").first, 1.5 * fireworks_glm, 1e-9);
}

TEST(CatalogueData, KnowsTheNewestNames) {
  EXPECT_EQ(price_of("openai", "gpt-6.2-sol"), both(2, 10));
  EXPECT_EQ(price_of("openai", "gpt-6.2-astra"), both(8, 40));
  EXPECT_EQ(price_of("gemini", "gemini-4-carbon"), both(2, 10));
  EXPECT_GT(price_of("anthropic", "claude-fable-5-2").first, 0);
}

TEST(CatalogueData, KnowsWhenModelsEnd) {
  const auto end_of = [](std::string_view provider, std::string_view model) {
    const catalogue_model* found = known().find(provider, model);
    return found ? found->ends : std::nullopt;
  };
  EXPECT_EQ(end_of("anthropic", "claude-sonnet-4-5"), sys_days{2026y / 11 / 30});
  EXPECT_EQ(end_of("gemini", "gemini-2.5-pro"), sys_days{2026y / 12 / 1});
  EXPECT_EQ(end_of("gemini", "gemini-2.5-flash"), sys_days{2026y / 12 / 1});
  for (const char* model : {"gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3"})
    EXPECT_EQ(end_of("openai", model), sys_days{2026y / 12 / 11}) << model;
  for (const char* model : {"gpt-4o", "gpt-4.1"}) EXPECT_EQ(end_of("openai", model), sys_days{2027y / 1 / 14}) << model;
  EXPECT_FALSE(known().find("anthropic", "claude-sonnet-4-5")->successor.empty());
}

TEST(CatalogueData, PerplexitysPriceIsThatOfItsAgentApi) {
  EXPECT_EQ(price_of("perplexity", "perplexity/sonar"), both(0.25, 2.5));
  EXPECT_EQ(price_of("perplexity", "sonar"), both(0.25, 2.5));
}

TEST(CatalogueData, KnowsTiers) {
  EXPECT_EQ(price_of("openai", "gpt-6.1-sol", noon, price_tier::priority), both(4, 20));
  EXPECT_EQ(price_of("openai", "gpt-6.1-sol", noon, price_tier::fast), both(4, 20)) << "a newer name of priority";
  EXPECT_EQ(price_of("openai", "gpt-6.1-sol", noon, price_tier::flex), both(1, 5));
  EXPECT_EQ(price_of("openai", "gpt-6.1-sol", noon, price_tier::ultrafast), both(12, 60));
  EXPECT_EQ(price_of("openai", "gpt-5.5", noon, price_tier::priority).first, 2.5 * price_of("openai", "gpt-5.5").first);
  EXPECT_EQ(price_of("anthropic", "claude-opus-5-5", noon, price_tier::fast), both(8, 40));
  EXPECT_EQ(price_of("gemini", "gemini-4-argon", noon, price_tier::priority), both(3.6, 18));
  EXPECT_EQ(price_of("fireworks", "accounts/fireworks/models/glm-5p3", noon, price_tier::priority), both(1.75, 5.5));
}

TEST(CatalogueData, KnowsLimitsAndEfforts) {
  const catalogue_model* sol = known().find("openai", "gpt-6.1-sol");
  ASSERT_TRUE(sol);
  EXPECT_EQ(sol->context, 922'000u);
  EXPECT_EQ(sol->max_output, 128'000u);
  EXPECT_EQ(sol->efforts.words, (std::vector<std::string>{"low", "medium", "high", "xhigh", "max"}));
  EXPECT_EQ(known().find("gemini", "gemini-4-argon")->max_output, 32'768u) << "of a whole answer";
  EXPECT_EQ(known().find("novita", "meta-llama/llama-3.3-70b-instruct")->context, 12'288u);
  EXPECT_TRUE(known().find("openai", "gpt-5.5-pro")->is_responses_only);
  EXPECT_FALSE(sol->is_responses_only);
}

TEST(CatalogueData, KnowsTheBetasOfEachCloud) {
  ASSERT_TRUE(known().betas("bedrock") && known().betas("vertex"));
  EXPECT_EQ(known().betas("bedrock")->at("advanced-tool-use-2025-11-20"), "tool-search-tool-2025-10-19");
  EXPECT_FALSE(known().betas("bedrock")->contains("interleaved-thinking-2025-05-14"));
  EXPECT_EQ(known().betas("vertex")->at("interleaved-thinking-2025-05-14"), "interleaved-thinking-2025-05-14");
}

TEST(CatalogueData, PricesEveryFlagship) {
  const auto file = nlohmann::json::parse(tests::source_file("proxy/providers/data/flagships.json"));
  std::set<std::string> labs;
  for (const auto& each : file["flagships"]) {
    const std::string provider = each["provider"], name = each["name"];
    const catalogue_model* model = known().find(provider, name);
    ASSERT_TRUE(model) << name;
    EXPECT_NE(std::find(model->names.begin(), model->names.end(), name), model->names.end()) << name;
    EXPECT_TRUE(model->prices_of(price_tier::standard)) << name;
    labs.insert(provider);
  }
  for (const char* lab : {"openai", "anthropic", "gemini", "xai", "deepseek", "moonshot", "zai", "mistral"})
    EXPECT_TRUE(labs.contains(lab)) << lab;
}

TEST(CatalogueData, SpeaksOfPresetsOnly) {
  for (const auto& [provider, models] : known().models())
    EXPECT_TRUE(presets().contains(provider.substr(0, provider.find('/')))) << provider;
}

TEST(CatalogueData, ListsAndPricesTheFirstTargetsOfTheReadyGroup) {
  const race_group& group = race_groups().front();
  ASSERT_EQ(group.name, "gpt-oss-120b");
  for (const std::string& target : {group.targets[0], group.targets[1], group.targets[2]}) {
    const std::size_t slash = target.find('/');
    EXPECT_TRUE(built_in_prices(target.substr(0, slash), target.substr(slash + 1))) << target;
  }
}

TEST(CatalogueData, HasNoBetaThatFoundryIsKnownToRefuse) {
  for (const std::string& refused : cloud_facts_of("azure").refused_betas)
    EXPECT_FALSE(known().betas("azure")->contains(refused)) << refused;
}

TEST(CatalogueData, IsUnknownForUnknownNames) {
  EXPECT_FALSE(built_in_prices("groq", "a-model-without-a-price"));
  EXPECT_FALSE(built_in_prices("no-such-preset", "gpt-4o"));
  EXPECT_FALSE(built_in_prices("", ""));
}

}  // namespace
}  // namespace photofinish::proxy
