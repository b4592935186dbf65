// Tests the request that a provider of the Responses API receives.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/dialects/openai/openai_dialect.hpp"
#include "proxy/dialects/responses/response_request.hpp"
#include "tests/support/streams/known_reasoning.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr auto responses = wire_format::openai_responses;

provider serving(served_apis apis = {served_api::chat, served_api::responses}) {
  provider target;
  target.url.path = "/v1";
  target.apis = apis;
  return target;
}

struct sent_request {
  std::string path;
  std::string body;
  std::vector<std::string> dropped;
};

sent_request prepared(const std::string& json, const provider& target = serving()) {
  const auto body = std::make_shared<const client_body>(json);
  const secret key("k");
  prepared_request request = openai_dialect().prepare({body, responses, target, "big", key, {}});
  sent_request sent{request.head.path, {}, request.dropped};
  for (const std::string_view piece : request.body.pieces()) sent.body += piece;
  return sent;
}

std::string sent(const std::string& json) { return prepared(json).body; }

TEST(ResponseRequest, AModelThatIsReachedThereAloneIsAskedThere) {
  const openai_dialect spoken;
  using enum wire_format;
  for (const wire_format asked : {openai_chat, anthropic_messages}) {
    for (const char* model : {"gpt-5-pro", "gpt-5.2-codex", "o3-pro", "codex-mini-latest", "openai/gpt-5.1-codex-max"})
      EXPECT_EQ(spoken.speaks(asked, serving(), model, client_body("{}")), openai_responses) << model;
    for (const char* model : {"gpt-5", "gpt-oss-120b", "gpt-4o", "my-codex-tuned", "foo3-pro"})
      EXPECT_EQ(spoken.speaks(asked, serving(), model, client_body("{}")), openai_chat) << model;
    EXPECT_EQ(spoken.speaks(asked, serving({served_api::responses}), "m", client_body("{}")), openai_responses);
    EXPECT_EQ(spoken.speaks(asked, serving({served_api::chat}), "gpt-5-pro", client_body("{}")), openai_chat);
  }
  EXPECT_EQ(spoken.speaks(openai_completions, serving(), "gpt-5-pro", client_body("{}")), openai_chat);
}

TEST(ResponseRequest, AskedForAnothersClientItGetsItsReasoningEncrypted) {
  const auto sent_to = [](const char* model, bool is_translated, const std::string& json) {
    const auto body = std::make_shared<const client_body>(json);
    const secret key("k");
    const provider target = serving();
    attempt_request asked{body, responses, target, model, key, {}};
    asked.is_translated = is_translated;
    prepared_request request = openai_dialect().prepare(asked);
    std::string sent;
    for (const std::string_view piece : request.body.pieces()) sent += piece;
    return sent;
  };
  const std::string include = R"("include":["reasoning.encrypted_content"])";
  const auto has = [&include](const std::string& sent) { return sent.find(include) != std::string::npos; };
  EXPECT_TRUE(has(sent_to("gpt-5-pro", true, R"({"input":"x"})")));
  EXPECT_FALSE(has(sent_to("gpt-5-pro", false, R"({"input":"x"})")));
  EXPECT_FALSE(has(sent_to("gpt-4o", true, R"({"input":"x"})")));
  EXPECT_FALSE(has(sent_to("gpt-5.2", true, R"({"input":"x","reasoning":{"effort":"none"}})")));
}

TEST(ResponseRequest, ALongOneKnowsWhetherItMayHoldReasoning) {
  const std::string rest = R"(],"user":")" + std::string(2u << 20, 'x') + "\"}";
  const auto may = [&rest](const std::string& item) { return may_hold_reasoning(client_body(R"({"input":[)" + item + rest)); };
  EXPECT_TRUE(may(R"({"type":"reasoning","id":"rs_1","summary":[]})")) << "its provider keeps the rest";
  EXPECT_TRUE(may(R"({"type":"compaction","encrypted_content":"E"})"));
  EXPECT_FALSE(may(R"({"role":"user","content":"a"})"));
}

TEST(ResponseRequest, GoesToTheProvidersOwnPath) {
  EXPECT_EQ(prepared("{}").path, "/v1/responses");
  provider azure = serving();
  azure.chat_path = "/chat/completions?api-version=preview";
  EXPECT_EQ(prepared("{}", azure).path, "/v1/responses?api-version=preview");
}

