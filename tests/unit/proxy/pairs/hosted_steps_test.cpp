// Tests conversations whose history contains steps of tools that run at Anthropic, such as web search. Providers of every other API must be
// able to continue such a conversation.
#include "tests/unit/proxy/pairs/asked_providers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

const client& messages_client = clients[2];

json step_text(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

// Returns an answer of Anthropic that contains a web search, a web fetch and a code execution.
json hosted_turn() {
  return json::parse(R"([
      {"type":"text","text":"I will look. "},
      {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"SECRET-QUERY"}},
      {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[
        {"type":"web_search_result","url":"https://a.example","title":"A","encrypted_content":"SECRET-PAGE"}]},
      {"type":"server_tool_use","id":"srvtoolu_2","name":"web_fetch","input":{"url":"https://a.example"}},
      {"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"web_fetch_result",
        "url":"https://a.example","content":{"type":"document","source":{"type":"text","media_type":"text/plain","data":"SECRET-PAGE"}}}},
      {"type":"text","text":"It is red.","citations":[{"type":"web_search_result_location","url":"https://a.example",
        "title":"A","encrypted_index":"E","cited_text":"red"}]}])");
}

json history_with(const json& assistant, const json& tools = nullptr) {
  json request = {{"max_tokens", 50},
                  {"messages", {{{"role", "user"}, {"content", "Which colour?"}},
                                {{"role", "assistant"}, {"content", assistant}},
                                {{"role", "user"}, {"content", "Are you sure?"}}}}};
  if (!tools.is_null()) request["tools"] = tools;
  return request;
}

TEST(HostedSteps, PastSearchesAreLeftOutByNameAndTheTextStays) {
  const json own = {{"name", "f"}, {"input_schema", {{"type", "object"}}}};
  const json search = {{"type", "web_search_20250305"}, {"name", "web_search"}};
  for (const json& tools : {json(nullptr), json::array({own}), json::array({search, own})})
    for (const asked_provider& to : others_than(messages_client)) {
      SCOPED_TRACE(std::string(to.name) + tools.dump());
      const asked got = ask(messages_client, to, history_with(hosted_turn(), tools));
      ASSERT_EQ(got.unsupported, "");
      const std::string sent = got.body.dump();
      for (const char* const said : {"Which colour?", "I will look. ", "It is red.", "Are you sure?"})
        EXPECT_NE(sent.find(said), std::string::npos) << sent;
      for (const char* const step : {"SECRET", "server_tool_use", "srvtoolu"})
        EXPECT_EQ(sent.find(step), std::string::npos) << sent;
      for (const char* const name :
           {"content.server_tool_use", "content.web_search_tool_result", "content.web_fetch_tool_result"})
        EXPECT_TRUE(holds_name(got.dropped, name)) << name;
    }
}

TEST(HostedSteps, ATurnOfStepsAloneIsLeftOut) {
  json steps = hosted_turn();
  steps.erase(5), steps.erase(0);
  for (const asked_provider& to : others_than(messages_client)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(messages_client, to, history_with(steps));
    EXPECT_EQ(got.unsupported, "");
    EXPECT_NE(got.body.dump().find("Are you sure?"), std::string::npos) << got.body;
  }
}

TEST(HostedSteps, TheOutputOfCodeIsAText) {
  const std::vector<std::pair<const char*, const char*>> results{
      {"code_execution_tool_result",
       R"({"type":"code_execution_result","stdout":"42 \"and\" more\n","stderr":"a warning","return_code":0,"content":[]})"},
      {"bash_code_execution_tool_result",
       R"({"type":"bash_code_execution_result","stdout":"42 \"and\" more\n","stderr":"a warning","return_code":0,"content":[]})"},
      {"text_editor_code_execution_tool_result",
       R"({"type":"text_editor_code_execution_view_result","file_type":"text","content":"42 \"and\" more\na warning"})"}};
  for (const auto& [type, content] : results) {
    const json turn = {{{"type", "server_tool_use"}, {"id", "s"}, {"name", "code_execution"}, {"input", {{"code", "x"}}}},
                       {{"type", type}, {"tool_use_id", "s"}, {"content", json::parse(content)}},
                       step_text("Done.")};
    for (const asked_provider& to : others_than(messages_client)) {
      SCOPED_TRACE(std::string(to.name) + type);
      const asked got = ask(messages_client, to, history_with(turn));
      ASSERT_EQ(got.unsupported, "");
      const std::string sent = got.body.dump();
      for (const char* const output : {R"(42 \"and\" more\n)", "a warning", "Done."})
        EXPECT_NE(sent.find(output), std::string::npos) << sent;
      EXPECT_TRUE(holds_name(got.dropped, "content.code_execution_tool_result"));
    }
  }
}

TEST(HostedSteps, CodeWithoutOutputIsLeftOut) {
  const json turn = json::parse(R"([{"type":"code_execution_tool_result","tool_use_id":"s",
      "content":{"type":"code_execution_tool_result_error","error_code":"unavailable"}},{"type":"text","text":"Done."}])");
  for (const asked_provider& to : others_than(messages_client)) {
    const asked got = ask(messages_client, to, history_with(turn));
    EXPECT_EQ(got.unsupported, "") << to.name;
    EXPECT_EQ(got.body.dump().find("Output of the code"), std::string::npos) << got.body;
  }
}

// Anthropic can pause a turn after steps of its own tools. Only Anthropic can continue a paused turn.
TEST(HostedSteps, APausedTurnIsForItsOwnProvider) {
  json request = history_with(hosted_turn());
  request["messages"].erase(2);
  for (const asked_provider& to : others_than(messages_client))
    EXPECT_EQ(ask(messages_client, to, request).unsupported, "content.server_tool_use") << to.name;
}

TEST(HostedSteps, OtherProvidersGetEveryToolInsteadOfASearchOfTools) {
  const json tools = json::parse(R"([{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"},
      {"name":"f","defer_loading":true,"input_schema":{"type":"object"}}])");
  const json turn = json::parse(R"([{"type":"server_tool_use","id":"s","name":"tool_search_tool_regex","input":{"query":"f"}},
      {"type":"tool_search_tool_result","tool_use_id":"s","content":{"type":"tool_search_tool_search_result",
        "tool_references":[{"type":"tool_reference","tool_name":"f"}]}},{"type":"text","text":"It is f."}])");
  for (const asked_provider& to : others_than(messages_client)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(messages_client, to, history_with(turn, tools));
    EXPECT_EQ(got.unsupported, "");
    EXPECT_TRUE(holds_name(got.dropped, "tools.tool_search_tool_regex_20251119"));
    EXPECT_TRUE(holds_name(got.dropped, "content.tool_search_tool_result"));
    EXPECT_NE(got.body.dump().find(R"("name":"f")"), std::string::npos) << got.body;
  }
}

}  // namespace
}  // namespace photofinish::proxy::pairs
