#include "gateway/api/messages/message_writers.hpp"

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "proxy/conversation/carried_signature.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace testing;
using proxy::finish_reason;

const answer_identity identity{"req_1", 1763700000, "m-1"};

// Reads a stream as Anthropic's clients do: one block after another, guided by the names of the events.
json accumulated(const std::vector<read_event>& events, std::string& fault) {
  json message;
  bool is_open = false, is_over = false;
  const auto check = [&fault](bool is_good, const std::string& why) {
    if (!is_good && fault.empty()) fault = why;
  };
  for (const auto& [type, data] : events) {
    check(data.at("type") == type, "the event's name is not its type");
    check(!is_over, "an event behind message_stop");
    check(message.is_null() == (type == "message_start"), "message_start is not the first event, once");
    if (!fault.empty()) return message;
    if (type == "message_start") {
      message = data.at("message");
      check(message.at("usage").is_object() && message.at("content") == json::array(), "a bad message_start");
    } else if (type == "content_block_start") {
      check(!is_open, "two blocks are open");
      check(data.at("index") == message["content"].size(), "an index is not the next one");
      message["content"].push_back(data.at("content_block"));
      is_open = true;
      if (message["content"].back().at("type") == "tool_use") message["content"].back()["json"] = "";
    } else if (type == "content_block_delta") {
      check(is_open && data.at("index") == message["content"].size() - 1, "a delta of a block that is not open");
      json& block = message["content"].back();
      const json& more = data.at("delta");
      const std::string kind = more.at("type"), of = block.at("type");
      if (kind == "text_delta" && of == "text") block["text"] = block.at("text").get<std::string>() + more.at("text").get<std::string>();
      else if (kind == "thinking_delta" && of == "thinking") block["thinking"] = block.at("thinking").get<std::string>() + more.at("thinking").get<std::string>();
      else if (kind == "signature_delta" && of == "thinking") block["signature"] = more.at("signature");
      else if (kind == "input_json_delta" && of == "tool_use") block["json"] = block.at("json").get<std::string>() + more.at("partial_json").get<std::string>();
      else check(false, kind + " in a block of " + of);
    } else if (type == "content_block_stop") {
      check(is_open, "a block stops that is not open");
      is_open = false;
      json& block = message["content"].back();
      if (!block.contains("json")) continue;
      const std::string text = block.at("json");
      block.erase("json");
      block["input"] = text.empty() ? json::object() : json::parse(text, nullptr, false);
    } else if (type == "message_delta") {
      check(!is_open, "the message ends in an open block");
      message.update(data.at("delta"));
      message["usage"].update(data.at("usage"));
    } else if (type == "message_stop") {
      is_over = true;
    } else {
      check(false, "an unknown event: " + type);
    }
  }
  check(is_over, "no message_stop");
  return message;
}

// Returns the content of the answer. Checks that the streamed and the non-streamed answer have the same content.
json read_both(std::initializer_list<delta> deltas, const proxy::token_usage* usage = nullptr, proxy::restored_calls tools = {}) {
  message_stream_writer streamed(identity, tools);
  message_whole_writer whole(identity, tools);
  answer_driver stream(streamed), at_once(whole);
  for (answer_driver* each : {&stream, &at_once}) each->say_each(deltas).say({}, usage).end();
  std::string fault;
  const json message = accumulated(stream.events(), fault);
  EXPECT_EQ(fault, "") << stream.bytes();
  EXPECT_EQ(message, at_once.whole());
  return message;
}

TEST(message_writers_test, ATextComesInTheOrderThatClientsExpect) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  stream.say_each({said("Hel"), said("lo"), finished()}).end();
  EXPECT_EQ(stream.order(), "message_start content_block_start content_block_delta content_block_stop message_delta message_stop");
  const json message = read_both({said("Hel"), said("lo"), finished()});
  EXPECT_EQ(message.at("content"), json::parse(R"([{"type":"text","text":"Hello"}])"));
  EXPECT_EQ(message.at("id"), "msg_req_1");
  EXPECT_EQ(message.at("model"), "m-1");
  EXPECT_EQ(message.at("stop_reason"), "end_turn");
  EXPECT_EQ(message.at("stop_sequence"), nullptr);
}

