// Tests streams of chat providers for clients of the Responses and Messages APIs. The client must get the same valid events, wherever the
// provider's bytes are split. If PHOTOFINISH_RECORDINGS names a folder of recordings, the tests also use these recordings.
#include "gateway/api/messages/message_writers.hpp"
#include "gateway/api/responses/response_writers.hpp"
#include "proxy/dialects/openai/openai_stream.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace testing;
namespace fs = std::filesystem;

const answer_identity identity{"req_1", 1763700000, "m-1"};

// Returns the client's stream for a provider's stream that arrives in two pieces. `cut` is the size of the first piece.
std::string relayed(answer_writer& writer, std::string_view bytes, std::size_t cut) {
  answer_driver client(writer);
  proxy::openai_stream stream(test::settings_for_test());
  proxy::sse_parser parser;
  bool is_over = false;
  const auto take = [&](const auto& given) {
    if (!given) return client.fail(bad_request(given.error().detail)), void(is_over = true);
    for (const proxy::stream_event& event : *given) {
      client.add(event);
      if (event.kind == proxy::event_kind::end) client.end(), is_over = true;
    }
  };
  for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    const test::padded_bytes fed(piece);
    parser.feed(fed.view());
    while (const auto event = parser.next())
      if (!is_over) take(stream.on_event(*event, {}));
  }
  if (!is_over) take(stream.on_body_end(parser.unfinished_data(), {}));
  return client.bytes();
}

std::string as_response(std::string_view bytes, std::size_t cut) {
  response_writer writer(item_events::written, identity, nullptr, {});
  return relayed(writer, bytes, cut);
}
std::string as_message(std::string_view bytes, std::size_t cut) {
  message_stream_writer writer(identity, {});
  return relayed(writer, bytes, cut);
}

// The text, the arguments and the reasoning of a chat stream, extracted by very simple code.
struct plain_reading {
  std::string text, thoughts;
  std::vector<std::string> arguments;
};
plain_reading read_plainly(const std::vector<std::string>& chunks) {
  plain_reading read;
  for (const std::string& each : chunks) {
    const json chunk = json::parse(each);
    if (!chunk.contains("choices") || chunk.at("choices").empty() || !chunk.at("choices")[0].contains("delta")) continue;
    const json& delta = chunk.at("choices")[0].at("delta");
    const auto text_of = [](const json& object, const char* key) {
      return object.contains(key) && object.at(key).is_string() ? object.at(key).get<std::string>() : std::string();
    };
    read.text += text_of(delta, "content");
    if (delta.contains("content") && delta.at("content").is_array())  // Mistral's
      for (const json& part : delta.at("content")) {
        read.text += text_of(part, "text");
        for (const json& thought : part.value("thinking", json::array())) read.thoughts += text_of(thought, "text");
      }
    read.thoughts += text_of(delta, delta.contains("reasoning_content") ? "reasoning_content" : "reasoning");
    for (const json& call : delta.value("tool_calls", json::array())) {
      const std::size_t at = call.value("index", 0u);
      if (read.arguments.size() <= at) read.arguments.resize(at + 1);
      read.arguments[at] += text_of(call.value("function", json::object()), "arguments");
    }
  }
  return read;
}

void expect_same_as(const plain_reading& read, const json& response) {
  plain_reading got;
  for (const json& item : response.at("output")) {
    if (item.at("type") == "message") got.text += item.at("content")[0].at("text").get<std::string>();
    if (item.at("type") == "reasoning") got.thoughts += item.at("summary")[0].at("text").get<std::string>();
    if (item.at("type") == "function_call") got.arguments.push_back(item.at("arguments"));
  }
  EXPECT_EQ(got.text, read.text);
  EXPECT_EQ(got.thoughts, read.thoughts);
  EXPECT_EQ(got.arguments, read.arguments);
}

void expect_good_at_each_cut(const std::vector<std::string>& chunks, std::size_t step) {
  const std::string bytes = test::events_of(chunks) + "data: [DONE]\n\n";
  const std::string response = as_response(bytes, 0), message = as_message(bytes, 0);
  const strict_accumulator read(read_named_events(response));
  ASSERT_EQ(read.fault, "") << response;
  expect_same_as(read_plainly(chunks), read.response);
  EXPECT_EQ(read_named_events(message).back().type, "message_stop");
  for (std::size_t cut = 1; cut < bytes.size(); cut += step) {
    ASSERT_EQ(as_response(bytes, cut), response) << cut;
    ASSERT_EQ(as_message(bytes, cut), message) << cut;
  }
}

TEST(conversation_streams_test, EachCutOfAStreamGivesTheSameEvents) {
  const std::string head = R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)";
  const auto chunk = [&head](const std::string& delta, const std::string& finish) { return head + delta + R"(,"finish_reason":)" + finish + "}]}"; };
  expect_good_at_each_cut(
      {chunk(R"({"role":"assistant","content":""})", "null"), chunk(R"({"reasoning_content":"hm \u00e9"})", "null"),
       chunk("{\"content\":\"\xF0\x9F\x98\x80 \\\"x\\\"\"}", "null"),
       chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":"}}]})", "null"),
       chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]})", "null"), chunk("{}", R"("tool_calls")")},
      1);
}

TEST(conversation_streams_test, RecordedStreamsOfChatProvidersComeOutWhole) {
  const auto folder = test::recordings();
  if (!folder) GTEST_SKIP() << test::no_recordings;
  std::size_t played = 0;
  for (fs::recursive_directory_iterator at(*folder), end; at != end; ++at) {
    const std::string name = at->path().filename().string();
    if (!name.ends_with(".chunks.txt")) continue;
    std::vector<std::string> chunks;
    std::ifstream file(at->path());
    for (std::string line; std::getline(file, line);)
      if (!line.empty()) chunks.push_back(line);
    const json first = chunks.empty() ? json() : json::parse(chunks[0], nullptr, false);
    if (!first.is_object() || first.value("object", "") != "chat.completion.chunk") continue;
    SCOPED_TRACE(at->path().string());
    const std::size_t bytes = test::events_of(chunks).size();
    expect_good_at_each_cut(chunks, std::max<std::size_t>(1, bytes / 100));
    ++played;
  }
  EXPECT_GT(played, 5u);
}

}  // namespace
}  // namespace photofinish::gateway
