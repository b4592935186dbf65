// Tests which endpoint of the gateway answers a request.
#include "gateway/api/routes.hpp"

#include "gateway/api/root_page.hpp"
#include "gateway/requests/worker/protocols.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

struct asked {
  const char* name;
  const char* method;
  const char* path;
  endpoint to;
};
class APath : public ::testing::TestWithParam<asked> {};
INSTANTIATE_TEST_SUITE_P(
    Routes, APath,
    ::testing::Values(asked{"chat", "POST", "/v1/chat/completions", endpoint::answer},
                      asked{"chat_without_v1", "POST", "/chat/completions", endpoint::answer},
                      asked{"chat_with_v1_twice", "POST", "/v1/v1/chat/completions", endpoint::answer},
                      asked{"chat_with_a_doubled_slash", "POST", "//v1/chat/completions", endpoint::answer},
                      asked{"chat_with_a_slash_after_v1", "POST", "/v1//chat/completions", endpoint::answer},
                      asked{"azures_with_a_doubled_slash", "POST", "//openai//v1/responses", endpoint::answer},
                      asked{"kept_with_a_doubled_slash", "GET", "//v1/responses/resp_1", endpoint::stored_response},
                      asked{"slashes_alone", "GET", "//", endpoint::root},
                      asked{"models", "GET", "/v1/models", endpoint::models},
                      asked{"head_models", "HEAD", "/v1/models", endpoint::models},
                      asked{"count_tokens", "POST", "/v1/messages/count_tokens", endpoint::count_tokens},
                      asked{"azures_models", "GET", "/openai/models", endpoint::models},
                      asked{"azures_responses", "POST", "/openai/responses", endpoint::answer},
                      asked{"azures_v1_models", "GET", "/openai/v1/models", endpoint::models},
                      asked{"coheres_second_rerank", "POST", "/v2/rerank", endpoint::answer},
                      asked{"coheres_second_rerank_below_v1", "POST", "/v1/v2/rerank", endpoint::answer},
                      asked{"race", "GET", "/v1/races/race_1", endpoint::race},
                      asked{"races", "GET", "/v1/races/", endpoint::races},
                      asked{"feed", "GET", "/v1/feed", endpoint::feed},
                      asked{"stats", "GET", "/v1/providers/stats", endpoint::provider_stats},
                      asked{"advice", "GET", "/v1/advice", endpoint::advice},
                      asked{"stats_without_v1", "GET", "/providers/stats", endpoint::provider_stats},
                      asked{"metrics", "GET", "/metrics", endpoint::metrics},
                      asked{"livez", "GET", "/livez", endpoint::live},
                      asked{"healthz", "GET", "/healthz", endpoint::live},
                      asked{"readyz", "GET", "/readyz", endpoint::ready},
                      asked{"health", "GET", "/health", endpoint::ready},
                      asked{"head_health", "HEAD", "/health", endpoint::ready},
                      asked{"health_below_v1", "GET", "/v1/health", endpoint::ready},
                      asked{"root", "GET", "/", endpoint::root},
                      asked{"head_root", "HEAD", "/", endpoint::root},
                      asked{"base_url", "GET", "/v1", endpoint::root},
                      asked{"base_url_and_slash", "GET", "/v1/", endpoint::root},
                      asked{"chat_and_slash", "POST", "/v1/chat/completions/", endpoint::answer},
                      asked{"models_and_slash", "GET", "/v1/models/", endpoint::models},
                      asked{"metrics_and_slash", "GET", "/metrics/", endpoint::metrics},
                      asked{"stats_and_slashes", "GET", "/v1/providers/stats//", endpoint::provider_stats}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(APath, LeadsToItsEndpoint) {
  const auto routed = route_request(GetParam().method, GetParam().path, listener_role::everything, all_apis());
  ASSERT_TRUE(std::holds_alternative<routed_request>(routed));
  EXPECT_EQ(std::get<routed_request>(routed).to, GetParam().to);
}

std::string model_of(std::string_view path) {
  return std::get<routed_request>(route_request("GET", path, listener_role::everything, all_apis())).model;
}

TEST(Routes, AModelsIdMayHoldSlashesRawOrEscaped) {
  EXPECT_EQ(model_of("/v1/models/groq/openai/gpt"), "groq/openai/gpt");
  EXPECT_EQ(model_of("/v1/models/groq%2Fopenai%2fgpt"), "groq/openai/gpt");
  EXPECT_EQ(model_of("/v1/models/a%2"), "a%2");
  EXPECT_EQ(model_of("/v1/models/groq/openai/gpt/"), "groq/openai/gpt");
}

TEST(Routes, AzuresClientsNameTheModelInThePath) {
  const auto called = [](const std::string& path) {
    const auto routed = route_request("POST", path, listener_role::everything, all_apis());
    const auto* found = std::get_if<routed_request>(&routed);
    return found == nullptr ? std::string("none") : std::string(found->by->path()) + " " + found->model;
  };
  EXPECT_EQ(called("/openai/deployments/fast/chat/completions"), "/chat/completions fast");
  EXPECT_EQ(called("/openai/deployments/fast/completions"), "/completions fast");
  EXPECT_EQ(called("/openai/deployments/groq%2Fopenai/gpt/embeddings/"), "/embeddings groq/openai/gpt");
  EXPECT_EQ(called("/openai/v1/chat/completions"), "/chat/completions ");
  EXPECT_EQ(called("/openai/deployments/chat/completions"), "/completions chat");
  EXPECT_EQ(called("/openai/deployments//chat/completions"), "/completions /chat");
  EXPECT_EQ(called("/openai/deployments/embeddings"), "none");
  EXPECT_EQ(called("/openai/deployments/fast/threads"), "none");
  EXPECT_EQ(called("/openai/moderations"), "/moderations ");
  EXPECT_EQ(called("/openaichat/completions"), "none");
  EXPECT_EQ(called("/v2/rerank"), "/rerank ");
  EXPECT_EQ(label_of("/openai/deployments/fast/embeddings", all_apis()), metrics::endpoint::embeddings);
}

TEST(Routes, AKeptResponseIsNamedByItsId) {
  const auto asked = [](std::string_view method, std::string_view path) {
    const auto routed = route_request(method, path, listener_role::everything, all_apis());
    const auto* found = std::get_if<routed_request>(&routed);
    if (found == nullptr) return std::to_string(std::get<api_error>(routed).status) + " " + std::get<api_error>(routed).allow;
    EXPECT_EQ(found->to, endpoint::stored_response);
    return found->id + " " + std::to_string(static_cast<int>(found->action));
  };
  EXPECT_EQ(asked("GET", "/v1/responses/resp_1"), "resp_1 0");
  EXPECT_EQ(asked("GET", "/openai/v1/responses/resp%5F1/"), "resp_1 0");
  EXPECT_EQ(asked("DELETE", "/responses/resp_1"), "resp_1 1");
  EXPECT_EQ(asked("POST", "/v1/responses/resp_1/cancel"), "resp_1 2");
  EXPECT_EQ(asked("GET", "/v1/responses/resp_1/input_items"), "resp_1 3");
  EXPECT_EQ(asked("GET", "/v1/responses/cancel"), "cancel 0");
  EXPECT_EQ(asked("PUT", "/v1/responses/resp_1"), "405 GET, DELETE");
  EXPECT_EQ(asked("GET", "/v1/responses/resp_1/cancel"), "405 POST");
  EXPECT_EQ(asked("GET", "/v1/responses/compact"), "405 POST");
  EXPECT_EQ(label_of("/v1/responses/resp_1/cancel", all_apis()), metrics::endpoint::responses);
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/v1/responses/x", listener_role::admin, all_apis())));
}

TEST(Routes, AnEndpointThatIsNotServedIs404AndNamesThoseThatAre) {
  const auto routed = route_request("POST", "/v1/nothing", listener_role::everything, all_apis());
  const api_error& error = std::get<api_error>(routed);
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.code, "unsupported_endpoint");
  EXPECT_NE(error.message.find("POST /v1/chat/completions"), std::string::npos);
}

TEST(Routes, AKnownApiThatIsNotOfferedIs404InOneSentence) {
  const auto message_for = [](const char* method, const char* path) {
    const auto routed = route_request(method, path, listener_role::everything, all_apis());
    EXPECT_EQ(std::get<api_error>(routed).status, 404) << path;
    EXPECT_EQ(std::get<api_error>(routed).code, "unsupported_endpoint") << path;
    return std::get<api_error>(routed).message;
  };
  EXPECT_EQ(message_for("POST", "/v1/files"), "files are not offered here; GET / lists the endpoints");
  EXPECT_EQ(message_for("GET", "/v1/files/file-1/content"), "files are not offered here; GET / lists the endpoints");
  EXPECT_EQ(message_for("POST", "/v1/messages/batches"), "batches are not offered here; GET / lists the endpoints");
  EXPECT_EQ(message_for("POST", "/v1/fine_tuning/jobs"),
            "fine-tuning jobs are not offered here; GET / lists the endpoints");
  EXPECT_TRUE(message_for("POST", "/v1/filesystem").starts_with("unknown endpoint"));
}

TEST(Routes, GeminisOwnApiIs404ThatNamesTheOthers) {
  for (const char* path : {"/v1beta/models/gemini-3.8-flash:generateContent", "/v1/models/fast:streamGenerateContent",
                           "/v1beta/models", "/v1beta1/projects/p/models/fast:countTokens"}) {
    const auto routed = route_request("POST", path, listener_role::everything, all_apis());
    ASSERT_TRUE(std::holds_alternative<api_error>(routed)) << path;
    EXPECT_EQ(std::get<api_error>(routed).status, 404) << path;
    EXPECT_NE(std::get<api_error>(routed).message.find("POST /v1/chat/completions"), std::string::npos) << path;
  }
  EXPECT_EQ(model_of("/v1/models/ollama/llama3:8b"), "ollama/llama3:8b");
}

TEST(Routes, AWrongMethodIs405) {
  EXPECT_EQ(std::get<api_error>(route_request("GET", "/v1/chat/completions", listener_role::everything, all_apis())).status, 405);
}

struct upgrade_attempt {
  const char* name;
  const char* method;
  const char* path;
  std::vector<proxy::header_field> fields;
  bool is_refused;
};
class AnUpgrade : public ::testing::TestWithParam<upgrade_attempt> {};
INSTANTIATE_TEST_SUITE_P(
    Routes, AnUpgrade,
    ::testing::Values(
        upgrade_attempt{"codex", "GET", "/v1/responses", {{"connection", "Upgrade"}, {"upgrade", "websocket"}}, true},
        upgrade_attempt{"in_lists", "GET", "/responses/", {{"connection", "keep-alive, upgrade"}, {"upgrade", "foo, WebSocket"}}, true},
        upgrade_attempt{"another_api", "GET", "/v1/chat/completions", {{"connection", "upgrade"}, {"upgrade", "websocket"}}, true},
        upgrade_attempt{"another_protocol", "GET", "/v1/responses", {{"connection", "upgrade"}, {"upgrade", "h2c"}}, false},
        upgrade_attempt{"not_for_this_hop", "GET", "/v1/responses", {{"upgrade", "websocket"}}, false},
        upgrade_attempt{"nothing", "GET", "/v1/responses", {}, false},
        upgrade_attempt{"stripped_by_nginx", "GET", "/v1/responses", {{"connection", "close"}, {"sec-websocket-key", "dGhl"}}, true},
        upgrade_attempt{"stripped_realtime", "GET", "/v1/realtime", {{"sec-websocket-key", "dGhl"}}, true},
        upgrade_attempt{"stripped_at_no_api", "GET", "/v1/models", {{"sec-websocket-key", "dGhl"}}, false},
        upgrade_attempt{"a_post_with_a_key", "POST", "/v1/responses", {{"sec-websocket-key", "dGhl"}}, false},
        upgrade_attempt{"a_post", "POST", "/v1/responses", {{"connection", "upgrade"}, {"upgrade", "websocket"}}, false},
        upgrade_attempt{"realtime", "GET", "/v1/realtime", {{"connection", "upgrade"}, {"upgrade", "websocket"}}, true},
        upgrade_attempt{"another_path", "GET", "/v1/files", {{"connection", "upgrade"}, {"upgrade", "websocket"}}, false}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(AnUpgrade, ToAWebSocketIsRefusedWith426WhereAnApiIs) {
  const auto& [name, method, path, fields, is_refused] = GetParam();
  const auto refused = refuse_websocket(method, path, fields, all_apis());
  ASSERT_EQ(refused.has_value(), is_refused);
  if (!refused) return;
  EXPECT_EQ(refused->status, 426);
  EXPECT_EQ(refused->upgrade, "HTTP/1.1");
}

TEST(Routes, AStrippedUpgradeIsRefusedWithAWordAboutTheProxy) {
  const std::vector<proxy::header_field> stripped{{"sec-websocket-key", "dGhl"}};
  const auto refused = refuse_websocket("GET", "/v1/responses", stripped, all_apis());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->message, "/v1/responses is not served over a WebSocket: call it with POST (a proxy removed the "
                              "upgrade header of this request)");
}

TEST(Routes, AnAdminListenerTakesMetricsAwayFromTheOthers) {
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/metrics", listener_role::api, all_apis())));
  EXPECT_TRUE(std::holds_alternative<routed_request>(route_request("GET", "/metrics", listener_role::admin, all_apis())));
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/v1/models", listener_role::admin, all_apis())));
}

TEST(Routes, WhatTheLivePageAsksForIsServedToEveryListener) {
  for (const listener_role role : {listener_role::everything, listener_role::api, listener_role::admin})
    for (const char* path : {"/v1/feed", "/v1/races", "/v1/races/race_1", "/v1/providers/stats", "/v1/advice", "/"})
      EXPECT_TRUE(std::holds_alternative<routed_request>(route_request("GET", path, role, all_apis()))) << path;
}

TEST(Routes, ALongPathIsShownInPart) {
  std::string path = "/v1/\xe9\xff";
  for (int times = 0; times < 10'000; ++times) path += "/v1";
  const auto refused = std::get<api_error>(route_request("GET", path, listener_role::everything, all_apis()));
  EXPECT_LT(refused.message.size(), 1000u);
  EXPECT_TRUE(refused.message.starts_with("unknown endpoint /v1/\xef\xbf\xbd\xef\xbf\xbd/v1/v1"))
      << refused.message;
}

TEST(Routes, HealthAndTheRootAreServedToEveryListener) {
  for (const listener_role role : {listener_role::everything, listener_role::api, listener_role::admin})
    for (const char* path : {"/health", "/"})
      EXPECT_TRUE(std::holds_alternative<routed_request>(route_request("GET", path, role, all_apis()))) << path;
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/livez", listener_role::api, all_apis())));
}

TEST(Routes, TheRootPageNamesWhatItsListenerServes) {
  const auto page = nlohmann::json::parse(root_page("1.2.3", listener_role::api, all_apis()));
  EXPECT_EQ(page.at("service"), "photofinish");
  EXPECT_EQ(page.at("version"), "1.2.3");
  const std::vector<std::string> expected{
      "POST /v1/chat/completions", "POST /v1/responses", "POST /v1/responses/compact", "POST /v1/responses/input_tokens",
      "POST /v1/messages", "POST /v1/completions",
      "POST /v1/embeddings", "POST /v1/rerank", "POST /v1/moderations", "POST /v1/images/generations",
      "POST /v1/images/edits", "POST /v1/images/variations", "POST /v1/audio/speech", "POST /v1/audio/transcriptions",
      "POST /v1/audio/translations",
      "GET /v1/responses/{id}", "DELETE /v1/responses/{id}", "POST /v1/responses/{id}/cancel",
      "GET /v1/responses/{id}/input_items", "POST /v1/messages/count_tokens", "GET /v1/models", "GET /v1/models/{id}",
      "GET /v1/providers/stats", "GET /v1/advice", "GET /v1/usage", "GET /v1/races", "GET /v1/races/{id}", "GET /v1/feed",
      "GET /health", "GET /"};
  EXPECT_EQ(page.at("serves").get<std::vector<std::string>>(), expected);
  EXPECT_FALSE(nlohmann::json::parse(root_page("", listener_role::api, all_apis())).contains("version"));
}

TEST(Routes, APathsLabelIsKnownWhateverTheMethodOrListener) {
  EXPECT_EQ(label_of("/v1/chat/completions", all_apis()), metrics::endpoint::chat_completions);
  EXPECT_EQ(label_of("/v1/models/a/b", all_apis()), metrics::endpoint::models);
  EXPECT_EQ(label_of("/v1/embeddings", all_apis()), metrics::endpoint::embeddings);
  EXPECT_EQ(label_of("/v1/messages/count_tokens", all_apis()), metrics::endpoint::count_tokens);
  EXPECT_EQ(label_of("/v1/threads", all_apis()), metrics::endpoint::other);
}

}  // namespace
}  // namespace photofinish::gateway
