// Tests the simulated provider with Amazon Bedrock's API. The gateway's dialect reads the streamed and the non-streamed answers of Converse
// and of Claude's InvokeModel.
#include "proxy/dialects/bedrock/claude_stream.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "tests/integration/tools/played_answers.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway::simulator {
namespace {

using nlohmann::json;
using proxy::delta_kind;
using tests::response;
using tests::running_simulator;

const json asked_of_converse = json::parse(R"({"messages":[{"role":"user","content":[{"text":"hi"}]}]})");
const json asked_of_claude =
    json::parse(R"({"anthropic_version":"bedrock-2023-05-31","max_tokens":100,"messages":[{"role":"user","content":"hi"}]})");

response at_bedrock(running_simulator& provider, const std::string& model, const std::string& verb, json request,
                    const json& more = json::object(), const std::string& fields = "") {
  tests::sim_client asking(provider.port());
  request.update(more);
  asking.post_to("/model/" + model + "/" + verb, request.dump(), fields);
  return asking.read();
}

test::played_stream played_converse(const std::string& model, const json& more = json::object()) {
  running_simulator provider;
  const response got = at_bedrock(provider, model, "converse-stream", asked_of_converse, more);
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.head.find("content-type: application/vnd.amazon.eventstream\r\n"), std::string::npos);
  test::player_of<proxy::converse_stream> reader(
      proxy::stream_settings{.format = proxy::wire_format::bedrock_converse, .id = "r"});
  reader.feed_frames(got.body);
  if (got.is_complete) reader.end_frames();
  return reader.played();
}

test::played_stream played_claude(const std::string& model, const json& more = json::object()) {
  running_simulator provider;
  const response got = at_bedrock(provider, model, "invoke-with-response-stream", asked_of_claude, more);
  EXPECT_EQ(got.status, 200) << got.body;
  test::player_of<proxy::claude_stream> reader(
      proxy::stream_settings{.format = proxy::wire_format::anthropic_messages, .id = "r"});
  reader.feed_frames(got.body);
  if (got.is_complete) reader.end_frames();
  return reader.played();
}

const json with_a_tool_spec =
    json::parse(R"({"toolConfig":{"tools":[{"toolSpec":{"name":"look","inputSchema":{"json":{"type":"object"}}}}]}})");

TEST(SimulatorBedrock, ConverseThinksAndSpeaksAndSaysWhatItUsed) {
  tests::expect_thoughts_and_words(played_converse("m;tokens=5;reasoning=3"), delta_kind::signature, "end_turn");
  EXPECT_FALSE(played_converse("m;tokens=5;no_usage").summary.usage);
}

TEST(SimulatorBedrock, ConverseCallsTheOfferedTool) {
  tests::expect_call(played_converse("m;tokens=6;tools", with_a_tool_spec), "look", "tool_use");
}

TEST(SimulatorBedrock, ConverseKnowsALimit) {
  const test::played_stream got = played_converse("m;tokens=50", {{"inferenceConfig", {{"maxTokens", 3}}}});
  EXPECT_EQ(got.said.at(delta_kind::finish), "max_tokens");
  EXPECT_EQ(got.summary.usage->output_tokens, 3u);
}

// Compares the simulator's frames with frames of the tests' own writer, which computes the checksums bit by bit.
TEST(SimulatorBedrock, ItsFramesAreThoseOfAnotherWriter) {
  running_simulator provider;
  const response got = at_bedrock(provider, "m;tokens=1", "converse-stream", asked_of_converse);
  const std::string first = test::event_frame_of("messageStart", R"({"role":"assistant","p":"abcd"})");
  EXPECT_EQ(got.body.substr(0, first.size()), first);
}

TEST(SimulatorBedrock, ClaudesEventsAreInFrames) {
  tests::expect_thoughts_and_words(played_claude("anthropic.m;tokens=5;reasoning=3"), delta_kind::signature, "end_turn");
  const json tool = json::parse(R"({"tools":[{"name":"look","input_schema":{"type":"object"}}]})");
  tests::expect_call(played_claude("anthropic.m;tokens=6;tools", tool), "look", "tool_use");
}

