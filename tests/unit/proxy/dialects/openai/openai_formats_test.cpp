// Tests the members of requests in OpenAI's APIs other than chat.
#include "proxy/dialects/openai/openai_dialect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr auto embeddings = wire_format::openai_embeddings;

provider serving(served_apis apis) {
  provider target;
  target.name = "lab";
  target.url = {.is_tls = true, .host = "llm.example.com", .port = 443, .path = "/v1"};
  target.apis = apis;
  return target;
}

struct sent_request {
  request_head head;
  std::string body;
  std::vector<std::string> dropped;
};

sent_request prepared(const std::string& json, wire_format format, const provider& target) {
  const auto body = std::make_shared<const client_body>(json);
  const secret key("k");
  prepared_request request = openai_dialect().prepare({body, format, target, "big/model", key, {}});
  sent_request sent{request.head, {}, request.dropped};
  for (const std::string_view piece : request.body.pieces()) sent.body += piece;
  return sent;
}

std::string path_for(wire_format format, const provider& target) {
  return prepared(R"({"model":"m"})", format, target).head.path;
}

TEST(OpenAiFormats, EachHasItsPathBehindTheBaseUrl) {
  provider target = serving({});
  EXPECT_EQ(path_for(wire_format::openai_embeddings, target), "/v1/embeddings");
  EXPECT_EQ(path_for(wire_format::openai_rerank, target), "/v1/rerank");
  EXPECT_EQ(path_for(wire_format::openai_moderations, target), "/v1/moderations");
  EXPECT_EQ(path_for(wire_format::openai_images, target), "/v1/images/generations");
  EXPECT_EQ(path_for(wire_format::openai_compaction, target), "/v1/responses/compact");
  EXPECT_EQ(path_for(wire_format::openai_input_tokens, target), "/v1/responses/input_tokens");
  EXPECT_EQ(path_for(wire_format::openai_chat, target), "/v1/chat/completions");
}

TEST(OpenAiFormats, AChatPathOfItsOwnChangesNoneButGivesThemItsQuery) {
  provider target = serving({});
  target.chat_path = "/say?api-version=2024-10-21";
  EXPECT_EQ(path_for(wire_format::openai_embeddings, target), "/v1/embeddings?api-version=2024-10-21");
  EXPECT_EQ(path_for(wire_format::openai_chat, target), "/v1/say?api-version=2024-10-21");
}

TEST(OpenAiFormats, ATargetServesWhatItsApisName) {
  const openai_dialect spoken;
  const client_body body(R"({"model":"m","input":"x"})");
  const provider chat_alone = serving({served_api::chat}), embeds_alone = serving({served_api::embeddings});
  EXPECT_EQ(spoken.unsupported(body, embeddings, chat_alone), "embeddings");
  EXPECT_EQ(spoken.unsupported(body, wire_format::openai_rerank, embeds_alone), "rerank");
  EXPECT_EQ(spoken.unsupported(body, wire_format::openai_chat, embeds_alone), "chat");
  EXPECT_EQ(spoken.unsupported(body, embeddings, embeds_alone), std::nullopt);
  EXPECT_EQ(spoken.unsupported(body, wire_format::anthropic_messages, chat_alone), "format");
}

TEST(OpenAiFormats, AStreamThatRewritesItsTextIsNoHindranceWithoutAStream) {
  provider target = serving({served_api::chat, served_api::embeddings});
  target.behaves.append_only = false;
  EXPECT_EQ(openai_dialect().unsupported(client_body("{}"), embeddings, target), std::nullopt);
}

TEST(OpenAiFormats, AParameterThatATargetCannotHonourTakesItOut) {
  provider target = serving({served_api::embeddings});
  target.behaves.reject_params = {"dimensions"};
  const openai_dialect spoken;
  EXPECT_EQ(spoken.unsupported(client_body(R"({"dimensions":256})"), embeddings, target), "dimensions");
  EXPECT_EQ(spoken.unsupported(client_body(R"({"dimensions":null})"), embeddings, target), std::nullopt);
}

