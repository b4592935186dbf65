#include "gateway/config/sources/config_parser.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using tests::table_environment;

config_result parse(std::string_view yaml, const table_environment& table = {}) {
  return parse_config(yaml, "test.yaml", table.machine());
}

std::string all_problems(const config_result& result) {
  std::string text;
  for (const config_problem& problem : result.problems) text += to_string(problem) + "\n";
  return text;
}

TEST(ConfigParser, TheContractsExampleIsReadWhole) {
  const config_result result = parse(R"(
listen: 127.0.0.1:7777
admin: 127.0.0.1:7778
workers: 2
access_keys:
  - {name: search-team, key: "${SEARCH_KEY}", routes: [fast]}
cors_origins: []
limits: {max_body: 32MiB, max_inflight: 10000, max_connections: 20000}
drain_delay: 5s
drain_timeout: 10m
providers:
  groq: {}
  cerebras: {api_key: "${CEREBRAS_API_KEY}"}
  lab: {preset: vllm, base_url: "http://10.0.0.5:8000/v1", api_key: none}
  mine:
    base_url: https://llm.example.com/v1
    api_key: "${MINE_KEY}"
    headers: {X-Team: search}
    models: [big, small]
    connect_timeout: 2s
    max_connection_age: 0s
race: {policy: hedge, hedge_delay: 300ms}
routes:
  fast:
    targets: [groq/openai/gpt-oss-120b, cerebras/gpt-oss-120b, lab/gpt-oss-120b]
    race:
      policy: all
      max_parallel: 3
      max_attempts: 5
      hedge_delay: 300ms
      win_on: any
      race_timeout: 280s
      first_token_timeout: 280s
      stall_timeout: 240s
      client_stall_timeout: 60s
      keepalive_after: 0s
      total_timeout: 30m
)",
                                     {.variables = {{"SEARCH_KEY", "s-1"},
                                                    {"GROQ_API_KEY", "g-1"},
                                                    {"CEREBRAS_API_KEY", "c-1"},
                                                    {"MINE_KEY", "m-1"}}});
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  const config& read = result.settings;
  EXPECT_EQ(read.server.listen, (std::vector<listen_address>{{"127.0.0.1", 7777}}));
  EXPECT_FALSE(read.server.is_listen_default);
  EXPECT_EQ(read.server.admin, (listen_address{"127.0.0.1", 7778}));
  EXPECT_EQ(read.server.workers, 2u);
  EXPECT_EQ(read.access.keys.at(0), (access_key{"search-team", proxy::secret("s-1"), {"fast"}}));
  EXPECT_EQ(read.providers.at("groq").key.value.reveal(), "g-1");
  EXPECT_EQ(read.providers.at("groq").key.variable, "GROQ_API_KEY");
  EXPECT_EQ(read.providers.at("groq").url.host, "api.groq.com");
  EXPECT_EQ(read.providers.at("cerebras").key.value.reveal(), "c-1");
  const proxy::provider& lab = read.providers.at("lab");
  EXPECT_EQ(lab.url, (proxy::base_url{false, "10.0.0.5", 8000, "/v1"}));
  EXPECT_TRUE(lab.key.is_optional && lab.key.value.empty());
  EXPECT_EQ(lab.preset, "vllm");
  const proxy::provider& mine = read.providers.at("mine");
  EXPECT_EQ(mine.headers, (decltype(mine.headers){{"X-Team", "search"}}));
  EXPECT_EQ(mine.models, (std::vector<std::string>{"big", "small"}));
  EXPECT_EQ(mine.limits.connect_timeout, 2s);
  EXPECT_EQ(mine.limits.max_connection_age, 0s);
  const route& fast = read.routes.at("fast");
  EXPECT_EQ(fast.targets.at(0), (target_name{"groq", "openai/gpt-oss-120b"}));
  EXPECT_EQ(fast.race.policy, racing::race_policy::all);
  EXPECT_EQ(fast.race.max_attempts, 5u);
  EXPECT_EQ(read.race.policy, racing::race_policy::hedge);
}

TEST(ConfigParser, AFileThatOnlyListsNoProvidersIsTheDefaultsAndAWarning) {
  const config_result result = parse("providers: {}");
  EXPECT_TRUE(result.is_usable());
  EXPECT_EQ(result.settings, config{});
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].severity, severity::warning);
}

