#include "proxy/conversation/tool_names.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using testing::json;
using testing::translation;

// Adds the required members if they are missing, and translates the request to the chat format.
translation of(json request) {
  if (!request.contains("max_tokens")) request["max_tokens"] = 100;
  if (!request.contains("messages")) request["messages"] = {{{"role", "user"}, {"content", "hi"}}};
  return testing::translate(read_messages, request);
}
translation of_messages(const json& messages) { return of({{"messages", messages}}); }

json text(const std::string& what) { return {{"type", "text"}, {"text", what}}; }
json use(const std::string& id, const json& input) {
  return {{"type", "tool_use"}, {"id", id}, {"name", "f"}, {"input", input}};
}
json result(const std::string& id, const json& content) {
  return {{"type", "tool_result"}, {"tool_use_id", id}, {"content", content}};
}

TEST(messages_to_chat_test, SystemBlocksAreOneMessageAndTheAttributionGoes) {
  const translation made = of({{"system", {text("x-anthropic-billing-header: cc_version=2; cch=9;"), text("You are"), text("brief")}}});
  EXPECT_EQ(made.messages()[0], json::parse(R"({"role":"system","content":"You are\nbrief"})"));
}

// Claude Code sends system messages after the user's message.
TEST(messages_to_chat_test, ASystemTextInTheMidstIsMarkedInTheUsersMessage) {
  const json messages = of_messages(json::array({{{"role", "user"}, {"content", "go"}},
                                                 {{"role", "system"}, {"content", "Be \"brief\""}}})).messages();
  EXPECT_EQ(messages, json::parse(R"([{"role":"user",
      "content":"go\n\n<system-reminder>\nBe \"brief\"\n</system-reminder>"}])"));
}

TEST(messages_to_chat_test, ResultsComeBeforeTheRestOfTheirTurn) {
  const json messages = of_messages(json::array(
      {{{"role", "assistant"}, {"content", {text("Looking"), use("a", {{"p", 1}}), use("b", json::object())}}},
       {{"role", "user"}, {"content", {text("and now?"), result("b", "2"), result("a", {text("1"), text("one")})}}}})).messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].at("content"), "Looking");
  EXPECT_EQ(messages[0].at("tool_calls")[0].at("function").at("arguments"), R"({"p":1})");
  EXPECT_EQ(messages[1], json::parse(R"({"role":"tool","content":"1\none","tool_call_id":"a"})"));
  EXPECT_EQ(messages[2].at("tool_call_id"), "b");
  EXPECT_EQ(messages[3], json::parse(R"({"role":"user","content":"and now?"})"));
}

TEST(messages_to_chat_test, ArgumentsKeepTheirNumbersAndTheirOrder) {
  const std::string body = R"({"max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f",)"
                           R"("input":{"z":12345678901234567890,"a":"\u00e9\n"}}]}]})";
  const client_body client(body);
  const auto said = std::get<conversation>(read_messages(client));
  const json chat = json::parse(write_chat(said).json);
  EXPECT_EQ(chat.at("messages")[0].at("tool_calls")[0].at("function").at("arguments"),
            R"({"z":12345678901234567890,"a":"\u00e9\n"})");
}

