// Tests the reader of Gemini's answers: the chunks of a stream, and non-streamed answers.
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using enum event_kind;
using player = test::player_of<gemini_stream>;

stream_settings settings() { return {.format = wire_format::gemini, .id = "req-1"}; }

test::played_stream play(const std::vector<std::string>& chunks) {
  player one(settings());
  one.feed(test::events_of(chunks));
  one.end_body();
  return one.played();
}
test::played_stream play_whole(const std::string& body) {
  player one(settings());
  one.answer(body);
  return one.played();
}

std::string chunk(const std::string& parts, const std::string& more = "") {
  return R"({"candidates":[{"content":{"parts":[)" + parts + R"(],"role":"model"},"index":0)" + more + "}]}";
}
std::string text(const std::string& said) { return chunk(R"({"text":")" + said + R"("})"); }
const std::string stop = chunk(R"({"text":""})", R"(,"finishReason":"STOP")");

// Returns the content of all chunks as text, one line for each delta.
std::string said_by(const std::vector<std::string>& chunks) {
  gemini_reader reader("req-1");
  std::string lines;
  const auto note = [&] {
    for (const delta& each : reader.facts().deltas)
      lines += std::to_string(static_cast<int>(each.kind)) + "/" + std::to_string(each.part) + "/" + std::string(each.id) + "/" +
               std::string(each.text) + "\n";
  };
  for (const std::string& each : chunks) {
    if (auto read = reader.read(each); !read) return read.error().detail;
    note();
  }
  reader.end();
  note();
  return lines;
}
std::string line(delta_kind kind, int part, const std::string& id, const std::string& said) {
  return std::to_string(static_cast<int>(kind)) + "/" + std::to_string(part) + "/" + id + "/" + said + "\n";
}
const std::string first_id = [] {
  gemini_reader reader("req-1");
  EXPECT_TRUE(reader.read(R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]}}]})"));
  return std::string(reader.facts().deltas.at(0).id);
}();

TEST(GeminiStream, TextsAndThoughtsAreTokens) {
  const auto played = play({chunk(R"({"text":"Hm","thought":true})"), text("Hel"), text("lo \\ud83d\\ude00"), stop});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::text), "Hello \xf0\x9f\x98\x80");
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "Hm");
  EXPECT_EQ(played.said.at(delta_kind::finish), "STOP");
  EXPECT_EQ(played.kinds, (std::vector{reasoning_token, token, token, progress, progress, end}));
}

TEST(GeminiStream, AnEndWithoutAReasonIsNone) {
  EXPECT_EQ(play({text("Hel")}).failed->kind, failure_kind::bad_stream);
  EXPECT_EQ(play({}).failed->kind, failure_kind::bad_stream);
}

TEST(GeminiStream, ChunksBehindTheReasonStillCount) {
  const auto played = play({text("a"), chunk("", R"(,"finishReason":"STOP")"), text("b"),
                            R"({"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}})"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::text), "ab");
  EXPECT_EQ(played.said.at(delta_kind::finish), "STOP");
  EXPECT_EQ(played.summary.usage->input_tokens, 3u);
  EXPECT_EQ(played.ends, 1u);
}

// The sum of these token counts exceeds 64 bits and would wrap around to 0.
TEST(GeminiStream, HugeCountsDoNotWrapAround) {
  const auto played = play({text("a"), R"({"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":18446744073709551615,)"
                                       R"("toolUsePromptTokenCount":2,"candidatesTokenCount":5}})"});
  ASSERT_TRUE(played.summary.usage);
  EXPECT_GT(played.summary.usage->input_tokens, 1'000'000'000u);
}

TEST(GeminiStream, CountsTheAnswerByTheTotalIfNothingElseDoes) {
  const auto played = play({text("a"), R"({"candidates":[{"finishReason":"STOP"}],)"
                                       R"("usageMetadata":{"promptTokenCount":10,"totalTokenCount":30}})"});
  ASSERT_TRUE(played.summary.usage);
  EXPECT_EQ(played.summary.usage->output_tokens, 20u);
}

TEST(GeminiStream, ThoughtsCountAsOutputAndTheCacheAsInput) {
  const auto played = play({text("a"), R"({"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,)"
                                       R"("candidatesTokenCount":5,"thoughtsTokenCount":7,"toolUsePromptTokenCount":2,"totalTokenCount":24}})"});
  ASSERT_TRUE(played.summary.usage);
  EXPECT_EQ(played.summary.usage->input_tokens, 12u);
  EXPECT_EQ(played.summary.usage->cached_input_tokens, 4u);
  EXPECT_EQ(played.summary.usage->output_tokens, 12u);
  EXPECT_EQ(played.summary.usage->reasoning_tokens, 7u);
}

