#include "proxy/providers/presets.hpp"

#include "proxy/providers/behaviour_words.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/words/contains.hpp"

#include "tests/support/source_file.hpp"
#include "tests/support/streams/pattern.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

TEST(Presets, EveryPlannedProviderIsThere) {
  for (const char* name :
       {"openai",     "anthropic",    "gemini",     "xai",         "deepseek",   "groq",
        "cerebras",   "sambanova",    "together",   "fireworks",   "deepinfra",  "mistral",
        "openrouter", "morph",        "inception",  "azure",       "bedrock",    "vertex",
        "nebius",     "novita",       "hyperbolic", "cohere",      "perplexity", "moonshot",
        "baseten",    "huggingface",  "nvidia",     "siliconflow", "friendli",   "vllm",
        "sglang",     "trtllm-serve", "llama-cpp",  "ollama",      "lmstudio",   "mlx",
        "alibaba",    "minimax",      "meta",       "cloudflare",  "databricks", "vercel",
        "requesty",   "wandb",        "gmi",        "scaleway",    "ovhcloud",   "crusoe",
        "parasail",   "chutes",       "venice",     "xiaomi",      "stepfun",    "oci",
        "modal",      "poe"})
    EXPECT_TRUE(presets().contains(name)) << name;
}

TEST(Presets, EachIsNamedAsAConfigurationMayNameIt) {
  const std::string form = "^[a-z0-9][a-z0-9-]*$";
  for (const auto& [name, known] : presets()) {
    EXPECT_TRUE(tests::has_match(form, name)) << name;
    EXPECT_EQ(known.defaults.name, name);
    EXPECT_EQ(known.defaults.preset, name);
  }
}

TEST(Presets, EachIsDatedAndItsUrlIsOneOnceItsNeedsAreFilled) {
  const std::string date = "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$";
  for (const auto& [name, known] : presets()) {
    EXPECT_TRUE(tests::has_match(date, known.as_of)) << name;
    std::map<std::string, std::string> params;
    for (const auto& [placeholder, variable] : known.needs) params[placeholder] = "some-value";
    EXPECT_TRUE(fill_base_url(known, params).url) << name;
    if (!known.needs.empty()) {
      EXPECT_FALSE(fill_base_url(known, {}).url) << name;
    }
  }
}

TEST(Presets, KnowTheirPromptCaches) {
  const auto cache_of = [](const char* name) -> const prompt_cache_traits& {
    return presets().at(name).defaults.behaves.prompt_cache;
  };
  EXPECT_EQ(cache_of("openai"), (prompt_cache_traits{.hint = {"prompt_cache_key", "prompt_cache_key"}}));
  EXPECT_EQ(cache_of("anthropic"), (prompt_cache_traits{.step = 1, .marks = prompt_marks::needed,
                                                        .reported = cached_report::early}));
  EXPECT_EQ(cache_of("groq"), (prompt_cache_traits{.ttl = std::chrono::hours(2)}));
  EXPECT_EQ(cache_of("xai").hint, (prompt_hint_fields{"x-grok-conv-id", "prompt_cache_key"}));
  EXPECT_EQ(cache_of("vllm"), (prompt_cache_traits{.ttl = std::chrono::hours(1), .minimum = 16, .step = 16,
                                                   .reported = cached_report::never}));
  EXPECT_EQ(cache_of("novita"), prompt_cache_traits{});
  // Anthropic offers a second endpoint for OpenAI's SDKs. It uses the same prompt cache as Anthropic's Messages API.
  EXPECT_EQ(presets().at("anthropic").compatible.front().defaults.behaves.prompt_cache, cache_of("anthropic"));
}

std::string hint_in_docs(const prompt_cache_traits& cache) {
  if (cache.hint.chat.empty()) return {};
  std::string text = "`" + cache.hint.chat + "`";
  if (cache.hint.responses != cache.hint.chat) text += ", by Responses `" + cache.hint.responses + "`";
  return cache.hint_models.empty() ? text : text + ", OpenAI's models only";
}

TEST(Presets, TheDocumentHasTheirPromptCaches) {
  const std::string docs = tests::source_file("docs/providers/prompt-caches.md");
  std::size_t rows = 0;
  for (const auto& [name, known] : presets()) {
    const prompt_cache_traits& cache = known.defaults.behaves.prompt_cache;
    if (cache == prompt_cache_traits{}) continue;
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(cache.ttl).count();
    const std::string ttl = minutes % 60 == 0 ? std::to_string(minutes / 60) + "h" : std::to_string(minutes) + "m";
    const std::string row = "| `" + name + "` | " + ttl + " | " + std::to_string(cache.minimum) + ", " + std::to_string(cache.step) +
                            " | " + std::string(word_of(cache.marks)) + " | " + std::string(word_of(cache.reported)) + " | " +
                            hint_in_docs(cache) + " |\n";
    EXPECT_NE(docs.find(row), std::string::npos) << row;
    ++rows;
  }
  EXPECT_GT(rows, 20u);
}

