// Compares the content that the product's reader and an independent reader find in recorded answers of the Responses API, streamed and
// non-streamed.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/support/streams/cassettes.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

// The content of a complete response at the end of a stream, as the independent reader finds it.
struct held_words {
  std::string texts, thoughts, refusals, calls, arguments, blobs, cut_by;
  std::uint64_t input = 0, output = 0;
};

// Returns the texts of a reasoning item, or the summary if the item has no texts.
std::string thoughts_in(const nlohmann::json& reasoning) {
  std::string found;
  for (const char* key : {"content", "summary"}) {
    if (!found.empty() || !reasoning.contains(key) || !reasoning.at(key).is_array()) continue;
    for (const nlohmann::json& part : reasoning.at(key)) found += (found.empty() ? "" : "\n\n") + part.value("text", "");
  }
  return found;
}

held_words words_in(const nlohmann::json& response) {
  held_words found;
  if (response.contains("incomplete_details") && response.at("incomplete_details").is_object())
    found.cut_by = response.at("incomplete_details").at("reason");
  if (response.contains("usage") && response.at("usage").is_object()) {
    found.input = response.at("usage").at("input_tokens");
    found.output = response.at("usage").at("output_tokens");
  }
  for (const nlohmann::json& each : response.at("output")) {
    const std::string type = each.at("type");
    if (type == "message")
      for (const nlohmann::json& part : each.at("content")) found.texts += part.value("text", ""), found.refusals += part.value("refusal", "");
    if (type == "reasoning") found.thoughts += thoughts_in(each);
    if (type == "reasoning" && each.contains("encrypted_content") && each.at("encrypted_content").is_string())
      found.blobs += each.at("encrypted_content").get<std::string>();
    if (type != "function_call" && type != "custom_tool_call") continue;
    found.calls += each.at("name").get<std::string>();
    found.arguments += each.at(type == "function_call" ? "arguments" : "input").get<std::string>();
  }
  return found;
}

// Some recordings were shortened, so the test reads their text from the deltas.
std::string text_of_deltas(const std::vector<std::string>& events) {
  std::string found;
  for (const std::string& each : events) {
    const nlohmann::json event = nlohmann::json::parse(each);
    if (event.at("type") == "response.output_text.delta") found += event.at("delta").get<std::string>();
  }
  return found;
}

void expect_said(const test::played_stream& played, const held_words& held, const std::string& texts) {
  const auto said = [&played](delta_kind kind) { return played.said.contains(kind) ? played.said.at(kind) : std::string(); };
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(said(delta_kind::text), texts);
  EXPECT_EQ(said(delta_kind::reasoning), held.thoughts);
  EXPECT_EQ(said(delta_kind::refusal), held.refusals);
  EXPECT_EQ(said(delta_kind::call), held.calls);
  EXPECT_EQ(said(delta_kind::call_arguments), held.arguments);
  EXPECT_EQ(said(delta_kind::finish), held.cut_by);
  EXPECT_EQ((said(delta_kind::signature) + said(delta_kind::opaque)).size(), held.blobs.size());
  const token_usage usage = played.summary.usage.value_or(token_usage{});
  EXPECT_EQ(usage.input_tokens, held.input);
  EXPECT_EQ(usage.output_tokens, held.output);
}

void expect_whole_said(const std::string& body) {
  const nlohmann::json response = nlohmann::json::parse(body);
  player one(nullptr);
  one.answer(body);
  const held_words held = words_in(response);
  expect_said(one.played(), held, held.texts);
}

// Checks the content of a stream, first with all bytes in one piece, then with the bytes split at each tested position.
void expect_stream_said(const std::string& bytes, const nlohmann::json& response) {
  const auto play = [&bytes](std::size_t cut) {
    player one(nullptr);
    one.feed(std::string_view(bytes).substr(0, cut));
    one.feed(std::string_view(bytes).substr(cut));
    one.end_body();
    return one.played();
  };
  const held_words held = words_in(response);
  const std::string bit_by_bit = text_of_deltas(test::data_lines_of(bytes));
  const test::played_stream whole = play(0);
  expect_said(whole, held, bit_by_bit.empty() ? held.texts : bit_by_bit);
  for (const std::size_t cut : test::cuts_of(bytes, "event: ")) {
    const test::played_stream again = play(cut);
    ASSERT_TRUE(again.json == whole.json && again.said == whole.said && again.ends == whole.ends) << "cut at " << cut;
  }
}

TEST(ResponseRecordingsOfHttp, CassettesAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t streams = 0, wholes = 0;
  for (const test::recorded_exchange& each : test::recorded_exchanges("/responses")) {
    SCOPED_TRACE(each.cassette);
    if (!each.is_stream) {
      expect_whole_said(each.bytes), ++wholes;
      continue;
    }
    const nlohmann::json last = nlohmann::json::parse(test::data_lines_of(each.bytes).back());
    expect_stream_said(each.bytes, last.at("response")), ++streams;
  }
  EXPECT_GT(streams, 10u);
  EXPECT_GT(wholes, 60u);
}

TEST_P(ResponseRecordings, WholeAnswersAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0;
  for (const auto& path : test::recorded_wholes(GetParam())) {
    const std::string body = test::recorded_text(path);
    if (nlohmann::json::parse(body).value("object", "") != "response") continue;
    SCOPED_TRACE(path.filename());
    expect_whole_said(body);
    ++wholes;
  }
  EXPECT_GT(wholes, 0u);
}

TEST_P(ResponseRecordings, SayInTheirEventsWhatTheResponseHolds) {
  const auto streams = test::recorded_streams(GetParam(), "response.created");
  if (streams.empty()) GTEST_SKIP() << test::no_recordings;
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
      expect_said(played, held, is_streamed && !bit_by_bit.empty() ? bit_by_bit : held.texts);
    }
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

// Returns the types of the events that both a stream and a non-streamed answer have. Excludes deltas and citations, because providers split
// texts differently. Excludes the steps of the provider's own tools, because non-streamed answers have no events for them.
std::vector<std::string> order_of(const std::vector<std::string>& events) {
  std::vector<std::string> order;
  for (const std::string& each : events) {
    const std::string type = nlohmann::json::parse(each).at("type");
    const bool is_compared = type.starts_with("response.output_item.") || type.starts_with("response.content_part.") ||
                             type.starts_with("response.output_text.") || type.starts_with("response.reasoning_") ||
                             type.starts_with("response.function_call_arguments.") || type.find('.', 9) == std::string::npos;
    if (is_compared && !type.ends_with(".delta") && !type.ends_with(".annotation.added")) order.push_back(type);
  }
  return order;
}

TEST_P(ResponseRecordings, AWholeAnswerIsGivenInTheOrderOfItsStream) {
  const auto streams = test::recorded_streams(GetParam(), "response.created");
  if (streams.empty()) GTEST_SKIP() << test::no_recordings;
  std::size_t compared = 0;
  for (const auto& each : streams) {
    SCOPED_TRACE(each.name);
    if (each.name.find("x-search") != std::string::npos) continue;  // the stream of this recording interleaves the events of several items
    const auto last = std::find_if(each.events.begin(), each.events.end(), [](const std::string& event) {
      return event.find(R"("type":"response.completed")") != std::string::npos;
    });
    if (last == each.events.end()) continue;
    player one(nullptr);
    one.answer(nlohmann::json::parse(*last).at("response").dump());
    EXPECT_EQ(order_of(one.played().json), order_of({each.events.begin(), last + 1}));
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace photofinish::proxy
