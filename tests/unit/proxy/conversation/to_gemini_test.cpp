// Tests the conversion of requests from every API to Gemini's generateContent method.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/gemini_form.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
using reader = read_conversation (*)(const client_body&);

struct written {
  translated_text form;
  json body() const { return json::parse(form.json); }
  json contents() const { return body().at("contents"); }
};

written of(reader read, const json& request) {
  const client_body body(request.dump());
  const read_conversation said = read(body);
  if (const auto* fault = std::get_if<request_fault>(&said)) return ADD_FAILURE() << fault->message, written{};
  return {write_gemini(std::get<conversation>(said))};
}
using list = std::vector<json>;

written of_chat(const list& messages, json more = json::object()) {
  more["messages"] = messages;
  return of(read_chat, more);
}
written of_items(const list& items) { return of(read_responses, {{"input", items}}); }
written of_messages(const list& messages, json more = json::object()) {
  more["messages"] = messages;
  more["max_tokens"] = 9;
  return of(read_messages, more);
}

json said(const std::string& role, const json& content) { return {{"role", role}, {"content", content}}; }
json call(const std::string& id, const std::string& name, const std::string& arguments, const char* signature = nullptr) {
  json made = {{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
  if (signature != nullptr) made["extra_content"]["google"]["thought_signature"] = signature;
  return made;
}
json calling(const list& calls) { return {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", calls}}; }
json result(const std::string& id, const json& text) { return {{"role", "tool"}, {"tool_call_id", id}, {"content", text}}; }

TEST(to_gemini_test, ATextIsAUsersContent) {
  EXPECT_EQ(of_chat({said("user", "Say \"hi\"\n")}).contents(),
            json::parse(R"([{"role":"user","parts":[{"text":"Say \"hi\"\n"}]}])"));
}

TEST(to_gemini_test, InstructionsInFrontAreTheSystemsAndLaterOnesAreMarked) {
  const json body = of_chat({said("system", "One"), said("developer", "Two"), said("user", "a"), said("system", "Three")}).body();
  EXPECT_EQ(body.at("systemInstruction"), json::parse(R"({"parts":[{"text":"One"},{"text":"Two"}]})"));
  EXPECT_EQ(body.at("contents"), json::parse(R"([{"role":"user","parts":[{"text":"a"},
      {"text":"\n\n<system-reminder>\nThree\n</system-reminder>"}]}])"));
}

TEST(to_gemini_test, RolesAlternateHoweverTheClientsTurnsDo) {
  const json contents = of_chat({said("assistant", "Welcome"), said("user", "a"), said("user", "b"), said("assistant", ""),
                                 said("user", "c"), said("assistant", "d")})
                            .contents();
  EXPECT_EQ(contents, json::parse(R"([{"role":"user","parts":[{"text":" "}]},{"role":"model","parts":[{"text":"Welcome"}]},
      {"role":"user","parts":[{"text":"a"},{"text":"\n\nb"},{"text":"\n\nc"}]},{"role":"model","parts":[{"text":"d"}]}])"));
}

TEST(to_gemini_test, InstructionsAloneAreAskedByABlankText) {
  EXPECT_EQ(of_chat({said("system", "Tell a joke")}).contents(), json::parse(R"([{"role":"user","parts":[{"text":" "}]}])"));
}

TEST(to_gemini_test, ParallelCallsAreAnsweredInOneContentInTheirOrder) {
  const json contents =
      of_chat({said("user", "q"), calling({call("a", "f", R"({"x":12345678901234567890})", "c2ln"), call("b", "g", "")}),
               result("b", "2"), result("a", "1"), said("user", "and?")})
          .contents();
  EXPECT_EQ(contents[1], json::parse(R"({"role":"model","parts":[
      {"functionCall":{"name":"f","args":{"x":12345678901234567890}},"thoughtSignature":"c2ln"},
      {"functionCall":{"name":"g","args":{}}}]})"));
  EXPECT_EQ(contents[2], json::parse(R"({"role":"user","parts":[
      {"functionResponse":{"name":"f","response":{"output":"1"}}},{"functionResponse":{"name":"g","response":{"output":"2"}}},
      {"text":"and?"}]})"));
  EXPECT_EQ(contents.size(), 3u);
}

TEST(to_gemini_test, NumbersAndTheOrderOfKeysStayAsTheyWere) {
  const std::string body = of_chat({said("user", "q"), calling({call("a", "f", R"({"z":1.50,"a":1e400})")})}).form.json;
  EXPECT_NE(body.find(R"("args":{"z":1.50,"a":1e400})"), std::string::npos) << body;
}

