// Tests the conversion of requests from other APIs to OpenAI's Responses API.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/writers/openai/responses_form.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy::testing {
namespace {

using list = std::vector<json>;

struct written {
  translated_text form;
  json body() const { return json::parse(form.json); }
  json input() const { return body().at("input"); }
};

written of_chat(const list& messages, json more = json::object()) {
  more["messages"] = messages;
  return {translate(read_chat, more, write_responses).form};
}
written of_messages(const list& messages, json more = json::object()) {
  more.update({{"messages", messages}, {"max_tokens", 100}});
  return {translate(read_messages, more, write_responses).form};
}

const json hi = {{"role", "user"}, {"content", "hi"}};
json call(const std::string& id, const std::string& arguments = "{}") {
  return {{"id", id}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", arguments}}}};
}
json calling(const list& calls) { return {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", calls}}; }
json result(const std::string& id, const json& text) { return {{"role", "tool"}, {"tool_call_id", id}, {"content", text}}; }

TEST(to_responses_test, WhatStandsInFrontIsTheInstructions) {
  const written made = of_chat({{{"role", "system"}, {"content", "Be \"brief\""}}, {{"role", "developer"}, {"content", "now"}}, hi});
  EXPECT_EQ(made.body().at("instructions"), "Be \"brief\"\nnow");
  EXPECT_EQ(made.input(), json::parse(R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}])"));
  EXPECT_EQ(made.body().at("store"), false);
}

TEST(to_responses_test, InstructionsAloneAreTheInput) {
  const written made = of_chat({{{"role", "system"}, {"content", "Write"}}});
  EXPECT_FALSE(made.body().contains("instructions"));
  EXPECT_EQ(made.input(), json::parse(R"([{"type":"message","role":"developer","content":[{"type":"input_text","text":"Write"}]}])"));
}

TEST(to_responses_test, AnAssistantsTurnIsItsItemsInOrder) {
  const written made = of_chat({hi, {{"role", "assistant"}, {"content", "Look"}, {"tool_calls", {call("c1", R"({"b":1,"a":2})"), call("c2")}}},
                                result("c2", "two"), result("c1", "one"), {{"role", "system"}, {"content", "go on"}}});
  EXPECT_EQ(made.input(), json::parse(R"([
      {"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look"}]},
      {"type":"function_call","call_id":"c1","name":"f","arguments":"{\"b\":1,\"a\":2}"},
      {"type":"function_call","call_id":"c2","name":"f","arguments":"{}"},
      {"type":"function_call_output","call_id":"c1","output":"one"},
      {"type":"function_call_output","call_id":"c2","output":"two"},
      {"type":"message","role":"system","content":[{"type":"input_text","text":"go on"}]}])"));
}

TEST(to_responses_test, ACallWithoutAResultGetsOneAndAStrayResultIsAText) {
  const json input = of_chat({hi, calling({call("c1")}), result("c9", "stray"), hi}).input();
  EXPECT_EQ(input[2], json::parse(R"({"type":"function_call_output","call_id":"c1","output":"No result of this call was recorded."})"));
  EXPECT_EQ(input[3].at("content")[0], json::parse(R"({"type":"input_text","text":"stray"})"));
}

TEST(to_responses_test, IdsOfCallsAreShortAndEachItsOwn) {
  const std::string is_long(200, 'x');
  const json input = of_chat({hi, calling({call(is_long + "1"), call(is_long + "2")}), result(is_long + "1", "a"), result(is_long + "2", "b"),
                              calling({call("c")}), result("c", "d"), calling({call("c")}), result("c", "e")}).input();
  EXPECT_LE(input[1].at("call_id").get<std::string>().size(), 64u);
  EXPECT_NE(input[1].at("call_id"), input[2].at("call_id"));
  EXPECT_EQ(input[3].at("call_id"), input[1].at("call_id"));
  EXPECT_EQ(input[6].at("output"), "d");
  EXPECT_NE(input[7].at("call_id"), input[5].at("call_id"));
  EXPECT_EQ(input[8].at("output"), "e");
}

TEST(to_responses_test, ReasoningOfItsOwnComesBackBeforeWhatItLedTo) {
  const json details = json::parse(R"([{"type":"reasoning.summary","summary":"hm","format":"openai-responses-v1","index":0},
      {"type":"reasoning.encrypted","data":"gAAA","format":"openai-responses-v1","index":1}])");
  const written made = of_chat({hi, {{"role", "assistant"}, {"content", "a"}, {"reasoning_details", details}}, hi});
  EXPECT_EQ(made.input()[1], json::parse(R"({"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAA"})"));
  EXPECT_EQ(made.input()[2].at("content")[0].at("text"), "a");
  EXPECT_EQ(made.form.dropped, std::vector<std::string>());
  const std::string carried = pack_signature({"openai_responses", "gBBB"});
  const written other = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", carried}},
                                                                            {{"type", "text"}, {"text", "a"}}}}}, hi});
  EXPECT_EQ(other.input()[1], json::parse(R"({"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gBBB"})"));
}

