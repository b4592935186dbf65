#include "proxy/dialects/anthropic/message_stream.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::played_stream;
using player = test::player_of<message_stream>;

const std::string start =
    R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[],)"
    R"("usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":1}}})";
const std::string text_start = R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
const std::string text_stop = R"({"type":"content_block_stop","index":0})";
const std::string last = R"({"type":"message_stop"})";

std::string text(const std::string& said) {
  return R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" + said + R"("}})";
}

std::string stop(const std::string& reason, const std::string& usage = R"({"output_tokens":9})") {
  return R"({"type":"message_delta","delta":{"stop_reason":")" + reason + R"(","stop_sequence":null},"usage":)" + usage + "}";
}

std::string bytes_of(const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& json : events) {
    const std::string type = std::string(json_raw_string(json_find(json, "type").value_or("\"\"")));
    bytes += "event: " + type + "\ndata: " + json + "\n\n";
  }
  return bytes;
}

played_stream play_bytes(const std::string& bytes) {
  player one(nullptr);
  one.feed(bytes);
  one.end_body();
  return one.played();
}

played_stream play(const std::vector<std::string>& events) { return play_bytes(bytes_of(events)); }

TEST(MessageStream, EventsPassAsTheyAreUnderTheirNames) {
  const std::vector<std::string> events{start, R"({"type": "ping"})", text_start, text("Hi \\u00e9"), text_stop, stop("end_turn"), last};
  const played_stream played = play(events);
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json, events);
  EXPECT_EQ(played.names, (std::vector<std::string>{"message_start", "ping", "content_block_start", "content_block_delta",
                                                    "content_block_stop", "message_delta", "message_stop"}));
  EXPECT_EQ(played.said.at(delta_kind::text), "Hi \u00e9");
  EXPECT_EQ(played.said.at(delta_kind::finish), "end_turn");
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(played.summary.token_events, 1u);
}

TEST(MessageStream, UsageCountsTheCacheAsInputAndTheLastCountStands) {
  const auto usage = play({start, text_start, text("x"), text_stop, stop("end_turn"), last}).summary.usage;
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->input_tokens, 18u);
  EXPECT_EQ(usage->cached_input_tokens, 5u);
  EXPECT_EQ(usage->written_input_tokens, 3u);
  EXPECT_EQ(usage->output_tokens, 9u);
  const auto later = play({start, stop("end_turn", R"({"input_tokens":61,"output_tokens":2,"cache_read_input_tokens":null,)"
                                                   R"("cache_creation":{"ephemeral_1h_input_tokens":2},)"
                                                   R"("output_tokens_details":{"thinking_tokens":1}})"), last})
                         .summary.usage;
  EXPECT_EQ(later->input_tokens, 69u);
  EXPECT_EQ(later->written_for_hour_tokens, 2u);
  EXPECT_EQ(later->reasoning_tokens, 1u);
}

// The sum of these token counts exceeds 64 bits and would wrap around to 0.
TEST(MessageStream, HugeCountsDoNotWrapAround) {
  const auto usage = play({start, stop("end_turn", R"({"input_tokens":18446744073709551615,"output_tokens":2})"), last})
                         .summary.usage;
  ASSERT_TRUE(usage);
  EXPECT_GT(usage->input_tokens, 1'000'000'000u);
}

TEST(MessageStream, ThinkingItsSignatureAndWhatIsRedacted) {
  const played_stream played = play(
      {start, R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq+/=="}})", text_stop,
       R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"RR"}})", stop("end_turn"), last});
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "hm");
  EXPECT_EQ(played.said.at(delta_kind::signature), "Eq+/==");
  EXPECT_EQ(played.said.at(delta_kind::opaque), "RR");
  EXPECT_EQ(played.summary.token_events, 1u);
  EXPECT_EQ(played.kinds.at(2), event_kind::reasoning_token);
}

