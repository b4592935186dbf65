// Tests clients of Azure OpenAI. The paths of their requests contain the model, and the key is in Azure's own header.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using nlohmann::json;

class azure_clients_test : public gateway_fixture {
 protected:
  azure_clients_test() {
    add("p", provider_);
    add_route("fast", {"p/m"});
  }

  http_response call(const std::string& path, const std::string& body, const std::string& fields = "") {
    test_client client = connect();
    client.post(body, fields, path);
    return client.read();
  }

  scripted_provider provider_{streams({"hi"})};
};

TEST_F(azure_clients_test, ThePathsModelCountsAndTheQueryDoesNot) {
  start();
  const std::string messages = R"("messages":[{"role":"user","content":"hi"}],"stream":true})";
  const std::string path = "/openai/deployments/fast/chat/completions?api-version=2024-10-21";
  EXPECT_EQ(call(path, "{" + messages).text(), "hi");
  EXPECT_EQ(call(path, R"( {"model":"gpt-4", )" + messages).text(), "hi");
  EXPECT_EQ(call("/openai/deployments/p%2Fm/chat/completions", "{" + messages).text(), "hi");
  EXPECT_EQ(call("/openai/v1/chat/completions?api-version=preview", R"({"model":"fast",)" + messages).text(), "hi");
  EXPECT_EQ(json::parse(provider_.request(1).body).at("model"), "m");
  const http_response unknown = call("/openai/deployments/slow/chat/completions", "{" + messages);
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.error("code"), "model_not_found");
  EXPECT_EQ(call(path, "{" + messages.substr(0, 20)).status, 400);
  EXPECT_EQ(call(path, R"({"model":"a","model":"b",)" + messages).status, 400);
  expect_metric(3, "photofinish_requests_total", {R"(endpoint="chat_completions")", R"(route="fast")"});
}

TEST_F(azure_clients_test, TheirKeyOpensWhatABearerTokenOpens) {
  settings.access.keys.push_back({"team", proxy::secret("sk-team-key"), {}});
  start();
  const std::string body = streamed("fast");
  EXPECT_EQ(call("/v1/chat/completions", body).status, 401);
  EXPECT_EQ(call("/v1/chat/completions", body, "api-key: sk-other-key\r\n").status, 401);
  EXPECT_EQ(call("/v1/chat/completions", body, "api-key: sk-team-key\r\n").text(), "hi");
  EXPECT_EQ(call("/v1/chat/completions", body, "api-key: other\r\nauthorization: Bearer sk-team-key\r\n").text(), "hi");
}

}  // namespace
}  // namespace photofinish::testing
