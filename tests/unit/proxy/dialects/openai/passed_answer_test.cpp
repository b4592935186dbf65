// Tests providers' non-streamed answers, including answers to clients that requested a stream. Tests which parts the gateway passes on
// unchanged, repairs or merges.
#include "proxy/dialects/openai/openai_dialect.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr instant read_at{std::chrono::seconds(7)};

struct outcome {
  std::vector<std::string> json;  // the JSON of each event; leaves out events without JSON
  std::vector<event_kind> kinds;
  bool is_whole = false;          // true if the first event contains the complete answer
  stream_summary summary;
  std::string text;               // the joined text of all deltas
  std::string failed;             // the reason for the failure if the body is not an answer
};

outcome read(const std::string& body, bool passes_whole = true, wire_format format = wire_format::openai_chat) {
  stream_settings settings;
  settings.format = format;
  settings.id = "ours";
  settings.created = 9;
  settings.passes_whole = passes_whole;
  const auto stream = openai_dialect().open_stream(std::move(settings));
  EXPECT_EQ(stream->on_head({200, {{"content-type", "application/json"}}}), answer_kind::whole);
  outcome all;
  if (auto taken = stream->on_whole(body); !taken) return {.failed = taken.error().detail};
  for (bool is_over = false; !is_over;) {
    const auto said = stream->next_of_whole(read_at);
    if (!said) return {.failed = said.error().detail};
    for (const stream_event& event : *said) {
      EXPECT_EQ(event.read_at, read_at);
      add_to(all.summary, event);
      if (all.kinds.empty()) all.is_whole = event.is_whole;
      all.kinds.push_back(event.kind);
      for (const delta& each : event.deltas) all.text += each.text;
      is_over = event.kind == event_kind::end;
      if (event.json.empty()) continue;
      std::string& json = all.json.emplace_back();
      for (const std::string_view piece : event.json) json += piece;
    }
  }
  return all;
}

std::string completion(const std::string& choice, const std::string& identity =
                           R"("id":"c-1","object":"chat.completion","created":5,"model":"m",)") {
  return "{" + identity + R"( "choices":[)" + choice +
         R"(],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},"extra":[1.0, 2e1]})" + "\n";
}

const std::string choice =
    R"({"index":0,"message":{"role":"assistant","content":"h\u00e9","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"})";

TEST(PassedAnswer, IsOneTokenWithTheBytesAsTheyCame) {
  const outcome seen = read(completion(choice));
  EXPECT_EQ(seen.failed, "");
  EXPECT_EQ(seen.json, std::vector<std::string>{completion(choice)});
  EXPECT_EQ(seen.kinds, (std::vector{event_kind::token, event_kind::end}));
  EXPECT_TRUE(seen.is_whole);
  ASSERT_TRUE(seen.summary.usage);
  EXPECT_EQ(seen.summary.usage->output_tokens, 2u);
  EXPECT_EQ(seen.text, "h\u00e9stop");
  EXPECT_EQ(seen.summary.text_bytes, 3u);
}

TEST(PassedAnswer, CallsStayAsTheyAreAndAreCounted) {
  const std::string calls =
      R"({"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"})";
  const outcome seen = read(completion(calls));
  EXPECT_EQ(seen.json, std::vector<std::string>{completion(calls)});
  EXPECT_EQ(seen.text, R"(f{}g{"x":1}tool_calls)");
}

TEST(PassedAnswer, SaysNothingThatMayWinWhereItIsEmpty) {
  const std::string empty = R"({"index":0,"message":{"role":"assistant","content":""},"finish_reason":"length"})";
  const outcome seen = read(completion(empty));
  EXPECT_EQ(seen.kinds, (std::vector{event_kind::progress, event_kind::end}));
  EXPECT_EQ(seen.json, std::vector<std::string>{completion(empty)});
}