TEST(ConfigParser, ARouteInheritsTheDefaultRaceAndChangesOnlyWhatItSays) {
  const config_result result = parse(R"(
providers: {groq: {api_key: k}, xai: {api_key: k}}
race: {policy: hedge, hedge_delay: 150ms, max_parallel: 2}
routes:
  a: {targets: [groq/x, xai/y], race: {hedge_delay: 1s, win_on: visible}}
  b: {targets: [groq/x]}
)");
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  const racing::race_settings& a = result.settings.routes.at("a").race;
  EXPECT_EQ(a.policy, racing::race_policy::hedge);
  EXPECT_EQ(a.hedge_delay, 1s);
  EXPECT_EQ(a.max_parallel, 2u);
  EXPECT_EQ(a.wins, racing::win_on::visible);
  EXPECT_EQ(result.settings.routes.at("b").race.hedge_delay, 150ms);
}

TEST(ConfigParser, ARouteWithOneTargetNeedsNoPolicy) {
  const config_result result = parse("providers: {groq: {api_key: k}}\nroutes: {a: {targets: [groq/x]}}\n");
  EXPECT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_TRUE(result.settings.routes.at("a").race.policy.has_value());
}

TEST(ConfigParser, VariablesDefaultsAndDollarsAreExpandedOnceEverywhere) {
  const config_result result =
      parse(R"(
workers: ${WORKERS:-3}
open: "${OPEN}"
drain_delay: ${EMPTY:-7s}
providers:
  groq: {api_key: "a$$b${TRICK}c", models: ["${MODEL}"]}
)",
            {.variables = {{"OPEN", "true"}, {"EMPTY", ""}, {"TRICK", "${MODEL}$"}, {"MODEL", "m"}}});
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_EQ(result.settings.server.workers, 3u);
  EXPECT_TRUE(result.settings.server.open);
  EXPECT_EQ(result.settings.server.drain_delay, 7s);
  EXPECT_EQ(result.settings.providers.at("groq").key.value.reveal(), "a$b${MODEL}$c");
  EXPECT_EQ(result.settings.providers.at("groq").models, std::vector<std::string>{"m"});
}

TEST(ConfigParser, TheClientLabelMayBeDropped) {
  EXPECT_TRUE(parse("providers: {groq: {api_key: k}}\n").settings.views.has_client_label);
  const config_result result = parse("providers: {groq: {api_key: k}}\nmetrics: {client_label: false}\n");
  EXPECT_FALSE(result.settings.views.has_client_label) << all_problems(result);
}

TEST(ConfigParser, ASecretsFileLosesOneLineEndAndIsWatched) {
  const table_environment table{.variables = {{"DIR", "/run/secrets"}, {"TRICK", "file:/etc/passwd"}},
                                .files = {{"/run/secrets/groq", "g-1\n"}, {"/etc/passwd", "root"}}};
  const config_result result = parse(R"(
providers:
  groq: {api_key: "file:${DIR}/groq", models: [m]}
  xai: {api_key: "file:/run/secrets/groq", models: [m]}
  mistral: {api_key: "${TRICK}", models: [m]}
)",
                                     table);
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_EQ(result.settings.providers.at("groq").key.value.reveal(), "g-1");
  EXPECT_EQ(result.settings.providers.at("mistral").key.value.reveal(), "file:/etc/passwd");
  EXPECT_EQ(result.settings.source.watched_files, std::vector<std::string>{"/run/secrets/groq"});
}

TEST(ConfigParser, ThePresetsVariableCountsOnlyWithThePresetsOwnUrl) {
  const config_result result = parse("providers:\n  groq: {base_url: https://elsewhere.example/v1}\n",
                                     {.variables = {{"GROQ_API_KEY", "g-1"}}});
  EXPECT_TRUE(result.settings.providers.at("groq").key.value.empty());
  EXPECT_TRUE(result.is_usable());
  EXPECT_NE(all_problems(result).find("GROQ_API_KEY is used only for the preset's own URL"), std::string::npos);
}

TEST(ConfigParser, ThePresetsPricesHoldOnlyAtThePresetsOwnUrl) {
  const auto problems = [](const std::string& provider) {
    return all_problems(parse("providers:\n  p: {api_key: k, models: ['*'], " + provider + "}\n"));
  };
  const std::string elsewhere = "preset: groq, base_url: 'https://elsewhere.example/v1'";
  EXPECT_NE(problems(elsewhere).find("base_url: the known prices of 'groq' apply only to the preset's own URL. "
                                     "Without `prices`, the costs of 'p' are not counted"),
            std::string::npos);
  EXPECT_EQ(problems(elsewhere + ", prices: {m: 1/2}"), "");
  EXPECT_EQ(problems("preset: groq, base_url: 'https://api.groq.com/openai/v1'"), "");
  EXPECT_EQ(problems("preset: azure, base_url: 'https://acme.openai.azure.com/openai/v1'"), "");
  EXPECT_EQ(problems("preset: vllm, base_url: 'https://gpu.example/v1'"), "");
}

