#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/argument_object.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using testing::json;
using testing::translation;

translation of(const json& request) { return testing::translate(read_responses, request); }
translation of_input(const json& items) { return of({{"model", "m"}, {"input", items}}); }

json call(const std::string& id, const std::string& name, const std::string& arguments = "{}") {
  return {{"type", "function_call"}, {"call_id", id}, {"name", name}, {"arguments", arguments}};
}
json output(const std::string& id, const json& what) {
  return {{"type", "function_call_output"}, {"call_id", id}, {"output", what}};
}
json said(const std::string& role, const std::string& text) { return {{"role", role}, {"content", text}}; }

TEST(responses_to_chat_test, ATextIsAUsersMessage) {
  EXPECT_EQ(of({{"model", "m"}, {"input", "hi"}}).messages(), json::parse(R"([{"role":"user","content":"hi"}])"));
}

TEST(responses_to_chat_test, InstructionsAndWhatStandsInFrontAreOneSystemMessage) {
  const translation made = of({{"instructions", "Be \"brief\""},
                               {"input", json::array({said("developer", "Stay here"), said("user", "a"),
                                                      said("developer", "Now there")})}});
  EXPECT_EQ(made.messages(), json::parse(R"([{"role":"system","content":"Be \"brief\"\nStay here"},
      {"role":"user","content":"a\n\n<system-reminder>\nNow there\n</system-reminder>"}])"));
}

TEST(responses_to_chat_test, WhatIsSaidBetweenTwoAnswersIsOneUsersMessage) {
  const json picture = {{"type", "input_image"}, {"image_url", "https://x/y.png"}};
  const json messages = of_input(json::array({said("user", "a"), said("user", "b"), said("assistant", "c"),
                                              said("developer", "d"), {{"role", "user"}, {"content", {picture}}}}))
                            .messages();
  EXPECT_EQ(messages, json::parse(R"([{"role":"user","content":"a\n\nb"},{"role":"assistant","content":"c"},
      {"role":"user","content":[{"type":"text","text":"<system-reminder>\nd\n</system-reminder>"},
                                {"type":"image_url","image_url":{"url":"https://x/y.png"}}]}])"));
}

TEST(responses_to_chat_test, ARunOfCallsIsOneMessageAndItsResultsFollowIt) {
  const translation made = of_input(json::array(
      {said("user", "q"), call("a", "f", R"({"x":12345678901234567890})"), call("b", "g"), output("b", "2"), output("a", "1")}));
  const json messages = made.messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].at("content"), nullptr);
  ASSERT_EQ(messages[1].at("tool_calls").size(), 2u);
  EXPECT_EQ(messages[1].at("tool_calls")[0].at("function").at("arguments"), R"({"x":12345678901234567890})");
  EXPECT_EQ(messages[2], json::parse(R"({"role":"tool","content":"1","tool_call_id":"a"})"));
  EXPECT_EQ(messages[3], json::parse(R"({"role":"tool","content":"2","tool_call_id":"b"})"));
}

TEST(responses_to_chat_test, TextBetweenACallAndItsResultStandsBeforeTheCall) {
  const json messages =
      of_input(json::array({call("a", "f"), said("assistant", "Let me see"), output("a", "1"), said("user", "and?")}))
          .messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].at("content"), "Let me see");
  EXPECT_EQ(messages[0].at("tool_calls").size(), 1u);
  EXPECT_EQ(messages[1].at("role"), "tool");
}

TEST(responses_to_chat_test, AResultBehindAUsersMessageIsBroughtToItsCall) {
  const json messages = of_input(json::array({call("a", "f"), said("user", "hurry"), output("a", "1")})).messages();
  EXPECT_EQ(messages[1].at("role"), "tool");
  EXPECT_EQ(messages[2].at("content"), "hurry");
  EXPECT_EQ(messages.size(), 3u);
}

TEST(responses_to_chat_test, AnIdThatIsUsedTwiceMeetsItsOwnResultEachTime) {
  const json messages = of_input(json::array({call("a", "f"), output("a", "1"), call("a", "f"), output("a", "2")})).messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].at("content"), "1");
  EXPECT_EQ(messages[3].at("content"), "2");
}