TEST(PassedAnswer, IsMendedWhereAClientReliesOnIt) {
  const std::string bare = R"({"message":{"content":"a"},"finish_reason":"eos"})";
  const outcome seen = read(completion(bare, R"("object":"chat.completion.chunk",)"));
  ASSERT_EQ(seen.json.size(), 1u) << seen.failed;
  EXPECT_TRUE(seen.is_whole);
  for (const char* part : {R"("id":"chatcmpl-ours")", R"("created":9)", R"("object":"chat.completion")",
                           R"("index":0)", R"("role":"assistant")", R"("finish_reason":"stop")", R"("extra":[1.0, 2e1])"})
    EXPECT_NE(seen.json[0].find(part), std::string::npos) << part << "\n" << seen.json[0];
  EXPECT_EQ(seen.json[0].find("eos"), std::string::npos);
  EXPECT_EQ(seen.summary.foreign_finish, "eos");
}

TEST(PassedAnswer, WithoutAnEndOrUnderAnotherNameIsMerged) {
  for (const char* odd : {R"({"index":0,"message":{"role":"assistant","content":"a"}})",
                          R"({"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"})",
                          R"({"index":0,"text":"a","finish_reason":"stop"})"}) {
    const outcome seen = read(completion(odd));
    EXPECT_EQ(seen.failed, "") << odd;
    EXPECT_FALSE(seen.is_whole) << odd;
    ASSERT_FALSE(seen.json.empty()) << odd;
    EXPECT_NE(seen.json[0].find("chat.completion.chunk"), std::string::npos) << seen.json[0];
  }
}

TEST(PassedAnswer, OfTwoChoicesUnderOneIndexIsMerged) {
  EXPECT_FALSE(read(completion(choice + "," + choice)).is_whole);
  const std::string second =
      R"({"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"stop"})";
  EXPECT_EQ(read(completion(choice + "," + second)).json, std::vector<std::string>{completion(choice + "," + second)});
}

TEST(PassedAnswer, IsAStreamForWhoWantsOne) {
  const outcome seen = read(completion(choice), false);
  EXPECT_FALSE(seen.is_whole);
  EXPECT_GT(seen.json.size(), 1u);
}

TEST(PassedAnswer, OfCompletionsPassesToo) {
  const std::string body =
      R"({"id":"c","object":"text_completion","created":5,"model":"m","choices":[{"text":" x","index":0,"logprobs":null,"finish_reason":"length"}]})";
  const outcome seen = read(body, true, wire_format::openai_completions);
  EXPECT_EQ(seen.json, std::vector<std::string>{body});
  EXPECT_TRUE(seen.is_whole);
}

TEST(PassedAnswer, MustBeAnAnswer) {
  const std::string whole = completion(choice);
  for (const std::string& body :
       {whole.substr(0, whole.size() - 3), whole + "x", std::string("{}"), std::string("[]"), std::string(),
        completion(""), std::string(R"({"error":{"message":"slow down","code":429}})"),
        R"({"error":{"message":"no"},)" + whole.substr(1),
        completion(R"({"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"error"})"),
        completion(choice + ",7")})
    EXPECT_NE(read(body).failed, "") << body;
}

TEST(PassedAnswer, MovesWithItsBytes) {
  stream_settings settings;
  settings.passes_whole = true;
  const auto stream = openai_dialect().open_stream(std::move(settings));
  std::string body = completion(choice);
  body.reserve(body.size() + 64);
  const char* const where = body.data();
  ASSERT_TRUE(stream->on_whole(std::move(body)));
  EXPECT_GE(stream->held_bytes(), completion(choice).size());
  const auto said = stream->next_of_whole(read_at);
  ASSERT_TRUE(said);
  kept_event kept(said->front());
  EXPECT_TRUE(kept.view().is_whole);
  EXPECT_EQ(kept.take_json().data(), where) << "it was copied";
}

}  // namespace
}  // namespace photofinish::proxy
