// Compares recorded chat answers, streamed and non-streamed, with the results of a separate, simple reader. The result must not depend on
// where the bytes are split. The text of recorded errors must stay unchanged.
#include "proxy/failures/error_shapes.hpp"
#include "tests/support/streams/cassettes.hpp"
#include "tests/support/streams/recorded_answer.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

constexpr const char* chat_providers[] = {"alibaba", "azure", "deepseek", "groq", "mistral", "moonshotai", "openai",
                                          "openai-compatible", "perplexity", "xai"};

// The following functions form a simple reader. The tests compare the product's reader with it.

std::string text_in(const json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

void read_said(const json& said, test::recorded_answer& into, std::map<std::size_t, std::string>& arguments) {
  into.text += text_in(said, "content");
  if (said.contains("content") && said["content"].is_array())  // Mistral's form
    for (const json& part : said["content"]) {
      into.text += text_in(part, "text");
      for (const json& thought : part.value("thinking", json::array())) into.thoughts += text_in(thought, "text");
    }
  into.thoughts += text_in(said, text_in(said, "reasoning_content").empty() ? "reasoning" : "reasoning_content");
  if (!said.contains("tool_calls") || !said["tool_calls"].is_array()) return;
  for (std::size_t place = 0; place < said["tool_calls"].size(); ++place) {
    const json& call = said["tool_calls"][place];
    const std::size_t at = call.contains("index") && call["index"].is_number() ? call["index"].get<std::size_t>() : place;
    const json function = call.value("function", json::object());
    if (!arguments.contains(at)) into.calls.emplace_back(text_in(function, "name"), json());
    arguments[at] += text_in(function, "arguments");
  }
}

// xAI does not count reasoning tokens as completion tokens. The total that xAI reports includes both.
std::uint64_t output_in(const json& usage) {
  const std::uint64_t input = usage.at("prompt_tokens"), output = usage.at("completion_tokens");
  const json details = usage.value("completion_tokens_details", json());
  const std::uint64_t reasoning = details.is_object() ? details.value("reasoning_tokens", std::uint64_t{0}) : 0;
  return usage.value("total_tokens", input + output) == input + output + reasoning ? output + reasoning : output;
}

test::recorded_answer read_simply(const std::vector<std::string>& chunks, const char* message) {
  test::recorded_answer made;
  std::map<std::size_t, std::string> arguments;
  for (const std::string& each : chunks) {
    const json chunk = json::parse(each);
    for (const json& usage : {chunk.value("usage", json()), chunk.value("x_groq", json::object()).value("usage", json())})
      if (usage.is_object() && usage.value("prompt_tokens", 0) + usage.value("completion_tokens", 0) > 0)
        made.input = usage.at("prompt_tokens"), made.output = output_in(usage);
    if (!chunk.contains("choices") || chunk["choices"].empty()) continue;
    const json& choice = chunk["choices"][0];
    if (choice.contains(message)) read_said(choice[message], made, arguments);
    if (const std::string why = text_in(choice, "finish_reason"); !why.empty()) made.finish = why;
  }
  for (std::size_t at = 0; at < made.calls.size() && arguments.contains(at); ++at)
    made.calls[at].second = test::arguments_in(arguments[at]);
  return made;
}

// Returns the text of the first error that the provider sent within the stream.
std::string trouble_in(const std::vector<std::string>& chunks) {
  for (const std::string& each : chunks)
    if (const json chunk = json::parse(each); chunk.contains("error")) return chunk["error"].at("message");
  return {};
}

// Our reader

test::answer_listener hear(std::string_view bytes, std::size_t piece, std::size_t cut) {
  openai_stream stream(test::settings_for_test());
  sse_parser parser;
  test::answer_listener heard;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t to = piece > 0 ? std::min(bytes.size(), at + piece) : at < cut ? std::min(cut, bytes.size()) : bytes.size();
    const test::padded_bytes fed(bytes.substr(at, to - at));
    parser.feed(fed.view());
    while (const auto event = parser.next()) heard.take(stream.on_event(*event, {}));
    at = to;
  }
  if (!heard.has_ended) heard.take(stream.on_body_end(parser.unfinished_data(), {}));
  return heard;
}

