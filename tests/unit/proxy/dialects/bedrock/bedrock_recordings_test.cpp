// Compares recorded answers of Amazon Bedrock with the results of a separate, simple reader. Each stream is read once in one piece, and
// also split at every position.
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "tests/support/streams/cassettes.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/recorded_answer.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using answer = test::recorded_answer;
using listener = test::answer_listener;

// The following functions form a simple reader. The tests compare the product's reader with it.

bool is_the_servers(const json& call) { return call.contains("type") && call.at("type") == "server_tool_use"; }

void read_usage(const json& usage, answer& into) {
  into.input = usage.value("inputTokens", 0u) + usage.value("cacheReadInputTokens", 0u) + usage.value("cacheWriteInputTokens", 0u);
  into.output = usage.value("outputTokens", 0u);
}

answer read_simply(const std::vector<std::pair<std::string, json>>& events) {
  answer made;
  std::map<int, std::string> arguments;
  std::map<int, std::size_t> places;
  for (const auto& [type, event] : events) {
    const int index = event.value("contentBlockIndex", 0);
    if (type == "contentBlockStart" && event.at("start").contains("toolUse") && !is_the_servers(event.at("start").at("toolUse"))) {
      const json& call = event.at("start").at("toolUse");
      places[index] = made.calls.size();
      made.calls.emplace_back(call.at("name").get<std::string>(), json());
    }
    if (type == "contentBlockDelta") {
      const json& delta = event.at("delta");
      made.text += delta.value("text", "");
      if (delta.contains("toolUse")) arguments[index] += delta.at("toolUse").value("input", "");
      const json thought = delta.value("reasoningContent", json::object());
      made.thoughts += thought.value("text", "");
      made.signatures += thought.value("signature", "");
      made.hidden += thought.value("redactedContent", "");
    }
    if (type == "messageStop") made.finish = event.at("stopReason");
    if (type == "metadata") read_usage(event.at("usage"), made);
  }
  for (const auto& [index, place] : places) made.calls[place].second = json::parse(arguments[index].empty() ? "{}" : arguments[index]);
  return made;
}

answer read_simply(const json& whole) {
  answer made;
  for (const json& block : whole.at("output").at("message").at("content")) {
    made.text += block.value("text", "");
    const json thought = block.value("reasoningContent", json::object());
    made.thoughts += thought.value("reasoningText", json::object()).value("text", "");
    made.signatures += thought.value("reasoningText", json::object()).value("signature", "");
    made.hidden += thought.value("redactedContent", "");
    if (!block.contains("toolUse") || is_the_servers(block.at("toolUse"))) continue;
    const json& call = block.at("toolUse");
    made.calls.emplace_back(call.at("name").get<std::string>(), call.at("input"));
  }
  made.finish = whole.at("stopReason");
  read_usage(whole.at("usage"), made);
  return made;
}

// Our reader

listener play(std::string_view bytes, std::size_t piece, std::size_t cut) {
  converse_stream stream(stream_settings{});
  frame_reader frames(1u << 20);
  listener heard;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t to = piece > 0 ? std::min(bytes.size(), at + piece) : at < cut ? std::min(cut, bytes.size()) : bytes.size();
    const test::padded_bytes fed(bytes.substr(at, to - at));
    frames.feed(fed.view());
    while (const auto frame = frames.next()) heard.take(stream.on_frame(*frame, {}));
    at = to;
  }
  if (!frames.fault().empty()) heard.trouble = frames.fault();
  heard.take(stream.on_body_end(frames.unfinished(), {}));
  return heard;
}

void check(const std::string& name, const std::string& bytes, const answer& expected) {
  SCOPED_TRACE(name);
  const listener whole = play(bytes, 0, bytes.size());
  ASSERT_EQ(whole.trouble, "");
  ASSERT_TRUE(whole.has_ended);
  EXPECT_EQ(whole.heard(), expected);
  EXPECT_EQ(whole.ids.size(), expected.calls.size());
  EXPECT_EQ(play(bytes, 1, 0).heard(), expected) << "byte by byte";
  for (const std::size_t cut : test::cuts_of(bytes, ":event-type")) {
    const listener heard = play(bytes, 0, cut);
    ASSERT_TRUE(heard.has_ended && heard.said == whole.said && heard.arguments == whole.arguments) << "cut at " << cut;
  }
}

// Returns the type and the payload of each frame. Finds the frames only by their length fields.
std::vector<std::pair<std::string, json>> frames_in(const std::string& bytes) {
  std::vector<std::pair<std::string, json>> all;
  const auto number = [&bytes](std::size_t at) {
    std::size_t made = 0;
    for (std::size_t each = at; each < at + 4; ++each) made = made * 256 + static_cast<unsigned char>(bytes.at(each));
    return made;
  };
  for (std::size_t at = 0; at < bytes.size(); at += number(at)) {
    const std::string headers = bytes.substr(at + 12, number(at + 4));
    const std::size_t type = headers.find(":event-type") + 14;
    const std::size_t size = static_cast<unsigned char>(headers.at(type - 1));
    all.emplace_back(headers.substr(type, size), json::parse(bytes.substr(at + 12 + headers.size(), number(at) - 16 - headers.size())));
  }
  return all;
}

TEST(BedrockRecordings, StreamsAreReadAsTheyAre) {
  const auto recorded = test::recorded_streams("ai/amazon-bedrock", "{");
  if (recorded.empty()) GTEST_SKIP() << test::no_recordings;
  for (const auto& [name, events] : recorded) {
    std::vector<std::pair<std::string, json>> read;
    std::string bytes;
    for (const std::string& each : events) {
      const json event = json::parse(each);
      read.emplace_back(event.begin().key(), event.begin().value());
      bytes += test::event_frame_of(event.begin().key(), event.begin().value().dump());
    }
    check(name, bytes, read_simply(read));
  }
}

void check_whole(const std::string& body) {
  converse_stream stream(stream_settings{});
  listener heard;
  ASSERT_TRUE(stream.on_whole(body));
  while (!heard.has_ended && heard.trouble.empty()) heard.take(stream.next_of_whole({}));
  EXPECT_EQ(heard.trouble, "");
  EXPECT_EQ(heard.heard(), read_simply(json::parse(body)));
}

TEST(BedrockRecordings, WholeAnswersAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0;
  for (const auto& path : test::recorded_wholes("ai/amazon-bedrock")) {
    const std::string body = test::recorded_text(path);
    if (!json::parse(body).contains("output")) continue;
    SCOPED_TRACE(path.filename());
    check_whole(body);
    ++wholes;
  }
  EXPECT_GT(wholes, 5u);
}

TEST(BedrockRecordings, CassettesAreReadAsTheyAre) {
  const auto root = test::recordings();
  if (!root) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0, streams = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*root / "cassettes")) {
    if (entry.path().extension() != ".yaml" || entry.path().string().find("bedrock") == std::string::npos) continue;
    const test::cassette read = test::read_cassette(entry.path(), "/converse");
    for (const std::string& bytes : read.streams) {
      if (bytes.find(":event-type") == std::string::npos) continue;
      check(entry.path().filename().string(), bytes, read_simply(frames_in(bytes)));
      ++streams;
    }
    for (const json& body : read.wholes) {
      if (!body.contains("output")) continue;
      SCOPED_TRACE(entry.path().filename().string());
      check_whole(body.dump());
      ++wholes;
    }
  }
  EXPECT_GT(wholes, 40u);
  EXPECT_GT(streams, 4u);
}

}  // namespace
}  // namespace photofinish::proxy
