#include "proxy/dialects/openai/openai_stream.hpp"

#include "tests/support/streams/golden_streams.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::golden_stream;
using test::golden_streams;
using test::play;
using test::stream_player;

class Golden : public testing::TestWithParam<golden_stream> {
 protected:
  // Returns the expected events. The usage chunk is included if the client requested it.
  std::vector<std::string> expected(usage_chunk usage) const {
    std::vector<std::string> lines = GetParam().client;
    if (usage == usage_chunk::wanted && !GetParam().usage_chunk.empty()) lines.push_back(GetParam().usage_chunk);
    return lines;
  }
};

TEST_P(Golden, EveryCutGivesTheSameBytes) {
  const std::string_view bytes = GetParam().bytes;
  for (const usage_chunk usage : {usage_chunk::wanted, usage_chunk::unwanted}) {
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      const auto played = play({bytes.substr(0, cut), bytes.substr(cut)}, usage);
      ASSERT_FALSE(played.failed.has_value()) << "cut at " << cut << ": " << played.failed->detail;
      ASSERT_EQ(played.json, expected(usage)) << "cut at " << cut;
      ASSERT_EQ(played.ends, 1u);
      ASSERT_EQ(played.kinds.back(), event_kind::end);
    }
  }
}

TEST_P(Golden, ByteByByteGivesTheSame) {
  std::vector<std::string_view> feeds;
  for (std::size_t at = 0; at < GetParam().bytes.size(); ++at)
    feeds.push_back(std::string_view(GetParam().bytes).substr(at, 1));
  EXPECT_EQ(play(feeds, usage_chunk::wanted).json, expected(usage_chunk::wanted));
}

TEST_P(Golden, OtherLineEndsGiveTheSame) {
  std::string unix_ends;
  for (const char byte : GetParam().bytes)
    if (byte != '\r') unix_ends.push_back(byte);
  std::string old_mac_ends = unix_ends;
  std::replace(old_mac_ends.begin(), old_mac_ends.end(), '\n', '\r');
  EXPECT_EQ(play({unix_ends}, usage_chunk::wanted).json, expected(usage_chunk::wanted));
  EXPECT_EQ(play({old_mac_ends}, usage_chunk::wanted).json, expected(usage_chunk::wanted));
}

