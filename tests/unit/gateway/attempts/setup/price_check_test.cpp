// Tests which targets a caller may not use because the target's price is not known.
#include "gateway/attempts/setup/price_check.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

config parse_file(const std::string& yaml) {
  config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
  EXPECT_TRUE(result.is_usable()) << to_string(result.problems.front());
  return std::move(result.settings);
}

const std::string one_provider = "providers: {groq: {api_key: k}}\n";

// True if callers may not use targets without a price through the route r. The caller has the first access key, or no key.
bool is_refused(const std::string& yaml, bool has_key = true) {
  const config settings = parse_file(one_provider + yaml);
  const caller who{.key = has_key ? &*settings.access.keys.begin() : nullptr};
  return refuses_unpriced(settings, who, &settings.routes.at("r"));
}

const std::string one_route = "routes: {r: {targets: [groq/m]}}\n";
const std::string one_key = "access_keys: [{name: alice, key: pf-alice-alice-alice, team: t}]\n";

TEST(PriceCheck, TheStrictestSettingCounts) {
  EXPECT_FALSE(is_refused("teams: {t: {}}\n" + one_key + one_route));
  EXPECT_TRUE(is_refused("unpriced: refuse\nteams: {t: {}}\n" + one_key + one_route));
  EXPECT_TRUE(is_refused("unpriced: refuse\n" + one_route, false));
  EXPECT_TRUE(is_refused("teams: {t: {unpriced: refuse}}\n" + one_key + one_route));
  EXPECT_TRUE(is_refused("teams: {t: {}}\nkey_defaults: {unpriced: refuse}\n" + one_key + one_route));
  EXPECT_TRUE(is_refused("teams: {t: {}}\n" + one_key + "routes: {r: {targets: [groq/m], unpriced: refuse}}\n"));
}

TEST(PriceCheck, AKeyMayBeStricterButNotLooser) {
  const auto with_key = [](const std::string& members) {
    return "teams: {t: {}}\naccess_keys: [{name: alice, key: pf-alice-alice-alice, team: t, " + members + "}]\n" + one_route;
  };
  EXPECT_TRUE(is_refused(with_key("unpriced: refuse")));
  EXPECT_TRUE(is_refused(with_key("routes: [r], by_route: {r: {unpriced: refuse}}")));
  EXPECT_FALSE(is_refused(with_key("unpriced: allow")));
  EXPECT_TRUE(is_refused("key_defaults: {unpriced: refuse}\n" + with_key("unpriced: allow")));
}

// Returns the service tier whose price is missing for this request, or an empty string if all required prices are known. The target is at
// OpenAI, and only its standard tier has a price.
std::string_view missing(const std::string& body, const char* model, proxy::wire_format format = proxy::wire_format::openai_chat,
                         bool is_strict = true) {
  proxy::provider provider;
  provider.behaves.tiers = proxy::tier_form::openai;
  parsed_request asked;
  asked.body = std::make_shared<const proxy::client_body>(body);
  asked.format = format;
  const price_test has_price = [](const target_name& target, proxy::price_tier tier) {
    return target.sent_model() == "m" && tier == proxy::price_tier::standard;
  };
  return price_check(asked, has_price, is_strict).missing_tier({&provider, target_at(provider, "p", model), {}, {}});
}

TEST(PriceCheck, AModelNeedsAPriceForTheTierThatIsAskedFor) {
  EXPECT_EQ(missing("{}", "m"), "");
  EXPECT_EQ(missing("{}", "other"), "standard");
  EXPECT_EQ(missing(R"({"service_tier":"auto"})", "m"), "");
  EXPECT_EQ(missing(R"({"service_tier":"priority"})", "m"), "priority");
  EXPECT_EQ(missing(R"({"speed":"fast"})", "m", proxy::wire_format::anthropic_messages), "fast");
  EXPECT_EQ(missing("{}", "m@flex"), "flex");
  EXPECT_EQ(missing(R"({"service_tier":"priority"})", "m@standard"), "") << "the target's tier is sent";
  EXPECT_EQ(missing("{}", "other", proxy::wire_format::openai_chat, false), "") << "nothing is refused";
}

// Returns the service tier whose price the gateway would need for this request, or an empty string for the standard tier. In this test the
// model has no prices.
std::string_view judged(const char* preset, const char* model, const std::string& body,
                        proxy::wire_format format = proxy::wire_format::openai_chat) {
  proxy::provider provider = proxy::presets().at(preset).defaults;
  if (std::string_view(preset) == "vertex-anthropic")
    provider.url.path = "/v1/projects/p/locations/global/publishers/anthropic";
  parsed_request asked;
  asked.body = std::make_shared<const proxy::client_body>(body);
  asked.format = format;
  const price_test has_none = [](const target_name&, proxy::price_tier) { return false; };
  return price_check(asked, has_none, true).missing_tier({&provider, target_at(provider, "p", model), {}, {}});
}

TEST(PriceCheck, AModelWithoutTiersNeedsTheStandardPrice) {
  const std::string priority = R"({"service_tier":"priority"})", fast = R"({"speed":"fast"})";
  EXPECT_EQ(judged("gemini", "gemini-3.8-flash", priority), "priority");
  EXPECT_EQ(judged("gemini", "gemini-2.0-flash", priority), "standard");
  EXPECT_EQ(judged("bedrock", "amazon.nova-pro-v1:0", priority), "priority");
  EXPECT_EQ(judged("bedrock", "meta.llama3-3-70b-instruct-v1:0", priority), "standard");
  EXPECT_EQ(judged("bedrock", "meta.llama3-3-70b-instruct-v1:0@priority", priority), "priority") << "the operator may know more";
  for (const char* preset : {"anthropic", "vertex-anthropic", "bedrock"}) {
    const bool is_own = std::string_view(preset) == "anthropic";
    const char* model = std::string_view(preset) == "bedrock" ? "anthropic.claude-opus-5-5" : "claude-opus-5-5";
    EXPECT_EQ(judged(preset, model, fast, proxy::wire_format::anthropic_messages), is_own ? "fast" : "standard") << preset;
  }
  EXPECT_EQ(judged("anthropic", "claude-haiku-5-5", fast, proxy::wire_format::anthropic_messages), "standard");
  EXPECT_EQ(judged("anthropic", "claude-haiku-5-5@fast", "{}"), "standard");
}

TEST(PriceCheck, TheErrorSaysHowToPriceATarget) {
  const target_name target{"openai", "gpt-9@flex", proxy::price_tier::flex};
  const api_error error = price_unknown("fast", {{target, "flex"}});
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, "price_unknown");
  EXPECT_EQ(error.message,
            "no target of 'fast' has a known price, and `unpriced: refuse` forbids targets without a price: 'openai/gpt-9@flex' (tier "
            "flex); add to providers.openai.prices a row 'gpt-9@flex' "
            "with the prices of input and output in USD per million tokens, for example 3/15");
}

}  // namespace
}  // namespace photofinish::gateway