TEST(responses_to_chat_test, ReasoningGoesWithTheAssistantsNextMessage) {
  const translation made = of_input(json::array(
      {{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", {{{"type", "summary_text"}, {"text", "think"}}}}}, call("a", "f"),
       output("a", "1")}));
  EXPECT_EQ(made.messages()[0].at("reasoning_content"), "think");
  EXPECT_TRUE(made.form.dropped.empty());
}

TEST(responses_to_chat_test, ReasoningThatOnlyItsProviderReadsIsLeftOutAndNamed) {
  const translation made = of_input(json::array(
      {{{"type", "reasoning"}, {"summary", json::array()}, {"encrypted_content", "gAAAA"}}, said("assistant", "yes")}));
  EXPECT_EQ(made.messages(), json::parse(R"([{"role":"assistant","content":"yes"}])"));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"reasoning.signature"});
}

TEST(responses_to_chat_test, ASignatureOfOursComesBackByteForByteWithItsReader) {
  const std::string packed = pack_signature({"anthropic_messages", std::string("a\0\"b", 4)});
  const client_body body(json{{"input", {{{"type", "reasoning"}, {"encrypted_content", packed}}}}}.dump());
  const auto read = std::get<conversation>(read_responses(body));
  ASSERT_EQ(read.blocks.size(), 1u);
  EXPECT_EQ(read.blocks[0].readable_by, wire_format::anthropic_messages);
  EXPECT_EQ(json_unescape(json_raw_string(read.blocks[0].signature)), std::string("a\0\"b", 4));
}

TEST(responses_to_chat_test, ACustomToolIsAFunctionOfOneString) {
  const translation made = of({{"input", json::array({{{"type", "custom_tool_call"}, {"call_id", "a"}, {"name", "apply_patch"},
                                                       {"input", "*** \"x\"\n"}},
                                                      {{"type", "custom_tool_call_output"}, {"call_id", "a"}, {"output", "ok"}}})},
                               {"tools", {{{"type", "custom"}, {"name", "apply_patch"}, {"description", "d"},
                                           {"format", {{"type", "grammar"}}}}}}});
  const json function = made.chat().at("tools")[0].at("function");
  EXPECT_EQ(function.at("parameters").at("required"), json::array({"input"}));
  EXPECT_EQ(json::parse(made.messages()[0].at("tool_calls")[0].at("function").at("arguments").get<std::string>()),
            (json{{"input", "*** \"x\"\n"}}));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"tools[].format"});
}

TEST(responses_to_chat_test, AToolOfANamespaceHasBothNames) {
  const json inner{{"type", "function"}, {"name", "read"}, {"parameters", {{"type", "object"}}}};
  const translation made = of({{"input", json::array({{{"type", "function_call"}, {"call_id", "a"}, {"namespace", "files"},
                                                       {"name", "read"}, {"arguments", "{}"}}})},
                               {"tools", {{{"type", "namespace"}, {"name", "files"}, {"tools", {inner}}}}}});
  EXPECT_EQ(made.chat().at("tools")[0].at("function").at("name"), "files__read");
  EXPECT_EQ(made.messages()[0].at("tool_calls")[0].at("function").at("name"), "files__read");
}

TEST(responses_to_chat_test, NamesThatWouldCollideAreRefused) {
  const json inner{{"type", "function"}, {"name", "read"}};
  const json tools = json::array({{{"type", "namespace"}, {"name", "files"}, {"tools", {inner}}},
                                  {{"type", "function"}, {"name", "files__read"}}});
  EXPECT_EQ(of({{"input", "hi"}, {"tools", tools}}).form.unsupported, "tools[].name");
}

TEST(responses_to_chat_test, ToolsMayComeAsAnItem) {
  const json item{{"type", "additional_tools"}, {"role", "developer"}, {"tools", {{{"type", "function"}, {"name", "f"}}}}};
  const translation made = of({{"tools", json::array()}, {"input", json::array({item, said("user", "x")})}});
  EXPECT_EQ(made.chat().at("tools").size(), 1u);
}

