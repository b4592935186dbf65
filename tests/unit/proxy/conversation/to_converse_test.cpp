// Tests the conversion of requests from every API to Amazon Bedrock's Converse API.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/writers/converse_form.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using testing::json;
using testing::translation;

translation of(testing::reader read, const json& request) {
  translation made = testing::translate(read, request, write_converse);
  EXPECT_EQ(made.fault.message, "");
  return made;
}
translation of_chat(const json& messages, json more = json::object()) {
  more["messages"] = messages;
  return of(read_chat, more);
}
translation of_messages(const json& messages, json more = json::object()) {
  more["messages"] = messages;
  more["max_tokens"] = 9;
  return of(read_messages, more);
}
json user(const json& content) { return {{"role", "user"}, {"content", content}}; }
json assistant(const json& content) { return {{"role", "assistant"}, {"content", content}}; }
json calling(const std::vector<std::string>& ids, const std::string& arguments = "{}") {
  json calls = json::array();
  for (const std::string& id : ids)
    calls.push_back({{"id", id}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", arguments}}}});
  return {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", calls}};
}
json result(const std::string& id, const json& text) { return {{"role", "tool"}, {"tool_call_id", id}, {"content", text}}; }
const json hi = json::array({user("hi")});

bool contains(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

TEST(ToConverse, ATextIsAUsersBlock) {
  EXPECT_EQ(of_chat(hi).chat(), json::parse(R"({"messages":[{"role":"user","content":[{"text":"hi"}]}],"inferenceConfig":{}})"));
}

TEST(ToConverse, InstructionsStandInFrontAndRolesAlternate) {
  const translation made = of_chat({{{"role", "system"}, {"content", "s"}},
                                    {{"role", "developer"}, {"content", "d"}},
                                    assistant("first"),
                                    user("a"),
                                    user(" "),
                                    {{"role", "system"}, {"content", "later"}},
                                    assistant("b"),
                                    assistant("c \n")});
  EXPECT_EQ(made.chat().at("system"), json::parse(R"([{"text":"s"},{"text":"d"}])"));
  EXPECT_EQ(made.messages(),
            json::parse(R"([{"role":"user","content":[{"text":"Begin."}]},{"role":"assistant","content":[{"text":"first"}]},
      {"role":"user","content":[{"text":"a"},{"text":"<system-reminder>\nlater\n</system-reminder>"}]},
      {"role":"assistant","content":[{"text":"b"},{"text":"c"}]}])"));
}

TEST(ToConverse, ResultsStandBehindTheirCallsEachOnce) {
  const json messages =
      of_chat({user("q"), calling({"a", "b", "c"}, R"({"x":1})"), user("and?"), result("c", "3"), result("a", "1"), result("a", "again")})
          .messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].at("content")[0], json::parse(R"({"toolUse":{"toolUseId":"a","name":"f","input":{"x":1}}})"));
  EXPECT_EQ(messages[2].at("content"), json::parse(R"([{"toolResult":{"toolUseId":"a","content":[{"text":"1"}]}},
      {"toolResult":{"toolUseId":"b","content":[{"text":"No result of this call was recorded."}],"status":"error"}},
      {"toolResult":{"toolUseId":"c","content":[{"text":"3"}]}},{"text":"and?"},{"text":"again"}])"));
}

TEST(ToConverse, AnEmptyResultSaysSoAndAnErrorIsMarked) {
  const json content =
      of_messages(
          {user("q"),
           assistant(
               json::parse(R"([{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}])")),
           user(json::parse(
               R"([{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true}])"))})
          .messages()[2]
          .at("content");
  EXPECT_EQ(content[0].at("toolResult").at("content"), json::parse(R"([{"text":"No output."}])"));
  EXPECT_EQ(content[1].at("toolResult").at("status"), "error");
}

TEST(ToConverse, IdsAreShortAndDistinctAndOfItsLetters) {
  const std::string longer(70, 'x');
  const json messages = of_chat({user("q"), calling({"call|1", longer, longer + "y", longer, ""}), result("call|1", "1")}).messages();
  std::set<std::string> ids;
  for (const json& each : messages[1].at("content")) ids.insert(each.at("toolUse").at("toolUseId").get<std::string>());
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(ids.contains("call_1"));
  for (const std::string& id : ids) EXPECT_LE(id.size(), 64u);
}

TEST(ToConverse, ArgumentsAreAnObject) {
  const json messages = of_chat({user("q"), calling({"a"}, R"({"cut":"of)")}).messages();
  EXPECT_EQ(messages[1].at("content")[0].at("toolUse").at("input"), json::parse(R"({"input":"{\"cut\":\"of"})"));
}

TEST(ToConverse, ToolsHaveTheirSpecification) {
  const json tools = json::parse(
      R"([{"type":"function","function":{"name":"f","description":"does","parameters":{"type":"object","properties":{"x":{"type":"string"}}},"strict":true}},
      {"type":"function","function":{"name":"g","description":""}}])");
  const translation made = of_chat(hi, {{"tools", tools}, {"tool_choice", "required"}, {"parallel_tool_calls", false}});
  EXPECT_EQ(
      made.chat().at("toolConfig"),
      json::parse(
          R"({"tools":[{"toolSpec":{"name":"f","description":"does","inputSchema":{"json":{"type":"object","properties":{"x":{"type":"string"}}}}}},
      {"toolSpec":{"name":"g","inputSchema":{"json":{"type":"object","properties":{}}}}}],"toolChoice":{"any":{}}})"));
  EXPECT_TRUE(contains(made.form.dropped, "parallel_tool_calls"));
  EXPECT_TRUE(contains(made.form.dropped, "tools[].strict"));
}

TEST(ToConverse, AChoiceIsSaidInItsWords) {
  const json tools = json::parse(R"([{"type":"function","function":{"name":"f"}}])");
  const auto choice = [&](const json& asked) { return of_chat(hi, {{"tools", tools}, {"tool_choice", asked}}).chat(); };
  EXPECT_EQ(choice("auto").at("toolConfig").at("toolChoice"), json::parse(R"({"auto":{}})"));
  EXPECT_EQ(choice({{"type", "function"}, {"function", {{"name", "f"}}}}).at("toolConfig").at("toolChoice"),
            json::parse(R"({"tool":{"name":"f"}})"));
  EXPECT_FALSE(choice("none").contains("toolConfig"));
  const translation kept = of_chat({user("q"), calling({"a"}), result("a", "1")}, {{"tools", tools}, {"tool_choice", "none"}});
  EXPECT_TRUE(kept.chat().contains("toolConfig"));
  EXPECT_TRUE(contains(kept.form.dropped, "tool_choice"));
}

TEST(ToConverse, AHistoryWithCallsBringsItsTools) {
  EXPECT_EQ(of_chat({user("q"), calling({"a"}), result("a", "1")}).chat().at("toolConfig"),
            json::parse(R"({"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object","properties":{}}}}}]})"));
}

TEST(ToConverse, ParametersHaveTheirPlaces) {
  const json body = of_chat(hi, {{"max_completion_tokens", 50},
                                 {"temperature", 1.5},
                                 {"top_p", 0.5},
                                 {"stop", "END"},
                                 {"top_k", 5},
                                 {"reasoning_effort", "high"}})
                        .chat();
  EXPECT_EQ(body.at("inferenceConfig"), json::parse(R"({"maxTokens":50,"temperature":1,"topP":0.5,"stopSequences":["END"]})"));
  EXPECT_EQ(body.at("thinking"), json::parse(R"({"effort":"high"})"));
  EXPECT_EQ(of_messages(hi, {{"top_k", 5}}).chat().at("top_k"), 5);
  EXPECT_EQ(of_messages(hi, {{"thinking", {{"type", "enabled"}, {"budget_tokens", 2048}}}}).chat().at("thinking"),
            json::parse(R"({"budget":2048})"));
}

TEST(ToConverse, ASchemaIsAText) {
  const json format = json::parse(
      R"({"type":"json_schema","json_schema":{"name":"city","schema":{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}}})");
  const translation made = of_chat(hi, {{"response_format", format}});
  const json schema = made.chat().at("outputConfig").at("textFormat").at("structure").at("jsonSchema");
  EXPECT_EQ(schema.at("name"), "city");
  EXPECT_EQ(json::parse(schema.at("schema").get<std::string>()),
            json::parse(R"({"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false})"));
  EXPECT_TRUE(contains(made.form.dropped, "response_format.json_schema"));
  EXPECT_EQ(of_chat(hi, {{"response_format", {{"type", "json_object"}}}}).form.unsupported, "response_format");
}

TEST(ToConverse, MediaLieInTheRequestOrInS3) {
  const json parts = json::parse(R"([{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/jpg;base64,AAAA"}},
      {"type":"image_url","image_url":{"url":"s3://bucket/a.webp"}},{"type":"input_audio","input_audio":{"format":"wav","data":"BBBB"}}])");
  EXPECT_EQ(of_chat(json::array({user(parts)})).messages()[0].at("content"),
            json::parse(R"([{"text":"look"},{"image":{"format":"jpeg","source":{"bytes":"AAAA"}}},
                {"image":{"format":"webp","source":{"s3Location":{"uri":"s3://bucket/a.webp"}}}},{"audio":{"format":"wav","source":{"bytes":"BBBB"}}}])"));
}

