// Tests a stream of the Responses API that the gateway passes on unchanged. The gateway nevertheless reads the content of the stream.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using player = test::player_of<response_stream>;

test::played_stream play(const std::vector<std::string>& feeds) {
  player one(nullptr);
  for (const std::string& bytes : feeds) one.feed(bytes);
  one.end_body();
  return one.played();
}

test::played_stream play_events(const std::vector<std::string>& events) { return play({test::events_of(events)}); }

const std::string created = R"({"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","output":[]}})";
const std::string item = R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","content":[]}})";

std::string text(const std::string& said) {
  return R"({"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"delta":")" + said + R"(","logprobs":[],"obfuscation":"aX"})";
}

std::string completed(const std::string& more = "", const std::string& output = "[]") {
  return R"({"type":"response.completed","sequence_number":9,"response":{"id":"resp_1","status":"completed","incomplete_details":null,"error":null,"output":)" + output + more + "}}";
}

constexpr const char* usage =
    R"(,"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":16})";

TEST(ResponseStream, EventsPassAsTheyCameWithTheirNames) {
  const std::vector<std::string> events{created, item, text("Hel"), text("lo \\ud83d\\ude00"), completed(usage)};
  const auto played = play_events(events);
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json, events);
  EXPECT_EQ(played.names, (std::vector<std::string>{"response.created", "response.output_item.added", "response.output_text.delta",
                                                    "response.output_text.delta", "response.completed"}));
  using enum event_kind;
  EXPECT_EQ(played.kinds, (std::vector{progress, progress, token, token, progress, end}));
  EXPECT_EQ(played.said.at(delta_kind::text), "Hello \xf0\x9f\x98\x80");
}

TEST(ResponseStream, AnIncompleteResponseWithoutAReasonWasCut) {
  response_inspector inspector;
  const test::padded_bytes cut(R"({"type":"response.incomplete","response":{"id":"r","status":"incomplete","output":[]}})");
  ASSERT_TRUE(inspector.inspect(cut.view(), {}));
  ASSERT_EQ(inspector.facts().deltas.size(), 1u);
  EXPECT_EQ(inspector.facts().deltas[0].reason, finish_reason::length);
}

TEST(ResponseStream, AWholeResponseThatFailedIsAFailure) {
  for (const char* status : {"failed", "cancelled"}) {
    response_inspector inspector;
    const test::padded_bytes whole(R"({"id":"r","status":")" + std::string(status) + R"(","error":null,"output":[]})");
    const auto read = inspector.inspect_whole(whole.view());
    ASSERT_FALSE(read) << status;
    EXPECT_NE(read.error().detail.find(status), std::string::npos) << read.error().detail;
  }
}

TEST(ResponseStream, UsageIsReadFromTheLastEvent) {
  const auto played = play_events({created, text("a"), completed(usage)});
  ASSERT_TRUE(played.summary.usage);
  EXPECT_EQ(played.summary.usage->input_tokens, 9u);
  EXPECT_EQ(played.summary.usage->cached_input_tokens, 4u);
  EXPECT_EQ(played.summary.usage->output_tokens, 7u);
  EXPECT_EQ(played.summary.usage->reasoning_tokens, 5u);
}

TEST(ResponseStream, ReasoningThatIsCountedApartIsOutput) {
  const std::string apart =
      R"(,"usage":{"input_tokens":32,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":94},"total_tokens":135})";
  EXPECT_EQ(play_events({created, text("a"), completed(apart)}).summary.usage.value().output_tokens, 103u);
}