TEST(MessageStream, CallsAndTheirArguments) {
  const auto begins = [](int index, const std::string& name, const std::string& input) {
    return R"({"type":"content_block_start","index":)" + std::to_string(index) + R"(,"content_block":{"type":"tool_use","id":"toolu_)" +
           name + R"(","name":")" + name + R"(","input":)" + input + "}}";
  };
  const auto part = [](int index, const std::string& json) {
    return R"({"type":"content_block_delta","index":)" + std::to_string(index) +
           R"(,"delta":{"type":"input_json_delta","partial_json":")" + json + R"("}})";
  };
  const auto stops = [](int index) { return R"({"type":"content_block_stop","index":)" + std::to_string(index) + "}"; };
  const played_stream played =
      play({start, begins(0, "f", "{}"), part(0, ""), part(0, R"({\"x\":)"), part(0, "1}"), stops(0),  //
            begins(1, "g", "{}"), part(1, ""), stops(1),                                             // this tool call has no arguments
            // This tool call has all its arguments in a single event.
            begins(2, "h", R"({"y": 2})"), stops(2),
            R"({"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}})",
            part(3, R"({\"query\":1})"), stops(3), stop("tool_use"), last});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::call), "fgh");
  EXPECT_EQ(played.said.at(delta_kind::call_arguments), R"({"x":1}{}{"y":2})");
  EXPECT_EQ(played.said.at(delta_kind::finish), "tool_use");
}

TEST(MessageStream, ACallMayComeWithTheBeginningOfItsMessage) {
  const std::string begun =
      R"({"type":"message_start","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"f","input":{"x":1}},)"
      R"({"type":"tool_use","id":"u","name":"g","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":0}}})";
  const played_stream played = play({begun, last});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::call), "fg");
  EXPECT_EQ(played.said.at(delta_kind::call_arguments), R"({"x":1}{})");
  EXPECT_EQ(played.said.at(delta_kind::finish), "tool_use");
}

TEST(MessageStream, AMessageThatSaysOrCallsWithoutEndIsBroken) {
  const std::string begun = R"({"type":"message_start","message":{"id":"m","content":[)", tail = R"({"type":"text","text":"x"}]}})";
  std::string texts = begun, calls = begun;
  for (int at = 0; at < 20'000; ++at) texts += R"({"type":"text","text":"x"},)";
  for (int at = 0; at < 1'100; ++at) calls += R"({"type":"tool_use","id":"t","name":"f","input":{}},)";
  EXPECT_TRUE(play({texts + tail, last}).failed);
  EXPECT_TRUE(play({calls + tail, last}).failed);
  std::vector<std::string> events{start};
  for (int at = 0; at < 1'100; ++at) {
    events.push_back(R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})");
    events.push_back(text_stop);
  }
  EXPECT_TRUE(play(events).failed);
}

TEST(MessageStream, NoLaterReportLowersACount) {
  const auto usage_after = [](const std::string& usage) { return *play({start, stop("end_turn", usage), last}).summary.usage; };
  const token_usage zeros = usage_after(R"({"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0})");
  EXPECT_EQ(zeros.input_tokens, 18u);
  EXPECT_EQ(zeros.cached_input_tokens, 5u);
  EXPECT_EQ(zeros.written_input_tokens, 3u);
  EXPECT_EQ(zeros.output_tokens, 1u);
  const token_usage larger = usage_after(R"({"input_tokens":61,"output_tokens":9})");
  EXPECT_EQ(larger.input_tokens, 69u);
  EXPECT_EQ(larger.output_tokens, 9u);
}

// Some servers begin with an estimate that counts all input tokens as uncached. They report the number of cached tokens only at the end.
TEST(MessageStream, APartOfTheInputThatMovesIsCountedOnce) {
  const std::string begun = R"({"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":100,"output_tokens":0}}})";
  const token_usage usage =
      *play({begun, stop("end_turn", R"({"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":9})"), last}).summary.usage;
  EXPECT_EQ(usage.input_tokens, 100u);
  EXPECT_EQ(usage.cached_input_tokens, 80u);
}