TEST(to_gemini_test, AMissingResultIsFilledInAndOneTooManyIsText) {
  const json contents = of_chat({said("user", "q"), calling({call("a", "f", "{}"), call("b", "g", "{}")}), result("b", "2"),
                                 result("z", "stray")})
                            .contents();
  ASSERT_EQ(contents.size(), 3u);
  EXPECT_EQ(contents[2].at("parts"), json::parse(R"([
      {"functionResponse":{"name":"f","response":{"error":"No result of this call was recorded."}}},
      {"functionResponse":{"name":"g","response":{"output":"2"}}},{"text":"stray"}])"));
}

TEST(to_gemini_test, AResultThatIsAnErrorSaysSo) {
  const json contents =
      of_messages({said("user", "q"), said("assistant", json::parse(R"([{"type":"tool_use","id":"a","name":"f","input":{"x":1}}])")),
                   said("user", json::parse(R"([{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"no"}])"))})
          .contents();
  EXPECT_EQ(contents[2].at("parts")[0].at("functionResponse").at("response"), json::parse(R"({"error":"no"})"));
}

TEST(to_gemini_test, AResultBehindAUsersMessageIsBroughtToItsCall) {
  const json contents = of_chat({said("user", "q"), calling({call("a", "f", "{}")}), said("user", "hurry"), result("a", "1")}).contents();
  EXPECT_EQ(contents[2].at("parts"), json::parse(R"([{"functionResponse":{"name":"f","response":{"output":"1"}}},{"text":"hurry"}])"));
}

TEST(to_gemini_test, AnIdThatIsUsedTwiceMeetsItsOwnResultEachTime) {
  const json contents = of_chat({said("user", "q"), calling({call("a", "f", "{}")}), result("a", "1"), calling({call("a", "f", "{}")}),
                                 result("a", "2")})
                            .contents();
  EXPECT_EQ(contents[2].at("parts")[0].at("functionResponse").at("response").at("output"), "1");
  EXPECT_EQ(contents[4].at("parts")[0].at("functionResponse").at("response").at("output"), "2");
}