TEST(to_responses_test, AnItemOfReasoningHasTheIdItCameWithOnce) {
  const json details = json::parse(R"([{"type":"reasoning.encrypted","data":"gAAA","item_id":"rs_1","format":"openai-responses-v1","index":0}])");
  const json answer{{"role", "assistant"}, {"content", "a"}, {"reasoning_details", details}};
  const json input = of_chat({hi, answer, hi, answer, hi}).input();
  EXPECT_EQ(input[1], json::parse(R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"})"));
  EXPECT_EQ(input[4], json::parse(R"({"type":"reasoning","summary":[],"encrypted_content":"gAAA"})")) << "or it would be refused";
  const std::string carried = pack_signature({"openai_responses", "gBBB", "rs_\"2"});
  const json other = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "redacted_thinking"}, {"data", carried}},
                                                                         {{"type", "text"}, {"text", "a"}}}}}, hi}).input();
  EXPECT_EQ(other[1].at("id"), "rs_\"2");
}

TEST(to_responses_test, AnItemsIdThatIsNoTextIsLeftOut) {
  const std::string carried = pack_signature({"openai_responses", "gBBB", "\xff"});
  const json input = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "redacted_thinking"}, {"data", carried}},
                                                                         {{"type", "text"}, {"text", "a"}}}}}, hi}).input();
  EXPECT_EQ(input[1], json::parse(R"({"type":"reasoning","summary":[],"encrypted_content":"gBBB"})"));
}

TEST(to_responses_test, ReasoningOfOthersOrWithoutWhatItLedToIsLeftOut) {
  const written made = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", "Ev4B"}},
                                                                           {{"type", "text"}, {"text", "a"}}}}}, hi});
  EXPECT_EQ(made.input().size(), 3u);
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"reasoning"});
  const std::string carried = pack_signature({"openai_responses", "gBBB"});
  const written last = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "text"}, {"text", "a"}},
                                                                           {{"type", "redacted_thinking"}, {"data", carried}}}}}, hi});
  EXPECT_EQ(last.input().size(), 3u);
  EXPECT_EQ(last.form.dropped, std::vector<std::string>{"reasoning"});
}