TEST(GeminiStream, ASignatureStandsBeforeItsCallAndAnEmptyPartIsNotLost) {
  EXPECT_EQ(said_by({chunk(R"({"functionCall":{"name":"f","args":{"x": 12345678901234567890}},"thoughtSignature":"A\/b+=="})"),
                     chunk(R"({"text":"","thoughtSignature":"end"})", R"(,"finishReason":"STOP")")}),
            line(delta_kind::opaque, 0, "gemini", "A/b+==") + line(delta_kind::call, 0, first_id, "f") +
                line(delta_kind::call_arguments, 0, "", R"({"x": 12345678901234567890})") +
                line(delta_kind::opaque, 0, "gemini", "end") + line(delta_kind::finish, 0, "", "STOP"));
}

TEST(GeminiStream, SignedChunksDoNotCutATextIntoSeveral) {
  EXPECT_EQ(said_by({text("{"), chunk(R"({"text":"1","thoughtSignature":"s"})"), chunk(R"({"text":"}","thoughtSignature":"t"})"),
                     chunk(R"({"functionCall":{"name":"f","args":{}},"thoughtSignature":"u"})"), stop}),
            line(delta_kind::text, 0, "", "{") + line(delta_kind::text, 0, "", "1") + line(delta_kind::text, 0, "", "}") +
                line(delta_kind::opaque, 0, "gemini", "s") + line(delta_kind::opaque, 0, "gemini", "t") +
                line(delta_kind::opaque, 0, "gemini", "u") + line(delta_kind::call, 0, first_id, "f") +
                line(delta_kind::call_arguments, 0, "", "{}") + line(delta_kind::finish, 0, "", "STOP"));
}

TEST(GeminiStream, SignaturesAreHeldInBounds) {
  const std::string signature(200u << 10, 's');
  const auto signed_text = chunk(R"({"text":"a","thoughtSignature":")" + signature + "\"}");
  const std::string held = line(delta_kind::opaque, 0, "gemini", signature);
  EXPECT_EQ(said_by({signed_text, signed_text, stop}), line(delta_kind::text, 0, "", "a") + held +
                                                           line(delta_kind::text, 0, "", "a") + held +
                                                           line(delta_kind::finish, 0, "", "STOP"));
}

TEST(GeminiStream, AnEventThatSaysWithoutEndIsBroken) {
  std::string parts = R"({"text":"a"})";
  for (int at = 0; at < 20'000; ++at) parts += R"(,{"text":"a"})";
  EXPECT_TRUE(play({chunk(parts)}).failed);
}

TEST(GeminiStream, CallsWithoutIdsGetOnesThatAreShortAndApart) {
  EXPECT_LE(first_id.size(), 40u);
  const std::string other = first_id.substr(0, first_id.size() - 1) + "1";
  EXPECT_EQ(said_by({chunk(R"({"functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{}}},{"functionCall":{"id":"own","name":"g"}})",
                           R"(,"finishReason":"STOP")")}),
            line(delta_kind::call, 0, first_id, "f") + line(delta_kind::call_arguments, 0, "", "{}") +
                line(delta_kind::call, 1, other, "f") + line(delta_kind::call_arguments, 1, "", "{}") +
                line(delta_kind::call, 2, "own", "g") + line(delta_kind::call_arguments, 2, "", "{}") +
                line(delta_kind::finish, 0, "", "STOP"));
}

TEST(GeminiStream, TheEndOfCallsIsToolCalls) {
  gemini_reader reader("r");
  ASSERT_TRUE(reader.read(chunk(R"({"functionCall":{"name":"f"}})", R"(,"finishReason":"STOP")")));
  reader.end();
  EXPECT_EQ(reader.facts().deltas.at(0).reason, finish_reason::tool_calls);
}

struct finish_case {
  const char* word;
  finish_reason reason;
  bool is_foreign = false;
};
class GeminiFinish : public ::testing::TestWithParam<finish_case> {};
INSTANTIATE_TEST_SUITE_P(GeminiStream, GeminiFinish,
                         ::testing::Values(finish_case{"STOP", finish_reason::stop}, finish_case{"MAX_TOKENS", finish_reason::length},
                                           finish_case{"SAFETY", finish_reason::content_filter}, finish_case{"RECITATION", finish_reason::content_filter},
                                           finish_case{"PROHIBITED_CONTENT", finish_reason::content_filter}, finish_case{"MODEL_ARMOR", finish_reason::content_filter},
                                           finish_case{"OTHER", finish_reason::length}, finish_case{"MALFORMED_FUNCTION_CALL", finish_reason::length},
                                           finish_case{"CONTINUATION", finish_reason::length}, finish_case{"SOMETHING_NEW", finish_reason::length, true}),
                         [](const auto& tested) { return tested.param.word; });