// A truncated stream may look complete only if the chunk with the finish reason has arrived.
TEST_P(Golden, ATruncatedStreamNeverLooksComplete) {
  const std::string_view bytes = GetParam().bytes;
  std::size_t finish = bytes.find(R"("finish_reason":"stop")");
  finish = bytes.find_first_of("\r\n", finish);  // the end of the data line; the event ends only with the following blank line
  for (std::size_t size = 0; size < finish; ++size) {
    const auto played = play({bytes.substr(0, size)});
    ASSERT_TRUE(played.failed.has_value()) << "cut at " << size;
    ASSERT_EQ(played.failed->kind, failure_kind::bad_stream);
    ASSERT_EQ(played.ends, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Providers, Golden, testing::ValuesIn(golden_streams()),
                         [](const auto& tested) { return tested.param.name; });

TEST(OpenAiStream, ACommentInTheWrongPlaceIsAComment) {
  const auto played = play({"data: : keepalive\n\ndata: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
                            "data: :\n\ndata: : OPENROUTER PROCESSING\n\ndata: [DONE]\n\n"});
  EXPECT_FALSE(played.failed.has_value());
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(played.summary.token_events, 1u);
}

TEST(OpenAiStream, EveryTwoCutsOfAShortStreamGiveTheSame) {
  const std::string_view bytes =
      "\xEF\xBB\xBF" "data: {\"id\":\"\",\"choices\":[{\"delta\":{\"content\":\"\xF0\x9F\x8F\x81\"}}]}\r\n\r\n: x\r\ndata: [DONE]\r\n\r\n";
  const auto whole = play({bytes});
  ASSERT_FALSE(whole.failed.has_value());
  ASSERT_EQ(whole.json.size(), 2u);
  for (std::size_t first = 0; first <= bytes.size(); ++first)
    for (std::size_t second = first; second <= bytes.size(); ++second)
      ASSERT_EQ(play({bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}).json, whole.json)
          << first << ", " << second;
}

constexpr std::string_view clean_chunk =
    R"({"id":"i","created":5,"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"}]})";

TEST(OpenAiStream, ACleanChunkGoesOnAsTheVerySameBytes) {
  openai_stream stream(test::settings_for_test());
  const test::padded_bytes data(clean_chunk);
  const auto events = stream.on_event({"", data.view()}, {});
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events->size(), 1u);
  ASSERT_EQ((*events)[0].json.size(), 1u);
  EXPECT_EQ((*events)[0].json[0].data(), data.view().data());
  EXPECT_EQ((*events)[0].json[0].size(), data.view().size());
}

TEST(OpenAiStream, JsonOnSeveralLinesGoesOnAsOne) {
  const auto played = play({"data: {\"id\":\"i\",\"created\":5,\ndata: \"choices\":[]}\n\n"});
  EXPECT_EQ(played.json, (std::vector<std::string>{R"({"id":"i","created":5, "choices":[]})"}));
}

struct end_case {
  const char* name;
  std::string_view tail;  // the last bytes of the stream, after one chunk without a finish reason
};

class Endings : public testing::TestWithParam<end_case> {};

TEST_P(Endings, GiveExactlyOneEnd) {
  const std::string bytes =
      R"(data: {"id":"i","created":5,"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]})" "\n\n" +
      std::string(GetParam().tail);
  const auto played = play({bytes});
  EXPECT_FALSE(played.failed.has_value());
  EXPECT_EQ(played.ends, 1u);
  ASSERT_EQ(played.json.size(), 2u);
  EXPECT_NE(played.json[1].find(R"("finish_reason":"stop")"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Cases, Endings,
                         testing::Values(end_case{"Done", "data: [DONE]\n\n"}, end_case{"DoneTwice", "data: [DONE]\n\ndata: [DONE]\n\n"},
                                         end_case{"DataAfterDone", "data: [DONE]\n\ndata: {\"error\":{\"message\":\"x\"}}\n\ndata: <\n\n"},
                                         end_case{"DoneWithSpace", "data: [DONE] \n\n"}, end_case{"DoneWithoutSpace", "data:[DONE]\n\n"},
                                         end_case{"DoneOnTheSecondLine", "data:\ndata: [DONE]\n\n"},
                                         end_case{"DoneWithoutBlankLine", "data: [DONE]\n"}, end_case{"DoneWithoutLineEnd", "data: [DONE]"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(OpenAiStream, AFinishWithoutDoneIsCompleteWhenTheBodyEnds) {
  const auto played = play({"data: " + std::string(clean_chunk) + "\n\n"});
  EXPECT_FALSE(played.failed.has_value());
  EXPECT_EQ(played.ends, 1u);
}

TEST(OpenAiStream, OneChoiceWithoutAFinishIsATruncation) {
  const auto played = play({test::events_of({R"({"id":"i","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"},{"index":1,"delta":{"content":"b"}}]})"})});
  ASSERT_TRUE(played.failed.has_value());
  EXPECT_EQ(played.failed->kind, failure_kind::bad_stream);
  EXPECT_EQ(played.failed->detail, "the stream ended early");
}

TEST(OpenAiStream, DoneWithoutATokenOrAFinishIsNoAnswer) {
  for (const std::string_view bytes :
       {"data: [DONE]\n\n", "data:\n\ndata: [DONE]\n\n", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: [DONE]\n\n"}) {
    const auto played = play({bytes});
    ASSERT_TRUE(played.failed.has_value()) << bytes;
    EXPECT_EQ(played.failed->kind, failure_kind::bad_stream);
    EXPECT_EQ(played.ends, 0u);
  }
}

TEST(OpenAiStream, AFinishWithoutATokenIsAnEmptyAnswer) {
  const auto played = play({"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"});
  EXPECT_FALSE(played.failed.has_value());
  EXPECT_EQ(played.kinds.back(), event_kind::end);
  EXPECT_FALSE(played.summary.first_token_at.has_value());
}

TEST(OpenAiStream, ABodyWithoutAnyEventIsNoAnswer) {
  for (const std::string_view bytes : {"", "<html><body>502 Bad Gateway</body></html>", ": ping\n\n: ping\n\n", "{\"id\":\"x\"}"}) {
    const auto played = play({bytes});
    ASSERT_TRUE(played.failed.has_value()) << bytes;
    EXPECT_EQ(played.failed->kind, failure_kind::bad_stream);
  }
}

struct broken_case {
  const char* name;
  std::string_view event;
  failure_kind kind;
};

class BrokenStream : public testing::TestWithParam<broken_case> {};

TEST_P(BrokenStream, FailsBeforeAndAfterTheFirstToken) {
  const std::string event(GetParam().event);
  for (const std::string& bytes : {event, "data: " + std::string(clean_chunk) + "\n\n" + event}) {
    stream_player player(test::settings_for_test());
    player.feed(bytes);
    ASSERT_TRUE(player.played().failed.has_value());
    EXPECT_EQ(player.played().failed->kind, GetParam().kind) << player.played().failed->detail;
    EXPECT_FALSE(std::count(player.played().kinds.begin(), player.played().kinds.end(), event_kind::end));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenStream,
    testing::Values(
        broken_case{"ErrorObject", "data: {\"error\":{\"message\":\"slow down\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}\n\n", failure_kind::rate_limited},
        broken_case{"Quota", "data: {\"error\":{\"message\":\"no\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}\n\n", failure_kind::quota},
        broken_case{"ErrorEvent", "event: error\ndata: {\"error\":{\"message\":\"no\",\"type\":\"server_error\"}}\n\n", failure_kind::server_error},
        broken_case{"LlamaCppField", "error: {\"code\":500,\"message\":\"no\",\"type\":\"server_error\"}\n\n", failure_kind::server_error},
        broken_case{"Anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n", failure_kind::server_error},
        broken_case{"InvalidJson", "data: {\"choices\":[\n\n", failure_kind::bad_stream},
        broken_case{"Html", "data: <html>\n\n", failure_kind::bad_stream},
        broken_case{"InvalidUtf8", "data: {\"choices\":[],\"x\":\"\xFF\"}\n\n", failure_kind::bad_stream}),
    [](const auto& tested) { return tested.param.name; });

TEST(OpenAiStream, TellsTheProvidersOwnWords) {
  stream_player player(test::settings_for_test());
  player.feed("data: {\"error\":{\"message\":\"slow down\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}\n\n");
  EXPECT_EQ(player.played().failed->detail, "slow down");
  EXPECT_EQ(player.played().failed->code, "rate_limit_exceeded");
}

TEST(OpenAiStream, NothingFollowsAFailure) {
  stream_player player(test::settings_for_test());
  player.feed("data: {\"error\":\"no\"}\n\ndata: " + std::string(clean_chunk) + "\n\ndata: [DONE]\n\n");
  player.end_body();
  EXPECT_TRUE(player.played().failed.has_value());
  EXPECT_TRUE(player.played().kinds.empty());
}

TEST(OpenAiStream, KeepsTheFiguresOfTheSummary) {
  using std::chrono::milliseconds;
  const auto at = [](int ms) { return instant{} + milliseconds(ms); };
  const auto event = [](std::string_view members) {
    return R"(data: {"id":"i","choices":[{"index":0,"delta":{)" + std::string(members) + "}}]}\n\n";
  };
  stream_player player(test::settings_for_test());
  player.feed(event(R"("role":"assistant","content":"")"), at(10));
  player.feed(event(R"("reasoning":"hmm")") + event(R"("content":"ab")"), at(20));
  player.feed(event(R"("content":"cdef")"), at(30));
  player.feed("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":3}}\n\n", at(40));
  const stream_summary& summary = player.played().summary;
  EXPECT_EQ(summary.first_token_at, at(20));
  EXPECT_EQ(summary.last_token_at, at(30));
  EXPECT_EQ(summary.token_events, 3u);
  EXPECT_EQ(summary.text_bytes, 9u);
  EXPECT_EQ(summary.first_text_bytes, 5u);
  EXPECT_EQ(summary.reasoning_bytes, 3u);
  ASSERT_TRUE(summary.usage.has_value());
  EXPECT_EQ(summary.usage->input_tokens, 4u);
  using kinds = std::vector<event_kind>;
  EXPECT_EQ(player.played().kinds, (kinds{event_kind::progress, event_kind::reasoning_token, event_kind::token,
                                          event_kind::token, event_kind::progress}));
}

TEST(OpenAiStream, ASwallowedChunkStillSaysThatTheStreamLives) {
  stream_player player(test::settings_for_test());
  player.feed("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n");
  EXPECT_EQ(player.played().kinds, (std::vector<event_kind>{event_kind::progress}));
  EXPECT_TRUE(player.played().json.empty());
}

TEST(OpenAiStream, APingWithABodyIsNoSignOfLife) {
  stream_player player(test::settings_for_test());
  player.feed("event: ping\ndata: {\"type\":\"ping\"}\n\ndata: {}\n\ndata: {\"choices\":null,\"usage\":null}\n\n");
  EXPECT_TRUE(player.played().kinds.empty());
  EXPECT_FALSE(player.played().failed.has_value());
}

std::string ended_as(const std::string& word, const std::string& delta = R"({"role":"assistant","content":"a"})") {
  return R"(data: {"id":"i","created":5,"choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":")" + word + "\"}]}\n\n";
}

TEST(OpenAiStream, AnAnswerThatItsProviderGaveUpIsAFailure) {
  for (const char* word : {"insufficient_system_resource", "abort", "MALFORMED_FUNCTION_CALL", "malformed_tool_use", "network_error"}) {
    for (const std::string& begin : {std::string{}, "data: " + std::string(clean_chunk) + "\n\n"}) {
      const auto played = play({begin + ended_as(word, "{}") + "data: [DONE]\n\n"});
      ASSERT_TRUE(played.failed) << word;
      EXPECT_EQ(played.failed->kind, failure_kind::server_error);
      EXPECT_NE(played.failed->detail.find(word), std::string::npos) << played.failed->detail;
    }
  }
}

TEST(OpenAiStream, AnUnknownFinishNeverMeansThatTheAnswerIsComplete) {
  const std::pair<const char*, const char*> words[] = {
      {"whatever", "length"}, {"RECITATION", "content_filter"}, {"OTHER", "length"}, {"model_context_window_exceeded", "length"}, {"COMPLETE", "stop"}};
  for (const auto& [word, shown] : words)
    EXPECT_NE(play({ended_as(word) + "data: [DONE]\n\n"}).text().find(R"("finish_reason":")" + std::string(shown) + '"'), std::string::npos) << word;
}

TEST(OpenAiStream, RemembersAForeignFinishForTheLogAlone) {
  const auto played = play({"data: {\"id\":\"i\",\"created\":5,\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"},\"finish_reason\":\"eos_token\"}]}\n\n"
                            "data: [DONE]\n\n"});
  EXPECT_EQ(played.summary.foreign_finish, "eos_token");
  EXPECT_EQ(played.text().find("eos_token"), std::string::npos);
  EXPECT_EQ(play({"data: " + std::string(clean_chunk) + "\n\n"}).summary.foreign_finish, "");
}

}  // namespace
}  // namespace photofinish::proxy