TEST(message_writers_test, TheFirstEventBeginsTheMessageWhateverItIs) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  stream.say({called(0, "f", "a")});
  EXPECT_EQ(stream.order(), "message_start content_block_start");
}

TEST(message_writers_test, EachKindOfTextIsABlockOfItsOwn) {
  const json content = read_both({thought("hm"), said("Yes"), thought("but"), said("No"), finished()}).at("content");
  ASSERT_EQ(content.size(), 4u);
  EXPECT_EQ(content[0], json::parse(R"({"type":"thinking","thinking":"hm","signature":""})"));
  EXPECT_EQ(content[3].at("text"), "No");
}

TEST(message_writers_test, ParallelCallsThatInterleaveWaitForOneAnother) {
  const json message = read_both({said("x"), called(0, "f", "a"), called(1, "g", "b"), arguments(0, "{\"x\""), arguments(1, "{\"y\":"),
                                  arguments(0, ":1}"), arguments(1, "2}"), finished(finish_reason::tool_calls)});
  ASSERT_EQ(message.at("content").size(), 3u);
  EXPECT_EQ(message.at("content")[1], json::parse(R"({"type":"tool_use","id":"a","name":"f","input":{"x":1}})"));
  EXPECT_EQ(message.at("content")[2], json::parse(R"({"type":"tool_use","id":"b","name":"g","input":{"y":2}})"));
  EXPECT_EQ(message.at("stop_reason"), "tool_use");
}

TEST(message_writers_test, CallsThatFollowOneAnotherStreamAsTheyCome) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  stream.say_each({called(0, "f", "a"), arguments(0, "{}"), called(1, "g", "b"), arguments(1, "{\"y\"")});
  EXPECT_EQ(stream.last_of("content_block_delta").at("delta").at("partial_json"), "{\"y\"");
  EXPECT_EQ(stream.last_of("content_block_delta").at("index"), 1);
}

TEST(message_writers_test, ACallOpensWhenItsNameAndIdAreKnown) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  stream.say({called(0, "f", "")});
  EXPECT_EQ(stream.order(), "message_start");
  stream.say({called(0, "", "a")});
  EXPECT_EQ(stream.last_of("content_block_start").at("content_block").at("id"), "a");
}

TEST(message_writers_test, ACallWithoutArgumentsHasAnEmptyObject) {
  EXPECT_EQ(read_both({called(0, "f", "a"), finished(finish_reason::tool_calls)}).at("content")[0].at("input"), json::object());
}

TEST(message_writers_test, TextBetweenCallsWaitsForTheOpenOne) {
  const json content = read_both({called(0, "f", "a"), arguments(0, "{\"x\""), said("aside"), arguments(0, ":1}"), finished()}).at("content");
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[0].at("input"), (json{{"x", 1}}));
  EXPECT_EQ(content[1].at("text"), "aside");
}

TEST(message_writers_test, EachEndHasItsWord) {
  const std::vector<std::pair<finish_reason, std::string>> words{{finish_reason::stop, "end_turn"}, {finish_reason::length, "max_tokens"},
                                                                 {finish_reason::content_filter, "refusal"}, {finish_reason::tool_calls, "end_turn"}};
  for (const auto& [reason, word] : words) EXPECT_EQ(read_both({said("x"), finished(reason)}).at("stop_reason"), word);
  EXPECT_EQ(read_both({called(0, "f", "a"), arguments(0, "{}"), finished(finish_reason::stop)}).at("stop_reason"), "tool_use");
}

