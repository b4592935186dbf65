// Tests answers of a provider of the Messages API for a client of the same API. The client gets the unchanged bytes of a stream, or the
// message that results from the stream's events.
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/messages/passed_messages.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace testing;

const std::vector<std::string> events{
    R"({"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":4,"output_tokens":1},"x":1e2}})",
    R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a","citations":[]}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u00e9 \"b\""}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":10000000000000000000001}}})",
    R"({"type":"content_block_stop","index":0})",
    R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
    R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\": 1"}})",
    R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"e2}"}})",
    R"({"type":"content_block_start","index":2,"content_block":{"type":"compaction"}})",
    R"({"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"all"}})",
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"c"}},"usage":{"output_tokens":9,"input_tokens":null},"context_management":{}})",
    R"({"type":"message_stop"})"};

void relay(answer_driver& to, const std::vector<std::string>& all) {
  for (const std::string& json : all) {
    const std::string_view piece = json;
    const std::string type = testing::json::parse(json).at("type");
    to.add({.spoken = proxy::wire_format::anthropic_messages, .json = {&piece, 1}, .name = type});
  }
  to.end();
}

TEST(PassedMessages, AStreamHasTheVeryBytes) {
  passed_message_stream writer;
  answer_driver client(writer);
  relay(client, events);
  std::string expected;
  for (const std::string& json : events) {
    const std::string type = testing::json::parse(json).at("type");
    expected += "event: " + type + "\ndata: " + json + "\n\n";
  }
  EXPECT_EQ(client.bytes(), expected);
}

TEST(PassedMessages, AWholeMessageJoinsACharacterThatWasCutInTwo) {
  passed_whole_message writer;
  answer_driver client(writer);
  const auto add = [&client](const char* name, std::string_view json) { client.add({.json = {&json, 1}, .name = name}); };
  add("message_start", events[0]);
  add("content_block_start", R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})");
  add("content_block_delta", R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"\ud83d"}})");
  add("content_block_delta", R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\ude00\"}"}})");
  client.end();
  EXPECT_EQ(client.whole().at("content").at(0).at("input").at("a"), "\U0001F600");
}

TEST(PassedMessages, AWholeMessageKeepsTheLargerCounts) {
  const auto usage_of = [](const std::string& begun, const std::string& ended) {
    passed_whole_message writer;
    answer_driver client(writer);
    relay(client, {R"({"type":"message_start","message":{"id":"m","content":[],"usage":)" + begun + "}}",
                   R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":)" + ended + "}", events.back()});
    return client.whole().at("usage");
  };
  using testing::json;
  const std::string counts = R"({"input_tokens":4,"cache_read_input_tokens":6,"output_tokens":1})";
  EXPECT_EQ(usage_of(counts, R"({"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0})"), json::parse(counts));
  EXPECT_EQ(usage_of(R"({"input_tokens":10,"output_tokens":1})", counts), json::parse(counts));
  EXPECT_EQ(usage_of(R"({"input_tokens":43,"output_tokens":1})", R"({"input_tokens":61,"output_tokens":9})").at("input_tokens"), 61);
}

TEST(PassedMessages, AKeptMessageHasAnIdOfOurs) {
  const auto kept = [] {
    answer_identity shown;
    shown.shown_id = [](std::string_view id) { return "ours-of-" + std::string(id); };
    return shown;
  };
  passed_message_stream streamed(kept());
  answer_driver reader(streamed);
  relay(reader, events);
  EXPECT_EQ(reader.bytes().find("\"msg_1\""), std::string::npos);
  EXPECT_NE(reader.bytes().find(R"(data: {"type":"message_start","message":{"id":"ours-of-msg_1","role":"assistant")"), std::string::npos);
  passed_whole_message whole(kept());
  answer_driver client(whole);
  relay(client, events);
  EXPECT_EQ(client.whole().at("id"), "ours-of-msg_1");
}

TEST(PassedMessages, AWholeMessageHasAllThatTheEventsSay) {
  passed_whole_message writer;
  answer_driver client(writer);
  relay(client, events);
  EXPECT_NE(client.bytes().find("1e2"), std::string::npos);
  EXPECT_NE(client.bytes().find(R"([{"n":10000000000000000000001}])"), std::string::npos);
  EXPECT_NE(client.bytes().find(R"({"x": 1e2})"), std::string::npos);
  EXPECT_EQ(client.whole(), json::parse(R"({"id":"msg_1","role":"assistant","content":[
    {"type":"text","text":"a\u00e9 \"b\"","citations":[{"n":10000000000000000000001}]},
    {"type":"tool_use","id":"t","name":"f","input":{"x":1e2}},{"type":"compaction","content":"all"}],
    "stop_reason":"tool_use","usage":{"input_tokens":4,"output_tokens":9},"x":1e2,"container":{"id":"c"},"context_management":{}})"));
}