TEST(Presets, AHintInTheBodyIsOneThatTheProviderTakes) {
  for (const auto& [name, known] : presets()) {
    const behaviour& behaves = known.defaults.behaves;
    const std::string& hint = behaves.prompt_cache.hint.chat;
    if (hint.empty() || is_header_hint(hint) || behaves.accept_params.empty()) continue;
    EXPECT_TRUE(contains(behaves.accept_params, hint)) << name;
  }
}

TEST(Presets, OnlyLocalEnginesAreReachedWithoutTlsAndOnlyOnLoopback) {
  for (const auto& [name, known] : presets()) {
    const bool is_plain = known.base_url.starts_with("http://");
    EXPECT_EQ(is_plain, known.defaults.key.is_optional) << name;
    if (is_plain) {
      EXPECT_TRUE(is_loopback(known.defaults.url.host)) << name;
    }
  }
}

TEST(Presets, EachHostedOneKnowsItsKeyVariableExceptWhereKeysExpire) {
  for (const auto& [name, known] : presets()) {
    if (known.defaults.key.is_optional || name.starts_with("vertex")) continue;
    EXPECT_FALSE(known.key_variables.empty()) << name;
  }
}

TEST(Presets, NoParameterIsTreatedInTwoWays) {
  for (const auto& [name, known] : presets()) {
    std::multiset<std::string> treated;
    for (const auto& [from, to] : known.defaults.behaves.rename_params) treated.insert(from);
    treated.insert(known.defaults.behaves.drop_params.begin(), known.defaults.behaves.drop_params.end());
    treated.insert(known.defaults.behaves.reject_params.begin(), known.defaults.behaves.reject_params.end());
    for (const std::string& param : treated) EXPECT_EQ(treated.count(param), 1u) << name << " " << param;
  }
}

TEST(Presets, BehaviourIsReadFromTheFile) {
  const preset& mistral = presets().at("mistral");
  EXPECT_EQ(mistral.defaults.behaves.usage, usage_in_stream::always);
  EXPECT_EQ(mistral.defaults.behaves.rename_params.at("seed"), "random_seed");
  EXPECT_FALSE(mistral.defaults.behaves.developer_role);
  EXPECT_EQ(mistral.defaults.behaves.billing, cancel_billing::full);
  EXPECT_EQ(presets().at("azure").defaults.key.auth, auth_style::header);
  EXPECT_EQ(presets().at("azure").defaults.key.header, "api-key");
  EXPECT_EQ(presets().at("gemini").key_variables,
            (std::vector<std::string>{"GEMINI_API_KEY", "GOOGLE_API_KEY"}));
  EXPECT_EQ(presets().at("vllm").defaults.limits.idle_timeout, std::chrono::seconds(4));
  EXPECT_FALSE(mistral.defaults.behaves.base64_embeddings);
}

TEST(Presets, EachServesAConversationAndWhateverElseItsEntryNames) {
  for (const auto& [name, known] : presets())
    EXPECT_TRUE(known.defaults.apis.contains(served_api::chat) || known.defaults.apis.contains(served_api::responses)) << name;
  EXPECT_EQ(presets().at("perplexity").defaults.apis, served_apis{served_api::responses}) << "its chat has ended";
  EXPECT_EQ(presets().at("zai").defaults.apis, served_apis{served_api::chat});
  EXPECT_TRUE(presets().at("openai").defaults.apis.contains(served_api::moderations));
  EXPECT_TRUE(presets().at("vllm").defaults.apis.contains(served_api::rerank));
  EXPECT_FALSE(presets().at("deepseek").defaults.apis.contains(served_api::completions));
}

TEST(Presets, PlaceholdersAreFilledWithSingleWordsOnly) {
  const preset& vertex = presets().at("vertex");
  const auto filled = fill_base_url(vertex, {{"location", "us-east5"}, {"project", "my-project"}});
  EXPECT_EQ(to_string(*filled.url),
            "https://us-east5-aiplatform.googleapis.com/v1/projects/my-project/locations/us-east5/endpoints/"
            "openapi");
  for (const auto& [location, host] : {std::pair{"global", "aiplatform.googleapis.com"},
                                       std::pair{"eu", "aiplatform.eu.rep.googleapis.com"}}) {
    const auto other = fill_base_url(vertex, {{"location", location}, {"project", "p"}});
    EXPECT_EQ(other.url->host, host);
    EXPECT_EQ(other.url->path, "/v1/projects/p/locations/" + std::string(location) + "/endpoints/openapi");
  }
  for (const char* value : {"", "evil.com/", "a b", "a@b", "a:1", "{project}"})
    EXPECT_FALSE(fill_base_url(vertex, {{"location", value}, {"project", "p"}}).url) << value;
}

