// Tests a provider's setting prompt_cache, which can override single values of the preset.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

config_result parse(const std::string& provider) {
  const std::string name = provider.substr(0, provider.find(':'));
  return parse_config("providers:\n  " + provider + "\nroutes:\n  fast: {targets: [" + name + "/m]}\n", "test.yaml",
                      tests::table_environment{}.machine());
}

proxy::prompt_cache_traits traits_of(const std::string& provider, const std::string& name) {
  const config_result result = parse(provider);
  EXPECT_TRUE(result.is_usable()) << provider << ": " << result.problems.front().message;
  return result.settings.providers.at(name).behaves.prompt_cache;
}

TEST(PromptCacheSection, ReplacesSingleValuesOfThePreset) {
  const auto known = traits_of("openai: {api_key: k}", "openai");
  EXPECT_EQ(known.hint, (proxy::prompt_hint_fields{"prompt_cache_key", "prompt_cache_key"}));
  auto expected = known;
  expected.ttl = std::chrono::minutes(30);
  EXPECT_EQ(traits_of("openai: {api_key: k, prompt_cache: {ttl: 30m}}", "openai"), expected);
}

TEST(PromptCacheSection, AProviderWithoutAPresetHasTheDefaults) {
  EXPECT_EQ(traits_of("lab: {base_url: 'http://h', api_key: k}", "lab"), proxy::prompt_cache_traits{});
  const auto read = traits_of(
      "lab: {base_url: 'http://h', api_key: k, prompt_cache: {ttl: 1h, minimum: 64, step: 16, marks: needed, "
      "reported: never, hint: X-Session-ID, add_marks: true}}", "lab");
  EXPECT_EQ(read, (proxy::prompt_cache_traits{.ttl = std::chrono::hours(1), .minimum = 64, .step = 16,
                                              .marks = proxy::prompt_marks::needed,
                                              .reported = proxy::cached_report::never,
                                              .hint = {"x-session-id", "x-session-id"}, .adds_marks = true}));
}

TEST(PromptCacheSection, AnOwnHintHoldsForAllModelsAndNoneSwitchesItOff) {
  const auto own = traits_of("azure: {api_key: k, params: {resource: r}, prompt_cache: {hint: session_id}}", "azure");
  EXPECT_EQ(own.hint, (proxy::prompt_hint_fields{"session_id", "session_id"}));
  EXPECT_TRUE(own.hint_models.empty());
  EXPECT_EQ(traits_of("xai: {api_key: k, prompt_cache: {hint: none}}", "xai").hint, proxy::prompt_hint_fields{});
}

TEST(PromptCacheSection, AnotherServerGetsNoHintInTheBodyUnlessConfigured) {
  const auto hint_of = [](const std::string& preset, const std::string& more) {
    return traits_of("lab: {preset: " + preset + ", api_key: k, " + more + "}", "lab").hint;
  };
  using fields = proxy::prompt_hint_fields;
  const fields key{"prompt_cache_key", "prompt_cache_key"};
  EXPECT_EQ(hint_of("openai", "base_url: 'https://api.openai.com/v1'"), key);
  EXPECT_EQ(hint_of("openai", "base_url: 'https://eu.api.openai.com/v1'"), key);
  EXPECT_EQ(hint_of("azure", "base_url: 'https://east.openai.azure.com/openai/v1'"), key);
  EXPECT_EQ(hint_of("openai", "base_url: 'http://10.0.0.5/v1'"), fields{});
  EXPECT_EQ(hint_of("openai", "base_url: 'http://10.0.0.5/v1', prompt_cache: {hint: prompt_cache_key}"), key);
  EXPECT_EQ(hint_of("xai", "base_url: 'http://10.0.0.5/v1'"), (fields{"x-grok-conv-id", ""}));
}

TEST(PromptCacheSection, RefusesWhatCannotBeMeant) {
  for (const auto& [entry, part] : {std::pair{"hint: 'x-a b'", "cannot carry a prompt cache hint"},
                                    {"hint: content-length", "cannot carry a prompt cache hint"},
                                    {"hint: x-api-key", "cannot carry a prompt cache hint"},
                                    {"hint: messages", "cannot carry a prompt cache hint"},
                                    {"hint: 'a b'", "cannot carry a prompt cache hint"},
                                    {"step: 2000", "must not be more than `minimum`"},
                                    {"minimum: 100", "must not be more than `minimum`"},
                                    {"marks: maybe", "none"},
                                    {"ttl: 0s", "ttl"}}) {
    const config_result result =
        parse(std::string("lab: {base_url: 'http://h', api_key: k, prompt_cache: {") + entry + "}}");
    EXPECT_FALSE(result.is_usable()) << entry;
    const auto says_it = [part = part](const config_problem& each) {
      return each.message.find(part) != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(result.problems.begin(), result.problems.end(), says_it)) << entry;
  }
}

}  // namespace
}  // namespace photofinish::gateway