TEST(ConfigParser, ClaudeOnVertexCostsByItsLocation) {
  const auto list_at = [](const std::string& settings) {
    const config_result result = parse("providers:\n  vertex-anthropic: {auth: bearer, api_key: k, " + settings + "}\n");
    EXPECT_TRUE(result.is_usable()) << all_problems(result);
    return result.settings.providers.at("vertex-anthropic").listed.provider;
  };
  EXPECT_EQ(list_at("params: {location: global, project: p}"), "vertex-anthropic");
  EXPECT_EQ(list_at("params: {location: us-east5, project: p}"), "vertex-anthropic/regional");
  EXPECT_EQ(list_at("params: {location: eu, project: p}"), "vertex-anthropic/regional");
  EXPECT_EQ(list_at("base_url: 'https://elsewhere.example/v1/projects/p/locations/eu/publishers/anthropic', prices: {m: 1/2}"), "");
}

TEST(ConfigParser, GeminiIsSpokenToInItsOwnApiUnlessTheFileSaysOtherwise) {
  const auto read = [](const std::string& settings) {
    const config_result result = parse("providers: {gemini: {api_key: k" + settings + "}}");
    EXPECT_TRUE(result.is_usable()) << all_problems(result);
    return std::pair(result.settings.providers.at("gemini"), all_problems(result));
  };
  const auto [own, nothing] = read("");
  EXPECT_EQ(own.dialect, "gemini");
  EXPECT_EQ(own.url.path, "/v1beta");
  EXPECT_EQ(own.key.header, "x-goog-api-key");
  const auto [layer, silent] = read(", dialect: openai");
  EXPECT_EQ(layer.dialect, "openai");
  EXPECT_EQ(layer.url.path, "/v1beta/openai");
  EXPECT_EQ(layer.key.auth, proxy::auth_style::bearer);
  const auto [elsewhere, warned] = read(", base_url: \"https://x.example.com/v1\"");
  EXPECT_EQ(elsewhere.dialect, "openai");
  EXPECT_EQ(elsewhere.key.auth, proxy::auth_style::bearer);
  EXPECT_NE(warned.find("use `dialect: openai`"), std::string::npos) << warned;
  const auto [native, quiet] = read(", dialect: gemini, base_url: \"https://x.example.com/v1\"");
  EXPECT_EQ(native.dialect, "gemini");
  EXPECT_EQ(native.key.header, "x-goog-api-key");
}

TEST(ConfigParser, AnEndpointInAVariableIsTheUrlUnlessParamsSayOtherwise) {
  const table_environment table{.variables = {{"AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/"}}};
  const config_result result = parse("providers:\n  azure: {api_key: k, models: ['*']}\n"
                                     "  other: {preset: azure, api_key: k, models: ['*'], params: {resource: acme}}\n", table);
  EXPECT_EQ(all_problems(result), "");
  EXPECT_EQ(result.settings.providers.at("azure").url.host, "mine.openai.azure.com");
  EXPECT_EQ(result.settings.providers.at("azure").url.path, "/openai/v1");
  EXPECT_EQ(result.settings.providers.at("other").url.host, "acme.openai.azure.com");
}

TEST(ConfigParser, APlaceholderIsFilledFromParamsOrItsVariable) {
  const table_environment table{.variables = {{"AWS_REGION", "eu-west-1"}}};
  const config_result result = parse(R"(
providers:
  azure: {api_key: k, params: {resource: acme}, models: [m]}
  bedrock: {api_key: k, models: [m]}
  own: {preset: azure, base_url: https://acme.openai.azure.com/openai/v1, api_key: k, models: [m]}
)",
                                     table);
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_EQ(result.settings.providers.at("azure").url.host, "acme.openai.azure.com");
  EXPECT_EQ(result.settings.providers.at("bedrock").url.host, "bedrock-runtime.eu-west-1.amazonaws.com");
  EXPECT_EQ(result.settings.providers.at("own").key.header, "api-key");
}

TEST(ConfigParser, WithoutAPresetAndWithoutApisAProviderMayServeMoreThanChat) {
  const config_result result = parse("providers:\n  own: {base_url: http://localhost:8000/v1, api_key: none, models: ['*']}\n"
                                     "  listed: {base_url: http://localhost:8000/v1, api_key: none, apis: [chat], models: ['*']}\n"
                                     "  claude: {base_url: http://localhost:8001/v1, dialect: anthropic, api_key: none, models: ['*']}\n"
                                     "  groq: {api_key: k, models: ['*']}\n");
  ASSERT_EQ(all_problems(result), "");
  EXPECT_TRUE(result.settings.providers.at("own").may_serve_others);
  for (const char* name : {"listed", "claude", "groq"}) EXPECT_FALSE(result.settings.providers.at(name).may_serve_others) << name;
}

