// Tests the data that an event carries in addition to its JSON. The gateway needs this data for clients of other APIs, for token counts and
// for the log.
#include "proxy/dialects/stream_event.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

std::string spelled(const delta& each) {
  const std::string place = std::to_string(each.choice) + "/" + std::to_string(each.part) + " ";
  switch (each.kind) {
    case delta_kind::text: return "text " + place + std::string(each.text);
    case delta_kind::reasoning: return "reasoning " + place + std::string(each.text);
    case delta_kind::call: return "call " + place + std::string(each.id) + " " + std::string(each.text);
    case delta_kind::call_arguments: return "arguments " + place + std::string(each.text);
    case delta_kind::finish:
      return "finish " + place + std::string(to_string(each.reason)) + (each.is_foreign ? " for " : " as ") +
             std::string(each.text);
    default: return "other " + place + std::string(each.text);
  }
}

// Returns the deltas of all chunks of a stream, including the deltas at the stream's end. `client` is the client's API. If it is empty, the
// chunks are passed on unchanged.
std::vector<std::string> deltas_of(const std::vector<std::string>& chunks, wire_format client = wire_format::none) {
  stream_settings settings = test::settings_for_test();
  settings.client = client;
  openai_stream stream(std::move(settings));
  std::vector<std::string> all;
  const auto take = [&all](const result<std::span<const stream_event>>& said) {
    ASSERT_TRUE(said.has_value()) << said.error().detail;
    for (const stream_event& event : *said)
      for (const delta& each : event.deltas) all.push_back(spelled(each));
  };
  for (const std::string& chunk : chunks) {
    const test::padded_bytes bytes(R"({"id":"i","created":5,"choices":[)" + chunk + "]}");
    take(stream.on_event({"", bytes.view()}, {}));
  }
  take(stream.on_event({"", "[DONE]"}, {}));
  return all;
}

using texts = std::vector<std::string>;

TEST(StreamEvent, SaysTextAndWhyItEnded) {
  EXPECT_EQ(deltas_of({R"({"index":0,"delta":{"role":"assistant","reasoning_content":"hm"}})",
                       R"({"index":0,"delta":{"content":"a"}})", R"({"index":0,"delta":{"content":"b"}})",
                       R"({"index":0,"delta":{"content":"c"},"finish_reason":"length"})"}),
            (texts{"reasoning 0/0 hm", "text 0/0 a", "text 0/0 b", "text 0/0 c", "finish 0/0 length as length"}));
}

TEST(StreamEvent, KeepsTheProvidersOwnWordForWhyItEnded) {
  EXPECT_EQ(deltas_of({R"({"index":0,"delta":{"content":"a"},"finish_reason":"MAX_TOKENS"})"}),
            (texts{"text 0/0 a", "finish 0/0 length for MAX_TOKENS"}));
}

TEST(StreamEvent, CompletesAChoiceThatNeverSaidWhyItEnded) {
  EXPECT_EQ(deltas_of({R"({"index":0,"delta":{"content":"a"}})"}), (texts{"text 0/0 a", "finish 0/0 stop as "}));
}

TEST(StreamEvent, GivesEachCallAPlaceOfItsOwn) {
  EXPECT_EQ(deltas_of({R"({"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{}"}}]}})",
                       R"({"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"go","arguments":"{\"a\""}}]}})",
                       R"({"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"})"}),
            (texts{"call 0/0 x look", "arguments 0/0 {}", "call 0/1 y go", "arguments 0/1 {\"a\"", "arguments 0/1 :1}",
                   "finish 0/0 tool_calls as tool_calls"}));
}

TEST(StreamEvent, NamesACallOnce) {
  EXPECT_EQ(deltas_of({R"({"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{"}}]}})",
                       R"({"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"}"}}]}})"}),
            (texts{"call 0/0 x look", "arguments 0/0 {", "arguments 0/0 }", "finish 0/0 tool_calls as "}));
}

// A provider may send a tool call's id late. By then, a chat client already has an id that the gateway made up, so the gateway drops the
// late id.
TEST(StreamEvent, SaysACallsIdWhereItComesLater) {
  const texts sent{R"({"index":3,"delta":{"tool_calls":[{"index":0,"function":{"name":"look","arguments":"{"}}]}})",
                   R"({"index":3,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"arguments":"}"}}]}})"};
  EXPECT_EQ(deltas_of(sent, wire_format::anthropic_messages),
            (texts{"call 3/0  look", "arguments 3/0 {", "call 3/0 x ", "arguments 3/0 }", "finish 3/0 tool_calls as "}));
  EXPECT_EQ(deltas_of(sent),
            (texts{"call 3/0  look", "arguments 3/0 {", "arguments 3/0 }", "finish 3/0 tool_calls as "}));
}