TEST(message_writers_test, CachedTokensAreCountedBesideTheOthers) {
  const proxy::token_usage usage{.input_tokens = 10, .output_tokens = 5, .cached_input_tokens = 4};
  const json reported = read_both({said("x"), finished()}, &usage).at("usage");
  EXPECT_EQ(reported.at("input_tokens"), 6);
  EXPECT_EQ(reported.at("cache_read_input_tokens"), 4);
  EXPECT_EQ(reported.at("cache_creation_input_tokens"), 0);
  EXPECT_EQ(reported.at("output_tokens"), 5);
}

TEST(message_writers_test, SignaturesOfOthersKeepTheNameOfTheirReader) {
  const auto signed_by = [](std::string_view reader) {
    return read_both({thought("hm"), {.kind = delta_kind::signature, .text = "EqQB", .id = reader}, said("x"), finished()}).at("content")[0].at("signature");
  };
  EXPECT_EQ(signed_by("anthropic_messages"), "EqQB");
  EXPECT_EQ(signed_by("gemini"), proxy::pack_signature({"gemini", "EqQB"}));
}

TEST(message_writers_test, AnItemsIdTravelsWithItsSignature) {
  const delta hidden{.kind = delta_kind::opaque, .text = "gAAA", .id = "openai_responses", .item = "rs_1"};
  const std::string data = read_both({hidden, said("a"), finished()}).at("content")[0].at("data");
  const auto carried = proxy::unpack_signature(data);
  ASSERT_TRUE(carried.has_value());
  EXPECT_EQ(carried->readable_by, "openai_responses");
  EXPECT_EQ(carried->text, "gAAA");
  EXPECT_EQ(carried->item, "rs_1");
}

TEST(message_writers_test, RedactedThinkingComesWhole) {
  const json block = read_both({{.kind = delta_kind::opaque, .text = "EmwK", .id = "anthropic_messages"}, said("x"), finished()}).at("content")[0];
  EXPECT_EQ(block, json::parse(R"({"type":"redacted_thinking","data":"EmwK"})"));
}

TEST(message_writers_test, WhatComesOpaqueTwiceIsTwoBlocks) {
  const json content = read_both({{.kind = delta_kind::opaque, .text = "a", .id = "gemini"}, {.kind = delta_kind::opaque, .text = "b", .id = "gemini"},
                                  called(0, "t", "c"), arguments(0, "{}"), finished()}).at("content");
  ASSERT_EQ(content.size(), 3u);
  EXPECT_EQ(content[0].at("data"), proxy::pack_signature({"gemini", "a"}));
  EXPECT_EQ(content[1].at("data"), proxy::pack_signature({"gemini", "b"}));
  EXPECT_EQ(content[2].at("type"), "tool_use");
}

TEST(message_writers_test, AShortenedNameIsTheClientsAgain) {
  const proxy::restored_calls tools{{"short", {proxy::call_kind::function, "a.long.name", ""}}};
  EXPECT_EQ(read_both({called(0, "short", "a"), arguments(0, "{}"), finished()}, nullptr, tools).at("content")[0].at("name"), "a.long.name");
}