TEST(ConfigParser, APresetsBehaviourCanBeOverridden) {
  const config_result result = parse(R"(
providers:
  mistral:
    api_key: k
    models: [m]
    usage: request
    reject_params: []
    developer_role: true
    auth: header
    auth_header: x-api-key
    forward_headers: [X-Trace]
    max_event: 1MiB
    http2: on
    apis: [embeddings, rerank]
    base64_embeddings: true
    cancel_billing: stops
)");
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  const proxy::provider& read = result.settings.providers.at("mistral");
  EXPECT_EQ(read.behaves.usage, proxy::usage_in_stream::request);
  EXPECT_TRUE(read.behaves.reject_params.empty());
  EXPECT_TRUE(read.behaves.developer_role);
  EXPECT_EQ(read.behaves.billing, proxy::cancel_billing::stops);
  EXPECT_EQ(read.behaves.rename_params.at("seed"), "random_seed");
  EXPECT_EQ(read.key.header, "x-api-key");
  EXPECT_EQ(read.forwarding.headers, std::vector<std::string>{"x-trace"});
  EXPECT_EQ(read.limits.max_event_bytes, 1u << 20);
  EXPECT_EQ(read.http2, proxy::http2_use::on);
  EXPECT_EQ(read.apis, (proxy::served_apis{proxy::served_api::embeddings, proxy::served_api::rerank}));
  EXPECT_TRUE(read.behaves.base64_embeddings);
}

TEST(ConfigParser, StreamIsAutoAlwaysOrNever) {
  const auto read = [](const std::string& more) {
    return parse("providers: {mine: {base_url: 'https://h/v1', api_key: none" + more + "}}");
  };
  const auto stream = [&](const std::string& more) { return read(more).settings.providers.at("mine").behaves.stream; };
  EXPECT_EQ(stream(""), proxy::upstream_stream::automatic);
  EXPECT_EQ(stream(", stream: auto"), proxy::upstream_stream::automatic);
  EXPECT_EQ(stream(", stream: always"), proxy::upstream_stream::always);
  EXPECT_EQ(stream(", stream: never"), proxy::upstream_stream::never);
  const config_result wrong = read(", stream: 'false'");
  ASSERT_FALSE(wrong.problems.empty());
  EXPECT_NE(all_problems(wrong).find("stream"), std::string::npos) << all_problems(wrong);
}

// YAML 1.1 reads "on" and "off" as booleans. The configuration parser must read them as words.
TEST(ConfigParser, Http2IsAutoOnOrOff) {
  const auto read = [](const std::string& word) {
    return parse("providers: {mine: {base_url: 'https://h/v1', api_key: none, http2: " + word + "}}");
  };
  const auto use = [&](const std::string& word) { return read(word).settings.providers.at("mine").http2; };
  EXPECT_EQ(use("auto"), proxy::http2_use::automatic);
  EXPECT_EQ(use("on"), proxy::http2_use::on);
  EXPECT_EQ(use("off"), proxy::http2_use::off);
  EXPECT_FALSE(read("maybe").problems.empty());
}

TEST(ConfigParser, JsonIsReadAsWell) {
  const config_result result = parse(R"({
	"listen": ["127.0.0.1:1234", "[::1]:1234"],
	"providers": {"groq": {"api_key": "k"}},
	"routes": {"a": {"targets": ["groq/x"], "race": {"max_parallel": 1}}}
})");
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_EQ(result.settings.server.listen.at(1), (listen_address{"::1", 1234}));
  EXPECT_EQ(result.settings.routes.at("a").race.max_parallel, 1u);
}

TEST(ConfigParser, AnchorsShareASection) {
  const config_result result = parse(R"(
providers: {groq: {api_key: k}, xai: {api_key: k}}
routes:
  a: {targets: [groq/x, xai/y], race: &quick {policy: hedge, hedge_delay: 100ms}}
  b: {targets: [xai/y, groq/x], race: {<<: *quick, policy: all}}
)");
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  EXPECT_EQ(result.settings.routes.at("b").race.policy, racing::race_policy::all);
  EXPECT_EQ(result.settings.routes.at("b").race.hedge_delay, 100ms);
}

