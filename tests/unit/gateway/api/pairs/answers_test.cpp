// Every dialect behind every API: what a provider says in its own words is what a plain client reads in its own.
#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/pairs/client_readers.hpp"
#include "tests/unit/gateway/api/pairs/provider_answers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

struct answering_provider {
  const char* name;
  const char* dialect;
  wire_format format;
  std::string (*answer)(const spoken_answer&);
  bool is_framed = false;
};
const std::vector<answering_provider> providers{
    {"openai", "openai", wire_format::openai_chat, chat_answer},
    {"openai's responses", "openai", wire_format::openai_responses, responses_answer},
    {"anthropic", "anthropic", wire_format::anthropic_messages, messages_answer},
    {"gemini", "gemini", wire_format::gemini, gemini_answer},
    {"bedrock", "bedrock", wire_format::bedrock_converse, converse_answer, true},
    {"claude at bedrock", "bedrock", wire_format::anthropic_messages, claude_at_bedrock_answer, true}};

const chat_api chat;
const responses_api responses;
const messages_api messages;

struct reading_client {
  const char* name;
  const api& speaks;
  json request;
  spoken_answer (*read_stream)(const std::string&);
  spoken_answer (*read_whole)(const json&);
};
const json question = {{{"role", "user"}, {"content", "Hi"}}};
const std::vector<reading_client> clients{
    {"chat", chat, {{"messages", question}, {"stream_options", {{"include_usage", true}}}}, read_chat_stream, read_chat_whole},
    {"responses", responses, {{"input", "Hi"}}, read_response_stream, read_response_whole},
    {"messages", messages, {{"messages", question}, {"max_tokens", 9}}, read_message_stream, read_message_whole}};

// A provider's bytes, as they go through a dialect's stream to a writer.
class relay_of_bytes {
 public:
  relay_of_bytes(proxy::dialect_stream& from, answer_writer& to) : stream_(from), client_(to) {}

  void feed_events(const std::string& bytes) {
    const test::padded_bytes fed(bytes);
    proxy::sse_parser parser;
    parser.feed(fed.view());
    while (const auto event = parser.next()) take(stream_.on_event(*event, {}));
    take(stream_.on_body_end(parser.unfinished_data(), {}));
  }
  void feed_frames(const std::string& bytes) {
    const test::padded_bytes fed(bytes);
    proxy::frame_reader parser(1u << 24);
    parser.feed(fed.view());
    while (const auto frame = parser.next()) take(stream_.on_frame(*frame, {}));
    take(stream_.on_body_end(parser.unfinished(), {}));
  }

  const testing::answer_driver& client() const { return client_; }

 private:
  void take(const proxy::result<std::span<const proxy::stream_event>>& given) {
    ASSERT_TRUE(given) << given.error().detail;
    for (const proxy::stream_event& event : *given) {
      client_.add(event);
      if (event.kind == proxy::event_kind::end) client_.end();
    }
  }

  proxy::dialect_stream& stream_;
  testing::answer_driver client_;
};

spoken_answer read(const reading_client& by, const answering_provider& from, const spoken_answer& said, bool is_stream) {
  json request = by.request;
  request["model"] = "m";
  request["stream"] = is_stream;
  if (!is_stream) request.erase("stream_options");
  proxy::tolerant_parser parser;
  const auto asked = by.speaks.read(request.dump(), parser);
  if (!std::holds_alternative<ask>(asked)) throw std::invalid_argument(std::get<api_error>(asked).message);
  const std::unique_ptr<answer_writer> writer = by.speaks.writer(
      std::get<ask>(asked), {.id = "req_1", .created = 1, .model = "m", .spoken = from.format});
  proxy::stream_settings settings;
  settings.format = from.format;
  settings.id = "req_1";
  settings.model = "m";
  settings.usage = proxy::usage_chunk::wanted;
  const auto stream = proxy::find_dialect(from.dialect)->open_stream(settings);
  proxy::response_head head;
  head.status = 200;
  head.fields.emplace_back("content-type",
                           from.is_framed ? "application/vnd.amazon.eventstream" : "text/event-stream");
  EXPECT_EQ(stream->on_head(head), from.is_framed ? proxy::answer_kind::frames : proxy::answer_kind::events);
  relay_of_bytes relay(*stream, *writer);
  if (from.is_framed) relay.feed_frames(from.answer(said));
  else relay.feed_events(from.answer(said));
  SCOPED_TRACE(relay.client().bytes());
  EXPECT_TRUE(relay.client().is_good());
  return is_stream ? by.read_stream(relay.client().bytes()) : by.read_whole(relay.client().whole());
}

class AnswerPairs : public ::testing::TestWithParam<named_answer> {};
INSTANTIATE_TEST_SUITE_P(Answers, AnswerPairs, ::testing::ValuesIn(all_answers()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AnswerPairs, SayTheSame) {
  for (const reading_client& by : clients)
    for (const answering_provider& from : providers)
      for (const bool is_stream : {true, false}) {
        SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        spoken_answer said = GetParam().said;
        if (from.format == wire_format::gemini) said.usage.written = 0;
        const spoken_answer got = read(by, from, said, is_stream);
        EXPECT_EQ(got.text, said.text);
        EXPECT_EQ(got.thought, said.thought);
        ASSERT_EQ(got.calls.size(), said.calls.size());
        for (std::size_t at = 0; at < said.calls.size(); ++at) {
          EXPECT_EQ(got.calls[at].id, said.calls[at].id);
          EXPECT_EQ(got.calls[at].name, said.calls[at].name);
          EXPECT_EQ(json::parse(got.calls[at].arguments), json::parse(said.calls[at].arguments));
        }
        EXPECT_EQ(got.finish, said.finish);
        EXPECT_EQ(got.usage.input, said.usage.input);
        EXPECT_EQ(got.usage.cached, said.usage.cached);
        EXPECT_EQ(got.usage.written, said.usage.written);
        EXPECT_EQ(got.usage.output, said.usage.output);
      }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