TEST_P(GeminiFinish, IsAWordOfOurs) {
  gemini_reader reader("r");
  ASSERT_TRUE(reader.read(chunk(R"({"text":"a"})", R"(,"finishReason":")" + std::string(GetParam().word) + "\"")));
  ASSERT_TRUE(reader.is_complete());
  reader.end();
  const delta& finish = reader.facts().deltas.at(0);
  EXPECT_EQ(finish.reason, GetParam().reason);
  EXPECT_EQ(finish.is_foreign, GetParam().is_foreign);
  EXPECT_EQ(finish.text, GetParam().word);
}

class GeminiFailedFinish : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(GeminiStream, GeminiFailedFinish,
                         ::testing::Values("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"));
TEST_P(GeminiFailedFinish, WithNothingSaidIsAFailureThatMayBeTriedAgain) {
  const auto played = play({R"({"candidates":[{"content":{},"finishReason":")" + std::string(GetParam()) + R"("}]})"});
  ASSERT_TRUE(played.failed);
  EXPECT_TRUE(played.failed->is_retryable());
  EXPECT_EQ(played.failed->code, GetParam());
}

TEST(GeminiStream, ABlockedPromptIsAnEmptyFilteredAnswer) {
  const auto played = play({R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}})"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.kinds, (std::vector{progress, progress, end}));
  EXPECT_EQ(played.said.at(delta_kind::finish), "SAFETY");
}

TEST(GeminiStream, AFilteredAnswerSaysWhyInGeminisWords) {
  const auto blocked = play({R"({"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"Not\nthat."}})"});
  ASSERT_FALSE(blocked.failed);
  EXPECT_EQ(blocked.said.at(delta_kind::refusal), "Not that.");
  const auto stopped = play({chunk(R"({"text":"a"})", R"(,"finishReason":"SAFETY","finishMessage":"It goes \"too\" far.")")});
  EXPECT_EQ(stopped.said.at(delta_kind::refusal), R"(It goes "too" far.)");
  EXPECT_EQ(stopped.summary.token_events, 1u);
  const auto whole = play({chunk(R"({"text":"a"})", R"(,"finishReason":"STOP","finishMessage":"Fine.")")});
  EXPECT_EQ(whole.said.count(delta_kind::refusal), 0u);
}

TEST(GeminiStream, ALongReasonIsCutBetweenLetters) {
  std::string letters;
  for (int each = 0; each < 3'000; ++each) letters += "\u00fc";
  const auto played = play({R"({"promptFeedback":{"blockReason":"OTHER","blockReasonMessage":")" + letters + R"("}})"});
  const std::string& why = played.said.at(delta_kind::refusal);
  EXPECT_LE(why.size(), 2'000u);
  EXPECT_TRUE(why.ends_with("\u00fc\u2026"));
}

// The following tests cover arguments that arrive one value at a time.

std::string partial(const std::string& values, bool goes_on = true) {
  return chunk(R"({"functionCall":{"partialArgs":[)" + values + "]" + (goes_on ? R"(,"willContinue":true)" : "") + "}}");
}
const std::string begun = chunk(R"({"functionCall":{"name":"f","willContinue":true}})");
const std::string closed = chunk(R"({"functionCall":{}})", R"(,"finishReason":"STOP")");

std::string arguments_of(std::vector<std::string> chunks) {
  chunks.insert(chunks.begin(), begun);
  const auto played = play(chunks);
  return played.failed ? played.failed->detail : played.said.at(delta_kind::call_arguments);
}

TEST(GeminiStream, PartialArgumentsAddUpToTheObject) {
  EXPECT_EQ(arguments_of({partial(R"({"jsonPath":"$.a.b[0].c","stringValue":"Bos","willContinue":true})"),
                          partial(R"({"jsonPath":"$.a.b[0].c","stringValue":"t\"on","willContinue":true})"),
                          partial(R"({"jsonPath":"$.a.b[0].c","stringValue":""})"), partial(R"({"jsonPath":"$.a.b[1].c","numberValue":1.50})"),
                          partial(R"({"jsonPath":"$['x y']","boolValue":true},{"jsonPath":"$.n","nullValue":null})"), closed}),
            R"({"a":{"b":[{"c":"Bost\"on"},{"c":1.50}]},"x y":true,"n":null})");
}