TEST(SimulatorBedrock, WholeAnswers) {
  running_simulator provider;
  const json said = json::parse(at_bedrock(provider, "m;tokens=4;reasoning=2", "converse", asked_of_converse).body);
  const json content = said.at("output").at("message").at("content");
  ASSERT_EQ(content.size(), 2u);
  EXPECT_TRUE(content[0].at("reasoningContent").at("reasoningText").contains("signature"));
  EXPECT_FALSE(content[1].at("text").get<std::string>().empty());
  EXPECT_EQ(said.at("stopReason"), "end_turn");
  EXPECT_EQ(said.at("usage").at("outputTokens"), 6);
  const json called = json::parse(at_bedrock(provider, "m;tokens=4;tools", "converse", asked_of_converse, with_a_tool_spec).body);
  EXPECT_TRUE(called.at("output").at("message").at("content")[0].at("toolUse").at("input").is_object());
  const json message = json::parse(at_bedrock(provider, "anthropic.m;tokens=4", "invoke", asked_of_claude).body);
  EXPECT_EQ(message.at("type"), "message");
  EXPECT_EQ(message.at("usage").at("output_tokens"), 4);
}

TEST(SimulatorBedrock, AModelsNameIsDecoded) {
  running_simulator provider;
  const response got = at_bedrock(provider, "arn%3Aaws%2Fm%3Btokens%3D1", "converse", asked_of_converse);
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(got.body).at("usage").at("outputTokens"), 1);
  EXPECT_EQ(at_bedrock(provider, "m", "count-tokens", asked_of_converse).status, 404);
}

TEST(SimulatorBedrock, FaultsAreInItsWords) {
  EXPECT_EQ(played_converse("m;tokens=5;error_event=2").failed->kind, proxy::failure_kind::server_error);
  EXPECT_EQ(played_claude("anthropic.m;tokens=5;error_event=2").failed->kind, proxy::failure_kind::server_error);
  EXPECT_EQ(played_converse("m;tokens=5;close_after=2").ends, 0u);
  EXPECT_TRUE(played_converse("m;done_only").failed);
  running_simulator provider;
  const response busy = at_bedrock(provider, "m;status=429;retry_after=7s", "converse-stream", asked_of_converse);
  EXPECT_EQ(busy.status, 429);
  EXPECT_NE(busy.head.find("x-amzn-errortype: ThrottlingException\r\n"), std::string::npos) << busy.head;
  EXPECT_NE(busy.head.find("retry-after: 7\r\n"), std::string::npos);
  EXPECT_TRUE(json::parse(busy.body).at("message").is_string());
  for (const json& wrong : {json{{"messages", 1}}, json{{"inferenceConfig", 1}}, json{{"inferenceConfig", {{"maxTokens", 0}}}}})
    EXPECT_EQ(at_bedrock(provider, "m", "converse", asked_of_converse, wrong).status, 400) << wrong;
  for (const json& wrong : {json{{"model", "m"}}, json{{"stream", true}}, json{{"anthropic_version", nullptr}}})
    EXPECT_EQ(at_bedrock(provider, "anthropic.m", "invoke", asked_of_claude, wrong).status, 400) << wrong;
}

TEST(SimulatorBedrock, AKeyMayBeThatOfASignature) {
  sim_options options;
  options.required_key = "AKIARIGHT";
  running_simulator provider(options);
  const auto status_with = [&provider](const std::string& fields) {
    return at_bedrock(provider, "m;tokens=1", "converse", asked_of_converse, json::object(), fields).status;
  };
  EXPECT_EQ(status_with(""), 401);
  EXPECT_EQ(status_with("authorization: AWS4-HMAC-SHA256 Credential=AKIAWRONG/20261126/us-east-1/bedrock/aws4_request\r\n"), 401);
  EXPECT_EQ(status_with("authorization: AWS4-HMAC-SHA256 Credential=AKIARIGHT/20261126/us-east-1/bedrock/aws4_request\r\n"), 200);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
