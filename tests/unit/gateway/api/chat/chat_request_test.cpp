// Tests the parser of chat completions requests. Invalid requests must be refused.
#include "gateway/api/chat/chat_api.hpp"

#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

const std::string messages = R"("messages":[{"role":"user","content":"hi"}])";

std::variant<parsed_request, api_error> read_any(const std::string& body) {
  proxy::tolerant_parser parser;
  return chat_api().read(body, parser);
}

parsed_request read(const std::string& body) {
  auto result = read_any(body);
  EXPECT_TRUE(std::holds_alternative<parsed_request>(result));
  return std::get<parsed_request>(std::move(result));
}

TEST(ChatRequest, IsWholeUnlessAStreamIsAskedFor) {
  EXPECT_EQ(read(R"({"model":"fast",)" + messages + "}").form, answer_form::whole);
  EXPECT_EQ(read(R"({"model":"fast","stream":false,)" + messages + "}").form, answer_form::whole);
  EXPECT_EQ(read(R"({"model":"fast","stream":true,)" + messages + "}").form, answer_form::stream);
}

// The size of a request limits how many input tokens a provider can plausibly report. This rule does not apply if the request refers to
// external content, such as images by URL.
TEST(ChatRequest, TextAloneIsToldFromWhatRefersToMore) {
  const auto is_text = [](const std::string& members) { return read(R"({"model":"fast",)" + members + "}").is_text_alone; };
  EXPECT_TRUE(is_text(messages));
  EXPECT_TRUE(is_text(messages + R"(,"stream":true,"max_tokens":9,"temperature":0.1,"audio":null,"user":"u")"));
  EXPECT_TRUE(is_text(R"("messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},
      {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c","content":"42"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"image_url":{}}}}}])"));
  for (const char* part : {R"({"type":"image_url","image_url":{"url":"https://x/y.png"}})", R"({"type":"file","file":{"file_id":"f"}})",
                           R"({"image_url":{"url":"https://x/y.png"}})", R"({"type":"text","text":"a","file_id":"f"})",
                           R"({"type":"something new"})", R"({"type":7})", R"({"id":"msg_1"})"})
    EXPECT_FALSE(is_text(R"("messages":[{"role":"user","content":["a",)" + std::string(part) + "]}]")) << part;
  for (const char* more : {R"("web_search_options":{})", R"("tools":[{"type":"web_search"}])", R"("tools":{})",
                           R"("plugins":[{"id":"web"}])", R"("previous_response_id":"r")", R"("prompt":{"id":"p"})"})
    EXPECT_FALSE(is_text(messages + "," + more)) << more;
  EXPECT_FALSE(is_text(R"("messages":[{"role":"assistant","audio":{"id":"a"}}])"));
  std::string deep = "\"hi\"";
  for (int each = 0; each < 20; ++each) deep = R"([{"role":"user","content":)" + deep + "}]";
  EXPECT_FALSE(is_text("\"messages\":" + deep)) << "no text is so deep";
}

TEST(ChatRequest, UsageIsWantedOnlyWhenAskedFor) {
  const auto usage_with = [](const std::string& options) {
    return read(R"({"model":"fast","stream":true,"stream_options":)" + options + "," + messages + "}").usage;
  };
  EXPECT_EQ(read(R"({"model":"fast","stream":true,)" + messages + "}").usage, proxy::usage_chunk::unwanted);
  EXPECT_EQ(usage_with(R"({"include_usage":true})"), proxy::usage_chunk::wanted);
  EXPECT_EQ(usage_with(R"({"include_usage":true,"continuous_usage_stats":true})"), proxy::usage_chunk::wanted_always);
  EXPECT_EQ(usage_with(R"({"continuous_usage_stats":true})"), proxy::usage_chunk::unwanted);
}

TEST(ChatRequest, TheModelsNameIsUnescaped) {
  EXPECT_EQ(read(R"({"\u006dodel":"groq\/openai\u002fx",)" + messages + "}").model, "groq/openai/x");
}

TEST(ChatRequest, TheBodyIsKeptAsItCame) {
  const std::string body = R"({ "model" : "fast", "seed": 12345678901234567890, "x":1.0e+2, )" + messages + " }";
  EXPECT_EQ(read(body).body->json(), body);
}