TEST(ConfigParser, AFractionOfAMillisecondIsRoundedUpAndSaid) {
  const config_result result = parse("race: {hedge_delay: 500us}\nproviders: {groq: {api_key: k, models: [m]}}\n");
  EXPECT_EQ(result.settings.race.hedge_delay, 1ms);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(to_string(result.problems[0]),
            "test.yaml:1:21: warning: hedge_delay: 500us is rounded up to 1ms, because times are whole milliseconds");
}

TEST(ConfigParser, AllProblemsAreFoundInTheFilesOrder) {
  const config_result result = parse(R"(workres: 2
providers:
  groq: {api_key: k, colour: red}
routes:
  a: {targets: [grok/x]}
drain_delay: soon
)");
  ASSERT_EQ(result.problems.size(), 4u) << all_problems(result);
  EXPECT_EQ(result.problems[0].line, 1);
  EXPECT_EQ(result.problems[1].line, 3);
  EXPECT_EQ(result.problems[2].line, 5);
  EXPECT_EQ(result.problems[3].line, 6);
}

TEST(ConfigParser, AnExposedListenerIsRefusedUnlessItIsGuardedOrMeant) {
  const std::string keyed = "listen: 0.0.0.0:7777\nproviders: {groq: {api_key: k}}\n";
  EXPECT_FALSE(parse(keyed).is_usable());
  EXPECT_TRUE(parse(keyed + "open: true\n").is_usable());
  EXPECT_TRUE(parse(keyed + "access_keys: [{name: me, key: s}]\n").is_usable());
  EXPECT_TRUE(parse("listen: 0.0.0.0:7777\nproviders: {vllm: {}}\n").is_usable());
  EXPECT_TRUE(parse("listen: [localhost:7777, '[::1]:7777']\nproviders: {groq: {api_key: k}}\n").is_usable());
}

TEST(ConfigParser, AListenerFromTheCommandLineReplacesTheFilesBeforeTheChecks) {
  const std::string keyed = "listen: 0.0.0.0:7777\nproviders: {groq: {api_key: k}}\n";
  const config_result safe =
      parse_config(keyed, "test.yaml", table_environment{}.machine(), {{"127.0.0.1", 1}});
  EXPECT_TRUE(safe.is_usable());
  EXPECT_EQ(safe.settings.server.listen, (std::vector<listen_address>{{"127.0.0.1", 1}}));
  EXPECT_FALSE(
      parse_config("providers: {groq: {api_key: k}}", "test.yaml", table_environment{}.machine(), {{"::", 1}})
          .is_usable());
}

TEST(ConfigParser, ATargetMayEndInATierOfItsProvider) {
  const config_result result = parse(R"(
providers:
  openai: {api_key: k}
  lab: {base_url: 'https://llm.example.com/v1', api_key: k, tiers: openai}
  vllm: {}
routes:
  r:
    targets: [openai/gpt-6.1-sol@priority, openai/gpt-6.1-sol@flex, openai/gpt-6.1-sol, lab/m@fast, vllm/m@priority]
    race: {policy: all}
)");
  ASSERT_TRUE(result.problems.empty()) << all_problems(result);
  const auto& targets = result.settings.routes.at("r").targets;
  ASSERT_EQ(targets.size(), 5u);
  EXPECT_EQ(targets[0].tier, proxy::price_tier::priority);
  EXPECT_EQ(targets[0].sent_model(), "gpt-6.1-sol");
  EXPECT_EQ(targets[0].text(), "openai/gpt-6.1-sol@priority");
  EXPECT_EQ(targets[1].tier, proxy::price_tier::flex);
  EXPECT_EQ(targets[2].tier, std::nullopt);
  EXPECT_EQ(targets[3].tier, proxy::price_tier::fast);
  EXPECT_EQ(targets[4].tier, std::nullopt) << "a local engine has no tiers";
  EXPECT_EQ(targets[4].sent_model(), "m@priority");
}

TEST(ConfigParser, NoMessageHoldsAKey) {
  const config_result result = parse(R"(
access_keys: [{name: a, key: "sk-secret x"}, {name: b, key: [sk-secret]}, {name: c}]
providers:
  groq: {api_key: "sk-secret\n", headers: {Authorization: sk-secret, X-A: "sk-secret\r\nx"}}
  xai: {api_key: "file:/k"}
  mistral: {api_key: {a: sk-secret}}
  lab: {base_url: "https://u:sk-secret@host/v1"}
)",
                                     {.files = {{"/k", "sk-secret with space\n"}}});
  EXPECT_GE(result.problems.size(), 8u);
  EXPECT_EQ(all_problems(result).find("sk-secret"), std::string::npos) << all_problems(result);
}

}  // namespace
}  // namespace photofinish::gateway
