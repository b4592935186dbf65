// Tests the output of the gateway's process: it contains no key, and every line of its log is well-formed.
#include "tests/integration/server/asked_process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// Sends each kind of key through the gateway. A provider sends the key back in every possible way.
TEST(Process, NoKeyShowsInLogMetricsErrorsOrHeaders) {
  const std::string configured = "sk-configured-0123456789", own = "sk-callers-0123456789", door = "door-0123456789abc",
                    mistaken = "sk-mistaken-0123456789", wrong = "door-wrong-0123456789";
  const auto echo = [](provider_call& call) { return "you sent " + call.request().field("authorization"); };
  scripted_provider in_error([&](provider_call& call) {
    call.answer(401, R"({"error":{"message":")" + echo(call) + R"("}})", "X-Echo: " + echo(call) + "\r\n");
  });
  scripted_provider in_redirect([&](provider_call& call) {
    call.answer(307, "", "Location: http://127.0.0.1:9/?key=" + call.request().field("authorization").substr(7) + "\r\n");
  });
  scripted_provider in_first_event([&](provider_call& call) {
    call.stream_head();
    call.event(R"({"error":{"message":")" + echo(call) + R"("}})");
    call.end();
  });
  scripted_provider in_later_event([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.wait(20ms);
    call.event(R"({"error":{"message":")" + echo(call) + R"("}})");
  });
  std::string config = "log_level: debug\nadmin: 127.0.0.1:0\naccess_keys: [{name: team, key: \"${DOOR}\"}]\nproviders:\n";
  std::string routes = "routes:\n";
  int number = 0;
  for (const scripted_provider* each : {&in_error, &in_redirect, &in_first_event, &in_later_event}) {
    const std::string name = "p" + std::to_string(number++);
    config += provider_section(name, *each, "${KEY}");
    routes += "  " + name + "-only: {targets: [" + name + "/m]}\n";
  }
  gateway_process gateway({.config = config + routes, .environment = {{"KEY", configured}, {"DOOR", door}}});

  std::string seen;
  const auto try_with = [&](const std::string& model, const std::string& fields) {
    for (const char* stream : {"true", "false"}) {
      test_client client(gateway.port());
      client.post(R"({"model":")" + model + R"(","messages":[{"role":"user","content":"x"}],"stream":)" + stream + "}", fields);
      const http_response got = client.read();
      EXPECT_NE(got.status, 0);
      seen += got.head + "\n" + got.body + "\n";
    }
  };
  const std::string enter = "x-photofinish-key: " + door + "\r\n";
  for (int count = 0; count < number; ++count) {
    const std::string name = "p" + std::to_string(count);
    try_with(name + "-only", enter);
    try_with(name + "-only", enter + "x-provider-key-" + name + ": " + own + "\r\n");
    try_with(name + "-only", "Authorization: Bearer photofinish=" + door + "," + name + "=" + own + "\r\n");
  }
  try_with("p0-only", "Authorization: Bearer photofinish=" + door + ",typo=" + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Bearer photofinish=" + door + "," + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Bearer p0=" + mistaken + ",p0=" + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Basic " + mistaken + "\r\n" + enter);
  try_with("p0-only", "x-provider-key-unknown: " + mistaken + "\r\n" + enter);
  try_with("p0-only", "Authorization: Bearer " + wrong + "\r\n");
  gateway.write_config("providers: {p0: {api_key: \"" + mistaken + "\", base_url: 5, hedders: {a: " + mistaken + "}}}\n");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
  seen += fetch(gateway.admin_port(), "/metrics").body;
  gateway.signal(SIGINT);
  EXPECT_EQ(gateway.exit_code(), 0);
  seen += gateway.output();

  EXPECT_NE(seen.find("you sent"), std::string::npos) << "the echoes came through, without their keys";
  for (const std::string& key : {configured, own, door, mistaken, wrong})
    EXPECT_EQ(seen.find(key), std::string::npos) << key << "\n" << seen.substr(seen.find(key) < 300 ? 0 : seen.find(key) - 300, 600);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// Returns the log of a process that had the following events: an answer, a refused request with a key in path and query, a model with an
// odd name, a reload, and the end of the process.
std::string log_of(const std::string& form) {
  scripted_provider provider(streams({"hi"}));
  gateway_process gateway({.config = one_provider(provider, "log_format: " + form + "\n")});
  EXPECT_EQ(ask(gateway.port()).text(), "hi");
  EXPECT_EQ(fetch(gateway.port(), "/v1/sk-aB3dE5fG7hI9kL1mN3oP5qR7?key=sk-query").status, 404);
  test_client client(gateway.port());
  client.post("{\"model\":\"quote\\\"\\n\\ud83d\\ude00\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
  EXPECT_EQ(client.read().status, 404);
  gateway.write_config("providers: {broken");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
  gateway.signal(SIGINT);
  EXPECT_EQ(gateway.exit_code(), 0);
  const std::string all = gateway.output();
  EXPECT_EQ(all.find("sk-"), std::string::npos) << all;
  const std::size_t banner = all.find("try it:");  // the gateway prints a banner only if its log has the format `text`
  EXPECT_EQ(banner == std::string::npos, form != "text");
  return banner == std::string::npos ? all : all.substr(all.find("\n\n", banner) + 2);
}

TEST(Process, AJsonLogIsAnObjectALine) {
  std::vector<nlohmann::json> events, messages;
  for (const std::string& line : lines_of(log_of("json"))) {
    ASSERT_TRUE(nlohmann::json::accept(line)) << line;
    const auto read = nlohmann::json::parse(line);
    EXPECT_TRUE(read.contains("time") && read.contains("level")) << line;
    EXPECT_TRUE(read.contains("event") != read.contains("message")) << line;
    (read.contains("event") ? events : messages).push_back(read);
  }
  ASSERT_EQ(events.size(), 3u);
  // Each worker logs its own requests, so the log lines of two workers may have any order.
  const auto of_status = [&](int status, const char* member) {
    for (const nlohmann::json& each : events)
      if (each.at("status") == status && each.contains(member)) return each.at(member);
    return nlohmann::json();
  };
  EXPECT_EQ(of_status(200, "attempts").at(0).at("outcome"), "won");
  EXPECT_EQ(of_status(404, "path"), "/v1/***");
  EXPECT_EQ(of_status(404, "model"), "quote\"\n\xf0\x9f\x98\x80");
  const std::string started = messages.front().at("message");
  EXPECT_NE(started.find("; 1 provider, 1 route, 0 access keys, 0 teams; hash "), std::string::npos) << started;
  EXPECT_NE(started.find("; listening on http://127.0.0.1:"), std::string::npos) << started;
  EXPECT_EQ(messages.back().at("message"), "stopped");
}

TEST(Process, ALogEndsWithStoppedInEveryForm) {
  EXPECT_TRUE(log_of("text").ends_with(" info stopped\n"));
  const std::string logfmt = log_of("logfmt");
  EXPECT_TRUE(logfmt.ends_with(" level=info message=\"stopped\"\n"));
  for (const std::string& line : lines_of(logfmt)) EXPECT_TRUE(line.starts_with("time=")) << line;
}

}  // namespace
}  // namespace photofinish::testing
