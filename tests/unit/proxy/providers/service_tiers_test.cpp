#include "proxy/providers/service_tiers.hpp"

#include "proxy/providers/presets.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

std::optional<price_tier> tier_of(const char* preset, std::string_view model) {
  provider target = presets().at(preset).defaults;
  if (std::string_view(preset).starts_with("vertex")) target.url.path = "/v1/projects/p/locations/global/publishers/google";
  return tier_in_name(target, model);
}

TEST(ServiceTiers, ATargetEndsInATierOfItsProvider) {
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@priority"), price_tier::priority);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@ultrafast"), price_tier::ultrafast);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@standard"), price_tier::standard);
  EXPECT_EQ(tier_of("anthropic", "claude-opus-5-5@fast"), price_tier::fast);
  EXPECT_EQ(tier_of("vertex-gemini", "gemini-3.8-flash@flex"), price_tier::flex);
  EXPECT_EQ(tier_of("groq", "openai/gpt-oss-120b@flex"), price_tier::flex);
  EXPECT_EQ(without_tier("gpt-6.1-sol@priority"), "gpt-6.1-sol");
}

TEST(ServiceTiers, OnlyTheWordAfterTheLastMarkCounts) {
  EXPECT_EQ(tier_of("openai", "a@flex@priority"), price_tier::priority);
  EXPECT_EQ(without_tier("a@flex@priority"), "a@flex");
  EXPECT_EQ(tier_of("openai", "a@priority@b"), std::nullopt);
  EXPECT_EQ(tier_of("openai", "@priority"), std::nullopt);
}

TEST(ServiceTiers, OtherNamesKeepTheirMeaning) {
  EXPECT_EQ(tier_of("vertex-anthropic", "claude-sonnet-4-5@20250929"), std::nullopt);
  EXPECT_EQ(tier_of("vertex-gemini", "gemini-3.8-flash@default"), std::nullopt);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@default"), std::nullopt);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@Priority"), std::nullopt);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@batch"), std::nullopt);
  EXPECT_EQ(tier_of("openai", "gpt-6.1-sol@"), std::nullopt);
  EXPECT_EQ(tier_of("cloudflare", "@cf/openai/gpt-oss-120b"), std::nullopt);
  EXPECT_EQ(tier_of("vllm", "mine@priority"), std::nullopt) << "it has no tiers";
  EXPECT_EQ(tier_of("anthropic", "claude-opus-5-5@priority"), std::nullopt) << "it does not have this tier";
  EXPECT_EQ(tier_of("bedrock", "global.anthropic.claude-opus-5-5@priority"), std::nullopt) << "its API has no tiers";
  EXPECT_EQ(tier_in_name(provider{}, "mine@priority"), std::nullopt) << "its tiers are not known";
}

TEST(ServiceTiers, AProviderWithoutAFormHasThatOfItsApi) {
  constexpr const char* at_vertex = "/v1/projects/p/locations/global/publishers/google";
  const auto form = [](const char* dialect, auth_style auth, const char* path = "/v1") {
    provider target;
    target.dialect = dialect;
    target.key.auth = auth;
    target.url.path = path;
    return tier_form_of(target);
  };
  EXPECT_EQ(form("openai", auth_style::bearer), tier_form::as_sent);
  EXPECT_EQ(form("anthropic", auth_style::header), tier_form::anthropic);
  EXPECT_EQ(form("bedrock", auth_style::aws), tier_form::bedrock);
  EXPECT_EQ(form("gemini", auth_style::header), tier_form::gemini);
  EXPECT_EQ(form("gemini", auth_style::google, at_vertex), tier_form::vertex);
  EXPECT_EQ(form("gemini", auth_style::bearer, at_vertex), tier_form::vertex);
}

TEST(ServiceTiers, VertexHasThemAtOnePlace) {
  provider target = presets().at("vertex-gemini").defaults;
  target.url.path = "/v1/projects/p/locations/us-east5/publishers/google";
  EXPECT_EQ(tier_form_of(target), tier_form::none);
  EXPECT_EQ(tier_in_name(target, "gemini-3.8-flash@flex"), std::nullopt);
}

TEST(ServiceTiers, OnlyTheUsualTierIsLeftOutSilently) {
  for (const char* word : {"auto", "default", "standard"}) EXPECT_FALSE(fit_tier(tier_form::none, word, std::nullopt).is_lost) << word;
  for (const char* word : {"flex", "scale", "reserved", "unheard-of"})
    EXPECT_TRUE(fit_tier(tier_form::none, word, std::nullopt).is_lost) << word;
}

TEST(ServiceTiers, GroqsTiersHaveOnePrice) {
  EXPECT_EQ(fit_tier(tier_form::groq, "flex", std::nullopt).tier, price_tier::standard);
  EXPECT_EQ(fit_tier(tier_form::groq, "", price_tier::flex).tier, price_tier::standard);
  EXPECT_EQ(fit_tier(tier_form::groq, "", price_tier::flex).word, "flex");
  EXPECT_EQ(fit_tier(tier_form::openai, "flex", std::nullopt).tier, price_tier::flex);
}

TEST(PriceTiers, AreReadFromTheTrafficOfGoogle) {
  EXPECT_EQ(parse_traffic_type("ON_DEMAND"), price_tier::standard);
  EXPECT_EQ(parse_traffic_type("PROVISIONED_THROUGHPUT"), price_tier::standard);
  EXPECT_EQ(parse_traffic_type("ON_DEMAND_PRIORITY"), price_tier::priority);
  EXPECT_EQ(parse_traffic_type("ON_DEMAND_FLEX"), price_tier::flex);
  EXPECT_EQ(parse_traffic_type("FLEX"), price_tier::flex);
  EXPECT_EQ(parse_traffic_type("unheard-of"), std::nullopt);
}

}  // namespace
}  // namespace photofinish::proxy