void check_stream(const std::string& bytes, const std::vector<std::string>& chunks) {
  const test::recorded_answer expected = read_simply(chunks, "delta");
  const test::answer_listener whole = hear(bytes, 0, bytes.size());
  const std::string trouble = trouble_in(chunks);
  ASSERT_EQ(whole.trouble, trouble);
  if (!trouble.empty()) return;
  ASSERT_TRUE(whole.has_ended);
  EXPECT_EQ(whole.heard(), expected);
  EXPECT_EQ(hear(bytes, 1, 0).heard(), expected) << "byte by byte";
  for (const std::size_t cut : test::cuts_of(bytes, "data: ")) {
    const test::answer_listener heard = hear(bytes, 0, cut);
    ASSERT_TRUE(heard.has_ended && heard.said == whole.said && heard.arguments == whole.arguments) << "cut at " << cut;
  }
}

void check_whole(const std::string& body) {
  openai_stream stream(test::settings_for_test());
  test::answer_listener heard;
  ASSERT_TRUE(stream.on_whole(body)) << body;
  while (!heard.has_ended && heard.trouble.empty()) heard.take(stream.next_of_whole({}));
  EXPECT_EQ(heard.trouble, "");
  EXPECT_EQ(heard.heard(), read_simply({body}, "message"));
}

// False if the body is not an answer. Some recordings come from servers without a model.
bool is_answer(const std::string& body) {
  const json answer = json::parse(body, nullptr, false);
  return answer.is_object() && answer.contains("choices");
}

TEST(ChatRecordings, StreamsAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t streams = 0;
  for (const char* provider : chat_providers)
    for (const auto& each : test::recorded_streams(std::string("ai/") + provider, R"("choices")")) {
      if (each.events.front().find("text_completion") != std::string::npos) continue;
      SCOPED_TRACE(each.name);
      check_stream(test::events_of(each.events) + "data: [DONE]\n\n", each.events);
      ++streams;
    }
  EXPECT_GT(streams, 15u);
}

TEST(ChatRecordings, WholeAnswersAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t wholes = 0;
  for (const char* provider : chat_providers)
    for (const auto& path : test::recorded_wholes(std::string("ai/") + provider)) {
      const std::string body = test::recorded_text(path);
      if (json::parse(body).value("object", "") != "chat.completion") continue;
      SCOPED_TRACE(path.filename());
      check_whole(body);
      ++wholes;
    }
  EXPECT_GT(wholes, 15u);
}

TEST(ChatRecordings, CassettesAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t streams = 0, wholes = 0;
  for (const test::recorded_exchange& each : test::recorded_exchanges("/chat/completions")) {
    SCOPED_TRACE(each.cassette);
    if (each.is_stream) check_stream(each.bytes, test::data_lines_of(each.bytes)), ++streams;
    else if (is_answer(each.bytes)) check_whole(each.bytes), ++wholes;
  }
  EXPECT_GT(streams, 10u);
  EXPECT_GT(wholes, 80u);
}

TEST(ChatRecordings, ErrorsAreReadInTheirWords) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t errors = 0;
  for (const auto& path : test::recorded_wholes("ai/openai")) {
    const std::string body = test::recorded_text(path);
    const json answer = json::parse(body);
    if (!answer.contains("error") || !answer["error"].is_object()) continue;
    SCOPED_TRACE(path.filename());
    const failure why = read_error({.status = 400, .content_type = "application/json", .body = body}, {});
    EXPECT_EQ(why.detail, answer["error"]["message"]);
    EXPECT_EQ(why.code, text_in(answer["error"], "code"));
    EXPECT_EQ(why.param, text_in(answer["error"], "param"));
    ++errors;
  }
  EXPECT_GE(errors, 4u);
}

}  // namespace
}  // namespace photofinish::proxy
