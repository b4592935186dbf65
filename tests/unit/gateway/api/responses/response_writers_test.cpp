#include "gateway/api/responses/response_writers.hpp"

#include "proxy/conversation/request_readers.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace testing;
using proxy::finish_reason;

const answer_identity identity{"req_1", 1763700000, "m-1"};

std::unique_ptr<response_writer> writer(item_events form, const json& asked = json::object()) {
  const proxy::client_body body(asked.dump());
  const auto read = proxy::read_responses(body);
  const auto* said = std::get_if<proxy::conversation>(&read);
  return std::make_unique<response_writer>(form, identity, &body, said ? proxy::restored_calls_of(*said) : proxy::restored_calls{});
}

// A fixture that writes the same events as a streamed answer and as a non-streamed answer.
class response_writers_test : public ::testing::Test {
 protected:
  answer_driver& streamed() { return stream_; }
  void expect_good(const std::string& last_event = "response.completed") {
    const strict_accumulator read(stream_.events());
    EXPECT_EQ(read.fault, "") << stream_.bytes();
    EXPECT_EQ(stream_.events().back().type, last_event);
  }

  std::unique_ptr<response_writer> writer_ = writer(item_events::written);
  answer_driver stream_{*writer_};
};

TEST_F(response_writers_test, ATextComesInTheOrderThatClientsExpect) {
  streamed().say_each({said("Hel"), said("lo"), finished()}).end();
  EXPECT_EQ(streamed().order(),
            "response.created response.in_progress response.output_item.added response.content_part.added "
            "response.output_text.delta response.output_text.done response.content_part.done response.output_item.done "
            "response.completed");
  expect_good();
  EXPECT_EQ(streamed().last_of("response.output_text.done").at("text"), "Hello");
}

TEST_F(response_writers_test, ARefusalHasEventsOfItsOwn) {
  streamed().say({{.kind = delta_kind::refusal, .text = "No"}, finished()}).end();
  EXPECT_NE(streamed().order().find("response.refusal.delta response.refusal.done"), std::string::npos);
  expect_good();
}

TEST_F(response_writers_test, ReasoningIsASummaryBeforeTheMessage) {
  streamed().say_each({thought("Let "), thought("me"), said("Yes"), finished()}).end();
  EXPECT_NE(streamed().order().find("response.output_item.added response.reasoning_summary_part.added "
                                    "response.reasoning_summary_text.delta response.reasoning_summary_text.done "
                                    "response.reasoning_summary_part.done response.output_item.done"),
            std::string::npos);
  expect_good();
  const json output = streamed().last_of("response.completed").at("response").at("output");
  EXPECT_EQ(output[0].at("summary")[0].at("text"), "Let me");
  EXPECT_EQ(output[1].at("content")[0].at("text"), "Yes");
  EXPECT_EQ(streamed().last_of("response.output_text.delta").at("content_index"), 0);
}

TEST_F(response_writers_test, ACallStreamsItsArguments) {
  streamed().say_each({said("Looking"), called(0, "f", "call_a"), arguments(0, "{\"x\""), arguments(0, ":1}"), finished(finish_reason::tool_calls)}).end();
  expect_good();
  const json done = streamed().last_of("response.function_call_arguments.done");
  EXPECT_EQ(done.at("arguments"), "{\"x\":1}");
  EXPECT_EQ(done.at("name"), "f");
  const json item = streamed().last_of("response.output_item.done").at("item");
  EXPECT_EQ(item.at("call_id"), "call_a");
  EXPECT_NE(item.at("id"), "call_a");
  EXPECT_EQ(item.at("status"), "completed");
}

TEST_F(response_writers_test, CallsThatInterleaveStandOneAfterAnother) {
  streamed().say_each({called(0, "f", "a"), called(1, "g", "b"), arguments(0, "{\"x\""), arguments(1, "{\"y\""), arguments(0, ":1}"),
                       arguments(1, ":2}"), finished(finish_reason::tool_calls)}).end();
  expect_good();
  const json output = streamed().last_of("response.completed").at("response").at("output");
  ASSERT_EQ(output.size(), 2u);
  EXPECT_EQ(output[0].at("arguments"), "{\"x\":1}");
  EXPECT_EQ(output[1].at("arguments"), "{\"y\":2}");
}

TEST_F(response_writers_test, ACallWithoutAnIdAndOneWithAnothersGetTheirOwn) {
  streamed().say_each({called(0, "f", ""), arguments(0, "{}"), called(1, "f", "x"), arguments(1, "{}"), called(2, "f", "x"), arguments(2, "{}"),
                       finished(finish_reason::tool_calls)}).end();
  expect_good();
  const json output = streamed().last_of("response.completed").at("response").at("output");
  ASSERT_EQ(output.size(), 3u);
  EXPECT_EQ(output[1].at("call_id"), "x");
}

