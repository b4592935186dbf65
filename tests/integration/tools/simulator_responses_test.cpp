// Tests the simulated provider with OpenAI's Responses API. The gateway's dialect reads the provider's streamed and non-streamed answers,
// errors and faults. The tests also check the order and the numbers of events, as strict clients do.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/integration/tools/played_answers.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

using nlohmann::json;
using proxy::delta_kind;
using tests::response;
using tests::running_simulator;

response responded(running_simulator& provider, const std::string& model, json request) {
  tests::sim_client asking(provider.port());
  request["model"] = model;
  if (!request.contains("input")) request["input"] = "hi";
  asking.post_to("/v1/responses", request.dump());
  return asking.read();
}

response streamed_by_responses(const std::string& model, json request = json::object()) {
  running_simulator provider;
  request["stream"] = true;
  return responded(provider, model, request);
}

test::played_stream played_responses(const std::string& model, json request = json::object()) {
  const response got = streamed_by_responses(model, std::move(request));
  EXPECT_EQ(got.status, 200) << got.body;
  test::player_of<proxy::response_stream> reader(nullptr);
  reader.feed(got.body);
  if (got.is_complete) reader.end_body();
  return reader.played();
}

std::vector<json> events_in(const response& got) {
  std::vector<json> all;
  std::istringstream lines(got.body);
  for (std::string line, name; std::getline(lines, line);) {
    if (line.starts_with("event: ")) name = line.substr(7);
    if (!line.starts_with("data: ")) continue;
    all.push_back(json::parse(line.substr(6)));
    EXPECT_EQ(all.back().at("type"), name);
    EXPECT_EQ(all.back().at("sequence_number"), all.size() - 1);
  }
  return all;
}

const json with_encrypted = {{"include", {"reasoning.encrypted_content"}}};
const json with_a_function = json::parse(R"({"tools":[{"type":"function","name":"look","parameters":{"type":"object"}}]})");

TEST(SimulatorResponses, AStreamThinksAndSpeaks) {
  const test::played_stream got = played_responses("m;tokens=5;reasoning=3", with_encrypted);
  tests::expect_thoughts_and_words(got, delta_kind::signature, "");
  EXPECT_EQ(got.summary.usage->reasoning_tokens, 3u);
  EXPECT_FALSE(played_responses("m;tokens=5;reasoning=3").said.contains(delta_kind::signature)) << "not asked for";
}

TEST(SimulatorResponses, ItsEventsAddUpToItsLastResponse) {
  for (const char* model : {"m;tokens=4;reasoning=2", "m;tokens=6;tools", "m;empty"}) {
    SCOPED_TRACE(model);
    const auto events = events_in(streamed_by_responses(model, with_a_function));
    json output = json::array();
    std::string said;
    for (const json& each : events) {
      const std::string type = each.at("type");
      if (type == "response.output_item.added") {
        EXPECT_EQ(each.at("output_index"), output.size());
        output.push_back(each.at("item"));
        said.clear();
      }
      if (each.contains("item_id")) {
        EXPECT_EQ(each.at("item_id"), output.back().at("id"));
      }
      if (each.contains("delta")) said += each.at("delta").get<std::string>();
      if (type.ends_with("text.done")) {
        EXPECT_EQ(each.at("text"), said);
      }
      if (type.ends_with("arguments.done")) {
        EXPECT_EQ(each.at("arguments"), said);
      }
      if (type == "response.output_item.done") {
        EXPECT_EQ(each.at("item").at("id"), output.back().at("id"));
        output.back() = each.at("item");
      }
    }
    EXPECT_EQ(events.front().at("type"), "response.created");
    EXPECT_EQ(events.back().at("type"), "response.completed");
    EXPECT_EQ(events.back().at("response").at("output"), output);
  }
}

TEST(SimulatorResponses, ACallNamesTheOfferedFunction) {
  const test::played_stream got = played_responses("m;tokens=6;tools", with_a_function);
  ASSERT_FALSE(got.failed) << got.failed->detail;
  EXPECT_EQ(got.said.at(delta_kind::call), "look");
  EXPECT_TRUE(json::accept(got.said.at(delta_kind::call_arguments)));
}

TEST(SimulatorResponses, ALimitLeavesItIncomplete) {
  const auto events = events_in(streamed_by_responses("m;tokens=50", {{"max_output_tokens", 3}}));
  EXPECT_EQ(events.back().at("type"), "response.incomplete");
  const json last = events.back().at("response");
  EXPECT_EQ(last.at("incomplete_details"), json::parse(R"({"reason":"max_output_tokens"})"));
  EXPECT_EQ(last.at("usage").at("output_tokens"), 3);
}

TEST(SimulatorResponses, AWholeAnswerIsTheSameResponse) {
  running_simulator provider;
  const response whole = responded(provider, "m;tokens=5;reasoning=2;seed=7", json::object());
  ASSERT_EQ(whole.status, 200) << whole.body;
  const json got = json::parse(whole.body);
  const json streamed = events_in(streamed_by_responses("m;tokens=5;reasoning=2;seed=7")).back().at("response");
  EXPECT_EQ(got.at("status"), "completed");
  EXPECT_EQ(got.at("usage").at("output_tokens"), streamed.at("usage").at("output_tokens"));
  EXPECT_EQ(got.at("output")[1].at("content"), streamed.at("output")[1].at("content"));
  EXPECT_TRUE(json::parse(responded(provider, "m;tokens=5;no_usage", json::object()).body).at("usage").is_null());
}

TEST(SimulatorResponses, FaultsAreInItsWords) {
  EXPECT_TRUE(played_responses("m;tokens=5;error_event=2").failed);
  EXPECT_EQ(played_responses("m;tokens=5;close_after=2").ends, 0u);
  running_simulator provider;
  const response busy = responded(provider, "m;status=429;retry_after=7s", json::object());
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(json::parse(busy.body).at("error").at("code"), "rate_limit_exceeded");
  EXPECT_EQ(responded(provider, "m", {{"input", 1}}).status, 400);
  EXPECT_EQ(responded(provider, "m", {{"include", "all"}}).status, 400);
  EXPECT_EQ(responded(provider, "m", {{"max_output_tokens", 0}}).status, 400);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