TEST(PassedMessages, ArgumentsThatWereCutOffAreNone) {
  passed_whole_message writer;
  answer_driver client(writer);
  relay(client, {events[0], events[5], events[6], R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"}})", events.back()});
  EXPECT_EQ(client.whole().at("content")[0].at("input"), json::object());
}

TEST(PassedMessages, WhatIsNoObjectWhereOneShouldBeBreaksNothing) {
  for (const char* start : {R"({"type":"content_block_start","index":0})",
                            R"({"type":"content_block_start","index":0,"content_block":null})",
                            R"({"type":"content_block_start","index":0,"content_block":"text"})"}) {
    passed_whole_message writer;
    answer_driver client(writer);
    relay(client, {R"({"type":"message_start","message":[]})", start,
                   R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}})", events.back()});
    EXPECT_EQ(client.whole(), json::parse(R"({"content":[{"text":"hi"}]})")) << start;
  }
}

TEST(PassedMessages, ADeltaWithoutItsCitationBreaksNothing) {
  passed_whole_message writer;
  answer_driver client(writer);
  const std::string lacking = R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta"}})";
  relay(client, {events[0], events[1], lacking, events[3], lacking, events[3], lacking, events.back()});
  EXPECT_EQ(client.whole().at("content")[0].at("citations").size(), 2u);
}

TEST(PassedMessages, MembersThatAProviderMadeUpBreakNothing) {
  passed_whole_message writer;
  answer_driver client(writer);
  relay(client, {events[0], R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
                 R"({"type":"content_block_delta","index":0,"delta":{"type":"odd","text":"x","type":"y","z":1}})",
                 R"({"type":"content_block_delta","index":0,"delta":{"type":"odd","z":2}})",
                 R"({"type":"message_delta","delta":{"content":1,"usage":2,"stop_reason":"end_turn"},"stop_reason":"b","usage":7})",
                 events.back()});
  const json got = client.whole();
  EXPECT_EQ(got.at("content"), json::parse(R"([{"type":"text","text":"","z":2}])"));
  EXPECT_EQ(got.at("stop_reason"), "b");
  EXPECT_EQ(got.at("usage").at("input_tokens"), 4);
}

TEST(PassedMessages, OfUnknownMembersAsManyAsAnyProviderHasAreKept) {
  testing::json many{{"type", "message_delta"}, {"delta", {{"stop_reason", "end_turn"}}}, {"usage", testing::json::object()}};
  for (int at = 0; at < 1000; ++at) many["delta"]["x" + std::to_string(at)] = many["usage"]["y" + std::to_string(at)] = at;
  passed_whole_message writer;
  answer_driver client(writer);
  relay(client, {R"({"type":"message_start","message":{"id":"m","content":[],"usage":{}}})", many.dump()});
  EXPECT_EQ(client.whole().at("stop_reason"), "end_turn");
  EXPECT_EQ(client.whole().at("usage").size(), 64u);
  EXPECT_EQ(client.whole().size(), 3 + 64u);
}

TEST(PassedMessages, AnErrorIsAnEventOfThisApi) {
  passed_message_stream writer;
  answer_driver client(writer);
  api_error error = bad_request("no");
  error.status = 529;
  client.fail(error);
  EXPECT_EQ(client.events().at(0).type, "error");
  EXPECT_EQ(client.events().at(0).data.at("error").at("type"), "overloaded_error");
}

TEST(PassedMessages, AnErrorAfterTheFirstTokenHasTheTypeOfItsCause) {
  using proxy::failure_kind;
  const std::vector<std::tuple<failure_kind, int, std::string>> causes{
      {failure_kind::server_error, 529, "overloaded_error"},     {failure_kind::rate_limited, 429, "rate_limit_error"},
      {failure_kind::bad_request, 400, "invalid_request_error"}, {failure_kind::bad_request, 413, "request_too_large"},
      {failure_kind::bad_request, 404, "not_found_error"},       {failure_kind::auth, 401, "authentication_error"},
      {failure_kind::auth, 403, "permission_error"},             {failure_kind::server_error, 504, "timeout_error"},
      {failure_kind::server_error, 500, "api_error"},            {failure_kind::bad_stream, 0, "api_error"}};
  for (const auto& [kind, status, type] : causes) {
    proxy::failure why;
    why.kind = kind;
    why.status = status;
    passed_message_stream writer;
    answer_driver client(writer);
    client.fail(explain_broken_winner("a/m", why));
    EXPECT_EQ(client.events().at(0).data.at("error").at("type"), type) << status;
  }
}

TEST(PassedMessages, TheWriterIsChosenByWhoAnswers) {
  parsed_request request{.format = proxy::wire_format::anthropic_messages, .form = answer_form::stream};
  answer_identity native{.spoken = proxy::wire_format::anthropic_messages};
  EXPECT_NE(dynamic_cast<passed_message_stream*>(messages_api().writer(request, native).get()), nullptr);
  EXPECT_EQ(dynamic_cast<passed_message_stream*>(messages_api().writer(request, {}).get()), nullptr);
}

}  // namespace
}  // namespace photofinish::gateway