TEST_F(response_writers_test, ACutAnswerIsIncompleteAndItsHalfCallIsNeverDone) {
  streamed().say_each({called(0, "f", "a"), arguments(0, "{\"x\":"), finished(finish_reason::length)}).end();
  expect_good("response.incomplete");
  const json last = streamed().last_of("response.incomplete").at("response");
  EXPECT_EQ(last.at("incomplete_details").at("reason"), "max_output_tokens");
  EXPECT_EQ(last.at("output")[0].at("status"), "incomplete");
  EXPECT_TRUE(streamed().last_of("response.output_item.done").is_null());
  EXPECT_TRUE(streamed().last_of("response.function_call_arguments.done").is_null());
}

TEST_F(response_writers_test, AFilteredAnswerIsIncomplete) {
  streamed().say_each({said("I"), finished(finish_reason::content_filter)}).end();
  expect_good("response.incomplete");
  EXPECT_EQ(streamed().last_of("response.incomplete").at("response").at("incomplete_details").at("reason"), "content_filter");
  EXPECT_EQ(streamed().last_of("response.output_item.done").at("item").at("status"), "incomplete");
}

TEST_F(response_writers_test, UsageThatComesBehindTheFinishIsInTheEnd) {
  const proxy::token_usage usage{.input_tokens = 9, .output_tokens = 5, .reasoning_tokens = 2, .cached_input_tokens = 4,
                                 .written_input_tokens = 3};
  streamed().say_each({said("x"), finished()}).say({}, &usage).end();
  const json reported = streamed().last_of("response.completed").at("response").at("usage");
  EXPECT_EQ(reported, json::parse(R"({"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},
      "output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14})"));
  EXPECT_EQ(streamed().last_of("response.created").at("response").at("usage"), nullptr);
}

TEST_F(response_writers_test, AllMembersOfAResponseAreThere) {
  streamed().say({said("x"), finished()}).end();
  const std::vector<std::string> required{
      "id", "object", "created_at", "error", "incomplete_details", "instructions", "model", "tools", "output", "parallel_tool_calls",
      "metadata", "tool_choice", "temperature", "top_p", "completed_at", "status", "previous_response_id", "truncation", "text",
      "presence_penalty", "frequency_penalty", "top_logprobs", "reasoning", "user", "usage", "max_output_tokens", "max_tool_calls",
      "store", "background", "service_tier", "safety_identifier", "prompt_cache_key"};
  for (const char* type : {"response.created", "response.in_progress", "response.completed"}) {
    const json response = streamed().last_of(type).at("response");
    for (const std::string& key : required) EXPECT_TRUE(response.contains(key)) << key;
    EXPECT_EQ(response.size(), required.size());
  }
}

TEST_F(response_writers_test, WhatWasAskedIsRepeated) {
  const json asked = json::parse(R"({"input":"x","instructions":"Be brief","temperature":0.5,"max_output_tokens":9,"metadata":{"a":"b"},
      "tools":[{"type":"function","name":"f"}],"text":{"format":{"type":"json_schema","name":"n","schema":{}}},"reasoning":{"effort":"low"}})");
  const auto whole = writer(item_events::none, asked);
  const json response = answer_driver(*whole).say({said("x"), finished()}).end().whole();
  EXPECT_EQ(response.at("instructions"), "Be brief");
  EXPECT_EQ(response.at("temperature"), 0.5);
  EXPECT_EQ(response.at("metadata"), (json{{"a", "b"}}));
  EXPECT_EQ(response.at("tools")[0], json::parse(R"({"type":"function","name":"f","description":null,"parameters":null,"strict":null})"));
  EXPECT_EQ(response.at("text").at("format").at("strict"), false);
  EXPECT_EQ(response.at("reasoning"), json::parse(R"({"effort":"low","summary":null})"));
  EXPECT_EQ(response.at("store"), false);
  EXPECT_EQ(response.at("model"), "m-1");
}

