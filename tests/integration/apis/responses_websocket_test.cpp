// Tests how Codex falls back from WebSocket to HTTP: it first tries the Responses API over a WebSocket, and after a 426 it immediately uses
// HTTP.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

constexpr const char* handshake =
    "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nopenai-beta: responses_websockets=2026-02-06\r\n";

class responses_websocket_test : public gateway_fixture {
 protected:
  responses_websocket_test() {
    add("chat", chat_);
    add_route("r", {"chat/m"});
    start();
  }

  scripted_provider chat_{streams({"hi"})};
};

TEST_F(responses_websocket_test, IsAnswered426AndTheConnectionGoesOnInHttp) {
  test_client client = connect();
  client.get("/v1/responses?client_version=1", handshake);
  const http_response refused = client.read();
  EXPECT_EQ(refused.status, 426);
  EXPECT_TRUE(refused.head.starts_with("HTTP/1.1 426 Upgrade Required\r\n")) << refused.head;
  EXPECT_EQ(refused.field_or("upgrade", ""), "HTTP/1.1");
  EXPECT_EQ(refused.field_or("connection", ""), "upgrade");
  EXPECT_EQ(refused.error("type"), "invalid_request_error");
  EXPECT_EQ(refused.error("code"), "websocket_not_supported");
  client.post(R"({"model":"r","input":"hi"})", "", "/v1/responses");
  const http_response served = client.read();
  EXPECT_EQ(served.status, 200) << served.body;
  EXPECT_EQ(nlohmann::json::parse(served.body).at("status"), "completed");
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="client_error")"});
}

TEST_F(responses_websocket_test, WithoutAnUpgradeItIsAWrongMethodAsBefore) {
  EXPECT_EQ(get("/v1/responses").status, 405);
  EXPECT_EQ(get("/v1/responses", "upgrade: websocket\r\n").status, 405);
}

TEST_F(responses_websocket_test, AForeignHostIsRefusedBeforeIt) {
  test_client client = connect();
  client.send(std::string("GET /v1/responses HTTP/1.1\r\nhost: attacker.example\r\n") + handshake + "\r\n");
  EXPECT_EQ(client.read().status, 403);
}

// A WebSocket handshake as nginx forwards it by default: HTTP/1.0, `connection: close`, and no `upgrade` header.
TEST_F(responses_websocket_test, AHandshakeThatNginxStrippedIsAnswered426) {
  test_client client = connect();
  client.send(
      "GET /v1/responses HTTP/1.0\r\nhost: localhost\r\nconnection: close\r\n"
      "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  const http_response refused = client.read();
  EXPECT_EQ(refused.status, 426);
  EXPECT_EQ(refused.error("code"), "websocket_not_supported");
}

}  // namespace
}  // namespace photofinish::testing
