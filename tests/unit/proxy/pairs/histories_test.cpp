// Tests conversation histories with unusual content, at every provider: names and ids with unusual characters, older forms of tool calls,
// documents that tools return, and tools that a client finds during the conversation.
#include "tests/unit/proxy/pairs/asked_providers.hpp"
#include "tests/unit/proxy/pairs/provider_readers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

const client& chat = clients[0];
const client& responses = clients[1];
const client& messages = clients[2];

dialogue heard(const asked_provider& by, const asked& got) {
  EXPECT_EQ(got.unsupported, "");
  if (!got.unsupported.empty()) return {};
  dialogue all = read_as_provider(by.format, got.body);
  // Removes each text that consists only of a full stop. The gateway adds such texts to fill turns (see pairs_test.cpp).
  std::erase_if(all.items, [](const spoken_item& each) { return each.text == "."; });
  return all;
}

bool names(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool fits_everywhere(const std::string& name) {
  const auto is_letter = [](unsigned char each) { return std::isalnum(each) != 0 || each == '_' || each == '-'; };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), is_letter);
}

// The following tests cover the names of tools.

class ToolNames : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(HistoryPairs, ToolNames,
                         ::testing::Values("read", "fs.read", "fs/read", "ns:read", "read a file", "gr\xC3\xB6\xC3\x9F" "e",
                                           "\xE8\xAA\xAD\xE3\x82\x80", "2fa", "-x", "a\"b", std::string(80, 'x')));

TEST_P(ToolNames, AreTheSameInToolsHistoryAndChoice) {
  const std::string id = "call_0123456789ab";
  const dialogue said{.items = {user("Hi"), call(id, GetParam(), "{}"), result(id, "red")}, .tools = {GetParam()}};
  for (const client& from : clients)
    for (const asked_provider& to : others_than(from)) {
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      const dialogue found = heard(to, ask(from, to, from.request(said)));
      ASSERT_EQ(found.tools.size(), 1u);
      EXPECT_TRUE(fits_everywhere(found.tools[0])) << found.tools[0];
      if (to.format == wire_format::gemini) {
        EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(found.tools[0][0])) || found.tools[0][0] == '_') << found.tools[0];
      }
      ASSERT_EQ(found.items.size(), 3u);
      EXPECT_EQ(found.items[1].name, found.tools[0]);
      if (to.format == wire_format::gemini) { EXPECT_EQ(found.items[2].name, found.tools[0]); }
      if (std::string_view(to.name).starts_with("mistral")) continue;  // Mistral's models at Bedrock do not support a forced tool call
      dialogue forced = said;
      forced.forced = GetParam();
      EXPECT_EQ(heard(to, ask(from, to, from.request(forced))).forced, found.tools[0]);
    }
}

// The result of a tool call must have the same id as the call, even if an API requires another spelling of the id.
TEST(HistoryPairs, IdsOfAnyJsonTypePairUp) {
  const std::vector<std::pair<std::string, std::string>> ids{{"7", "7"}, {"7", R"("7")"}, {R"("a\u0062")", R"("ab")"},
                                                             {R"("fs:read/1")", R"("fs:read\/1")"}};
  for (const auto& [of_call, of_result] : ids)
    for (const asked_provider& to : others_than(chat)) {
      SCOPED_TRACE(of_call + " and " + of_result + " to " + to.name);
      const asked got = ask_text(chat, to, R"("messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":)" +
          of_call + R"(,"type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":)" + of_result +
          R"(,"content":"red"}],"tools":[{"type":"function","function":{"name":"read"}}])");
      const dialogue found = heard(to, got);
      ASSERT_EQ(found.items.size(), 3u) << got.body;
      EXPECT_EQ(found.items[2].what, says::result);
      EXPECT_EQ(found.items[2].text, "red");
      if (to.format != wire_format::gemini) { EXPECT_EQ(found.items[1].id, found.items[2].id); }
    }
}

