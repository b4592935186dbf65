// Tests clients of chat and Messages with models that only OpenAI's Responses API serves. The scripted provider refuses the requests that
// OpenAI would refuse, and decrypts its own reasoning.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/strict_responses.hpp"

#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

class responses_target_test : public conversation_fixture {
 protected:
  responses_target_test() {
    add_responses("openai", openai_);
    add_responses("whole", openai_).behaves.stream = proxy::upstream_stream::never;
    add("alone", openai_).apis = {served_api::responses};
    add_responses("first", first_);
    add_responses("refusing", refusing_);
    add_responses("cut", cut_);
    add("second", second_);
    add_route("pro", {"openai/gpt-5-pro"});
    add_route("whole", {"whole/gpt-5-pro"});
    add_route("alone", {"alone/m"});
    add_route("refusing", {"refusing/gpt-5-pro"});
    add_route("cut", {"cut/gpt-5-pro"});
    add_route("race", {"first/gpt-5-pro", "second/m"});
  }

  static json last_asked(const scripted_provider& of) { return json::parse(of.requests().back().body); }
  // Checks that the request contains this number of reasoning items. Each item must be unchanged and precede a tool call.
  void expect_own_reasoning(const json& asked, std::size_t items) const {
    const json& input = asked.at("input");
    std::size_t found = 0;
    for (std::size_t at = 0; at < input.size(); ++at) {
      if (input[at].value("type", "") != "reasoning") continue;
      ++found;
      const std::string blob = input[at].at("encrypted_content");
      EXPECT_TRUE(model_.issued().contains(blob)) << blob;
      EXPECT_EQ(input[at].value("id", ""), strict_responses::item_of(blob));
      EXPECT_EQ(input[at].at("summary"), json::parse(R"([{"type":"summary_text","text":"**First**\n\nthen"}])"));
      EXPECT_EQ(input.at(at + 1).value("type", ""), "function_call");
    }
    EXPECT_EQ(found, items) << asked.dump();
  }
  static std::vector<std::string> blobs_in(const json& asked) {
    std::vector<std::string> found;
    for (const json& item : asked.at("input"))
      if (item.contains("encrypted_content")) found.push_back(item.at("encrypted_content"));
    return found;
  }
  // A script for an answer with one message. `content` is the content of this message, and `end` contains additional members of the
  // response.
  static scripted_provider::script says(const std::string& content, const std::string& end) {
    return [content, end](provider_call& call) {
      const json whole = json::parse(R"({"id":"resp_1","object":"response","usage":null,)" + end +
                                     R"(,"output":[{"type":"message","id":"msg_1","role":"assistant","content":[)" + content + "]}]}");
      if (json::parse(call.request().body).value("stream", false)) strict_responses::stream(call, whole);
      else call.answer(200, whole.dump());
    };
  }

  strict_responses model_, racing_model_{upon_results::calls_again};
  scripted_provider openai_{[this](provider_call& call) { model_.answer(call); }};
  scripted_provider first_{in_its_turn(0, [this](provider_call& call) { racing_model_.answer(call); })};
  scripted_provider second_{in_its_turn(1, calls_tools(upon_results::calls_again))};
  scripted_provider refusing_{says(R"({"type":"refusal","refusal":"No"})", R"("status":"completed")")};
  scripted_provider cut_{says(R"({"type":"output_text","text":"Hal"})",
                              R"("status":"incomplete","incomplete_details":{"reason":"max_output_tokens"})")};
};

std::vector<std::unique_ptr<conversing_client>> other_clients() {
  std::vector<std::unique_ptr<conversing_client>> all;
  all.push_back(std::make_unique<chat_client>());
  all.push_back(std::make_unique<messages_client>());
  return all;
}

TEST_F(responses_target_test, EncryptedReasoningComesBackThroughEachApi) {
  for (const char* route : {"pro", "whole"})
    for (const auto& client : other_clients()) {
      SCOPED_TRACE(client->path() + " " + route);
      for (int step = 0; step < 3; ++step) {
        const taken_turn called = take_turn(*client, route);
        ASSERT_EQ(called.calls.size(), 2u);
        EXPECT_EQ(called.calls[0], (std::pair{std::string("f"), json{{"by", "responses"}}}));
        EXPECT_EQ(called.calls[1], (std::pair{std::string("g"), json::object()}));
        EXPECT_EQ(take_turn(*client, route).text, "It is done");
      }
      EXPECT_TRUE(openai_.requests().back().head.starts_with("POST /v1/responses "));
      const std::vector<std::string> brought = blobs_in(last_asked(openai_));
      EXPECT_EQ(brought.size(), 5u);
      for (const std::string& each : brought) EXPECT_TRUE(model_.issued().contains(each)) << each;
    }
}

TEST_F(responses_target_test, AChatClientThatDropsReasoningHasThatOfItsCallsKeptForIt) {
  for (const char* route : {"pro", "whole"}) {
    SCOPED_TRACE(route);
    chat_client client(chat_client::keeps::known_members);
    for (std::size_t step = 1; step <= 3; ++step) {
      ASSERT_EQ(take_turn(client, route).calls.size(), 2u);
      EXPECT_EQ(take_turn(client, route).text, "It is done");
      expect_own_reasoning(last_asked(openai_), step);  // each pair of tool calls has one reasoning item before it
    }
  }
}

