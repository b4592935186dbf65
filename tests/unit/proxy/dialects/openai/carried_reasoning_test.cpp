// Tests which signed reasoning in a chat request reaches a target. A target gets only reasoning that the same target produced, in the
// member that the target's API uses.
#include "proxy/dialects/openai/carried_reasoning.hpp"

#include "proxy/find_dialect.hpp"
#include "proxy/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

const std::string extra = R"({"google":{"thought_signature":"EsQB"}})";
const std::string detail = R"({"type":"reasoning.encrypted","data":"gAAA","index":0})";
const std::string text_detail = R"({"text":"a \"b\"","type":"reasoning.text","signature":"EqQB"})";
const std::string text_piece = R"({"type":"reasoning.text","signature":"EqQB"})";
const std::string stand_in = R"({"google":{"thought_signature":"skip_thought_signature_validator"}})";

struct maker final : foreign_reasoning {
  std::set<std::string, std::less<>> own, foreign;
  bool contains(std::string_view opaque) override { return foreign.contains(opaque); }
  bool is_own(std::string_view opaque) override { return own.contains(opaque); }
};

std::string body_with(const std::string& call_more, const std::string& message_more) {
  return R"({"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null)" + message_more +
         R"(,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"})" + call_more +
         R"(},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"a"}]})";
}
const std::string both = body_with(R"(,"extra_content":)" + extra, R"(,"reasoning_details":[)" + detail + "," + text_detail + "]");

struct fitted {
  json message, extra;
  std::vector<std::string> dropped;
  std::size_t left_out = 0;
};

class carried_reasoning_test : public ::testing::Test {
 protected:
  carried_reasoning_test() { target_.url = {.is_tls = true, .host = "llm.example.com", .port = 443, .path = "/v1"}; }

  fitted prepare(const std::string& json_text, const std::string& model = "some-model") {
    const auto body = std::make_shared<const client_body>(json_text);
    attempt_request request{body, wire_format::openai_chat, target_, model, key_, {}};
    request.is_translated = is_translated_;
    request.reasoning = reasoning_;
    request.foreign = is_known_ ? &made_ : nullptr;
    prepared_request prepared = find_dialect("openai")->prepare(request);
    std::string text;
    for (const std::string_view piece : prepared.body.pieces()) text += piece;
    const json message = json::parse(text).at("messages").at(1);
    EXPECT_FALSE(message.at("tool_calls").at(1).contains("extra_content")) << "one signature for parallel calls";
    return {message, message.at("tool_calls").at(0).value("extra_content", json()), prepared.dropped, prepared.reasoning_left_out};
  }
  void serve(const std::string& preset) { target_.preset = preset; }

  provider target_;
  secret key_{"k"};
  maker made_;
  bool is_translated_ = true, is_known_ = true;
  reasoning_items reasoning_ = reasoning_items::kept;
};

TEST_F(carried_reasoning_test, AnUnknownTargetGetsNothing) {
  const fitted got = prepare(both);
  EXPECT_TRUE(got.extra.is_null());
  EXPECT_FALSE(got.message.contains("reasoning_details"));
  EXPECT_EQ(got.left_out, 2u);
  EXPECT_EQ(got.dropped, std::vector<std::string>{"reasoning.signature"});
}

TEST_F(carried_reasoning_test, TheTargetThatMadeItGetsItBack) {
  made_.own = {R"({"extra_content":)" + extra + "}", detail, text_piece};
  const fitted got = prepare(both);
  EXPECT_EQ(got.extra, json::parse(extra));
  EXPECT_EQ(got.message.at("reasoning_details"), json::parse("[" + detail + "," + text_detail + "]"));
  EXPECT_TRUE(got.dropped.empty());
  made_.own.erase(detail);
  EXPECT_FALSE(prepare(both).message.contains("reasoning_details")) << "a part is of no use";
}

TEST_F(carried_reasoning_test, WhereNothingIsRememberedEachPlaceGetsItsOwnMember) {
  is_known_ = false;
  serve("vertex");
  const fitted google = prepare(both);
  EXPECT_EQ(google.extra, json::parse(extra));
  EXPECT_FALSE(google.message.contains("reasoning_details"));
  serve("openrouter");
  const fitted router = prepare(both);
  EXPECT_TRUE(router.extra.is_null());
  EXPECT_TRUE(router.message.contains("reasoning_details"));
}

TEST_F(carried_reasoning_test, AnotherAccountsSignatureBecomesAStandIn) {
  serve("vertex");
  made_.foreign = {R"({"extra_content":)" + extra + "}"};
  EXPECT_EQ(prepare(both, "google/gemini-3-pro-preview").extra, json::parse(stand_in));
  EXPECT_TRUE(prepare(both, "google/gemini-2.5-pro").extra.is_null()) << "which demands none";
}

TEST_F(carried_reasoning_test, ARefusedSignatureBecomesAStandIn) {
  serve("vertex");
  reasoning_ = reasoning_items::left_out;
  for (const bool is_translated : {true, false}) {
    is_translated_ = is_translated;
    const fitted got = prepare(body_with(R"(,"extra_content":)" + extra, ""), "google/gemini-3-pro-preview");
    EXPECT_EQ(got.extra, json::parse(stand_in));
    EXPECT_EQ(got.left_out, 1u);
  }
}

TEST_F(carried_reasoning_test, AnUnsignedCallOfGemini3GetsAStandIn) {
  for (const bool is_translated : {true, false}) {
    is_translated_ = is_translated;
    serve("vertex");
    const fitted got = prepare(body_with("", ""), "google/gemini-3-pro-preview");
    EXPECT_EQ(got.extra, json::parse(stand_in));
    EXPECT_TRUE(got.dropped.empty());
    serve("");
    EXPECT_TRUE(prepare(body_with("", ""), "google/gemini-3-pro-preview").extra.is_null()) << "it is not Google's layer";
  }
}

TEST_F(carried_reasoning_test, AClientOfChatKeepsWhatItSent) {
  is_translated_ = false;
  const fitted got = prepare(both);
  EXPECT_EQ(got.extra, json::parse(extra));
  EXPECT_TRUE(got.message.contains("reasoning_details"));
}

TEST_F(carried_reasoning_test, MembersThatTheProvidersSettingsRemoveAreRemovedOnce) {
  target_.behaves.drop_params = {"messages[].reasoning_details", "messages[].extra_content", "messages[].tool_calls[].extra_content"};
  const fitted got = prepare(both);
  EXPECT_TRUE(got.extra.is_null());
  EXPECT_FALSE(got.message.contains("reasoning_details"));
}

}  // namespace
}  // namespace photofinish::proxy