TEST(Presets, AHostMayBeWrittenAsAUrl) {
  const preset& databricks = presets().at("databricks");
  for (const char* host : {"adb-1.2.azuredatabricks.net", "https://adb-1.2.azuredatabricks.net", "https://adb-1.2.azuredatabricks.net/"}) {
    const base_url_result filled = fill_base_url(databricks, {{"host", host}});
    ASSERT_TRUE(filled.url) << host;
    EXPECT_EQ(to_string(*filled.url), "https://adb-1.2.azuredatabricks.net/ai-gateway/mlflow/v1");
    EXPECT_TRUE(is_own_url(databricks, *filled.url));
  }
  for (const char* host : {"http://a.example", "https://a.example/serving-endpoints", "https://", "a@b"})
    EXPECT_FALSE(fill_base_url(databricks, {{"host", host}}).url) << host;
  EXPECT_FALSE(is_own_url(databricks, *parse_base_url("https://llm.example.com/v1").url)) << "another party's";
}

TEST(Presets, TheNewerOnesNameTheirSources) {
  std::size_t count = 0;
  for (const auto& [name, known] : presets()) count += known.source.empty() ? 0 : 1;
  EXPECT_EQ(count, 21u);
  EXPECT_FALSE(presets().at("minimax").compatible.front().source.empty());
}

TEST(Presets, MiniMaxIsSpokenToInMessagesOrInChat) {
  const preset& minimax = presets().at("minimax");
  EXPECT_EQ(minimax.defaults.dialect, "anthropic");
  EXPECT_EQ(minimax.defaults.key.header, "x-api-key");
  EXPECT_EQ(minimax.defaults.behaves.billing, cancel_billing::full);
  ASSERT_EQ(minimax.compatible.size(), 1u);
  EXPECT_EQ(minimax.compatible.front().base_url, "https://api.minimax.io/v1");
  EXPECT_EQ(minimax.compatible.front().defaults.key.auth, auth_style::bearer);
  EXPECT_EQ(minimax.compatible.front().defaults.behaves.billing, cancel_billing::full);
}

TEST(Presets, AnEndpointInAVariableGetsItsPathOnce) {
  const preset& azure = presets().at("azure");
  for (const char* value : {"https://mine.openai.azure.com/", "https://mine.openai.azure.com/openai/v1/"})
    EXPECT_EQ(to_string(*endpoint_url(azure, value).url), "https://mine.openai.azure.com/openai/v1");
  const auto bad = endpoint_url(azure, "mine");
  EXPECT_FALSE(bad.url);
  EXPECT_TRUE(bad.problem.starts_with("AZURE_OPENAI_ENDPOINT: ")) << bad.problem;
}

TEST(Presets, RaceGroupsNameDistinctPresetsAndModels) {
  std::set<std::string> names;
  for (const race_group& group : race_groups()) {
    EXPECT_TRUE(names.insert(group.name).second) << group.name;
    std::set<std::string> targets;
    for (const std::string& target : group.targets) {
      const std::size_t slash = target.find('/');
      ASSERT_NE(slash, std::string::npos) << target;
      EXPECT_TRUE(presets().contains(target.substr(0, slash))) << target;
      EXPECT_GT(target.size(), slash + 1) << target;
      EXPECT_TRUE(targets.insert(target).second) << target;
    }
    EXPECT_GE(targets.size(), 2u) << group.name;
  }
  for (const char* name : {"gpt-oss-120b", "glm-5.3", "kimi-k3.1-pro", "claude-opus-5-5", "gpt-6.1-sol", "gemini-4-argon"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// The script list_group_sources.py writes group_sources.json.
TEST(Presets, APublicListHasEachTargetOfARaceGroup) {
  const auto file = nlohmann::json::parse(tests::source_file("proxy/providers/data/group_sources.json"));
  std::set<std::string> listed, raced;
  for (const auto& [target, lists] : file.at("targets").items()) {
    listed.insert(target);
    EXPECT_FALSE(lists.empty()) << target;
    for (const auto& list : lists) EXPECT_TRUE(file.at("sources").contains(list.get<std::string>())) << target;
  }
  for (const race_group& group : race_groups()) raced.insert(group.targets.begin(), group.targets.end());
  EXPECT_EQ(listed, raced) << "run list_group_sources.py";
}

// Compares the end date of each model with the date of the list of models. A comparison with today's date would begin to fail as time
// passes.
TEST(Presets, NoTargetOfARaceGroupHasEnded) {
  const catalogue& list = *built_in_catalogue();
  for (const race_group& group : race_groups())
    for (const std::string& target : group.targets) {
      const std::size_t slash = target.find('/');
      const catalogue_model* row = list.find(target.substr(0, slash), target.substr(slash + 1));
      EXPECT_FALSE(row != nullptr && row->ends && *row->ends <= list.as_of()) << group.name << ": remove " << target;
    }
}

TEST(Presets, ASnapshotDoesNotRaceAgainstAnother) {
  for (const race_group& group : race_groups())
    for (const std::string& target : group.targets) EXPECT_FALSE(target.ends_with("-1017")) << group.name << " " << target;
}

TEST(Presets, EnginesWithAThreadForEachConnectionGetNoSpares) {
  for (const char* name : {"llama-cpp", "mlx"}) EXPECT_EQ(presets().at(name).defaults.limits.max_spares, 0u) << name;
  EXPECT_EQ(presets().at("vllm").defaults.limits.max_spares, provider_limits{}.max_spares);
}

}  // namespace
}  // namespace photofinish::proxy
