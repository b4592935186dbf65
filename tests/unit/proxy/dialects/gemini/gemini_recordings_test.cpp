// Compares recorded answers of Google with the results of a separate, simple reader. Each stream is read once in one piece, and also split
// at every position.
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "tests/support/streams/cassettes.hpp"
#include "tests/support/streams/recorded_answer.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using answer = test::recorded_answer;
using listener = test::answer_listener;

// The following functions form a simple reader. The tests compare the product's reader with it.

// Converts a path such as "$.a[0].b" to a JSON pointer such as "/a/0/b".
json::json_pointer pointer_of(const std::string& path) {
  std::string pointer;
  for (const char each : path.substr(1))
    if (each == '.' || each == '[') pointer += '/';
    else if (each != ']') pointer += each;
  return json::json_pointer(pointer);
}

void read_call(const json& call, answer& into) {
  if (call.contains("name")) into.calls.emplace_back(call.at("name"), call.value("args", json::object()));
  for (const json& each : call.value("partialArgs", json::array())) {
    json& value = into.calls.back().second[pointer_of(each.at("jsonPath"))];
    if (each.contains("stringValue")) value = (value.is_string() ? value.get<std::string>() : "") + each.at("stringValue").get<std::string>();
    else if (each.contains("numberValue")) value = each.at("numberValue");
    else value = each.value("boolValue", json());
  }
}

answer read_simply(const std::vector<json>& chunks) {
  answer made;
  for (const json& chunk : chunks) {
    const json usage = chunk.value("usageMetadata", json::object());
    const auto count = [&usage](const char* name) { return usage.value(name, std::uint64_t{0}); };
    const std::uint64_t input = count("promptTokenCount") + count("toolUsePromptTokenCount");
    const std::uint64_t output = count("candidatesTokenCount") + count("thoughtsTokenCount");
    made.input = std::max(made.input, input), made.output = std::max(made.output, output);
    for (const json& candidate : chunk.value("candidates", json::array())) {
      made.finish = candidate.value("finishReason", made.finish);
      for (const json& part : candidate.value("content", json::object()).value("parts", json::array())) {
        (part.value("thought", false) ? made.thoughts : made.text) += part.value("text", "");
        made.hidden += part.value("thoughtSignature", "");
        if (part.contains("functionCall")) read_call(part.at("functionCall"), made);
      }
    }
  }
  return made;
}

// Our reader

listener play(std::string_view bytes, std::size_t piece, std::size_t cut) {
  gemini_stream stream({.format = wire_format::gemini, .id = "r"});
  sse_parser parser;
  listener heard;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t to = piece > 0 ? std::min(bytes.size(), at + piece) : at < cut ? std::min(cut, bytes.size()) : bytes.size();
    const test::padded_bytes fed(bytes.substr(at, to - at));
    parser.feed(fed.view());
    while (const auto event = parser.next()) heard.take(stream.on_event(*event, {}));
    at = to;
  }
  heard.take(stream.on_body_end(parser.unfinished_data(), {}));
  return heard;
}

void check(const std::string& name, const std::string& bytes, const std::vector<json>& chunks) {
  SCOPED_TRACE(name);
  const answer expected = read_simply(chunks);
  const listener whole = play(bytes, 0, bytes.size());
  ASSERT_EQ(whole.trouble, "");
  ASSERT_TRUE(whole.has_ended);
  EXPECT_EQ(whole.heard(), expected);
  EXPECT_EQ(whole.ids.size(), expected.calls.size());
  EXPECT_EQ(play(bytes, 1, 0).heard(), expected) << "byte by byte";
  for (const std::size_t cut : test::cuts_of(bytes, "data: ")) {
    const listener heard = play(bytes, 0, cut);
    ASSERT_TRUE(heard.has_ended && heard.said == whole.said && heard.arguments == whole.arguments) << "cut at " << cut;
  }
}

void check_whole(const std::string& body) {
  gemini_stream stream({.format = wire_format::gemini, .id = "r"});
  listener heard;
  ASSERT_TRUE(stream.on_whole(body));
  while (!heard.has_ended && heard.trouble.empty()) heard.take(stream.next_of_whole({}));
  EXPECT_EQ(heard.trouble, "");
  EXPECT_EQ(heard.heard(), read_simply({json::parse(body)}));
}

TEST(GeminiRecordings, WholeAnswersAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0;
  for (const auto& path : test::recorded_wholes("ai/google")) {
    const std::string body = test::recorded_text(path);
    if (!json::parse(body).contains("candidates")) continue;
    SCOPED_TRACE(path.filename());
    check_whole(body);
    ++wholes;
  }
  EXPECT_GT(wholes, 0u);
}

// Cassettes

std::vector<json> chunks_in(const std::string& bytes) {
  std::vector<json> chunks;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("data: ")) chunks.push_back(json::parse(line.substr(6)));
  return chunks;
}

TEST(GeminiRecordings, StreamsAreReadAsTheyAre) {
  const auto recorded = test::recorded_streams("ai/google", R"("candidates")");
  if (recorded.empty()) GTEST_SKIP() << test::no_recordings;
  for (const auto& [name, events] : recorded) {
    std::vector<json> chunks;
    for (const std::string& each : events) chunks.push_back(json::parse(each));
    check(name, test::events_of(events), chunks);
  }
}

TEST(GeminiRecordings, CassettesAreReadAsTheyAre) {
  const auto root = test::recordings();
  if (!root) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0, streams = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*root / "cassettes")) {
    if (entry.path().extension() != ".yaml" || entry.path().string().find("oogle") == std::string::npos) continue;
    const test::cassette read = test::read_cassette(entry.path(), "enerateContent");
    for (const std::string& bytes : read.streams) check(entry.path().filename().string(), bytes, chunks_in(bytes)), ++streams;
    for (const json& body : read.wholes) {
      SCOPED_TRACE(entry.path().filename().string());
      check_whole(body.dump());
      ++wholes;
    }
  }
  EXPECT_GT(wholes, 50u);
  EXPECT_GT(streams, 5u);
}

}  // namespace
}  // namespace photofinish::proxy