// The provider bills the tokens of all iterations, so the gateway adds them up. The totals outside of the list of iterations do not include
// compactions, advisors and declined attempts.
TEST(MessageStream, IterationsAreAddedUp) {
  const auto usage_of = [](const std::string& usage) { return *play({start, stop("end_turn", usage), last}).summary.usage; };
  const token_usage sum = usage_of(
      R"({"input_tokens":23,"output_tokens":10,"iterations":[{"type":"compaction","input_tokens":180,"output_tokens":35},)"
      R"({"type":"message","input_tokens":20,"cache_read_input_tokens":7,"cache_creation_input_tokens":5,)"
      R"("cache_creation":{"ephemeral_1h_input_tokens":4},"output_tokens":10}]})");
  EXPECT_EQ(sum.input_tokens, 212u);
  EXPECT_EQ(sum.cached_input_tokens, 7u);
  EXPECT_EQ(sum.written_input_tokens, 5u);
  EXPECT_EQ(sum.written_for_hour_tokens, 4u);
  EXPECT_EQ(sum.output_tokens, 45u);
  for (const char* none : {"null", "[]", "7", R"([null,1,"x"])", R"([{"type":"message"}])"}) {
    const token_usage usage = usage_of(R"({"input_tokens":23,"output_tokens":10,"iterations":)" + std::string(none) + "}");
    EXPECT_EQ(usage.input_tokens, 31u) << none;
    EXPECT_EQ(usage.output_tokens, 10u) << none;
  }
  const std::string much = R"({"type":"message","input_tokens":18446744073709551615,"output_tokens":18446744073709551615})";
  EXPECT_EQ(usage_of(R"({"iterations":[)" + much + "," + much + "]}").output_tokens, largest_count);
}

struct stop_case {
  const char* word;
  finish_reason reason;
  bool is_foreign;
};

TEST(MessageStream, WhyItStoppedInOpenAIsWords) {
  for (const auto& [word, reason, is_foreign] :
       {stop_case{"end_turn", finish_reason::stop, false}, stop_case{"max_tokens", finish_reason::length, false},
        stop_case{"stop_sequence", finish_reason::stop, false}, stop_case{"tool_use", finish_reason::tool_calls, false},
        stop_case{"refusal", finish_reason::content_filter, false}, stop_case{"pause_turn", finish_reason::length, false},
        stop_case{"model_context_window_exceeded", finish_reason::length, false}, stop_case{"tired", finish_reason::length, true}}) {
    message_inspector inspector;
    const test::padded_bytes begin(start), end(stop(word));
    ASSERT_TRUE(inspector.inspect(begin.view(), {}));
    ASSERT_TRUE(inspector.inspect(end.view(), {}));
    ASSERT_EQ(inspector.facts().deltas.size(), 1u) << word;
    EXPECT_EQ(inspector.facts().deltas[0].reason, reason) << word;
    EXPECT_EQ(inspector.facts().deltas[0].is_foreign, is_foreign) << word;
  }
}

TEST(MessageStream, AnAnswerThatItsServerGaveUpIsAFailure) {
  for (const char* word : {"error", "abort", "insufficient_system_resource"}) {
    const played_stream played = play({start, text_start, text("So"), text_stop, stop(word), last});
    ASSERT_TRUE(played.failed) << word;
    EXPECT_NE(played.failed->detail.find(word), std::string::npos) << played.failed->detail;
  }
}

TEST(MessageStream, ARefusalSaysWhyBesideItsFinish) {
  const std::string refused =
      R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"category":"cyber","explanation":"I may not."}}})";
  const played_stream played = play({start, text_start, text("So"), text_stop, refused, last});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.said.at(delta_kind::text), "So");
  EXPECT_EQ(played.said.at(delta_kind::refusal), "I may not.");
  EXPECT_EQ(played.summary.token_events, 1u) << "what is said about the answer is no token of it";
  EXPECT_EQ(play({start, stop("refusal"), last}).said.count(delta_kind::refusal), 0u);
}