// Clients may send the arguments of a tool call as any JSON type. The gateway converts them to an object for APIs that require an object,
// and to a string for other APIs.
TEST(HistoryPairs, ArgumentsOfAnyJsonTypeArrive) {
  const std::vector<std::pair<std::string, json>> all{{R"({"a":1})", {{"a", 1}}}, {R"("{\"a\":1}")", {{"a", 1}}}, {R"("")", json::object()},
                                                      {R"("\"{\\\"a\\\":1}\"")", {{"a", 1}}}, {R"("null")", json::object()},
                                                      {"null", json::object()}, {R"("[1,2]")", {{"input", "[1,2]"}}}, {"[1,2]", {{"input", "[1,2]"}}},
                                                      {"5", {{"input", "5"}}}, {"true", {{"input", "true"}}}};
  for (const auto& [arguments, expected] : all)
    for (const asked_provider& to : others_than(chat)) {
      if (to.format == wire_format::openai_responses) continue;  // the Responses API requires arguments as text
      SCOPED_TRACE(arguments + " to " + to.name);
      const asked got = ask_text(chat, to, R"("messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":)" +
          arguments + R"(}}]},{"role":"tool","tool_call_id":"call_1","content":"red"}],"tools":[{"type":"function","function":{"name":"read"}}])");
      const dialogue found = heard(to, got);
      ASSERT_EQ(found.items.size(), 3u) << got.body;
      EXPECT_EQ(json::parse(found.items[1].text), expected);
    }
}

// The following tests cover the older function calls of the chat API.

const json legacy_history = json::parse(R"([{"role":"user","content":"Read both"},
    {"role":"assistant","content":null,"function_call":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}},
    {"role":"function","name":"read","content":"red"},
    {"role":"assistant","content":"And now","function_call":{"name":"read","arguments":"{\"path\":\"b.txt\"}"}},
    {"role":"function","name":"read","content":"blue"},{"role":"user","content":"Thanks"}])");
const json legacy_functions = json::parse(R"([{"name":"read","description":"Reads","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}])");

TEST(HistoryPairs, OldFunctionCallsAreCallsWithTheirResults) {
  for (const asked_provider& to : others_than(chat)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(chat, to, {{"messages", legacy_history}, {"functions", legacy_functions}, {"function_call", "auto"}});
    const dialogue found = heard(to, got);
    EXPECT_EQ(lines_of(found), (std::vector<std::string>{"user: Read both", R"(call of read: {"path":"a.txt"})", "result of read: red",
                                                         "assistant: And now", R"(call of read: {"path":"b.txt"})", "result of read: blue",
                                                         "user: Thanks"}))
        << got.body;
    EXPECT_EQ(found.tools, std::vector<std::string>{"read"});
    EXPECT_NE(got.body.dump().find("Reads"), std::string::npos);
  }
}

TEST(HistoryPairs, AnOldFunctionCanBeForcedOrForbidden) {
  for (const asked_provider& to : others_than(chat)) {
    SCOPED_TRACE(to.name);
    json request = {{"messages", legacy_history}, {"functions", legacy_functions}, {"function_call", {{"name", "read"}}}};
    if (!std::string_view(to.name).starts_with("mistral")) { EXPECT_EQ(heard(to, ask(chat, to, request)).forced, "read"); }
    request["function_call"] = "none";
    const asked none = ask(chat, to, request);
    EXPECT_EQ(heard(to, none).forced, "");
    EXPECT_TRUE(none.body.dump().find("none") != std::string::npos || none.body.dump().find("NONE") != std::string::npos ||
                names(none.dropped, "tool_choice"))
        << none.body;
  }
}

TEST(HistoryPairs, AnOldResultWhoseCallIsGoneIsAText) {
  const json history = json::parse(R"([{"role":"user","content":"Hi"},{"role":"assistant","content":"Hm"},{"role":"function","name":"read","content":"red"}])");
  for (const asked_provider& to : others_than(chat)) {
    SCOPED_TRACE(to.name);
    EXPECT_EQ(lines_of(heard(to, ask(chat, to, {{"messages", history}}))), (std::vector<std::string>{"user: Hi", "assistant: Hm", "user: red"}));
  }
}

TEST(HistoryPairs, AMemberOfAMessageThatNoOtherApiHasIsNamed) {
  const json history = json::parse(R"([{"role":"user","name":"bob","content":"Hi","audio":null},
      {"role":"assistant","content":"Hm","audio":{"id":"audio_1"},"annotations":[],"refusal":null},{"role":"user","name":"amy","content":"Go on"}])");
  for (const asked_provider& to : others_than(chat)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(chat, to, {{"messages", history}});
    EXPECT_EQ(got.unsupported, "");
    EXPECT_TRUE(names(got.dropped, "messages[].name"));
    EXPECT_TRUE(names(got.dropped, "messages[].audio"));
    EXPECT_EQ(got.dropped.size(), 2u);
  }
}

// The following tests cover documents that a tool returns.

const std::string paper = "JVBERi0xLjcKJeLjz9M=";

