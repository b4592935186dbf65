// What recorded streams and whole answers of Responses say, by our reader and by another one.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using player = test::player_of<response_stream>;

test::played_stream streamed(const std::vector<std::string>& events) {
  player one(nullptr);
  one.feed(test::events_of(events));
  one.end_body();
  return one.played();
}

class ResponseRecordings : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ResponseStream, ResponseRecordings, ::testing::Values("ai/openai", "ai/azure", "ai/xai", "ai/open-responses"),
                         [](const auto& tested) {
                           std::string name = std::string(tested.param).substr(3);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// What another reader finds in the response at the end.
struct held_words {
  std::string texts, refusals, calls, arguments, blobs;
};
held_words words_in(const nlohmann::json& response) {
  held_words found;
  for (const nlohmann::json& each : response.at("output")) {
    const std::string type = each.at("type");
    if (type == "message")
      for (const nlohmann::json& part : each.at("content")) found.texts += part.value("text", ""), found.refusals += part.value("refusal", "");
    if (type == "reasoning" && each.contains("encrypted_content") && each.at("encrypted_content").is_string())
      found.blobs += each.at("encrypted_content").get<std::string>();
    if (type != "function_call" && type != "custom_tool_call") continue;
    found.calls += each.at("name").get<std::string>();
    found.arguments += each.at(type == "function_call" ? "arguments" : "input").get<std::string>();
  }
  return found;
}

// Some recordings were shortened by who made them.
std::string text_of_deltas(const std::vector<std::string>& events) {
  std::string found;
  for (const std::string& each : events) {
    const nlohmann::json event = nlohmann::json::parse(each);
    if (event.at("type") == "response.output_text.delta") found += event.at("delta").get<std::string>();
  }
  return found;
}

TEST_P(ResponseRecordings, SayInTheirEventsWhatTheResponseHolds) {
  const auto streams = test::recorded_streams(GetParam(), "response.created");
  if (streams.empty()) GTEST_SKIP() << "PHOTOFINISH_RECORDINGS names no folder that has them";
  std::size_t compared = 0;
  for (const auto& each : streams) {
    SCOPED_TRACE(each.name);
    const auto last = std::find_if(each.events.begin(), each.events.end(), [](const std::string& event) {
      return event.find(R"("type":"response.completed")") != std::string::npos;
    });
    if (last == each.events.end()) continue;
    const nlohmann::json response = nlohmann::json::parse(*last).at("response");
    const held_words held = words_in(response);
    player one(nullptr);
    one.answer(response.dump());
    const std::string bit_by_bit = text_of_deltas({each.events.begin(), last + 1});
    for (const bool is_streamed : {true, false}) {
      const test::played_stream played = is_streamed ? streamed({each.events.begin(), last + 1}) : one.played();
      const auto said = [&played](delta_kind kind) { return played.said.contains(kind) ? played.said.at(kind) : std::string(); };
      EXPECT_EQ(said(delta_kind::text), is_streamed && !bit_by_bit.empty() ? bit_by_bit : held.texts);
      EXPECT_EQ(said(delta_kind::refusal), held.refusals);
      EXPECT_EQ(said(delta_kind::call), held.calls);
      EXPECT_EQ(said(delta_kind::call_arguments), held.arguments);
      EXPECT_EQ((said(delta_kind::signature) + said(delta_kind::opaque)).size(), held.blobs.size());
    }
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace photofinish::proxy