TEST(ToConverse, DocumentsHaveNamesAndATextBesideThem) {
  const auto document = [](const char* title, const char* type) {
    return json{{"type", "document"}, {"title", title}, {"source", {{"type", "base64"}, {"media_type", type}, {"data", "AAAA"}}}};
  };
  json content =
      json::array({document("My  plan_1.pdf", "application/pdf"), document("My plan-1-pdf", "application/pdf"), document("", "text/csv")});
  content.push_back(json::parse(R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"hello"}})"));
  const json made = of_messages(json::array({user(content)})).messages()[0].at("content");
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[0], json::parse(R"({"document":{"format":"pdf","name":"My plan-1-pdf","source":{"bytes":"AAAA"}}})"));
  EXPECT_EQ(made[1].at("document").at("name"), "My plan-1-pdf 2");
  EXPECT_EQ(made[2].at("document"), json::parse(R"({"format":"csv","name":"Document","source":{"bytes":"AAAA"}})"));
  EXPECT_EQ(made[3].at("document"), json::parse(R"({"format":"txt","name":"Document 3","source":{"bytes":"aGVsbG8="}})"));
  EXPECT_EQ(made[4], json::parse(R"({"text":"Documents:"})"));
  content.push_back({{"type", "text"}, {"text", "read"}});
  EXPECT_EQ(of_messages(json::array({user(content)})).messages()[0].at("content").size(), 5u);
}