struct first_token {
  const char* name;
  const char* event;
  event_kind kind;
};
class AnEvent : public ::testing::TestWithParam<first_token> {};
INSTANTIATE_TEST_SUITE_P(
    ResponseStream, AnEvent,
    ::testing::Values(
        first_token{"refusal", R"({"type":"response.refusal.delta","delta":"no"})", event_kind::token},
        first_token{"summary", R"({"type":"response.reasoning_summary_text.delta","delta":"hm"})", event_kind::reasoning_token},
        first_token{"reasoning", R"({"type":"response.reasoning_text.delta","delta":"hm"})", event_kind::reasoning_token},
        first_token{"a_call", R"({"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","name":"f","call_id":"c","arguments":""}})", event_kind::token},
        first_token{"a_hosted_call", R"({"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call","id":"ws_1"}})", event_kind::token},
        first_token{"arguments", R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"})", event_kind::token},
        first_token{"custom_input", R"({"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"*"})", event_kind::token},
        first_token{"an_image", R"({"type":"response.image_generation_call.partial_image","partial_image_b64":"aa"})", event_kind::token},
        first_token{"sound", R"({"type":"response.audio.delta","delta":"UklGRg=="})", event_kind::token},
        first_token{"a_tool_to_come", R"({"type":"response.something_new.delta","delta":"x"})", event_kind::token},
        first_token{"a_whole_message", R"({"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"hi"}]}})", event_kind::token},
        first_token{"no_text", R"({"type":"response.output_text.delta","delta":""})", event_kind::progress},
        first_token{"a_message", R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[]}})", event_kind::progress},
        first_token{"reasoning_begins", R"({"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"}})", event_kind::progress},
        first_token{"reasoning_is_done", R"({"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"}})", event_kind::progress},
        first_token{"tools_of_a_server", R"({"type":"response.output_item.done","item":{"type":"mcp_list_tools","tools":[]}})", event_kind::progress},
        first_token{"an_empty_part", R"({"type":"response.content_part.added","part":{"type":"output_text","text":""}})", event_kind::progress},
        first_token{"an_unknown_event", R"({"type":"response.queued_somewhere"})", event_kind::progress}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(AnEvent, IsAFirstTokenWhereItSaysSomething) {
  const auto played = play_events({created, GetParam().event, completed()});
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.kinds[1], GetParam().kind);
  EXPECT_EQ(played.json[1], GetParam().event);
}

TEST(ResponseStream, TextThatComesAtTheEndAloneIsTheFirstToken) {
  const auto played = play_events({created, completed("", R"([{"type":"message","content":[{"type":"output_text","text":"all"}]}])")});
  EXPECT_EQ(played.kinds, (std::vector{event_kind::progress, event_kind::token, event_kind::end}));
  EXPECT_EQ(played.said.at(delta_kind::text), "all");
}

TEST(ResponseStream, TextThatWasStreamedIsNotCountedAgain) {
  const auto played = play_events({created, item, text("all"),
                                   R"({"type":"response.output_text.done","text":"all"})",
                                   R"({"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"all"}]}})",
                                   completed("", R"([{"type":"message","content":[{"type":"output_text","text":"all"}]}])")});
  EXPECT_EQ(played.summary.text_bytes, 3u);
  EXPECT_EQ(played.summary.token_events, 1u);
}

TEST(ResponseStream, ArgumentsOfCallsThatMixAreKeptApart) {
  response_inspector inspector;
  const auto part_of = [&](const std::string& event) {
    const test::padded_bytes padded(event);
    EXPECT_TRUE(inspector.inspect(padded.view(), {}));
    return inspector.facts().deltas.at(0).part;
  };
  const auto call = [](const std::string& at) {
    return R"({"type":"response.output_item.added","output_index":)" + at + R"(,"item":{"type":"function_call","name":"f","call_id":"c)" + at + R"("}})";
  };
  const auto arguments = [](const std::string& at) {
    return R"({"type":"response.function_call_arguments.delta","output_index":)" + at + R"(,"delta":"x"})";
  };
  EXPECT_EQ(part_of(call("1")), 0);
  EXPECT_EQ(part_of(call("3")), 1);
  EXPECT_EQ(part_of(arguments("3")), 1);
  EXPECT_EQ(part_of(arguments("1")), 0);
}

std::string event_at(const std::string& type, const std::string& more, int at = 0) {
  return R"({"type":")" + type + R"(","output_index":)" + std::to_string(at) + "," + more + "}";
}

