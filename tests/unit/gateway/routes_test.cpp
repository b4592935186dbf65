// Which endpoint a request asks for.
#include "gateway/routes.hpp"

#include <gtest/gtest.h>

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
    ::testing::Values(asked{"chat", "POST", "/v1/chat/completions", endpoint::chat_completions},
                      asked{"chat_without_v1", "POST", "/chat/completions", endpoint::chat_completions},
                      asked{"chat_with_v1_twice", "POST", "/v1/v1/chat/completions", endpoint::chat_completions},
                      asked{"models", "GET", "/v1/models", endpoint::models},
                      asked{"head_models", "HEAD", "/v1/models", endpoint::models},
                      asked{"stats", "GET", "/v1/providers/stats", endpoint::provider_stats},
                      asked{"stats_without_v1", "GET", "/providers/stats", endpoint::provider_stats},
                      asked{"metrics", "GET", "/metrics", endpoint::metrics},
                      asked{"livez", "GET", "/livez", endpoint::live},
                      asked{"healthz", "GET", "/healthz", endpoint::live},
                      asked{"readyz", "GET", "/readyz", endpoint::ready}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(APath, LeadsToItsEndpoint) {
  const auto routed = route_request(GetParam().method, GetParam().path, listener_role::everything);
  ASSERT_TRUE(std::holds_alternative<routed_request>(routed));
  EXPECT_EQ(std::get<routed_request>(routed).to, GetParam().to);
}

std::string model_of(std::string_view path) {
  return std::get<routed_request>(route_request("GET", path, listener_role::everything)).model;
}

TEST(Routes, AModelsIdMayHoldSlashesRawOrEscaped) {
  EXPECT_EQ(model_of("/v1/models/groq/openai/gpt"), "groq/openai/gpt");
  EXPECT_EQ(model_of("/v1/models/groq%2Fopenai%2fgpt"), "groq/openai/gpt");
  EXPECT_EQ(model_of("/v1/models/a%2"), "a%2");
}

TEST(Routes, AnEndpointThatIsNotServedIs404AndNamesThoseThatAre) {
  const auto routed = route_request("POST", "/v1/embeddings", listener_role::everything);
  const api_error& error = std::get<api_error>(routed);
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.code, "unsupported_endpoint");
  EXPECT_NE(error.message.find("POST /v1/chat/completions"), std::string::npos);
}

TEST(Routes, AWrongMethodIs405) {
  EXPECT_EQ(std::get<api_error>(route_request("GET", "/v1/chat/completions", listener_role::everything)).status, 405);
}

TEST(Routes, AnAdminListenerTakesMetricsAwayFromTheOthers) {
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/metrics", listener_role::api)));
  EXPECT_TRUE(std::holds_alternative<routed_request>(route_request("GET", "/metrics", listener_role::admin)));
  EXPECT_TRUE(std::holds_alternative<api_error>(route_request("GET", "/v1/models", listener_role::admin)));
}

TEST(Routes, ALongPathIsShownInPart) {
  std::string path = "/v1/\xe9\xff";
  for (int times = 0; times < 10'000; ++times) path += "/v1";
  const auto refused = std::get<api_error>(route_request("GET", path, listener_role::everything));
  EXPECT_LT(refused.message.size(), 600u);
  EXPECT_TRUE(refused.message.starts_with("there is no /v1/\xef\xbf\xbd\xef\xbf\xbd/v1/v1")) << refused.message;
}

}  // namespace
}  // namespace photofinish::gateway