TEST(ToConverse, AResultMayHoldAnImage) {
  const json content = json::parse(
      R"([{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"t"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}])");
  const json made =
      of_messages({user("q"), assistant(json::parse(R"([{"type":"tool_use","id":"a","name":"f","input":{}}])")), user(content)})
          .messages()[2]
          .at("content");
  EXPECT_EQ(made[0].at("toolResult").at("content"), json::parse(R"([{"text":"t"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}])"));
}

TEST(ToConverse, ReasoningComesBackWhereItWasSigned) {
  const std::string own = pack_signature({"bedrock_converse", "sig"}), hidden = pack_signature({"bedrock_converse", "blob"});
  const json content = {{{"type", "thinking"}, {"thinking", "mine"}, {"signature", own}},
                        {{"type", "redacted_thinking"}, {"data", hidden}},
                        {{"type", "thinking"}, {"thinking", "Claude's"}, {"signature", "EqFOREIGN"}},
                        {{"type", "text"}, {"text", "so"}}};
  const translation made = of_messages({user("q"), assistant(content), user("and?")});
  EXPECT_EQ(made.messages()[1].at("content"), json::parse(R"([{"reasoningContent":{"reasoningText":{"text":"mine","signature":"sig"}}},
      {"reasoningContent":{"redactedContent":"blob"}},{"text":"so"}])"));
  EXPECT_TRUE(contains(made.form.dropped, "reasoning"));
}

struct unsaid_case {
  const char* name;
  const char* more;
  const char* unsupported;
};
class UnsaidInConverse : public ::testing::TestWithParam<unsaid_case> {};
INSTANTIATE_TEST_SUITE_P(
    ToConverse, UnsaidInConverse,
    ::testing::Values(
        unsaid_case{"several_answers", R"({"n":2})", "n"}, unsaid_case{"logprobs", R"({"logprobs":true})", "logprobs"},
        unsaid_case{"penalties", R"({"presence_penalty":1})", "presence_penalty"}, unsaid_case{"blank_stop", R"({"stop":[" "]})", "stop"},
        unsaid_case{"image_elsewhere",
                    R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/a.png"}}]}]})",
                    "content.image.url"},
        unsaid_case{"image_of_another_kind",
                    R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/tiff;base64,AAAA"}}]}]})",
                    "content.image.media_type"},
        unsaid_case{"file_id", R"({"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]})",
                    "content.document.file_id"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(UnsaidInConverse, TakesTheTargetOut) {
  json request{{"messages", hi}};
  request.update(json::parse(GetParam().more));
  EXPECT_EQ(testing::translate(read_chat, request, write_converse).form.unsupported, GetParam().unsupported);
}

TEST(ToConverse, HintsAreDroppedByName) {
  const translation made = of_chat(hi, {{"seed", 1}, {"user", "u"}, {"service_tier", "flex"}, {"store", true}});
  for (const char* name : {"seed", "user", "store"}) EXPECT_TRUE(contains(made.form.dropped, name)) << name;
  EXPECT_EQ(made.form.unsupported, "");
  EXPECT_EQ(made.chat().at("serviceTier"), (json{{"type", "flex"}}));
}

}  // namespace
}  // namespace photofinish::proxy
