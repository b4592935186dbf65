// Tests Claude, Gemini and other models on Google's Vertex AI, with a token that the gateway fetches.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/strict_vertex.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish {
namespace {

using testing::http_response;
using testing::provider_call;
using testing::scripted_provider;
using json = nlohmann::json;

class vertex_providers_test : public testing::gateway_fixture {
 protected:
  vertex_providers_test() {
    add_vertex("claude", "anthropic", "/publishers/anthropic");
    add_vertex("gemini", "gemini", "/publishers/google");
    add_vertex("llama", "openai", "/endpoints/openapi");
    add_vertex("whole", "anthropic", "/publishers/anthropic").behaves.stream = proxy::upstream_stream::never;
    add_route("claude", {"claude/claude-sonnet-4-5@20250929"});
    add_route("gemini", {"gemini/gemini-3-pro-preview"});
    add_route("llama", {"llama/meta/llama-3.3-70b-instruct-maas"});
    add_route("whole", {"whole/claude-sonnet-4-5@20250929"});
  }

  proxy::provider& add_vertex(const std::string& name, const char* dialect, const char* path) {
    proxy::provider& target = add(name, vertex_);
    target.key.is_optional = false;
    target.dialect = dialect;
    target.key.auth = proxy::auth_style::google;
    target.url.path = std::string("/v1/projects/my-project/locations/us-east5") + path;
    const proxy::base_url tokens{.is_tls = false, .host = "127.0.0.1", .port = tokens_.port(), .path = ""};
    target.key.credentials = {"https://www.googleapis.com/auth/cloud-platform",
                          {{.place = proxy::credential_place::google_metadata, .url = tokens}}, {}};
    return target;
  }

  void SetUp() override { start(); }

  http_response call(std::string_view path, const json& request, std::string_view fields = "") {
    testing::test_client client = connect();
    client.post(request.dump(), fields, path);
    return client.read();
  }

  static json hi(const char* route, bool is_streamed) {
    return {{"model", route}, {"max_tokens", 100}, {"stream", is_streamed}, {"messages", {{{"role", "user"}, {"content", "hi"}}}}};
  }

  testing::strict_vertex model_;
  scripted_provider vertex_{[this](provider_call& call) { model_.answer(call); }};
  scripted_provider tokens_{[](provider_call& call) { call.answer(200, R"({"access_token":"token-1","expires_in":3599,"token_type":"Bearer"})"); }};
};

TEST_F(vertex_providers_test, EachFamilyAnswersChatClients) {
  for (const char* route : {"claude", "llama", "whole"}) {
    const http_response streamed = call("/v1/chat/completions", hi(route, true));
    EXPECT_EQ(streamed.status, 200) << streamed.body;
    EXPECT_EQ(streamed.text(), std::string(route) == "whole" ? "claude" : route) << streamed.body;
    const http_response whole = call("/v1/chat/completions", hi(route, false));
    EXPECT_EQ(whole.status, 200) << route << whole.body;
  }
  const http_response gemini = call("/v1/chat/completions", hi("gemini", false));
  EXPECT_EQ(gemini.status, 200) << gemini.body;
  EXPECT_NE(gemini.body.find(R"("name":"f")"), std::string::npos) << gemini.body;
}

TEST_F(vertex_providers_test, AMessagesClientsRequestPassesWithItsBetas) {
  json request = hi("claude", true);
  request["context_management"] = {{"edits", json::array()}};
  const http_response got = call("/v1/messages?beta=true", request,
                                 "anthropic-version: 2023-06-01\r\nanthropic-beta: context-management-2025-06-27\r\n");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.body.find("event: message_stop"), std::string::npos) << got.body;
  EXPECT_EQ(vertex_.request().field("anthropic-beta"), "context-management-2025-06-27");
}

TEST_F(vertex_providers_test, AMarkOfTheWholeRequestMovesIntoItsLastBlock) {
  json request = hi("claude", true);
  request["cache_control"] = {{"type", "ephemeral"}};
  for (const char* path : {"/v1/messages", "/v1/chat/completions"}) {
    const http_response got = call(path, request);
    ASSERT_EQ(got.status, 200) << path << got.body;
  }
  for (const std::size_t at : {0, 1}) {
    const json sent = json::parse(vertex_.request(at).body);
    EXPECT_EQ(sent.at("messages")[0].at("content")[0].at("cache_control"), request["cache_control"]) << sent;
  }
}

TEST_F(vertex_providers_test, OneTokenIsAskedForThatAllUse) {
  for (const char* route : {"claude", "gemini", "llama"}) EXPECT_EQ(call("/v1/chat/completions", hi(route, true)).status, 200);
  EXPECT_EQ(tokens_.requests().size(), 1u);
}

}  // namespace
}  // namespace photofinish