TEST_F(response_writers_test, ACustomToolGetsItsTextBack) {
  const json asked = json::parse(R"({"input":"x","tools":[{"type":"custom","name":"apply_patch"}]})");
  const auto made = writer(item_events::written, asked);
  answer_driver stream(*made);
  stream.say_each({called(0, "apply_patch", "a"), arguments(0, R"({"input":"*** \"x)"), arguments(0, R"(\"\n"})"), finished(finish_reason::tool_calls)}).end();
  EXPECT_EQ(strict_accumulator(stream.events()).fault, "") << stream.bytes();
  const json item = stream.last_of("response.output_item.done").at("item");
  EXPECT_EQ(item.at("type"), "custom_tool_call");
  EXPECT_EQ(item.at("input"), "*** \"x\"\n");
  EXPECT_EQ(stream.last_of("response.custom_tool_call_input.done").at("input"), "*** \"x\"\n");
}

TEST_F(response_writers_test, ACustomToolWhoseModelForgotTheJsonGetsWhatItWrote) {
  const auto made = writer(item_events::none, json::parse(R"({"input":"x","tools":[{"type":"custom","name":"t"}]})"));
  const json response = answer_driver(*made).say({called(0, "t", "a"), arguments(0, "plain words"), finished()}).end().whole();
  EXPECT_EQ(response.at("output")[0].at("input"), "plain words");
}

TEST_F(response_writers_test, ANamespaceComesBackBesideItsTool) {
  const json asked = json::parse(R"({"input":"x","tools":[{"type":"namespace","name":"files","tools":[{"type":"function","name":"read"}]}]})");
  const auto made = writer(item_events::none, asked);
  const json response = answer_driver(*made).say({called(0, "files__read", "a"), arguments(0, "{}"), finished()}).end().whole();
  EXPECT_EQ(response.at("output")[0].at("name"), "read");
  EXPECT_EQ(response.at("output")[0].at("namespace"), "files");
}

TEST_F(response_writers_test, ASignatureTravelsUnderTheNameOfItsReader) {
  streamed().say_each({thought("hm"), {.kind = delta_kind::signature, .text = "Eq", .id = "anthropic_messages"},
                       {.kind = delta_kind::signature, .text = "QB"}, said("x"), finished()}).end();
  expect_good();
  const json item = streamed().last_of("response.completed").at("response").at("output")[0];
  const json back{{"input", {item}}};
  const proxy::client_body body(back.dump());
  const auto read = std::get<proxy::conversation>(proxy::read_responses(body));
  EXPECT_EQ(read.blocks[0].signature, R"("EqQB")");
  EXPECT_EQ(read.blocks[0].readable_by, proxy::wire_format::anthropic_messages);
}

TEST_F(response_writers_test, CitationsAreAnnotations) {
  streamed().say_each({said("x"), {.kind = delta_kind::citation, .text = R"({"type":"url_citation","url":"u"})"}, finished()}).end();
  expect_good();
  EXPECT_EQ(streamed().last_of("response.output_item.done").at("item").at("content")[0].at("annotations")[0].at("url"), "u");
}

TEST_F(response_writers_test, PlacesOfCitationsAreThoseOfTheirItem) {
  const delta cited{.kind = delta_kind::citation, .text = R"({"type":"url_citation","start_index":3,"end_index":5,"url":"u"})"};
  streamed().say_each({said("\xC3\xA4" "b"), called(0, "f", "call_1"), arguments(0, "{}"), said("cde"), cited, cited, finished()}).end();
  expect_good();
  const json output = streamed().last_of("response.completed").at("response").at("output");
  ASSERT_EQ(output.size(), 3u);
  EXPECT_TRUE(output[0].at("content")[0].at("annotations").empty());
  ASSERT_EQ(output[2].at("content")[0].at("annotations").size(), 2u);
  EXPECT_EQ(output[2].at("content")[0].at("annotations")[1].at("start_index"), 1);
  EXPECT_EQ(output[2].at("content")[0].at("annotations")[1].at("end_index"), 3);
}

TEST_F(response_writers_test, ACitationOfATextThatHasClosedIsNamed) {
  const delta cited{.kind = delta_kind::citation, .text = R"({"type":"url_citation","start_index":0,"end_index":1,"url":"u"})"};
  streamed().say_each({said("x"), called(0, "f", "call_1"), arguments(0, "{}"), cited, finished()}).end();
  expect_good();
  const json response = streamed().last_of("response.completed").at("response");
  EXPECT_EQ(response.at("output").size(), 2u);
  EXPECT_EQ(response.at("x_race_dropped"), json::array({"citations"}));
}

TEST_F(response_writers_test, AStreamThatBreaksEndsAsFailedWithTheNextNumber) {
  api_error error = bad_request("the provider broke");
  error.status = 502;
  streamed().say({said("x")}).fail(error);
  expect_good("response.failed");
  const json response = streamed().last_of("response.failed").at("response");
  EXPECT_EQ(response.at("status"), "failed");
  EXPECT_EQ(response.at("error"), json::parse(R"({"code":"server_error","message":"the provider broke"})"));
}

TEST_F(response_writers_test, AStreamThatNeverBeganFailsInOrder) {
  streamed().fail(bad_request("no"));
  EXPECT_EQ(streamed().order(), "response.created response.in_progress response.failed");
  expect_good("response.failed");
}

TEST_F(response_writers_test, AnEmptyAnswerIsComplete) {
  streamed().say({finished()}).end();
  expect_good();
  EXPECT_EQ(streamed().last_of("response.completed").at("response").at("output"), json::array());
}

TEST_F(response_writers_test, AWholeAnswerIsTheStreamsLastSnapshot) {
  const auto whole = writer(item_events::none);
  answer_driver asked_whole(*whole);
  for (answer_driver* each : {&streamed(), &asked_whole})
    each->say_each({thought("hm"), said("Hello"), called(0, "f", "a"), arguments(0, "{}"), finished(finish_reason::tool_calls)}).end();
  EXPECT_EQ(asked_whole.whole(), streamed().last_of("response.completed").at("response"));
  EXPECT_EQ(asked_whole.whole().at("completed_at"), 1763700004);
}

TEST_F(response_writers_test, OtherChoicesHaveNoPlace) {
  streamed().say_each({said("a"), {.choice = 1, .text = "b"}, finished()}).end();
  expect_good();
  EXPECT_EQ(streamed().last_of("response.output_text.done").at("text"), "a");
}

}  // namespace
}  // namespace photofinish::gateway