TEST(GeminiStream, ACallIsWholeWhereItsEndIsMissing) {
  EXPECT_EQ(arguments_of({partial(R"({"jsonPath":"$.a","stringValue":"b","willContinue":true})"), stop}), R"({"a":"b"})");
  EXPECT_EQ(arguments_of({partial(R"({"jsonPath":"$.a","numberValue":1})", false), stop}), R"({"a":1})");
  EXPECT_EQ(arguments_of({closed}), "{}");
}

class GeminiBadPath : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(GeminiStream, GeminiBadPath,
                         ::testing::Values("a", "$", "$.", "$[", "$[0]", "$.a[1]", "$.a[99999999999999999999]", "$['a", "$.s.x", "$.s"));
TEST_P(GeminiBadPath, EndsTheStream) {
  const auto played = play({begun, partial(R"({"jsonPath":"$.l.y","numberValue":1},{"jsonPath":"$.s","stringValue":"x"})"),
                            partial(R"({"jsonPath":")" + std::string(GetParam()) + R"(","numberValue":2})"), closed});
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(played.failed->kind, failure_kind::bad_stream);
}

TEST(GeminiStream, APathOfWhateverDepthIsRefused) {
  std::string path = "$";
  for (int at = 0; at < 65; ++at) path += ".a";
  EXPECT_TRUE(play({begun, partial(R"({"jsonPath":")" + path + R"(","numberValue":2})"), closed}).failed);
}

TEST(GeminiStream, CallsWithoutEndAreRefused) {
  std::string parts = R"({"functionCall":{"name":"f"}})";
  for (int at = 0; at < 1024; ++at) parts += R"(,{"functionCall":{"name":"f"}})";
  EXPECT_TRUE(play({chunk(parts), stop}).failed);
}

// Errors

struct trouble_case {
  const char* name;
  const char* event;
  failure_kind kind;
  int status;
};
class GeminiTrouble : public ::testing::TestWithParam<trouble_case> {};
INSTANTIATE_TEST_SUITE_P(
    GeminiStream, GeminiTrouble,
    ::testing::Values(
        trouble_case{"exhausted", R"({"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}})", failure_kind::rate_limited, 429},
        trouble_case{"in_a_list", R"([{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}])", failure_kind::server_error, 503},
        trouble_case{"bad_key", R"({"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})", failure_kind::auth, 400},
        trouble_case{"not_json", R"({"candidates":)", failure_kind::bad_stream, 0}, trouble_case{"no_object", "17", failure_kind::bad_stream, 0}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(GeminiTrouble, IsAFailureOfItsKind) {
  for (const auto& played : {play({text("a"), GetParam().event, stop}), play_whole(GetParam().event)}) {
    ASSERT_TRUE(played.failed);
    EXPECT_EQ(played.failed->kind, GetParam().kind);
    EXPECT_EQ(played.failed->retry_after.has_value(), GetParam().status == 429);
    EXPECT_EQ(played.failed->retry_after.value_or(std::chrono::milliseconds(34400)), std::chrono::milliseconds(34400));
  }
}

TEST(GeminiStream, PingsWithABodySayNothing) {
  const auto played = play({R"({})", R"({"responseId":"x"})", text("a"), stop});
  EXPECT_EQ(played.kinds, (std::vector{token, progress, progress, end}));
}

// The following tests cover non-streamed answers.

TEST(GeminiStream, AWholeAnswerIsOneTokenAndAnEnd) {
  const auto played = play_whole(R"({"candidates":[{"content":{"parts":[{"text":"Hi","thoughtSignature":"s"}]},"finishReason":"STOP"}],
      "usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}})");
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.kinds, (std::vector{token, progress, end}));
  EXPECT_EQ(played.said.at(delta_kind::opaque), "s");
  EXPECT_EQ(played.summary.usage->output_tokens, 2u);
}

TEST(GeminiStream, AListOfChunksIsAnAnswerToo) {
  const auto played = play_whole("[" + text("a") + ",\n" + text("b") + ",\n" + stop + "]");
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::text), "ab");
  EXPECT_EQ(played.ends, 1u);
}

TEST(GeminiStream, JsonThatIsNoAnswerIsAFailure) {
  for (const char* body : {R"({"object":"chat.completion","choices":[]})", "[]", "{}", R"({"candidates":[]})"})
    EXPECT_TRUE(play_whole(body).failed) << body;
}

}  // namespace
}  // namespace photofinish::proxy