TEST(OpenAiFormats, TheModelAloneIsReplaced) {
  const std::string text = R"( {"input" : ["a","\u00e9"], "model":"fast" ,"dimensions":256,"stream":false, "x":1e400} )";
  const sent_request sent = prepared(text, embeddings, serving({}));
  EXPECT_EQ(sent.body, R"( {"input" : ["a","\u00e9"], "model":"big/model" ,"dimensions":256,"stream":false, "x":1e400} )");
  EXPECT_EQ(sent.dropped, std::vector<std::string>());
  const auto& fields = sent.head.fields;
  EXPECT_EQ(std::count(fields.begin(), fields.end(), std::pair<std::string, std::string>("accept", "application/json")), 1);
}

TEST(OpenAiFormats, WhatIsSaidOfChatsParametersDoesNotHold) {
  provider target = serving({});
  target.behaves.rename_params = {{"input", "messages"}};
  target.behaves.accept_params = {"temperature"};
  target.behaves.developer_role = false;
  EXPECT_EQ(prepared(R"({"model":"m","input":"x","messages":[{"role":"developer"}]})", embeddings, target).body,
            R"({"model":"big/model","input":"x","messages":[{"role":"developer"}]})");
}

TEST(OpenAiFormats, AHintIsDroppedAndNamed) {
  provider target = serving({});
  target.behaves.drop_params = {"user"};
  const sent_request sent = prepared(R"({"model":"m","input":"x","user":"u"})", embeddings, target);
  EXPECT_EQ(sent.body, R"({"model":"big/model","input":"x"})");
  EXPECT_EQ(sent.dropped, std::vector<std::string>{"user"});
}

TEST(OpenAiFormats, AnEncodingIsNotAskedForWhereFloatsAloneCome) {
  provider target = serving({});
  const std::string text = R"({"model":"m","input":"x","encoding_format":"base64"})";
  EXPECT_EQ(prepared(text, embeddings, target).body, R"({"model":"big/model","input":"x","encoding_format":"base64"})");
  target.behaves.base64_embeddings = false;
  const sent_request sent = prepared(text, embeddings, target);
  EXPECT_EQ(sent.body, R"({"model":"big/model","input":"x"})");
  EXPECT_EQ(sent.dropped, std::vector<std::string>()) << "the client gets what it asked for";
  EXPECT_NE(prepared(text, wire_format::openai_rerank, target).body.find("encoding_format"), std::string::npos);
}

TEST(OpenAiFormats, ATargetsTierIsOfGeneratedTextAlone) {
  provider target = serving({});
  target.behaves.tiers = tier_form::openai;
  const secret key("k");
  const auto body = std::make_shared<const client_body>(R"({"model":"m","input":"x"})");
  const auto tier_of = [&](wire_format format) {
    attempt_request asked{body, format, target, "m", key, {}};
    asked.tier = price_tier::priority;
    prepared_request request = openai_dialect().prepare(asked);
    std::string sent;
    for (const std::string_view piece : request.body.pieces()) sent += piece;
    const bool is_sent = sent.find(R"("service_tier":"priority")") != std::string::npos;
    EXPECT_EQ(is_sent, request.tier == price_tier::priority) << sent;
    return request.tier;
  };
  EXPECT_EQ(tier_of(wire_format::openai_responses), price_tier::priority);
  EXPECT_EQ(tier_of(wire_format::openai_completions), price_tier::priority);
  for (const wire_format each : {embeddings, wire_format::openai_rerank, wire_format::openai_moderations,
                                 wire_format::openai_images, wire_format::openai_compaction, wire_format::openai_input_tokens})
    EXPECT_EQ(tier_of(each), price_tier::standard);
}

TEST(OpenAiFormats, NothingOfThemIsStored) {
  const client_body body(R"({"store":true})");
  EXPECT_FALSE(openai_dialect().stores(body, embeddings, serving({})));
}

}  // namespace
}  // namespace photofinish::proxy