TEST(KeptEvent, OutlivesWhatItWasMadeOf) {
  std::string json = R"({"all":"of it"})", text = "some text", id = "someone";
  std::vector<kept_event> kept;
  {
    const std::string_view pieces[] = {std::string_view(json).substr(0, 5), std::string_view(json).substr(5)};
    const delta deltas[] = {{.text = text}, {.kind = delta_kind::opaque, .text = "blob", .id = id}};
    const token_usage usage{.input_tokens = 3, .output_tokens = 4};
    kept.emplace_back(stream_event{.kind = event_kind::token, .spoken = wire_format::openai_chat, .json = pieces,
                                   .deltas = deltas, .usage = &usage, .read_at = instant(7s)});
  }
  json = text = id = "*************************";
  for (int more = 0; more < 20; ++more) kept.emplace_back(stream_event{});  // makes the vector grow and move its first event
  const stream_event event = kept.front().view();
  EXPECT_EQ(event.kind, event_kind::token);
  EXPECT_EQ(event.spoken, wire_format::openai_chat);
  ASSERT_EQ(event.json.size(), 1u);
  EXPECT_EQ(event.json[0], R"({"all":"of it"})");
  ASSERT_EQ(event.deltas.size(), 2u);
  EXPECT_EQ(event.deltas[0].text, "some text");
  EXPECT_EQ(event.deltas[1].text, "blob");
  EXPECT_EQ(event.deltas[1].id, "someone");
  ASSERT_NE(event.usage, nullptr);
  EXPECT_EQ(event.usage->output_tokens, 4u);
  EXPECT_EQ(event.read_at, instant(7s));
}

// An event that is buffered stores its JSON. If the JSON contains a long text literally, the text is not stored again. If the JSON contains
// the text with escapes, the text is also stored.
TEST(KeptEvent, KeepsALongTextOnceWhereItCan) {
  for (const std::string_view ending : {"", "\n"}) {
    const std::string text = std::string(100'000, 'x') + std::string(ending);
    const std::string json = R"({"said":")" + std::string(100'000, 'x') + (ending.empty() ? "" : "\\n") + R"("})";
    const std::string_view piece = json;
    const delta deltas[] = {{.text = "short"}, {.text = text}, {.choice = 1, .text = "more"}};
    kept_event kept(stream_event{.kind = event_kind::token, .json = {&piece, 1}, .deltas = deltas});
    const stream_event event = kept.view();
    ASSERT_EQ(event.deltas.size(), 3u);
    EXPECT_EQ(event.deltas[0].text, "short");
    EXPECT_TRUE(event.deltas[1].text == text);
    EXPECT_EQ(event.deltas[2].text, "more");
    EXPECT_EQ(kept.bytes() < 150'000, ending.empty());
    EXPECT_TRUE(kept.take_json() == json);
  }
}

TEST(KeptEvent, KeepsTheIdOfALongText) {
  const std::string name(70'000, 'n'), id(5'000, 'i'), json = "{}";
  const std::string_view piece = json;
  const delta deltas[] = {{.kind = delta_kind::call, .text = name, .id = id}};
  kept_event kept(stream_event{.kind = event_kind::token, .json = {&piece, 1}, .deltas = deltas});
  const stream_event event = kept.view();
  EXPECT_EQ(event.json[0], "{}");
  EXPECT_TRUE(event.deltas[0].text == name);
  EXPECT_TRUE(event.deltas[0].id == id);
}

TEST(KeptEvent, ThatRelaysNothingStaysSo) {
  kept_event kept(stream_event{});
  EXPECT_TRUE(kept.view().json.empty());
  EXPECT_EQ(kept.view().usage, nullptr);
}

// A buffered event stores its text and its media type in one string, with the media type last. When the event is read, the text must not
// contain the media type.
TEST(KeptEvent, KeepsTheTypeOfATextThatIsNotJson) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{1} << 20}) {
    const std::string text(size, 'x');
    std::vector<kept_event> events;
    {
      const std::string type = "text/plain; charset=utf-8";
      const delta said{.kind = delta_kind::media_type, .text = type};
      events.emplace_back(stream_event{.kind = event_kind::token, .deltas = {&said, 1}}, text);
    }
    events.emplace_back(stream_event{.kind = event_kind::end});  // makes the vector grow and move its first event
    EXPECT_EQ(media_type_of(events), "text/plain; charset=utf-8");
    EXPECT_EQ(events.front().take_json(), text);
    EXPECT_EQ(media_type_of(events), "");
  }
}

TEST(StreamSummary, CountsWhatTheModelWroteAndNotWhatOnlyItsProviderReads) {
  stream_summary summary;
  const token_usage usage{.output_tokens = 9};
  const delta first[] = {{.kind = delta_kind::reasoning, .text = "hm"},
                         {.kind = delta_kind::signature, .text = "0123456789"},
                         {.kind = delta_kind::call, .text = "look"}};
  const delta second[] = {{.text = "word"}, {.kind = delta_kind::citation, .text = R"({"url":"x"})"}};
  const delta third[] = {{.kind = delta_kind::finish, .is_foreign = true, .text = "eos"}};
  add_to(summary, {.kind = event_kind::reasoning_token, .deltas = first, .read_at = instant(1s)});
  add_to(summary, {.kind = event_kind::token, .deltas = second, .read_at = instant(2s)});
  add_to(summary, {.kind = event_kind::progress, .deltas = third, .usage = &usage, .read_at = instant(3s)});
  add_to(summary, {.kind = event_kind::end, .read_at = instant(4s)});
  EXPECT_EQ(summary.first_token_at, instant(1s));
  EXPECT_EQ(summary.first_visible_at, instant(2s)) << "reasoning is not seen";
  EXPECT_EQ(summary.last_token_at, instant(2s));
  EXPECT_EQ(summary.token_events, 2u);
  EXPECT_EQ(summary.text_bytes, 6u);
  EXPECT_EQ(summary.first_text_bytes, 2u);
  EXPECT_EQ(summary.reasoning_bytes, 2u);
  EXPECT_EQ(summary.foreign_finish, "eos");
  ASSERT_TRUE(summary.usage);
  EXPECT_EQ(summary.usage->output_tokens, 9u);
}

}  // namespace
}  // namespace photofinish::proxy