// Returns a body with `count` members. The members are as short as possible.
std::string with_members(std::size_t count) {
  std::string body = R"({"model":"a",)" + messages + R"(,"x":{"a":0)";
  for (std::size_t added = 0; added < count; ++added) body += R"(,"a":0)";
  return body + "}}";
}

TEST(ChatRequest, AnHonestBodyOfManyValuesIsRead) { EXPECT_EQ(read(with_members(100'000)).model, "a"); }

TEST(ChatRequest, ABodyOfTooManyValuesIsRefusedWithWhatToDo) {
  const auto got = read_any(with_members(130'000));
  ASSERT_TRUE(std::holds_alternative<api_error>(got));
  EXPECT_EQ(std::get<api_error>(got).status, 400);
  EXPECT_NE(std::get<api_error>(got).message.find("250000 values"), std::string::npos);
}

TEST(ChatRequest, SignsInStringsAreNoValues) {
  std::string text;
  for (int count = 0; count < 300'000; ++count) text += R"(,[{:\",)";
  EXPECT_EQ(read(R"({"model":"a","messages":[{"role":"user","content":")" + text + R"("}]})").model, "a");
}

TEST(ChatRequest, ABodyOfTooManyMembersOfItsOwnIsRefused) {
  std::string body = R"({"model":"a",)" + messages;
  for (int count = 0; count < 1'000; ++count) body += ",\"m" + std::to_string(count) + "\":0";
  const auto got = read_any(body + "}");
  ASSERT_TRUE(std::holds_alternative<api_error>(got));
  EXPECT_NE(std::get<api_error>(got).message.find("1000 top-level members"), std::string::npos);
}

struct bad_body {
  const char* name;
  std::string body;
  const char* param;
};
class ABadBody : public ::testing::TestWithParam<bad_body> {};
INSTANTIATE_TEST_SUITE_P(
    ChatRequest, ABadBody,
    ::testing::Values(bad_body{"empty", "", ""}, bad_body{"broken_json", R"({"model":)", ""},
                      bad_body{"an_array", "[]", ""}, bad_body{"a_string", "\"hi\"", ""},
                      bad_body{"ten_thousand_levels", "{\"a\":" + std::string(10'000, '[') + std::string(10'000, ']') + "}", ""},
                      bad_body{"invalid_utf8", "{\"model\":\"\xff\"}", ""},
                      bad_body{"no_model", "{" + messages + "}", "model"},
                      bad_body{"a_number_for_a_model", R"({"model":7,)" + messages + "}", "model"},
                      bad_body{"two_models", R"({"model":"a","model":"b",)" + messages + "}", "model"},
                      bad_body{"two_models_one_escaped", R"({"model":"a","\u006dodel":"b",)" + messages + "}", "model"},
                      bad_body{"no_messages", R"({"model":"a"})", "messages"},
                      bad_body{"empty_messages", R"({"model":"a","messages":[]})", "messages"},
                      bad_body{"stream_in_words", R"({"model":"a","stream":"yes",)" + messages + "}", "stream"},
                      bad_body{"stream_options_as_a_list", R"({"model":"a","stream_options":[],)" + messages + "}", "stream_options"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ABadBody, IsRefusedWith400AndTheParameter) {
  const auto result = read_any(GetParam().body);
  ASSERT_TRUE(std::holds_alternative<api_error>(result));
  EXPECT_EQ(std::get<api_error>(result).status, 400);
  EXPECT_EQ(std::get<api_error>(result).param, GetParam().param);
}

std::string message_for(const std::string& members) {
  proxy::tolerant_parser parser;
  return std::get<api_error>(chat_api().read(R"({"model":"fast")" + members + "}", parser)).message;
}

TEST(ChatRequest, SaysWhatIsWrongWithItsMessages) {
  EXPECT_EQ(message_for("").substr(0, 21), "'messages' is missing");
  EXPECT_EQ(message_for(R"(,"messages":[])").substr(0, 19), "'messages' is empty");
  EXPECT_EQ(message_for(R"(,"messages":[ ])").substr(0, 19), "'messages' is empty");
  for (const char* other : {"null", "{}", "\"hi\"", "1"})
    EXPECT_EQ(message_for(R"(,"messages":)" + std::string(other)).substr(0, 26), "'messages' is not an array") << other;
}

}  // namespace
}  // namespace photofinish::gateway