TEST(ResponseStream, EncryptedReasoningIsItsSummarysSignature) {
  const std::string done = R"("item":{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gFINAL"})";
  const auto played = play_events(
      {created, event_at("response.output_item.added", R"("item":{"type":"reasoning","summary":[],"encrypted_content":"gBEGUN"})"),
       event_at("response.reasoning_summary_part.added", R"("summary_index":0)"), event_at("response.reasoning_summary_text.delta", R"("delta":"a")"),
       event_at("response.reasoning_summary_part.added", R"("summary_index":1)"), event_at("response.reasoning_summary_text.delta", R"("delta":"b")"),
       event_at("response.output_item.done", done), item, text("hi"), completed()});
  EXPECT_EQ(played.said.at(delta_kind::reasoning), "a\n\nb");
  EXPECT_EQ(played.said.at(delta_kind::signature), "gFINAL");
  EXPECT_FALSE(played.said.contains(delta_kind::opaque));
  EXPECT_EQ(played.summary.reasoning_bytes, 2u);
  const auto whole = play_events({created, event_at("response.output_item.done", done), completed()});
  EXPECT_EQ(whole.said.at(delta_kind::reasoning), "a\n\nb");
  EXPECT_EQ(whole.said.at(delta_kind::signature), "gFINAL");
}

TEST(ResponseStream, EncryptedReasoningWithoutASummaryIsOpaque) {
  response_inspector inspector;
  const test::padded_bytes padded(event_at("response.output_item.done", R"("item":{"type":"reasoning","summary":[],"encrypted_content":"gA"})"));
  ASSERT_TRUE(inspector.inspect(padded.view(), {}));
  ASSERT_EQ(inspector.facts().deltas.size(), 1u);
  EXPECT_EQ(inspector.facts().deltas[0].kind, delta_kind::opaque);
  EXPECT_EQ(inspector.facts().deltas[0].id, "openai_responses");
  EXPECT_EQ(inspector.facts().kind, event_kind::progress);
}

TEST(ResponseStream, WhatIsEncryptedHasTheIdOfItsItem) {
  const auto item_with = [](const std::string& id) {
    response_inspector inspector;
    const test::padded_bytes padded(event_at("response.output_item.done", R"("item":{"type":"reasoning","id":")" + id + R"(","summary":[],"encrypted_content":"gA"})"));
    EXPECT_TRUE(inspector.inspect(padded.view(), {}));
    const std::string found(inspector.facts().deltas.at(0).item);
    stream_event event{.deltas = inspector.facts().deltas};
    EXPECT_EQ(kept_event(event).view().deltas[0].item, found);
    EXPECT_EQ(kept_event(event, "{}").view().deltas[0].item, found);
    return found;
  };
  EXPECT_EQ(item_with("rs_1"), "rs_1");
  EXPECT_EQ(item_with(std::string(513, 'x')), "") << "no id that any provider makes";
}

TEST(ResponseStream, AnItemThatComesWholeBehindOthersIsSaid) {
  const auto played = play_events(
      {created, item, text("a"), event_at("response.output_item.done", R"("item":{"type":"message","content":[{"type":"output_text","text":"a"}]})"),
       event_at("response.output_item.done", R"("item":{"type":"function_call","name":"f","call_id":"c","arguments":"{}"})", 1),
       event_at("response.output_item.done", R"("item":{"type":"message","content":[{"type":"refusal","refusal":"no"}]})", 2), completed()});
  EXPECT_EQ(played.said.at(delta_kind::text), "a");
  EXPECT_EQ(played.said.at(delta_kind::call), "f");
  EXPECT_EQ(played.said.at(delta_kind::call_arguments), "{}");
  EXPECT_EQ(played.said.at(delta_kind::refusal), "no");
  EXPECT_EQ(played.ends, 1u);
}

TEST(ResponseStream, CallsThatAreCountedInEachAnswerGetIdsOfTheirOwn) {
  const auto call = [](const std::string& id) {
    return R"({"type":"function_call","name":"f","call_id":")" + id + R"(","arguments":"{}"})";
  };
  const std::vector<std::string> events{created, event_at("response.output_item.added", R"("item":)" + call("call_0")),
                                        text(R"(\"call_id\":\"call_0\")"), completed("", "[" + call("call_0") + "]")};
  player one(nullptr, json_use::passes, true, "r7");
  one.feed(test::events_of(events));
  one.end_body();
  const auto played = one.played();
  ASSERT_EQ(played.json.size(), events.size());
  EXPECT_EQ(played.json[1], event_at("response.output_item.added", R"("item":)" + call("call_r7_0")));
  EXPECT_EQ(played.json[2], events[2]);
  EXPECT_EQ(played.json[3], completed("", "[" + call("call_r7_0") + "]"));
  EXPECT_EQ(play_events(events).json, events) << "without an id for the answer";
}

