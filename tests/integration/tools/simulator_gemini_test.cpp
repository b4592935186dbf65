// Tests the simulated provider with Gemini's API. The gateway's dialect reads the provider's streamed and non-streamed answers, errors and
// faults.
#include "proxy/dialects/gemini/gemini_stream.hpp"
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

response generated(running_simulator& provider, const std::string& model, const std::string& verb, json request,
                   const std::string& fields = "") {
  tests::sim_client asking(provider.port());
  if (!request.contains("contents")) request["contents"] = {{{"role", "user"}, {"parts", {{{"text", "hi"}}}}}};
  asking.post_to("/v1beta/models/" + model + ":" + verb, request.dump(), fields);
  return asking.read();
}

test::played_stream read_by_the_dialect(const std::string& model, const json& request = json::object()) {
  running_simulator provider;
  const response got = generated(provider, model, "streamGenerateContent?alt=sse", request);
  EXPECT_EQ(got.status, 200) << got.body;
  test::player_of<proxy::gemini_stream> reader(proxy::stream_settings{.format = proxy::wire_format::gemini, .id = "r"});
  reader.feed(got.body);
  if (got.is_complete) reader.end_body();
  return reader.played();
}

json in_one_piece(const std::string& model, const json& request = json::object()) {
  running_simulator provider;
  const response got = generated(provider, model, "generateContent", request);
  EXPECT_EQ(got.status, 200) << got.body;
  return json::parse(got.body);
}

const json with_a_tool = {{"tools", {{{"functionDeclarations", {{{"name", "look"}}}}}}}};

TEST(SimulatorGemini, AStreamThinksAndSpeaksAndSignsItsEnd) {
  const test::played_stream got = read_by_the_dialect("m;tokens=5;reasoning=3");
  tests::expect_thoughts_and_words(got, delta_kind::opaque, "STOP");
  EXPECT_EQ(got.summary.usage->reasoning_tokens, 3u);
}

TEST(SimulatorGemini, WithoutUsageItReportsNone) {
  EXPECT_FALSE(read_by_the_dialect("m;tokens=5;no_usage").summary.usage);
}

TEST(SimulatorGemini, ACallNamesTheOfferedToolAndComesWholeAndSigned) {
  const test::played_stream got = read_by_the_dialect("m;tokens=6;tools", with_a_tool);
  tests::expect_call(got, "look", "STOP");
  EXPECT_FALSE(got.said.at(delta_kind::opaque).empty());
}

TEST(SimulatorGemini, ALimitEndsTheAnswer) {
  const test::played_stream got = read_by_the_dialect("m;tokens=50", {{"generationConfig", {{"maxOutputTokens", 3}}}});
  EXPECT_EQ(got.said.at(delta_kind::finish), "MAX_TOKENS");
  EXPECT_EQ(got.summary.usage->output_tokens, 3u);
}

TEST(SimulatorGemini, AWholeAnswerIsOneCandidate) {
  const json got = in_one_piece("m;tokens=4;reasoning=2");
  const json parts = got.at("candidates").at(0).at("content").at("parts");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].at("thought"), true);
  EXPECT_FALSE(parts[1].at("text").get<std::string>().empty());
  EXPECT_EQ(got.at("usageMetadata").at("candidatesTokenCount"), 4);
  EXPECT_EQ(got.at("usageMetadata").at("thoughtsTokenCount"), 2);
  EXPECT_EQ(got.at("modelVersion"), "m");
  const json called = in_one_piece("m;tokens=4;tools", with_a_tool);
  EXPECT_TRUE(called.at("candidates").at(0).at("content").at("parts").at(0).at("functionCall").at("args").is_object());
}

TEST(SimulatorGemini, ANameMayBePercentEncodedAndInAnotherFolder) {
  running_simulator provider;
  const response got = generated(provider, "m%3Btokens%3D1", "generateContent", json::object());
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(got.body).at("usageMetadata").at("candidatesTokenCount"), 1);
  EXPECT_EQ(generated(provider, "m;tokens=1%", "generateContent", json::object()).status, 400) << "an odd end stays";
  EXPECT_EQ(generated(provider, "m", "countTokens", json::object()).status, 404);
}

TEST(SimulatorGemini, FaultsAreInItsWords) {
  EXPECT_EQ(read_by_the_dialect("m;tokens=5;error_event=2").failed->kind, proxy::failure_kind::server_error);
  EXPECT_EQ(read_by_the_dialect("m;tokens=5;close_after=2").ends, 0u);
  EXPECT_TRUE(read_by_the_dialect("m;done_only").failed);
  running_simulator provider;
  const response busy = generated(provider, "m;status=429;retry_after=7s", "generateContent", json::object());
  EXPECT_EQ(busy.status, 429);
  const json error = json::parse(busy.body).at("error");
  EXPECT_EQ(error.at("status"), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(error.at("details").at(0).at("retryDelay"), "7s");
  const response wrong = generated(provider, "m", "generateContent", {{"contents", "hi"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(json::parse(wrong.body).at("error").at("status"), "INVALID_ARGUMENT");
  for (const int none : {0, -1})
    EXPECT_EQ(generated(provider, "m", "generateContent", {{"generationConfig", {{"maxOutputTokens", none}}}}).status, 400);
}

TEST(SimulatorGemini, AKeyMayComeInGooglesHeader) {
  sim_options options;
  options.required_key = "right";
  running_simulator provider(options);
  EXPECT_EQ(generated(provider, "m;tokens=1", "generateContent", json::object()).status, 401);
  EXPECT_EQ(generated(provider, "m;tokens=1", "generateContent", json::object(), "x-goog-api-key: right\r\n").status, 200);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