TEST(to_gemini_test, ArgumentsThatAreNoObjectAreAnInput) {
  const json contents = of_chat({said("user", "q"), calling({call("a", "f", R"({"x":)"), call("b", "f", "[1]")})}).contents();
  EXPECT_EQ(contents[1].at("parts")[0].at("functionCall").at("args"), json::parse(R"({"input":"{\"x\":"})"));
  EXPECT_EQ(contents[1].at("parts")[1].at("functionCall").at("args"), json::parse(R"({"input":"[1]"})"));
}

// Signatures

TEST(to_gemini_test, TheFirstCallOfAStepIsSignedByAStandInWhereGeminiDidNotSignIt) {
  const json contents = of_chat({said("user", "q"), calling({call("a", "f", "{}"), call("b", "g", "{}")}), result("a", "1"),
                                 result("b", "2"), calling({call("c", "f", "{}", "bWluZQ==")}), result("c", "3")})
                            .contents();
  EXPECT_EQ(contents[1].at("parts")[0].at("thoughtSignature"), "skip_thought_signature_validator");
  EXPECT_FALSE(contents[1].at("parts")[1].contains("thoughtSignature"));
  EXPECT_EQ(contents[3].at("parts")[0].at("thoughtSignature"), "bWluZQ==");
  for (const json& part : contents[2].at("parts")) EXPECT_FALSE(part.contains("thoughtSignature"));
}

json reasoning(const std::string& of, const std::string& signature) {
  return {{"type", "reasoning"}, {"summary", json::array()}, {"encrypted_content", pack_signature({of, signature})}};
}

TEST(to_gemini_test, ASignatureComesBackThroughResponsesOnTheCallBehindIt) {
  const json call = {{"type", "function_call"}, {"call_id", "a"}, {"name", "f"}, {"arguments", "{}"}};
  const json contents = of_items({said("user", "q"), reasoning("gemini", "A+/b=="), call}).contents();
  EXPECT_EQ(contents[1].at("parts"), json::parse(R"([{"functionCall":{"name":"f","args":{}},"thoughtSignature":"A+/b=="}])"));
}

TEST(to_gemini_test, ASignatureBehindATextIsAnEmptyPart) {
  const json contents = of_items({said("user", "q"), said("assistant", "yes"), reasoning("gemini", "abc"), said("user", "r")}).contents();
  EXPECT_EQ(contents[1].at("parts"), json::parse(R"([{"text":"yes"},{"text":"","thoughtSignature":"abc"}])"));
}

TEST(to_gemini_test, ASignatureBeforeATextIsThatTexts) {
  const json contents = of_items({said("user", "q"), reasoning("gemini", "abc"), said("assistant", "yes"), said("user", "r")}).contents();
  EXPECT_EQ(contents[1].at("parts"), json::parse(R"([{"text":"yes","thoughtSignature":"abc"}])"));
}

TEST(to_gemini_test, SignaturesOfOthersAreNeverSent) {
  const json call = {{"type", "function_call"}, {"call_id", "a"}, {"name", "f"}, {"arguments", "{}"}};
  for (const char* of : {"anthropic_messages", "openai_responses", "unheard_of"}) {
    const written made = of_items({said("user", "q"), reasoning(of, "FOREIGN"), call});
    EXPECT_EQ(made.form.json.find("FOREIGN"), std::string::npos);
    EXPECT_EQ(made.contents()[1].at("parts")[0].at("thoughtSignature"), "skip_thought_signature_validator");
    EXPECT_EQ(made.form.dropped, std::vector<std::string>{"reasoning.signature"});
  }
  const written native = of_messages(
      {said("user", "q"), said("assistant", json::parse(R"([{"type":"thinking","thinking":"hm","signature":"FOREIGN"},
          {"type":"redacted_thinking","data":"FOREIGN"},{"type":"text","text":"a"}])")), said("user", "r")});
  EXPECT_EQ(native.form.json.find("FOREIGN"), std::string::npos);
  EXPECT_EQ(native.form.dropped, (std::vector<std::string>{"reasoning.signature", "reasoning"}));
}

TEST(to_gemini_test, ASignatureComesBackThroughMessages) {
  const json blocks = json::array({{{"type", "redacted_thinking"}, {"data", pack_signature({"gemini", "abc"})}},
                                   {{"type", "tool_use"}, {"id", "a"}, {"name", "f"}, {"input", json::object()}}});
  const json contents = of_messages({said("user", "q"), said("assistant", blocks)}).contents();
  EXPECT_EQ(contents[1].at("parts")[0].at("thoughtSignature"), "abc");
}

TEST(to_gemini_test, ASignatureOfAChatMessageIsItsTexts) {
  json message = said("assistant", "yes");
  message["extra_content"]["google"]["thought_signature"] = "abc";
  EXPECT_EQ(of_chat({said("user", "q"), message, said("user", "r")}).contents()[1].at("parts"),
            json::parse(R"([{"text":"yes","thoughtSignature":"abc"}])"));
}

// Media

struct media_case {
  const char* name;
  const char* part;
  const char* expected;  // the expected part of the converted request, or the name of the member that cannot be converted
};
class GeminiMedia : public ::testing::TestWithParam<media_case> {};
INSTANTIATE_TEST_SUITE_P(
    to_gemini_test, GeminiMedia,
    ::testing::Values(
        media_case{"data_url", R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}})", R"({"inlineData":{"mimeType":"image/png","data":"AAAA"}})"},
        media_case{"jpg_is_jpeg", R"({"type":"image_url","image_url":{"url":"data:image/jpg;base64,AAAA"}})", R"({"inlineData":{"mimeType":"image/jpeg","data":"AAAA"}})"},
        media_case{"data_url_with_parameter", R"({"type":"image_url","image_url":{"url":"data:text/plain;charset=utf-8;base64,AAAA"}})", R"({"inlineData":{"mimeType":"text/plain","data":"AAAA"}})"},
        media_case{"url", R"({"type":"image_url","image_url":{"url":"https://x/y.JPG.webp?z=.png"}})", R"({"fileData":{"mimeType":"image/webp","fileUri":"https://x/y.JPG.webp?z=.png"}})"},
        media_case{"url_without_ending", R"({"type":"image_url","image_url":{"url":"https://youtu.be/x"}})", R"({"fileData":{"fileUri":"https://youtu.be/x"}})"},
        media_case{"sound", R"({"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}})", R"({"inlineData":{"mimeType":"audio/wav","data":"AAAA"}})"},
        media_case{"file", R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}})", R"({"inlineData":{"mimeType":"application/pdf","data":"AAAA"}})"},
        media_case{"data_url_of_another_encoding", R"({"type":"image_url","image_url":{"url":"data:image/svg+xml,<svg/>"}})", "content.image_url"},
        media_case{"data_url_without_type", R"({"type":"image_url","image_url":{"url":"data:;base64,iVBORw0KGgoAAAANSUhEUg=="}})", R"({"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUg=="}})"},
        media_case{"data_url_of_unknown_bytes", R"({"type":"image_url","image_url":{"url":"data:;base64,AAAA"}})", "content.image.media_type"},
        media_case{"data_without_its_scheme", R"({"type":"image_url","image_url":{"url":"image/png;base64,AAAA"}})", R"({"inlineData":{"mimeType":"image/png","data":"AAAA"}})"},
        media_case{"file_in_a_bucket", R"({"type":"image_url","image_url":{"url":"gs://bucket/a.png"}})", R"({"fileData":{"mimeType":"image/png","fileUri":"gs://bucket/a.png"}})"},
        media_case{"no_address", R"({"type":"image_url","image_url":{"url":"picture.png"}})", "content.image.url"},
        media_case{"file_data_url_without_type", R"({"type":"file","file":{"filename":"a.csv","file_data":"data:;base64,AAAA"}})", R"({"inlineData":{"mimeType":"text/csv","data":"AAAA"}})"},
        media_case{"file_without_type", R"({"type":"file","file":{"file_data":"AAAA"}})", R"({"inlineData":{"mimeType":"application/pdf","data":"AAAA"}})"},
        media_case{"file_with_a_name", R"({"type":"file","file":{"filename":"a.CSV","file_data":"AAAA"}})", R"({"inlineData":{"mimeType":"text/csv","data":"AAAA"}})"},
        media_case{"base64_in_lines", R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA\nA\r\nA\n"}})", R"({"inlineData":{"mimeType":"application/pdf","data":"AAAA"}})"},
        media_case{"file_id", R"({"type":"file","file":{"file_id":"file-1"}})", "content.file_id"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(GeminiMedia, IsAPartOrTakesTheTargetOut) {
  const written made = of_chat({said("user", json::array({json::parse(GetParam().part)}))});
  if (GetParam().expected[0] != '{') {
    EXPECT_EQ(made.form.unsupported, GetParam().expected);
    return;
  }
  EXPECT_EQ(made.form.unsupported, "");
  EXPECT_EQ(made.contents()[0].at("parts"), json::array({json::parse(GetParam().expected)}));
}

TEST(to_gemini_test, AnImageOfAResultFollowsTheResults) {
  const json blocks = json::parse(R"([{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"here"},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}])");
  const json contents = of_messages({said("user", "q"), said("assistant", json::parse(R"([{"type":"tool_use","id":"a","name":"f","input":{}}])")),
                                     said("user", blocks)})
                            .contents();
  EXPECT_EQ(contents[2].at("parts"), json::parse(R"([{"functionResponse":{"name":"f","response":{"output":"here"}}},
      {"inlineData":{"mimeType":"image/png","data":"AAAA"}}])"));
}

// The following tests cover tools and parameters.

TEST(to_gemini_test, ToolsKeepTheirSchemas) {
  const json schema = json::parse(R"({"type":"object","properties":{"x":{"$ref":"#/$defs/y"}},"$defs":{"y":{"const":1}},"additionalProperties":false})");
  const json tools = json::array({{{"type", "function"}, {"function", {{"name", "f"}, {"description", "d"}, {"parameters", schema}, {"strict", true}}}},
                                  {{"type", "function"}, {"function", {{"name", "g"}}}}});
  const written made = of_chat({said("user", "q")}, {{"tools", tools}, {"parallel_tool_calls", false}});
  EXPECT_EQ(made.body().at("tools"), json::array({{{"functionDeclarations", {{{"name", "f"}, {"description", "d"}, {"parametersJsonSchema", schema}}, {{"name", "g"}}}}}}));
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"tools[].strict", "parallel_tool_calls"}));
}

TEST(to_gemini_test, AToolWhoseNameGeminiRefusesIsRenamed) {
  const json tools = json::array({{{"type", "function"}, {"function", {{"name", "1f"}}}}});
  const json body = of_chat({said("user", "q")}, {{"tools", tools}}).body();
  EXPECT_TRUE(body.at("tools")[0].at("functionDeclarations")[0].at("name").get<std::string>().starts_with("_1f_"));
}

TEST(to_gemini_test, EachChoiceOfToolsHasItsMode) {
  const json tools = json::array({{{"type", "function"}, {"function", {{"name", "f"}}}}});
  const auto config = [&tools](const json& choice) {
    const json body = of_chat({said("user", "q")}, {{"tools", tools}, {"tool_choice", choice}}).body();
    return body.at("toolConfig").at("functionCallingConfig");
  };
  EXPECT_EQ(config("auto"), json::parse(R"({"mode":"AUTO"})"));
  EXPECT_EQ(config("none"), json::parse(R"({"mode":"NONE"})"));
  EXPECT_EQ(config("required"), json::parse(R"({"mode":"ANY"})"));
  EXPECT_EQ(config(json::parse(R"({"type":"function","function":{"name":"f"}})")), json::parse(R"({"mode":"ANY","allowedFunctionNames":["f"]})"));
}

TEST(to_gemini_test, ParametersAreInGenerationConfig) {
  const json schema = {{"type", "object"}};
  const json body = of_chat({said("user", "q")}, {{"max_completion_tokens", 7}, {"temperature", 0.50}, {"top_p", 0.9}, {"top_k", 5}, {"stop", "x"},
                                                  {"seed", 3}, {"presence_penalty", 1}, {"frequency_penalty", -1}, {"n", 1},
                                                  {"response_format", {{"type", "json_schema"}, {"json_schema", {{"name", "s"}, {"schema", schema}}}}}})
                        .body();
  EXPECT_EQ(body.at("generationConfig"), json::parse(R"({"maxOutputTokens":7,"temperature":0.5,"topP":0.9,"topK":5,"seed":3,"presencePenalty":1,
      "frequencyPenalty":-1,"stopSequences":["x"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}})"));
}

struct refused_case {
  const char* name;
  const char* more;
  const char* unsupported;
};
class GeminiRefused : public ::testing::TestWithParam<refused_case> {};
INSTANTIATE_TEST_SUITE_P(to_gemini_test, GeminiRefused,
                         ::testing::Values(refused_case{"six_stops", R"({"stop":["1","2","3","4","5","6"]})", "stop"},
                                           refused_case{"two_choices", R"({"n":2})", "n"},
                                           refused_case{"logprobs", R"({"logprobs":true})", "logprobs"},
                                           refused_case{"sound", R"({"modalities":["text","audio"]})", "modalities"},
                                           refused_case{"hosted_tools", R"({"tools":[{"type":"web_search"}]})", "tools.web_search"}),
                         [](const auto& tested) { return tested.param.name; });
TEST_P(GeminiRefused, TakesTheTargetOut) {
  EXPECT_EQ(of_chat({said("user", "q")}, json::parse(GetParam().more)).form.unsupported, GetParam().unsupported);
}

TEST(to_gemini_test, AnEmptyStopIsLeftOutByName) {
  for (const json& stops : {json("x"), json::array({"", "x"})}) {
    const written made = of_chat({said("user", "q")}, {{"stop", stops}});
    EXPECT_EQ(made.body().at("generationConfig").at("stopSequences"), json::array({"x"})) << stops;
    EXPECT_EQ(made.form.dropped.empty(), stops.is_string()) << stops;
  }
  const written alone = of_chat({said("user", "q")}, {{"stop", ""}});
  EXPECT_EQ(alone.form.unsupported, "");
  EXPECT_EQ(alone.form.dropped, std::vector<std::string>{"stop"});
}

TEST(to_gemini_test, WhatGeminiDoesNotKnowIsNamed) {
  const written made = of_chat({said("user", "q")}, {{"user", "u"}, {"service_tier", "flex"}, {"store", true}, {"metadata", {{"a", "b"}}}, {"n", 1}, {"modalities", {"text"}}});
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"user", "metadata", "store"}));
  EXPECT_EQ(made.body().at("serviceTier"), "flex");
  EXPECT_EQ(made.form.unsupported, "");
}

TEST(to_gemini_test, GooglesOwnExtrasPass) {
  const json extra = json::parse(R"({"google":{"cached_content":"cachedContents/1","thinking_config":{"thinking_budget":5}}})");
  const json body = of_chat({said("user", "q")}, {{"extra_body", extra}, {"safety_settings", json::parse(R"([{"category":"C","threshold":"T"}])")}}).body();
  EXPECT_EQ(body.at("cachedContent"), "cachedContents/1");
  EXPECT_EQ(body.at("thinking"), json::parse(R"({"config":{"thinking_budget":5}})"));
  EXPECT_EQ(body.at("safetySettings"), json::parse(R"([{"category":"C","threshold":"T"}])"));
}

TEST(to_gemini_test, EffortAndBudgetWaitForTheModel) {
  EXPECT_EQ(of_chat({said("user", "q")}, {{"reasoning_effort", "high"}}).body().at("thinking"), json::parse(R"({"effort":"high"})"));
  EXPECT_EQ(of_messages({said("user", "q")}, {{"thinking", {{"type", "enabled"}, {"budget_tokens", 4096}}}}).body().at("thinking"),
            json::parse(R"({"budget":4096})"));
}

}  // namespace
}  // namespace photofinish::proxy