TEST(responses_to_chat_test, WhatOnlyAResponsesProviderCanDoIsNamed) {
  const std::vector<std::pair<json, std::string>> cases{
      {{{"input", "x"}, {"previous_response_id", "resp_1"}}, "previous_response_id"},
      {{{"input", "x"}, {"conversation", "conv_1"}}, "conversation"},
      {{{"input", "x"}, {"background", true}}, "background"},
      {{{"input", "x"}, {"store", true}}, "store"},
      {{{"input", "x"}, {"tools", {{{"type", "web_search"}}}}}, "tools.web_search"},
      {{{"input", json::array({{{"type", "file_search_call"}, {"id", "fs"}}})}}, "file_search_call"},
      {{{"input", json::array({{{"type", "compaction"}, {"encrypted_content", "x"}}})}}, "compaction"},
      {{{"input", json::array({{{"role", "user"}, {"content", {{{"type", "input_image"}, {"file_id", "f"}}}}}})}},
       "content.image.file_id"}};
  for (const auto& [request, named] : cases) EXPECT_EQ(of(request).form.unsupported, named) << request;
  EXPECT_EQ(of({{"input", "x"}, {"store", false}, {"background", false}}).form.unsupported, "");
}

TEST(responses_to_chat_test, ASearchNextToOwnToolsIsLeftOutByName) {
  const json tools{{{"type", "function"}, {"name", "f"}}, {{"type", "web_search"}, {"external_web_access", true}}};
  const json search{{"type", "web_search_call"}, {"id", "ws"}, {"action", {{"type", "search"}, {"query", "q"}}}};
  const translation made = of({{"input", json::array({said("user", "x"), search, said("user", "y")})}, {"tools", tools}});
  EXPECT_EQ(made.form.unsupported, "");
  EXPECT_EQ(made.chat().at("tools").size(), 1u);
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"web_search_call", "tools.web_search"}));
  const translation called = of({{"input", "x"}, {"tools", tools}, {"tool_choice", {{"type", "web_search"}}}});
  EXPECT_NE(called.form.unsupported, "") << "the client asks for the search itself";
}

TEST(responses_to_chat_test, AFreeTextIsReadFromWhatAModelWrote) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"input":"a\nb"})", "a\nb"}, {R"({"patch":"a"})", "a"}, {R"({"input":"a","patch":"b"})", "a"},
      {R"({"patch":"a","file":"b"})", R"({"patch":"a","file":"b"})"}, {R"({"count":7})", R"({"count":7})"},
      {R"(["a"])", R"(["a"])"}, {"{}", ""}, {"*** Begin Patch", "*** Begin Patch"}};
  for (const auto& [arguments, text] : cases) EXPECT_EQ(free_text_in(arguments), text) << arguments;
}

TEST(responses_to_chat_test, ArgumentsOfAnyShapeBecomeAnObject) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"p":1.50})", R"({"p":1.50})"}, {R"("{\"p\":1.50}")", R"({"p":1.50})"}, {R"( "{}" )", "{}"}, {"", "{}"}, {" null", "{}"},
      {"[1]", R"({"input":"[1]"})"}, {"5", R"({"input":"5"})"}, {R"("red")", R"({"input":"\"red\""})"}, {R"({"p":)", R"({"input":"{\"p\":"})"}};
  for (const auto& [arguments, object] : cases) EXPECT_EQ(argument_object(arguments), object) << arguments;
}

TEST(responses_to_chat_test, OtherHostedToolsAreNeededNextToOwnTools) {
  const json tools{{{"type", "function"}, {"name", "f"}}, {{"type", "code_interpreter"}}};
  EXPECT_EQ(of({{"input", "x"}, {"tools", tools}}).form.unsupported, "tools.code_interpreter");
}