TEST(ResponseStream, ACallOfTheProvidersOwnToolsIsNoClientsCall) {
  const auto played = play_events({created, event_at("response.output_item.added", R"("item":{"type":"web_search_call","id":"w"})"),
                                   event_at("response.code_interpreter_call_code.delta", R"("delta":"x=1")", 1), item, text("a"), completed()});
  EXPECT_EQ(played.kinds[1], event_kind::token);
  EXPECT_FALSE(played.said.contains(delta_kind::call));
  EXPECT_FALSE(played.said.contains(delta_kind::call_arguments));
}

TEST(ResponseStream, WhatIsWrittenIntoACacheIsCounted) {
  const auto played = play_events({created, text("a"), completed(R"(,"usage":{"input_tokens":9,"output_tokens":7,"input_tokens_details":{"cached_tokens":1,"cache_write_tokens":5}})")});
  EXPECT_EQ(played.summary.usage->written_input_tokens, 5u);
}

TEST(ResponseStream, AnIncompleteAnswerIsAnEndWithItsReason) {
  const auto played = play_events(
      {created, text("a"), R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}})"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.ends, 1u);
  EXPECT_EQ(played.said.at(delta_kind::finish), "content_filter");
}

TEST(ResponseStream, AnAnswerWithoutATokenIsAnEmptyOne) {
  const auto played = play_events({created, completed()});
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.kinds, (std::vector{event_kind::progress, event_kind::progress, event_kind::end}));
}

struct trouble {
  const char* name;
  const char* event;
  failure_kind kind;
  const char* detail;
};
class Trouble : public ::testing::TestWithParam<trouble> {};
INSTANTIATE_TEST_SUITE_P(
    ResponseStream, Trouble,
    ::testing::Values(
        trouble{"nested", R"({"type":"error","sequence_number":2,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your quota","param":null}})", failure_kind::quota, "You exceeded your quota"},
        trouble{"flat", R"({"type":"error","sequence_number":2,"code":"rate_limit_exceeded","message":"Slow down","param":null})", failure_kind::rate_limited, "Slow down"},
        trouble{"failed", R"({"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"It broke"},"output":[]}})", failure_kind::server_error, "It broke"},
        trouble{"failed_for_the_request", R"({"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"Invalid prompt"}}})", failure_kind::server_error, "Invalid prompt"},
        trouble{"failed_without_a_reason", R"({"type":"response.failed","response":{"error":null}})", failure_kind::server_error, "the provider sent an error event without a text"},
        trouble{"as_chat_does", R"({"error":{"message":"no"}})", failure_kind::server_error, "no"},
        trouble{"no_json", "{\"type\":", failure_kind::bad_stream, nullptr},
        trouble{"no_object", "[]", failure_kind::bad_stream, nullptr},
        trouble{"an_end_without_a_response", R"({"type":"response.completed"})", failure_kind::bad_stream, nullptr},
        trouble{"a_response_that_is_none", R"({"type":"response.completed","response":7})", failure_kind::bad_stream, nullptr}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(Trouble, IsAFailureOfTheAttempt) {
  const auto played = play_events({created, GetParam().event});
  ASSERT_TRUE(played.failed);
  EXPECT_EQ(to_string(played.failed->kind), to_string(GetParam().kind));
  if (GetParam().detail != nullptr) {
    EXPECT_EQ(played.failed->detail, GetParam().detail);
  }
  EXPECT_EQ(played.json, std::vector<std::string>{created});
}

TEST(ResponseStream, AStreamThatIsCutIsNotComplete) {
  EXPECT_TRUE(play_events({created, text("a")}).failed);
  EXPECT_TRUE(play({test::events_of({created, text("a")}) + "data: [DONE]\n\n"}).failed);
  EXPECT_TRUE(play({""}).failed);
}