TEST(MessageStream, AnErrorIsAFailureBeforeAndBehindTheFirstToken) {
  const std::string error = R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})";
  for (const std::vector<std::string>& events : {std::vector{error}, {start, error}, {start, text_start, text("x"), error}}) {
    const played_stream played = play(events);
    ASSERT_TRUE(played.failed);
    EXPECT_EQ(played.failed->kind, failure_kind::server_error);
    EXPECT_EQ(played.failed->status, 529);
    EXPECT_EQ(played.failed->detail, "Overloaded");
  }
  EXPECT_EQ(play({R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"}})"}).failed->kind,
            failure_kind::rate_limited);
  EXPECT_EQ(play({R"({"type":"error","error":{"type":"invalid_request_error","message":"no"}})"}).failed->kind,
            failure_kind::bad_request);
}

TEST(MessageStream, AMessageBeginsOnceAndFirst) {
  EXPECT_EQ(play({start, start, text_start, text("x"), text_stop, stop("end_turn"), last}).json.size(), 6u);
  std::string other = start;
  other.replace(other.find("msg_1"), 5, "msg_2");
  EXPECT_TRUE(play({start, text_start, other}).failed);
  EXPECT_TRUE(play({text_start, text("x"), last}).failed);
  EXPECT_TRUE(play({last}).failed);
}

TEST(MessageStream, WithoutItsLastEventAnAnswerThatSaidWhyItStoppedIsWhole) {
  const played_stream played = play({start, text_start, text("x"), text_stop, stop("end_turn")});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json.back(), last);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_TRUE(play({start, text_start, text("x")}).failed);
  // This stream ends without its last blank line.
  const std::string whole = bytes_of({start, text_start, text("x"), stop("end_turn"), last});
  EXPECT_EQ(play_bytes(whole.substr(0, whole.size() - 1)).ends, 1u);
  const std::string stopped = bytes_of({start, text_start, text("x"), stop("end_turn")});
  EXPECT_EQ(play_bytes(stopped.substr(0, stopped.size() - 1)).ends, 1u);
}

TEST(MessageStream, NamesAreNotNeededAndUnknownEventsPass) {
  std::string bytes;
  for (const std::string& json : {start, std::string(R"({"type":"content_block_vibe","index":0,"x":1})"), stop("end_turn"), last})
    bytes += "data: " + json + "\n\n";
  const played_stream played = play_bytes(bytes);
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json.size(), 4u);
  EXPECT_EQ(played.names.front(), "message_start");
}

TEST(MessageStream, AWholeMessageIsTheEventsThatItStandsFor) {
  player one(nullptr);
  one.answer(R"({"id":"msg_1","type":"message","role":"assistant","model":"claude",
    "content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"Hi","citations":null},
               {"type":"tool_use","id":"t","name":"f","input":{"x": 1}},{"type":"web_thing","data":[1]}],
    "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":6}})");
  const played_stream& played = one.played();
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "hm");
  EXPECT_EQ(played.said.at(delta_kind::signature), "S");
  EXPECT_EQ(played.said.at(delta_kind::text), "Hi");
  EXPECT_EQ(played.said.at(delta_kind::call_arguments), R"({"x": 1})");
  EXPECT_EQ(played.said.at(delta_kind::finish), "tool_use");
  EXPECT_EQ(played.names.front(), "message_start");
  EXPECT_EQ(played.names.back(), "message_stop");
  EXPECT_EQ(played.summary.usage->output_tokens, 6u);
  EXPECT_EQ(played.ends, 1u);
}