TEST(messages_to_chat_test, ThinkingGoesWithTheAssistantsMessageWithoutItsSignature) {
  const translation made = of_messages(json::array(
      {{{"role", "assistant"}, {"content", {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", "EqQB"}}, text("yes")}}}}));
  EXPECT_EQ(made.messages()[0], json::parse(R"({"role":"assistant","content":"yes","reasoning_content":"hm"})"));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"reasoning.signature"});
}

TEST(messages_to_chat_test, ImagesAndDocumentsKeepTheirData) {
  const json image{{"type", "image"}, {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", "AA"}}}};
  const json linked{{"type", "image"}, {"source", {{"type", "url"}, {"url", "https://x/y.png"}}}};
  const json pdf{{"type", "document"}, {"title", "a.pdf"}, {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", "BB"}}}};
  const json plain{{"type", "document"}, {"source", {{"type", "text"}, {"media_type", "text/plain"}, {"data", "words"}}}};
  const json parts = of_messages({{{"role", "user"}, {"content", {text("see"), image, linked, pdf, plain}}}}).messages()[0].at("content");
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[1].at("image_url").at("url"), "data:image/png;base64,AA");
  EXPECT_EQ(parts[2].at("image_url").at("url"), "https://x/y.png");
  EXPECT_EQ(parts[3].at("file"), json::parse(R"({"filename":"a.pdf","file_data":"data:application/pdf;base64,BB"})"));
  EXPECT_EQ(parts[4], text("words"));
}

TEST(messages_to_chat_test, AnImageInAResultFollowsAsTheUsers) {
  const json image{{"type", "image"}, {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", "AA"}}}};
  const json messages = of_messages(json::array({{{"role", "assistant"}, {"content", {use("a", json::object())}}},
                                                 {{"role", "user"}, {"content", {result("a", json::array({image}))}}}})).messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].at("content"), "");
  EXPECT_EQ(messages[2].at("content")[0].at("image_url").at("url"), "data:image/png;base64,AA");
}

TEST(messages_to_chat_test, ParametersAreSaidInChatsWords) {
  const json tool{{"name", "f"}, {"description", "d"}, {"input_schema", {{"type", "object"}}}, {"cache_control", {{"type", "ephemeral"}}}};
  const translation made = of({{"max_tokens", 4096}, {"temperature", 1}, {"top_k", 40}, {"stop_sequences", {"a", "b"}}, {"tools", {tool}},
                               {"tool_choice", {{"type", "any"}, {"disable_parallel_tool_use", true}}},
                               {"thinking", {{"type", "enabled"}, {"budget_tokens", 4000}}}, {"metadata", {{"user_id", "u"}}},
                               {"output_config", {{"format", {{"type", "json_schema"}, {"schema", {{"type", "object"}}}}}}}});
  const json chat = made.chat();
  EXPECT_EQ(chat.at("max_tokens"), 4096);
  EXPECT_EQ(chat.at("stop"), json::array({"a", "b"}));
  EXPECT_EQ(chat.at("tool_choice"), "required");
  EXPECT_EQ(chat.at("parallel_tool_calls"), false);
  EXPECT_EQ(chat.at("reasoning_effort"), "medium");
  EXPECT_EQ(chat.at("user"), "u");
  EXPECT_EQ(chat.at("tools")[0], json::parse(R"({"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}})"));
  EXPECT_EQ(chat.at("response_format").at("json_schema").at("schema"), json::parse(R"({"type":"object"})"));
  EXPECT_EQ(made.form.dropped, (std::vector<std::string>{"top_k", "cache_control"}));
}

TEST(messages_to_chat_test, EachToolChoiceHasItsWord) {
  const json tool{{"name", "f"}, {"input_schema", {{"type", "object"}}}};
  const std::vector<std::pair<std::string, json>> cases{{"auto", "auto"}, {"any", "required"}, {"none", "none"},
                                                        {"tool", {{"type", "function"}, {"function", {{"name", "f"}}}}}};
  for (const auto& [type, word] : cases)
    EXPECT_EQ(of({{"tools", {tool}}, {"tool_choice", {{"type", type}, {"name", "f"}}}}).chat().at("tool_choice"), word);
}

TEST(messages_to_chat_test, ABudgetHasAWord) {
  EXPECT_EQ(effort_of_budget(1024), "low");
  EXPECT_EQ(effort_of_budget(2048), "low");
  EXPECT_EQ(effort_of_budget(2049), "medium");
  EXPECT_EQ(effort_of_budget(8192), "medium");
  EXPECT_EQ(effort_of_budget(8193), "high");
}

TEST(messages_to_chat_test, ALongUserIdIsShortenedAlikeEachTime) {
  const std::string user(120, 'u');
  const json first = of({{"metadata", {{"user_id", user}}}}).chat(), second = of({{"metadata", {{"user_id", user}}}}).chat();
  EXPECT_LE(first.at("user").get<std::string>().size(), 64u);
  EXPECT_EQ(first.at("user"), second.at("user"));
  EXPECT_NE(first.at("user"), of({{"metadata", {{"user_id", user + "v"}}}}).chat().at("user"));
}

TEST(messages_to_chat_test, WhatOnlyAnthropicCanDoIsNamed) {
  const std::vector<std::pair<json, std::string>> cases{
      {{{"tools", {{{"type", "web_search_20250305"}, {"name", "web_search"}}}}}, "tools.web_search_20250305"},
      {{{"mcp_servers", {{{"url", "x"}}}}}, "mcp_servers"},
      {{{"container", "c"}}, "container"},
      {{{"stop_sequences", {"1", "2", "3", "4", "5"}}}, "stop_sequences"},
      {{{"messages", {{{"role", "assistant"}, {"content", {{{"type", "server_tool_use"}, {"id", "s"}}}}}}}}, "content.server_tool_use"},
      {{{"messages", {{{"role", "user"}, {"content", {{{"type", "document"}, {"source", {{"type", "url"}, {"url", "u"}}}}}}}}}},
       "content.document.url"}};
  for (const auto& [request, named] : cases) EXPECT_EQ(of(request).form.unsupported, named) << request;
}

TEST(messages_to_chat_test, ASearchNextToOwnToolsIsLeftOutByName) {
  json tools{{{"type", "web_search_20250305"}, {"name", "web_search"}},
             {{"name", "f"}, {"input_schema", {{"type", "object"}}}}};
  const translation made = of({{"tools", tools}});
  EXPECT_EQ(made.form.unsupported, "");
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"tools.web_search_20250305"});
  EXPECT_EQ(of({{"tools", tools}, {"tool_choice", {{"type", "tool"}, {"name", "web_search"}}}}).form.unsupported,
            "tools.web_search_20250305");
}

TEST(messages_to_chat_test, FaultsNameTheirPlace) {
  const std::vector<std::pair<json, std::string>> cases{
      {{{"max_tokens", "many"}}, "max_tokens"},
      {{{"messages", "hi"}}, "messages"},
      {{{"messages", json::array()}}, "messages"},
      {{{"messages", {{{"role", "tool"}, {"content", "x"}}}}}, "messages[0].role"},
      {{{"messages", {{{"role", "user"}}}}}, "messages[0].content"},
      {{{"messages", {{{"role", "user"}, {"content", {{{"type", "text"}}}}}}}}, "messages[0].content[0].text"},
      {{{"messages", {{{"role", "assistant"}, {"content", {{{"type", "tool_use"}, {"id", "a"}, {"name", "f"}}}}}}}}, "messages[0].content[0].input"},
      {{{"tools", {{{"name", "f"}}}}}, "tools[0].input_schema"},
      {{{"tool_choice", {{"type", "some"}}}}, "tool_choice.type"}};
  for (const auto& [request, named] : cases) EXPECT_EQ(of(request).fault.param, named) << request;
}

TEST(messages_to_chat_test, ANumberOfAnotherTypeIsNotCalledMissing) {
  EXPECT_NE(of({{"max_tokens", "many"}}).fault.message.find("must be a whole number"), std::string::npos);
  EXPECT_NE(of({{"max_tokens", nullptr}}).fault.message.find("is missing"), std::string::npos);
}

TEST(messages_to_chat_test, ALongOrStrangeNameIsShortenedAndFoundAgain) {
  const std::string name = std::string(90, 'n') + ".x";
  const std::string flat = flat_tool_name({}, json(name).dump());
  EXPECT_EQ(flat.size(), 64u);
  EXPECT_EQ(flat.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos);
  conversation said;
  const std::string quoted = json(name).dump();
  said.tools.push_back({.name = quoted});
  EXPECT_EQ(restored_calls_of(said).at(flat).name, name);
}

}  // namespace
}  // namespace photofinish::proxy