TEST(ResponseStream, NothingIsReadBehindTheEnd) {
  const auto played = play_events({created, text("a"), completed(), text("b"), "{"});
  EXPECT_FALSE(played.failed);
  EXPECT_EQ(played.json.size(), 3u);
}

TEST(ResponseStream, AStreamOfChatIsNoAnswerOfThisApi) {
  EXPECT_TRUE(play_events({R"({"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]})", "[DONE]"}).failed);
}

TEST(ResponseStream, ANameIsTakenFromTheEventWhereItsJsonHasNone) {
  const auto played = play({"event: response.created\ndata: {\"response\":{\"output\":[]}}\n\nevent: response.output_text.delta\n"
                            "data: {\"delta\":\"a\"}\n\n: comment\n\nevent: response.completed\ndata: {\"response\":{\"output\":[]}}\n\n"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.names.at(1), "response.output_text.delta");
  EXPECT_EQ(played.summary.text_bytes, 1u);
}

TEST(ResponseStream, ANameThatIsNoWordIsNotWrittenOnALine) {
  const auto played = play_events({created, R"({"type":"response.x\nevent: y","delta":1})", completed()});
  EXPECT_EQ(played.names.at(1), "");
}

TEST(ResponseStream, EventsOfSeveralLinesBecomeOne) {
  const auto played = play({"data: {\"type\":\ndata: \"response.completed\",\"response\":{\"output\":[]}}\n\n"});
  ASSERT_FALSE(played.failed);
  EXPECT_EQ(played.json.at(0), R"({"type": "response.completed","response":{"output":[]}})");
}

TEST(ResponseStream, AResponseThatCameAloneIsGivenAsTheEventsOfItsStream) {
  player one(nullptr);
  one.answer("{\"id\":\"resp_1\",\n\"status\":\"completed\",\"error\":null,\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}");
  const auto& played = one.played();
  ASSERT_FALSE(played.failed) << played.failed->detail;
  EXPECT_EQ(played.names, (std::vector<std::string>{
                              "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
                              "response.output_text.delta", "response.output_text.done", "response.content_part.done",
                              "response.output_item.done", "response.completed"}));
  EXPECT_EQ(played.json[0], R"({"type":"response.created","sequence_number":0,"response":{"id":"resp_1", "status":"in_progress","error":null,"output":[],"usage":null}})");
  EXPECT_TRUE(played.json.back().starts_with(R"({"type":"response.completed","sequence_number":8,"response":{"id":"resp_1",)")) << played.json.back();
  EXPECT_EQ(played.said.at(delta_kind::text), "hi");
  EXPECT_EQ(played.summary.text_bytes, 2u);
  EXPECT_EQ(played.summary.token_events, 1u);
  EXPECT_EQ(played.summary.usage->output_tokens, 2u);
  EXPECT_EQ(played.kinds[4], event_kind::token);
}

TEST(ResponseStream, AResponseThatCameAloneIsATokenEvenIfItIsEmpty) {
  player one(nullptr);
  one.answer(R"({"id":"resp_1","status":"completed","output":[]})");
  using enum event_kind;
  EXPECT_EQ(one.played().kinds, (std::vector{progress, progress, token, end}));
}

TEST(ResponseStream, AReaderOfWholeAnswersAndATranslationGetOneEvent) {
  const std::string body = R"({"id":"resp_1","status":"completed","output":[{"id":"f","type":"function_call","call_id":"c","name":"go","arguments":"{}"}]})";
  for (const json_use use : {json_use::passes, json_use::translated}) {
    player one(nullptr, use, true, "", given_events::last);
    one.answer(body);
    EXPECT_EQ(one.played().names, std::vector<std::string>{"response.completed"});
    EXPECT_EQ(one.played().json.at(0), R"({"type":"response.completed","sequence_number":0,"response":)" + body + "}");
    EXPECT_EQ(one.played().said.at(delta_kind::call), "go");
    EXPECT_EQ(one.played().said.at(delta_kind::call_arguments), "{}");
    EXPECT_EQ(one.played().kinds, (std::vector{event_kind::token, event_kind::end}));
  }
}

TEST(ResponseStream, AnAnswerThatSaysTooMuchIsNotReadToItsEnd) {
  const std::string call = R"({"type":"function_call","name":"f","call_id":"c"})";
  std::string items = call;
  for (std::size_t count = 0; count < most_said; ++count) items += "," + call;
  const auto streamed = play_events({created, completed("", "[" + items + "]")});
  ASSERT_TRUE(streamed.failed);
  EXPECT_NE(streamed.failed->detail.find("contains more than"), std::string::npos) << streamed.failed->detail;
  player one(nullptr);
  one.answer(R"({"id":"resp_1","status":"completed","output":[)" + items + "]}");
  ASSERT_TRUE(one.played().failed);
  EXPECT_NE(one.played().failed->detail.find("contains more than"), std::string::npos);
  std::string parts = "0";
  for (std::size_t count = 0; count < most_said; ++count) parts += ",0";
  player of_parts(nullptr);
  of_parts.answer(R"({"id":"resp_1","status":"completed","output":[{"type":"message","content":[)" + parts + "]}]}");
  ASSERT_TRUE(of_parts.played().failed);
  EXPECT_TRUE(of_parts.played().json.empty()) << "another target may still win";
}

TEST(ResponseStream, WhatIsWorkedOnInTheBackgroundHasNoEndYet) {
  for (const std::string status : {"queued", "in_progress"}) {
    player one(nullptr);
    one.answer(R"({"id":"resp_1","object":"response","status":")" + status + R"(","output":[],"error":null})");
    const auto& played = one.played();
    ASSERT_FALSE(played.failed);
    EXPECT_EQ(played.names, (std::vector<std::string>{"response.created", "response." + status}));
    for (const std::string& each : played.json) EXPECT_NE(each.find(R"("status":")" + status), std::string::npos) << each;
  }
}

TEST(ResponseStream, WhatCameAloneAndIsNoResponseIsAFailure) {
  for (const char* body : {R"({"error":{"message":"no"}})", R"({"output":"text"})", R"({"choices":[]})", "[]", "{", "",
                           R"({"status":"failed","error":{"code":"server_error","message":"no"},"output":[]})"}) {
    player one(nullptr);
    one.answer(body);
    EXPECT_TRUE(one.played().failed) << body;
  }
}

class Recordings : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ResponseStream, Recordings, ::testing::Values("ai/openai", "ai/azure", "ai/xai", "ai/open-responses"),
                         [](const auto& tested) {
                           std::string name = std::string(tested.param).substr(3);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
TEST_P(Recordings, PassAsTheyAreHoweverTheyAreCut) {
  auto streams = test::recorded_streams(GetParam(), "response.created");
  if (streams.empty()) GTEST_SKIP() << "PHOTOFINISH_RECORDINGS names no folder that has them";
  std::mt19937 chance(7);
  std::size_t with_usage = 0;
  for (auto& each : streams) {
    SCOPED_TRACE(each.name);
    // Some recordings contain the streams of a whole conversation. The test uses only the first of them.
    const auto is_last = [](const std::string& event) { return event.find(R"("type":"response.completed")") != std::string::npos; };
    const auto last = std::find_if(each.events.begin(), each.events.end(), is_last);
    if (last != each.events.end()) each.events.erase(last + 1, each.events.end());
    const bool is_trouble = each.name.find("error") != std::string::npos;
    const auto whole = play_events(each.events);
    EXPECT_EQ(whole.failed.has_value(), is_trouble) << (whole.failed ? whole.failed->detail : "");
    if (is_trouble) continue;
    EXPECT_TRUE(whole.json == each.events);
    EXPECT_EQ(whole.ends, 1u);
    EXPECT_TRUE(whole.summary.first_token_at);
    with_usage += whole.summary.usage.has_value();
    const std::string bytes = test::events_of(each.events);
    std::vector<std::string> cut;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::uniform_int_distribution<std::size_t>(1, 4000)(chance);
      cut.push_back(bytes.substr(at, size));
      at += size;
    }
    const auto again = play(cut);
    EXPECT_TRUE(again.json == each.events);
    EXPECT_EQ(again.summary.text_bytes, whole.summary.text_bytes);
  }
  EXPECT_GT(with_usage, streams.size() / 2);  // some recordings report a usage of zero tokens
}

}  // namespace
}  // namespace photofinish::proxy
