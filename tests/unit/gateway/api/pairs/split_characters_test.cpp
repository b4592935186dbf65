// Tests characters that a provider splits. One delta ends with the first half of a surrogate pair, and the next delta begins with the
// second half.
#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

// Placeholders for the two halves of a surrogate pair. The simulated providers in the table split each text after its third character.
constexpr char first_half = '@', second_half = '#';
constexpr const char* replaced = "\xEF\xBF\xBD";

std::string with_halves(const std::string& json, const std::string& second) {
  std::string written;
  for (const char each : json) written += each == first_half ? "\\ud83d" : each == second_half ? second : std::string(1, each);
  return written;
}

std::string with_halves_in_frames(const std::string& bytes, const std::string& second) {
  const test::padded_bytes fed(bytes);
  proxy::frame_reader reader(1u << 24);
  reader.feed(fed.view());
  std::string written;
  while (const auto frame = reader.next()) {
    std::string payload(frame->payload);
    if (frame->text(":event-type") == "chunk") {
      const std::string event = proxy::base64_decoded(json::parse(payload).at("bytes").get<std::string>());
      payload = json{{"bytes", proxy::base64_encoded(with_halves(event, second), proxy::base64_padding::wanted)}}.dump();
    }
    written += test::event_frame_of(frame->text(":event-type"), with_halves(payload, second));
  }
  return written;
}

sent_answer cut_by(const answering_provider& from, const spoken_answer& said, const std::string& second = "\\ude00") {
  sent_answer sent = sent_by(from, said);
  sent.bytes = from.is_framed ? with_halves_in_frames(sent.bytes, second) : with_halves(sent.bytes, second);
  return sent;
}

// Calls `check` for each client API with each provider's API. Skips streams whose API is the same on both sides, because the gateway does
// not change their events, and the client joins the halves of a split character.
template <class Check>
void for_each_other_pair(const Check& check) {
  for (const reading_client& by : clients)
    for (const answering_provider& from : providers)
      for (const bool is_stream : {true, false}) {
        if (is_stream && by.format == from.format) continue;
        SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        check(by, from, is_stream);
      }
}

TEST(SplitCharacters, AreWholeForEveryClient) {
  const spoken_answer said{.thought = "Hm@#x", .text = "ab@#cd", .calls = {{"call_1", "read", R"({"@#":1})"}}, .finish = finish_reason::tool_calls};
  for_each_other_pair([&](const reading_client& by, const answering_provider& from, bool is_stream) {
    const spoken_answer got = read(by, by.request, cut_by(from, said), is_stream);
    EXPECT_EQ(got.thought, "Hm\U0001F600x");
    EXPECT_EQ(got.text, "ab\U0001F600cd");
    ASSERT_EQ(got.calls.size(), 1u);
    EXPECT_EQ(json::parse(got.calls[0].arguments), json::parse("{\"\U0001F600\":1}"));
  });
}

TEST(SplitCharacters, AreWholeWhereAHalfIsAllThatADeltaHas) {
  for_each_other_pair([](const reading_client& by, const answering_provider& from, bool is_stream) {
    EXPECT_EQ(read(by, by.request, cut_by(from, {.text = "ab@#"}), is_stream).text, "ab\U0001F600");
  });
}

TEST(SplitCharacters, AFirstHalfAloneIsReplaced) {
  for_each_other_pair([](const reading_client& by, const answering_provider& from, bool is_stream) {
    if (by.format == from.format) return;  // if client and provider use the same API, the client gets the unpaired surrogate unchanged
    const std::string text = read(by, by.request, cut_by(from, {.text = "ab@#cd"}, ""), is_stream).text;
    EXPECT_EQ(text, std::string("ab") + replaced + "cd");
    const spoken_answer got = read(by, by.request, cut_by(from, {.thought = "Hm@", .text = "b@"}, ""), is_stream);
    EXPECT_EQ(got.thought, std::string("Hm") + replaced) << "the answer goes on in another way";
    EXPECT_EQ(got.text, std::string("b") + replaced) << "the answer ends";
  });
}

TEST(SplitCharacters, PassAsTheyAreToClientsOfTheSameApi) {
  for (const reading_client& by : clients)
    for (const answering_provider& from : providers) {
      if (by.format != from.format || from.is_framed) continue;
      const sent_answer sent = cut_by(from, {.text = "ab@#cd"});
      const std::string got = relay(by.speaks, by.request, sent, true).bytes;
      for (const char* piece : {R"("ab\ud83d")", R"("\ude00cd")"}) {
        EXPECT_NE(sent.bytes.find(piece), std::string::npos) << by.name;
        EXPECT_NE(got.find(piece), std::string::npos) << by.name << ": " << got;
      }
    }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