TEST(responses_to_chat_test, ParametersAreSaidInChatsWords) {
  const json format{{"type", "json_schema"}, {"name", "n"}, {"schema", {{"type", "object"}}}, {"strict", true}};
  const translation made = of({{"input", "x"}, {"max_output_tokens", 9}, {"temperature", 0.5}, {"top_p", 0.9},
                               {"reasoning", {{"effort", "low"}, {"summary", "auto"}}}, {"text", {{"format", format}, {"verbosity", "low"}}},
                               {"user", "u"}, {"parallel_tool_calls", false}, {"prompt_cache_key", "k"}, {"truncation", "disabled"},
                               {"tools", {{{"type", "function"}, {"name", "f"}}}}, {"tool_choice", {{"type", "function"}, {"name", "f"}}}});
  const json chat = made.chat();
  EXPECT_EQ(chat.at("max_tokens"), 9);
  EXPECT_EQ(chat.at("temperature"), 0.5);
  EXPECT_EQ(chat.at("top_p"), 0.9);
  EXPECT_EQ(chat.at("reasoning_effort"), "low");
  EXPECT_EQ(chat.at("user"), "u");
  EXPECT_EQ(chat.at("parallel_tool_calls"), false);
  EXPECT_EQ(chat.at("tool_choice"), json::parse(R"({"type":"function","function":{"name":"f"}})"));
  EXPECT_EQ(chat.at("response_format"),
            json::parse(R"({"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}})"));
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"text.verbosity", "prompt_cache_key", "truncation"}));
}

TEST(responses_to_chat_test, OnlyAllowedToolsAreOffered) {
  const json tools = json::array({{{"type", "function"}, {"name", "f"}}, {{"type", "function"}, {"name", "g"}}});
  const json allowed{{"type", "allowed_tools"}, {"mode", "required"}, {"tools", {{{"type", "function"}, {"name", "g"}}}}};
  const json chat = of({{"input", "x"}, {"tools", tools}, {"tool_choice", allowed}}).chat();
  ASSERT_EQ(chat.at("tools").size(), 1u);
  EXPECT_EQ(chat.at("tools")[0].at("function").at("name"), "g");
  EXPECT_EQ(chat.at("tool_choice"), "required");
}

TEST(responses_to_chat_test, ImagesOfAResultFollowAsTheUsers) {
  const json image{{"type", "input_image"}, {"image_url", "data:image/png;base64,AA"}};
  const json messages = of_input(json::array({call("a", "f"), output("a", json::array({{{"type", "input_text"}, {"text", "see"}}, image}))})).messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].at("content"), "see");
  EXPECT_EQ(messages[2].at("role"), "user");
  EXPECT_EQ(messages[2].at("content")[0].at("image_url").at("url"), "data:image/png;base64,AA");
}

TEST(responses_to_chat_test, FaultsNameTheirPlace) {
  const std::vector<std::pair<json, std::string>> cases{
      {json::object(), "input"},
      {{{"input", 5}}, "input"},
      {{{"input", json::array()}}, "input"},
      {{{"input", json::array({5})}}, "input[0]"},
      {{{"input", json::array({{{"role", "user"}, {"content", "a"}}, {{"role", "robot"}}})}}, "input[1].role"},
      {{{"input", json::array({{{"role", "user"}, {"content", {{{"type", "input_text"}, {"text", 5}}}}}})}}, "input[0].content[0].text"},
      {{{"input", json::array({{{"type", "function_call"}, {"name", "f"}, {"arguments", "{}"}}})}}, "input[0].call_id"},
      {{{"input", json::array({{{"type", "item_reference"}, {"id", "msg_1"}}})}}, "input[0].id"},
      {{{"input", "x"}, {"tools", {{{"type", "function"}}}}}, "tools[0].name"}};
  for (const auto& [request, named] : cases) EXPECT_EQ(of(request).fault.param, named) << request;
}

TEST(responses_to_chat_test, MoreBlocksThanAnyConversationHasAreRefused) {
  json parts = json::array();
  for (std::size_t at = 0; at < 50'001; ++at) parts.push_back({{"type", "input_text"}, {"text", ""}});
  const translation made = of_input(json::array({{{"role", "user"}, {"content", parts}}}));
  EXPECT_NE(made.fault.message.find("50000 content blocks"), std::string::npos) << made.fault.message;
}

}  // namespace
}  // namespace photofinish::proxy