// One run sends each text as a whole, and another run sends it letter by letter.
TEST(message_writers_test, ArgumentsOfAnyShapeAreTheSameObjectStreamedAndWhole) {
  const auto text = [](const char* given) { return json{{"input", given}}; };
  const std::vector<std::pair<std::string, json>> cases{{R"({"p":1})", json{{"p", 1}}},
                                                        {R"( {"p":1} )", json{{"p", 1}}},
                                                        {R"("{\"p\":1}")", json{{"p", 1}}},
                                                        {R"("{}")", json::object()},
                                                        {"null", json::object()},
                                                        {"{}", json::object()},
                                                        {"[1]", text("[1]")},
                                                        {"5", text("5")},
                                                        {"true", text("true")},
                                                        {R"("red")", text(R"("red")")},
                                                        {R"("{\"p\":)", text(R"("{\"p\":)")},
                                                        {"rm -r x", text("rm -r x")}};
  for (const auto& [given, input] : cases)
    for (const bool is_split : {false, true}) {
      SCOPED_TRACE(given);
      message_stream_writer streamed(identity, {});
      message_whole_writer whole(identity, {});
      answer_driver stream(streamed), at_once(whole);
      for (answer_driver* each : {&stream, &at_once}) {
        each->say({called(0, "f", "a")});
        if (!is_split) each->say({arguments(0, given)});
        for (std::size_t at = 0; is_split && at < given.size(); ++at) each->say({arguments(0, std::string_view(given).substr(at, 1))});
        each->say({called(1, "g", "b"), arguments(1, R"({"q":2})"), finished(finish_reason::tool_calls)}).end();
      }
      std::string fault;
      const json message = accumulated(stream.events(), fault);
      EXPECT_EQ(fault, "");
      EXPECT_EQ(message, at_once.whole());
      ASSERT_EQ(message.at("content").size(), 2u);
      EXPECT_EQ(message.at("content")[0].at("input"), input);
      EXPECT_EQ(message.at("content")[1].at("input"), (json{{"q", 2}}));
      EXPECT_EQ(message.at("stop_reason"), "tool_use");
    }
}

// When the gateway detects that the call's arguments are invalid, the stream already contains their beginning. The stop reason max_tokens
// shows clients that the call is incomplete and must not be run.
TEST(message_writers_test, AnObjectThatIsNotCompleteIsACutAnswer) {
  for (const char* given : {R"({"x":)", R"({"x":1}})", "{x:1}", R"({"x":1}{"x":1})"})
    for (const finish_reason reason : {finish_reason::tool_calls, finish_reason::stop, finish_reason::length}) {
      SCOPED_TRACE(given);
      message_stream_writer streamed(identity, {});
      message_whole_writer whole(identity, {});
      answer_driver stream(streamed), at_once(whole);
      for (answer_driver* each : {&stream, &at_once}) each->say({called(0, "f", "a"), arguments(0, given), finished(reason)}).end();
      EXPECT_EQ(stream.last_of("content_block_delta").at("delta").at("partial_json"), given);
      EXPECT_EQ(stream.last_of("message_delta").at("delta").at("stop_reason"), "max_tokens");
      EXPECT_EQ(at_once.whole().at("content")[0].at("input"), (json{{"input", given}}));
      EXPECT_EQ(at_once.whole().at("stop_reason"), "max_tokens");
    }
}

TEST(message_writers_test, ArgumentsThatWaitCountAsMemory) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  stream.say({called(0, "f", "a")});
  const std::size_t before = writer.held_bytes();
  stream.say({arguments(0, std::string_view("\"0123456789"))});
  EXPECT_EQ(writer.held_bytes(), before + 11);
  EXPECT_EQ(stream.order(), "message_start content_block_start");
}

TEST(message_writers_test, AStreamThatBreaksEndsWithAnErrorEvent) {
  message_stream_writer writer(identity, {});
  answer_driver stream(writer);
  api_error error = bad_request("broke");
  error.status = 502;
  stream.say({said("x")}).fail(error);
  EXPECT_EQ(stream.events().back().type, "error");
  EXPECT_EQ(stream.events().back().data, json::parse(R"({"type":"error","error":{"type":"api_error","message":"broke"}})"));
}

TEST(message_writers_test, ErrorsHaveTheTypeOfTheirStatus) {
  const std::vector<std::pair<int, std::string>> types{{400, "invalid_request_error"}, {401, "authentication_error"}, {403, "permission_error"},
                                                       {404, "not_found_error"}, {413, "request_too_large"}, {429, "rate_limit_error"},
                                                       {500, "api_error"}, {502, "api_error"}, {503, "overloaded_error"}, {504, "timeout_error"}};
  for (const auto& [status, type] : types) {
    api_error error = bad_request("x");
    error.status = status;
    EXPECT_EQ(json::parse(message_error_json(error)).at("error").at("type"), type) << status;
  }
}

// After an error with the code context_length_exceeded, the SDKs' tool runners send the whole conversation again. The Messages API has no
// code for this error. Therefore agents recognize it by Anthropic's error text, and then shorten the conversation.
TEST(message_words_test, APromptThatIsTooLongIsReportedInAnthropicsWords) {
  const auto error_of = [](std::string message, std::string code = "context_length_exceeded", int status = 400) {
    api_error error = bad_request(std::move(message), {}, std::move(code));
    error.status = status;
    return json::parse(message_error_json(error)).at("error");
  };
  const std::string gemini = "g/m: bad_request (HTTP 400): The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
  EXPECT_EQ(error_of(gemini).at("message"), "prompt is too long: 1200000 tokens > 1048576 maximum (" + gemini + ")");
  EXPECT_EQ(error_of(gemini).at("type"), "invalid_request_error");
  const std::string converse = "b/m: bad_request (HTTP 400): Input is too long for requested model.";
  EXPECT_EQ(error_of(converse).at("message"), "prompt is too long: " + converse);
  for (const int status : {413, 502})
    EXPECT_EQ(error_of(converse, "context_length_exceeded", status).at("type"), "invalid_request_error") << status;
  const std::string anthropic = "a/m: bad_request (HTTP 400): prompt is too long: 208310 tokens > 200000 maximum";
  EXPECT_EQ(error_of(anthropic).at("message"), anthropic);
  const std::string limit = "o/m: rate_limited (HTTP 413): Request too large for model `x`: Limit 6000, Requested 8000, reduce your message size";
  EXPECT_EQ(error_of(limit, "rate_limit_exceeded", 429).at("message"), limit);
  EXPECT_EQ(error_of(gemini, "").at("message"), gemini) << "only for a known cause";
}

TEST(message_words_test, WhoseThreadIsRefusedIsToldSoInTheSdksWords) {
  api_error error = bad_request("no target can", "thread", "unsupported_parameter");
  EXPECT_EQ(json::parse(message_error_json(error)).at("error").at("details"),
            json::parse(R"({"error_code":"thread_unsupported_request","unsupported":["thread"]})"));
  error.param = "tools";
  EXPECT_FALSE(json::parse(message_error_json(error)).at("error").contains("details"));
}

TEST(message_words_test, WhatAProviderSaysForProgramsPasses) {
  api_error error = bad_request("gone");
  error.details = R"({"error_code":"file_not_found"})";
  EXPECT_EQ(json::parse(message_error_json(error)).at("error").at("details"), json::parse(error.details));
  EXPECT_EQ(json::parse(to_json(error)).at("error").at("details"), json::parse(error.details));
  error.details = "[1]";
  EXPECT_FALSE(json::parse(message_error_json(error)).at("error").contains("details")) << "Anthropic's are objects";
  EXPECT_EQ(json::parse(message_error_json(no_such_thread())).at("error").at("details").at("error_code"), "thread_not_found");
}

// While no data arrives, the gateway sends keep-alives in a format that the client's API permits. Clients of the Messages API count events
// and ignore comments, so they get an event. Clients of the chat API would parse an event as a chunk, so they get a comment.
TEST(messages_api_test, ShowsByAnEventThatASilentStreamLives) {
  EXPECT_EQ(messages_api().sign_of_life(), "event: ping\ndata: {\"type\": \"ping\"}\n\n");
  EXPECT_EQ(chat_api().sign_of_life(), ": waiting\n\n");
}

// Claude Code shows only the last block of an answer.
TEST(message_writers_test, WhatIsSignedAtTheEndOfATurnIsLeftOut) {
  const delta signs{.kind = delta_kind::opaque, .text = "a", .id = "gemini"};
  const json content = read_both({thought("hm"), said("It is done"), signs, finished()}).at("content");
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[1], json::parse(R"({"type":"text","text":"It is done"})"));
  EXPECT_EQ(read_both({signs, finished()}).at("content").size(), 1u) << "there is nothing else";
}

}  // namespace
}  // namespace photofinish::gateway
