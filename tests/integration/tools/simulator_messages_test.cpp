// Tests the simulated provider with Anthropic's API. The gateway's dialect reads the provider's streamed and non-streamed answers, errors
// and faults.
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "tests/integration/tools/played_answers.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway::simulator {
namespace {

using nlohmann::json;
using proxy::delta_kind;
using tests::response;
using tests::running_simulator;
using client = tests::sim_client;
using player = test::player_of<proxy::message_stream>;

response message(running_simulator& provider, json request, const std::string& fields = "") {
  client asking(provider.port());
  if (!request.contains("max_tokens")) request["max_tokens"] = 1000;
  request["messages"] = json::array({{{"role", "user"}, {"content", "hi"}}});
  asking.post_to("/v1/messages?beta=true", request.dump(), fields);
  return asking.read();
}

test::played_stream streamed(const std::string& model, json more = json::object()) {
  running_simulator provider;
  more["model"] = model + ";ttft=1ms;tps=0;ttft_sigma=0;stall_share=0";
  more["stream"] = true;
  const response got = message(provider, more);
  EXPECT_EQ(got.status, 200) << got.body;
  player one(nullptr);
  one.feed(got.body);
  one.end_body();
  return one.played();
}

json whole(const std::string& model, json more = json::object()) {
  running_simulator provider;
  more["model"] = model + ";ttft=1ms;tps=0;ttft_sigma=0;stall_share=0";
  const response got = message(provider, more);
  EXPECT_EQ(got.status, 200) << got.body;
  return json::parse(got.body);
}

TEST(SimulatorMessages, AStreamThinksAndSpeaks) {
  const test::played_stream got = streamed("m;tokens=5;reasoning=3");
  tests::expect_thoughts_and_words(got, delta_kind::signature, "end_turn");
  EXPECT_EQ(got.names.front(), "message_start");
  EXPECT_EQ(got.names.back(), "message_stop");
}

TEST(SimulatorMessages, ACallNamesTheOfferedToolAndHasValidArguments) {
  const test::played_stream got = streamed("m;tokens=6;tools", {{"tools", {{{"name", "look"}, {"input_schema", {{"type", "object"}}}}}}});
  tests::expect_call(got, "look", "tool_use");
}

TEST(SimulatorMessages, ALimitEndsTheAnswer) {
  EXPECT_EQ(streamed("m;tokens=50", {{"max_tokens", 3}}).said.at(delta_kind::finish), "max_tokens");
}

TEST(SimulatorMessages, AWholeAnswerIsOneMessage) {
  const json got = whole("m;tokens=4;reasoning=2");
  EXPECT_EQ(got.at("type"), "message");
  EXPECT_EQ(got.at("content").at(0).at("type"), "thinking");
  EXPECT_EQ(got.at("content").at(1).at("type"), "text");
  EXPECT_EQ(got.at("usage").at("output_tokens"), 6);
  EXPECT_TRUE(whole("m;tokens=4;tools").at("content").at(0).at("input").is_object());
}

TEST(SimulatorMessages, FaultsAreInItsWords) {
  EXPECT_EQ(streamed("m;tokens=5;error_event=2").failed->kind, proxy::failure_kind::server_error);
  EXPECT_TRUE(streamed("m;tokens=5;close_after=2").failed);
  running_simulator provider;
  const response busy = message(provider, {{"model", "m;status=529"}});
  EXPECT_EQ(busy.status, 529);
  EXPECT_EQ(json::parse(busy.body).at("error").at("type"), "overloaded_error");
  const response wrong = message(provider, {{"model", "m"}, {"max_tokens", nullptr}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(json::parse(wrong.body).at("type"), "error");
}

}  // namespace
}  // namespace photofinish::gateway::simulator