TEST(to_responses_test, ImagesAndFilesAreInputsOfTheirOwn) {
  const written chat = of_chat({{{"role", "user"}, {"content", json::parse(R"([{"type":"text","text":"see"},
      {"type":"image_url","image_url":{"url":"https://a/b.png","detail":"low"}},
      {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QQ=="}},{"type":"file","file":{"file_id":"file-1"}}])")}}});
  EXPECT_EQ(chat.input()[0].at("content"), json::parse(R"([{"type":"input_text","text":"see"},
      {"type":"input_image","image_url":"https://a/b.png","detail":"low"},
      {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QQ=="},{"type":"input_file","file_id":"file-1"}])"));
  const written other = of_messages({{{"role", "user"}, {"content", json::parse(R"([
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}},
      {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QQ=="}},
      {"type":"document","source":{"type":"url","url":"https://a/b.pdf"}},
      {"type":"document","source":{"type":"text","media_type":"text/plain","data":"said"}}])")}}});
  EXPECT_EQ(other.input()[0].at("content"), json::parse(R"([{"type":"input_image","image_url":"data:image/png;base64,QQ=="},
      {"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,QQ=="},
      {"type":"input_file","file_url":"https://a/b.pdf"},{"type":"input_text","text":"said"}])"));
}

TEST(to_responses_test, AnImageInAResultStaysThere) {
  const json input = of_messages({hi, {{"role", "assistant"}, {"content", {{{"type", "tool_use"}, {"id", "t"}, {"name", "f"}, {"input", {{"a", 1}}}}}}},
                                  {{"role", "user"}, {"content", {{{"type", "tool_result"}, {"tool_use_id", "t"},
                                   {"content", json::parse(R"([{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}}])")}}}}}}).input();
  EXPECT_EQ(input[1].at("arguments"), R"({"a":1})");
  EXPECT_EQ(input[2].at("output"), json::parse(R"([{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,QQ=="}])"));
}

TEST(to_responses_test, ToolsAreFlatAndStrictOnlyWhereTheyAreSaidToBe) {
  const json body = of_chat({hi}, json::parse(R"({"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}},
      {"type":"function","function":{"name":"g"}}],"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false})")).body();
  EXPECT_EQ(body.at("tools"), json::parse(R"([{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true},
      {"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":false}])"));
  EXPECT_EQ(body.at("tool_choice"), json::parse(R"({"type":"function","name":"f"})"));
  EXPECT_EQ(body.at("parallel_tool_calls"), false);
  EXPECT_EQ(of_chat({hi}, json::parse(R"({"tools":[{"type":"custom","custom":{"name":"c"}}]})")).body().at("tools"),
            json::parse(R"([{"type":"custom","name":"c"}])"));
}

TEST(to_responses_test, ParametersHaveTheirNamesThere) {
  const json body = of_chat({hi}, json::parse(R"({"max_tokens":99,"temperature":0.5,"top_p":0.9,"reasoning_effort":"high","verbosity":"low",
      "user":"u","service_tier":"flex","prompt_cache_key":"k","metadata":{"a":"b"},
      "response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}}})")).body();
  EXPECT_EQ(body.at("max_output_tokens"), 99);
  EXPECT_EQ(body.at("reasoning"), json::parse(R"({"effort":"high","summary":"auto"})"));
  EXPECT_EQ(body.at("include"), json::parse(R"(["reasoning.encrypted_content"])"));
  EXPECT_EQ(body.at("text"), json::parse(R"({"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true},"verbosity":"low"})"));
  for (const auto& [key, value] : {std::pair{"temperature", json(0.5)}, {"top_p", 0.9}, {"user", "u"}, {"service_tier", "flex"}, {"prompt_cache_key", "k"}})
    EXPECT_EQ(body.at(key), value) << key;
  EXPECT_EQ(body.at("metadata"), json::parse(R"({"a":"b"})"));
}

TEST(to_responses_test, AThinkingBudgetIsAnEffortAndNoneIsSaid) {
  const json thinking = {{"thinking", {{"type", "enabled"}, {"budget_tokens", 4000}}}};
  EXPECT_EQ(of_messages({hi}, thinking).body().at("reasoning").at("effort"), "medium");
  const json none = of_chat({hi}, {{"reasoning_effort", "none"}}).body();
  EXPECT_EQ(none.at("reasoning"), json::parse(R"({"effort":"none"})"));
  EXPECT_FALSE(none.contains("include"));
}

TEST(to_responses_test, WhatItHasNoWordsForIsDroppedOrTakesTheTargetOut) {
  EXPECT_EQ(of_chat({hi}, {{"stop", "END"}, {"seed", 1}, {"top_k", 4}, {"max_tokens", 3}}).form.dropped,
            (std::vector<std::string>{"top_k", "max_tokens", "stop", "seed"}));
  EXPECT_EQ(of_chat({hi}, {{"frequency_penalty", 1}, {"presence_penalty", 0}}).form.dropped, std::vector<std::string>{"frequency_penalty"});
  const std::vector<std::pair<std::string, json>> needs{{"logit_bias", {{"1", 2}}}, {"n", 2}};
  for (const auto& [name, value] : needs) EXPECT_EQ(of_chat({hi}, {{name, value}}).form.unsupported, name);
}

}  // namespace
}  // namespace photofinish::proxy::testing
