// Tests the simulated provider's HTTP server: connections, all forms of requests, and requests that it refuses.
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace photofinish::gateway::simulator {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using tests::patience;
using tests::response;
using tests::running_simulator;
using client = tests::sim_client;
using namespace std::chrono_literals;

TEST(Simulator, ConnectionIsKeptForTheNextRequest) {
  running_simulator provider;
  client asking(provider.port());
  for (std::size_t i = 0; i < 3; ++i) {
    asking.ask("m", i != 1);
    EXPECT_TRUE(asking.read().is_complete);
  }
  EXPECT_EQ(provider.ledger().requests(), 3u);
  EXPECT_EQ(provider.ledger().open_connections(), 1u);
}

TEST(Simulator, PipelinedRequestWaitsForItsTurn) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("first;ttft=20ms");
  asking.ask("second");
  EXPECT_EQ(asking.read().chunks()[0]["model"], "first");
  EXPECT_EQ(asking.read().chunks()[0]["model"], "second");
}

TEST(Simulator, ConnectionClosesWhenTheClientAsksForIt) {
  running_simulator provider;
  client asking(provider.port());
  asking.post(R"({"model":"m","messages":[]})", "Connection: close\r\n");
  EXPECT_NE(asking.read().head.find("connection: close"), std::string::npos);
  asking.read();
  EXPECT_EQ(asking.ended, asio::error::eof);
}

TEST(Simulator, RequestMayComeInPieces) {
  running_simulator provider;
  client asking(provider.port());
  const std::string body = R"({"model":"m","messages":[]})";
  const std::string request = "POST /chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body;
  for (const char byte : request) asking.send(std::string_view(&byte, 1));
  EXPECT_EQ(asking.read().status, 200);
}

TEST(Simulator, LargeChunkedBodyIsRead) {
  running_simulator provider;
  client asking(provider.port());
  const std::string prompt(1'000'000, 'x');
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":")" + prompt + "\"}]}";
  char size[16];
  std::snprintf(size, sizeof size, "%zx", body.size());
  asking.send("POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nTransfer-Encoding: chunked\r\n\r\n" +
              std::string(size) + "\r\n" + body + "\r\n0\r\n\r\n");
  EXPECT_EQ(asking.read().status, 200);
  EXPECT_EQ(provider.record().body, body);
}

TEST(Simulator, ExpectationIsConfirmedBeforeTheBody) {
  running_simulator provider;
  client asking(provider.port());
  asking.send(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: 27\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(asking.bytes_within(patience), std::string_view("HTTP/1.1 100 Continue\r\n\r\n").size());
  asking.send(R"({"model":"m","messages":[]})");
  asking.bytes_within(patience);
  EXPECT_EQ(provider.record().ended, sim_end::completed);
}

TEST(Simulator, RequiredKeyIsAskedFor) {
  sim_options options = running_simulator::instant_answers();
  options.required_key = "right";
  running_simulator provider(options);
  client asking(provider.port());
  asking.post(R"({"model":"m","messages":[]})", "Authorization: Bearer wrong\r\n");
  const response refused = asking.read();
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(json::parse(refused.body)["error"]["code"], "invalid_api_key");
  asking.post(R"({"model":"m","messages":[]})", "Authorization: Bearer right\r\n");
  EXPECT_EQ(asking.read().status, 200);
}

struct bad_body {
  std::string name;
  std::string body;
  std::string param;  // empty: null
};

class SimulatorBadBodies : public ::testing::TestWithParam<bad_body> {};

TEST_P(SimulatorBadBodies, AreA400ThatNamesTheMember) {
  running_simulator provider;
  client asking(provider.port());
  asking.post(GetParam().body);
  const response got = asking.read();
  EXPECT_EQ(got.status, 400);
  const json error = json::parse(got.body)["error"];
  EXPECT_EQ(error["param"], GetParam().param.empty() ? json(nullptr) : json(GetParam().param));
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatorBadBodies,
    ::testing::Values(bad_body{"no_json", "{", ""}, bad_body{"no_object", "[]", ""},
                    bad_body{"no_model", R"({"messages":[]})", "model"},
                    bad_body{"bad_setting", R"({"model":"m;ttft=fast","messages":[]})", "model"},
                    bad_body{"no_messages", R"({"model":"m"})", "messages"},
                    bad_body{"stream_text", R"({"model":"m","messages":[],"stream":"yes"})", "stream"},
                    bad_body{"two_choices", R"({"model":"m","messages":[],"n":2})", "n"},
                    bad_body{"no_tokens", R"({"model":"m","messages":[],"max_tokens":0})", "max_tokens"},
                    bad_body{"usage", R"({"model":"m","messages":[],"stream_options":1})", "stream_options"}),
    [](const auto& tested) { return tested.param.name; });

TEST(Simulator, ModelsAreListed) {
  running_simulator provider;
  client asking(provider.port());
  asking.send("GET /v1/models HTTP/1.1\r\nHost: sim\r\n\r\n");
  EXPECT_EQ(json::parse(asking.read().body)["data"][0]["id"], "sim-model");
}

TEST(Simulator, UnknownPathIs404) {
  running_simulator provider;
  client asking(provider.port());
  asking.send("GET /v1/embeddings HTTP/1.1\r\nHost: sim\r\n\r\n");
  EXPECT_EQ(asking.read().status, 404);
}

TEST(Simulator, BrokenHttpIs400AndClosesTheConnection) {
  running_simulator provider;
  client asking(provider.port());
  asking.send("NONSENSE\r\n\r\n");
  EXPECT_EQ(asking.read().status, 400);
  asking.read();
  EXPECT_EQ(asking.ended, asio::error::eof);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