json reading_history(const json& returned) {
  return {{"max_tokens", 99},
          {"messages", {{{"role", "user"}, {"content", "Read it"}},
                        {{"role", "assistant"}, {"content", {{{"type", "tool_use"}, {"id", "toolu_1"}, {"name", "Read"}, {"input", {{"path", "a.pdf"}}}}}}},
                        {{"role", "user"}, {"content", {{{"type", "tool_result"}, {"tool_use_id", "toolu_1"}, {"content", returned}}}}},
                        {{"role", "assistant"}, {"content", "A paper."}}, {{"role", "user"}, {"content", "Go on"}}}},
          {"tools", {{{"name", "Read"}, {"input_schema", {{"type", "object"}}}}}}};
}

// Claude Code's tool Read returns a PDF as a document.
TEST(HistoryPairs, ADocumentInAResultArrives) {
  const json document = {{"type", "document"}, {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", paper}}}, {"title", "a.pdf"}};
  for (const json& returned : {json::array({{{"type", "text"}, {"text", "PDF read"}}, document}), json::array({document})})
    for (const asked_provider& to : others_than(messages)) {
      SCOPED_TRACE(to.name);
      const asked got = ask(messages, to, reading_history(returned));
      EXPECT_EQ(got.unsupported, "");
      EXPECT_NE(got.body.dump().find(paper), std::string::npos) << got.body;
      if (returned.size() == 2) { EXPECT_NE(got.body.dump().find("PDF read"), std::string::npos) << got.body; }
    }
}

TEST(HistoryPairs, ATextDocumentInAResultIsText) {
  const json text = {{"type", "document"}, {"source", {{"type", "text"}, {"media_type", "text/plain"}, {"data", "plain words"}}}};
  const json blocks = {{"type", "document"}, {"source", {{"type", "content"}, {"content", {{{"type", "text"}, {"text", "plain words"}}}}}}};
  for (const json& document : {text, blocks})
    for (const asked_provider& to : others_than(messages)) {
      SCOPED_TRACE(to.name);
      const asked got = ask(messages, to, reading_history(json::array({{{"type", "text"}, {"text", "Read"}}, document})));
      EXPECT_EQ(got.unsupported, "");
      const std::string sent = got.body.dump();
      EXPECT_TRUE(sent.find("plain words") != std::string::npos || sent.find("cGxhaW4gd29yZHM=") != std::string::npos) << sent;
    }
}

// The following tests cover tools that search for other tools.

TEST(HistoryPairs, AToolSearchOfTheClientIsAFunctionAndWhatItFindsAreTools) {
  const json request = json::parse(R"({"store":false,"tools":[
        {"type":"function","name":"exec","parameters":{"type":"object","properties":{}}},
        {"type":"tool_search","execution":"client","description":"Finds tools","parameters":{"type":"object","properties":{"goal":{"type":"string"}}}}],
      "input":[{"role":"user","content":"Weather?"},
        {"type":"tool_search_call","execution":"client","call_id":"call_1","status":"completed","arguments":{"goal":"weather"}},
        {"type":"tool_search_output","execution":"client","call_id":"call_1","status":"completed","tools":[
          {"type":"function","name":"weather","defer_loading":true,"parameters":{"type":"object","properties":{}}},
          {"type":"function","name":"exec","parameters":{"type":"object","properties":{}}},
          {"type":"namespace","name":"mcp__maps","description":"Maps","tools":[{"type":"function","name":"find","parameters":{"type":"object","properties":{}}}]}]},
        {"role":"user","content":"Go on"}]})");
  for (const asked_provider& to : others_than(responses)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(responses, to, request);
    const dialogue found = heard(to, got);
    EXPECT_EQ(found.tools, (std::vector<std::string>{"exec", "tool_search", "weather", "mcp__maps__find"}));
    ASSERT_EQ(found.items.size(), 4u) << got.body;
    EXPECT_EQ(lines_of(found)[1], R"(call of tool_search: {"goal":"weather"})");
    EXPECT_EQ(found.items[2].what, says::result);
    for (const std::string name : {"weather", "exec", "mcp__maps__find"})
      EXPECT_NE(found.items[2].text.find(name), std::string::npos) << found.items[2].text;
  }
}

TEST(HistoryPairs, AToolSearchOfTheProviderIsStillItsOwn) {
  for (const json& hosted : {json{{"type", "tool_search"}}, json{{"type", "tool_search"}, {"execution", "server"}}})
    EXPECT_EQ(ask(responses, providers[2], {{"input", "Hi"}, {"tools", {hosted}}}).unsupported, "tools.tool_search");
}

}  // namespace
}  // namespace photofinish::proxy::pairs