struct whole_block {
  const char* name;
  const char* block;
  std::vector<std::string> events;  // events between message_start and message_delta; the test omits "index":0 from each
};
class AWholeBlock : public ::testing::TestWithParam<whole_block> {};
INSTANTIATE_TEST_SUITE_P(
    MessageStream, AWholeBlock,
    ::testing::Values(
        whole_block{"thinking", R"({"type":"thinking","thinking":"hm","signature":"S"})",
                    {R"("content_block":{"type":"thinking","thinking":"","signature":""})",
                     R"("delta":{"type":"thinking_delta","thinking":"hm"})", R"("delta":{"type":"signature_delta","signature":"S"})"}},
        whole_block{"redacted", R"({"type":"redacted_thinking","data":"R"})", {R"("content_block":{"type":"redacted_thinking","data":"R"})"}},
        whole_block{"cited_text", R"({"type":"text","text":"Hi","citations":[{"a":1},{"b":2}]})",
                    {R"("content_block":{"type":"text","text":"","citations":[]})", R"("delta":{"type":"text_delta","text":"Hi"})",
                     R"("delta":{"type":"citations_delta","citation":{"a":1}})", R"("delta":{"type":"citations_delta","citation":{"b":2}})"}},
        whole_block{"call", R"({"type":"tool_use","id":"t","name":"f","input":{"x": 1}})",
                    {R"("content_block":{"type":"tool_use","id":"t","name":"f","input":{}})",
                     R"("delta":{"type":"input_json_delta","partial_json":"{\"x\": 1}"})"}},
        whole_block{"call_of_a_servers_tool", R"({"type":"server_tool_use","id":"t","name":"web_search","input":{"query":"q"}})",
                    {R"("content_block":{"type":"server_tool_use","id":"t","name":"web_search","input":{}})",
                     R"("delta":{"type":"input_json_delta","partial_json":"{\"query\":\"q\"}"})"}},
        whole_block{"result_of_a_servers_tool", R"({"type":"web_search_tool_result","tool_use_id":"t","content":[{"url":"u"}]})",
                    {R"("content_block":{"type":"web_search_tool_result","tool_use_id":"t","content":[{"url":"u"}]})"}},
        whole_block{"compaction", R"({"type":"compaction","content":"so far","encrypted_content":"E"})",
                    {R"("content_block":{"type":"compaction","content":null,"encrypted_content":"E"})",
                     R"("delta":{"type":"compaction_delta","content":"so far","encrypted_content":"E"})"}},
        whole_block{"block_to_come", R"({"type":"web_thing","data":[1]})", {R"("content_block":{"type":"web_thing","data":[1]})"}}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(AWholeBlock, IsGivenByItsEventsInTheirOrder) {
  player one(nullptr);
  one.answer(R"({"id":"msg_1","type":"message","role":"assistant","content":[)" + std::string(GetParam().block) +
             R"(],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"container":{"id":"c"},"context_management":{"applied_edits":[]},"usage":{"input_tokens":4,"output_tokens":6}})");
  const played_stream& played = one.played();
  ASSERT_FALSE(played.failed) << played.failed->detail;
  std::vector<std::string> expected{
      R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"container":{"id":"c"},"context_management":{"applied_edits":[]},"usage":{"input_tokens":4,"output_tokens":6}}})"};
  for (const std::string& each : GetParam().events) {
    const std::string type = each.starts_with(R"("delta")") ? "content_block_delta" : "content_block_start";
    expected.push_back(R"({"type":")" + type + R"(","index":0,)" + each + "}");
  }
  expected.emplace_back(R"({"type":"content_block_stop","index":0})");
  expected.emplace_back(
      R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"container":{"id":"c"}},"usage":{"input_tokens":4,"output_tokens":6},"context_management":{"applied_edits":[]}})");
  expected.emplace_back(R"({"type":"message_stop"})");
  EXPECT_EQ(played.json, expected);
}

TEST(MessageStream, WhatIsNoMessageIsAFailure) {
  for (const char* body : {R"({"type":"error","error":{"type":"api_error","message":"no"}})", R"({"choices":[]})", "<html>", ""}) {
    player one(nullptr);
    one.answer(body);
    EXPECT_TRUE(one.played().failed) << body;
  }
}

}  // namespace
}  // namespace photofinish::proxy