// The Messages client shows the reasoning to its user, but it does not send the reasoning back.
TEST_F(responses_target_test, SoHasAMessagesClientThatDropsItsThinking) {
  for (const char* route : {"pro", "whole"}) {
    SCOPED_TRACE(route);
    messages_client client;
    ASSERT_EQ(take_turn(client, route).calls.size(), 2u);
    for (json& turn : client.said)
      if (json kept = json::array(); turn.at("content").is_array()) {
        for (const json& block : turn.at("content"))
          if (block.at("type") != "thinking" && block.at("type") != "redacted_thinking") kept.push_back(block);
        turn["content"] = kept;
      }
    EXPECT_EQ(take_turn(client, route).text, "It is done");
    expect_own_reasoning(last_asked(openai_), 1);
  }
}

TEST_F(responses_target_test, AStreamsReasoningIsKeptForItsClientAndForNoOther) {
  chat_client client(chat_client::keeps::known_members);
  json asked = client.request("pro");
  asked["stream"] = true;
  const char* const mine = "authorization: Bearer sk-mine\r\n";
  ASSERT_EQ(chat(asked, mine).status, 200);
  client.said.push_back(json::parse(R"({"role":"assistant","content":null,"tool_calls":[
      {"id":"call_strict_f0","type":"function","function":{"name":"f","arguments":"{}"}}]})"));
  client.said.push_back({{"role", "tool"}, {"tool_call_id", "call_strict_f0"}, {"content", "r"}});
  ASSERT_EQ(chat(client.request("pro"), "authorization: Bearer sk-other\r\n").status, 200);
  expect_own_reasoning(last_asked(openai_), 0);
  ASSERT_EQ(chat(client.request("pro"), mine).status, 200);
  expect_own_reasoning(last_asked(openai_), 1);
}

TEST_F(responses_target_test, AChatClientsStreamHasReasoningCallsAndUsage) {
  json asked = chat_client().request("pro");
  asked.update({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const http_response got = chat(asked);
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_NE(got.body.find(R"("reasoning_content":"**First**")"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("type":"reasoning.encrypted")"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("format":"openai-responses-v1")"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("id":"call_strict_f0","type":"function","function":{"name":"f")"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("finish_reason":"tool_calls")"), std::string::npos);
  EXPECT_NE(got.body.find(R"("cached_tokens":7)"), std::string::npos) << got.body;
  EXPECT_TRUE(got.body.ends_with("data: [DONE]\n\n"));
}

TEST_F(responses_target_test, WhatAModelRefusesIsLeftOutByName) {
  json asked = chat_client().request("pro");
  asked.update({{"temperature", 0.2}, {"stop", "END"}, {"max_tokens", 5}, {"seed", 7}});
  const http_response got = chat(asked);
  ASSERT_EQ(got.status, 200) << got.body;
  const std::string dropped = got.field_or("x-race-dropped", "");
  for (const char* each : {"temperature", "stop", "max_tokens", "seed"})
    EXPECT_NE(dropped.find("param=" + std::string(each)), std::string::npos) << dropped;
}

TEST_F(responses_target_test, AProviderThatServesNothingElseIsAskedSo) {
  ASSERT_EQ(chat({{"model", "alone"}}).status, 200);
  EXPECT_TRUE(openai_.request().head.starts_with("POST /v1/responses ")) << openai_.request().head;
  EXPECT_EQ(message({{"model", "alone"}}).status, 200);
}

TEST_F(responses_target_test, WhatCannotBeSaidThereTakesTheTargetOut) {
  const http_response got = chat({{"model", "pro"}, {"n", 2}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "n");
}

TEST_F(responses_target_test, ARefusalAndAnEndByLengthAreSaidInEachApi) {
  const json refused = json::parse(chat({{"model", "refusing"}}).body).at("choices")[0];
  EXPECT_EQ(refused.at("message").at("refusal"), "No");
  EXPECT_EQ(json::parse(message({{"model", "refusing"}}).body).at("content")[0].at("text"), "No");
  EXPECT_EQ(json::parse(chat({{"model", "cut"}}).body).at("choices")[0].at("finish_reason"), "length");
  EXPECT_EQ(json::parse(message({{"model", "cut"}}).body).at("stop_reason"), "max_tokens");
}

TEST_F(responses_target_test, EachTurnOfARaceMayHaveAnotherWinner) {
  for (const auto& client : other_clients())
    for (int turn = 0; turn < 10; ++turn) {
      SCOPED_TRACE(client->path() + " " + std::to_string(turn));
      whose_turn_ = turn % 2;
      const taken_turn taken = take_turn(*client, "race");
      ASSERT_EQ(taken.calls.size(), 2u);
      EXPECT_EQ(taken.calls[0].second.at("by"), turn % 2 == 0 ? "responses" : "chat");
    }
}

}  // namespace
}  // namespace photofinish::testing