TEST(ResponseRequest, PassesButForItsModelItsStreamAndItsStore) {
  EXPECT_EQ(sent(R"({"model":"m", "input":"x","tools":[{"type":"web_search"}],"stream_options":{"include_obfuscation":false}})"),
            R"({"store":false,"stream":true,"model":"big", "input":"x","tools":[{"type":"web_search"}],"stream_options":{"include_obfuscation":false}})");
}

struct stored_case {
  const char* name;
  const char* body;
  const char* upstream;
};
class Store : public ::testing::TestWithParam<stored_case> {};
INSTANTIATE_TEST_SUITE_P(
    ResponseRequest, Store,
    ::testing::Values(
        stored_case{"absent", R"({"model":"m","stream":true})", R"({"store":false,"model":"big","stream":true})"},
        stored_case{"null", R"({"model":"m","store":null,"stream":true})", R"({"model":"big","store":false,"stream":true})"},
        stored_case{"no", R"({"model":"m","store":false,"stream":true})", R"({"model":"big","store":false,"stream":true})"},
        stored_case{"yes", R"({"model":"m","store":true,"stream":true})", R"({"model":"big","store":true,"stream":true})"},
        stored_case{"in_the_background", R"({"model":"m","background":true})", R"({"model":"big","background":true})"},
        stored_case{"in_the_background_streamed", R"({"model":"m","background":true,"stream":true})",
                    R"({"model":"big","background":true,"stream":true})"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(Store, IsSaidWhereTheClientSaysNothing) { EXPECT_EQ(sent(GetParam().body), GetParam().upstream); }

// If a request does not contain `store`, the API uses the default `true`.
TEST(ResponseRequest, LeavesStoreAsTheClientSentItIfItsRouteSaysSo) {
  for (const char* json : {R"({"model":"m","stream":true})", R"({"model":"m","store":null,"stream":true})",
                           R"({"model":"m","store":false,"stream":true})"}) {
    const secret key("k");
    const provider target = serving();
    attempt_request asked{std::make_shared<const client_body>(json), responses, target, "m", key, {}};
    asked.keeps_store_unsaid = true;
    prepared_request request = openai_dialect().prepare(asked);
    std::string upstream;
    for (const std::string_view piece : request.body.pieces()) upstream += piece;
    EXPECT_EQ(upstream, json);
  }
}

TEST(ResponseRequest, AsksForStateByDefaultOnlyIfItSaysNothing) {
  const auto asks = [](const char* body) { return asks_for_state(client_body(body), unsaid_store::by_default); };
  EXPECT_TRUE(asks("{}"));
  EXPECT_TRUE(asks(R"({"store":null})"));
  EXPECT_FALSE(asks(R"({"store":false})"));
  EXPECT_TRUE(asks(R"({"background":true})"));
}

TEST(ResponseRequest, IsStoredWhereTheClientAsksForState) {
  const openai_dialect spoken;
  const auto stores = [&](const char* body) { return spoken.stores(client_body(body), responses, serving()); };
  EXPECT_FALSE(stores("{}"));
  EXPECT_FALSE(stores(R"({"store":false,"background":false,"previous_response_id":null,"conversation":null})"));
  EXPECT_TRUE(stores(R"({"store":true})"));
  EXPECT_TRUE(stores(R"({"background":true})"));
  EXPECT_TRUE(stores(R"({"previous_response_id":"resp_1"})"));
  EXPECT_TRUE(stores(R"({"conversation":{"id":"conv_1"}})"));
}

TEST(ResponseRequest, ChatsDroppedStoreDoesNotHold) {
  provider target = serving();
  target.behaves.drop_params = {"store", "user"};
  const sent_request got = prepared(R"({"model":"m","stream":true,"user":"u"})", target);
  EXPECT_EQ(got.body, R"({"store":false,"model":"big","stream":true})");
  EXPECT_EQ(got.dropped, std::vector<std::string>{"user"});
}

TEST(ResponseRequest, ATargetTakesItInTheFormatThatItServes) {
  const openai_dialect spoken;
  EXPECT_EQ(spoken.speaks(responses, serving(), "m", client_body("{}")), responses);
  EXPECT_EQ(spoken.speaks(responses, serving({served_api::chat}), "m", client_body("{}")), wire_format::openai_chat);
  EXPECT_EQ(spoken.speaks(wire_format::openai_chat, serving(), "m", client_body("{}")), wire_format::openai_chat);
  EXPECT_EQ(spoken.speaks(wire_format::anthropic_messages, serving(), "m", client_body("{}")), wire_format::openai_chat);
}

struct reasoning_case {
  const char* name;
  const char* before;
  const char* after;  // the request's input after the gateway's edits
};
class Reasoning : public ::testing::TestWithParam<reasoning_case> {};
#define OWN R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAA"})"
#define BARE R"({"type":"reasoning","id":"rs_3","summary":[{"type":"summary_text","text":"hm"}]})"
#define RAW R"({"type":"reasoning","id":"rs_4","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]})"
INSTANTIATE_TEST_SUITE_P(ResponseRequest, Reasoning,
                         ::testing::Values(reasoning_case{"its_own", "[1, " OWN " ,2]", "[1, " OWN " ,2]"},
                                           reasoning_case{"raw", "[" RAW ",2]", "[" RAW ",2]"},
                                           reasoning_case{"first", "[" BARE " , 2]", "[2]"},
                                           reasoning_case{"between", "[1 ," BARE ", 2]", "[1, 2]"},
                                           reasoning_case{"last", "[1," BARE "]", "[1]"},
                                           reasoning_case{"all", "[" BARE "," BARE "]", "[]"},
                                           reasoning_case{"runs", "[" BARE "," BARE ",1," BARE "," BARE ",2," BARE "]", "[1,2]"}),
                         [](const auto& tested) { return tested.param.name; });
TEST_P(Reasoning, ThatNoProviderOfThisApiCanReadIsLeftOut) {
  const std::string head = R"({"model":"big","store":false,"stream":true,"input":)";
  const sent_request got = prepared(head + GetParam().before + "}");
  EXPECT_EQ(got.body, head + GetParam().after + "}");
  EXPECT_EQ(got.dropped.empty(), std::string(GetParam().before) == GetParam().after);
}

TEST(ResponseRequest, AllReasoningGoesWhereItsTargetHasRefusedIt) {
  const std::string head = R"({"model":"big","store":false,"stream":true,"input":)";
  const auto body = std::make_shared<const client_body>(head + "[1," OWN "," RAW ",2," BARE "]}");
  const secret key("k");
  const provider target = serving();
  attempt_request asked{body, responses, target, "big", key, {}};
  asked.reasoning = reasoning_items::left_out;
  prepared_request request = openai_dialect().prepare(asked);
  std::string got;
  for (const std::string_view piece : request.body.pieces()) got += piece;
  EXPECT_EQ(got, head + "[1,2]}");
  EXPECT_EQ(request.dropped, std::vector<std::string>{"reasoning"});
}

TEST(ResponseRequest, KnownForeignReasoningIsLeftOutAndTheRestStays) {
  const std::string head = R"({"model":"big","store":false,"stream":true,"input":)";
  const std::string escaped = R"({"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gA\/B"})";
  photofinish::testing::known_reasoning known({"gA/B"});
  const auto body = std::make_shared<const client_body>(head + "[1," OWN "," + escaped + "," RAW ",2]}");
  const secret key("k");
  const provider target = serving();
  attempt_request asked{body, responses, target, "big", key, {}};
  asked.foreign = &known;
  prepared_request request = openai_dialect().prepare(asked);
  std::string got;
  for (const std::string_view piece : request.body.pieces()) got += piece;
  EXPECT_EQ(got, head + "[1," OWN "," RAW ",2]}");
  EXPECT_EQ(request.dropped, std::vector<std::string>{"reasoning"});
  EXPECT_EQ(request.reasoning_left_out, 1u);
  EXPECT_EQ(known.asked, (std::vector<std::string>{"gAAAA", "gA/B"}));
}

TEST(ResponseRequest, ASummaryAloneStaysWhereTheProviderKeepsTheRest) {
  const std::string body = R"({"model":"big","store":true,"stream":true,"input":[)" BARE "]}";
  EXPECT_EQ(sent(body), body);
}

TEST(ResponseRequest, WhatAnotherApisProviderSignedIsLeftOut) {
  const std::string packed = pack_signature({"openai_chat", "sig"});
  const std::string body = R"({"model":"big","store":true,"stream":true,"input":[1,{"type":"reasoning","summary":[],"encrypted_content":")" + packed + R"("}]})";
  EXPECT_EQ(sent(body), R"({"model":"big","store":true,"stream":true,"input":[1]})");
}

}  // namespace
}  // namespace photofinish::proxy
