// Tests documents and search results in requests of Messages clients, at providers of every other API.
#include "tests/unit/proxy/pairs/asked_providers.hpp"

#include "proxy/json/base64.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

const client& documents_client = clients[2];

json user_request(const json& content) {
  return {{"max_tokens", 50}, {"messages", {{{"role", "user"}, {"content", content}}}}};
}

// Returns a request with a tool call whose result contains these blocks.
json result_request(const json& content) {
  const json call = json::parse(R"([{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}])");
  json result = json::parse(R"([{"type":"tool_result","tool_use_id":"toolu_1"}])");
  result[0]["content"] = content;
  return {{"max_tokens", 50},
          {"messages",
           {{{"role", "user"}, {"content", "Read it"}},
            {{"role", "assistant"}, {"content", call}},
            {{"role", "user"}, {"content", result}}}},
          {"tools", json::parse(R"([{"name":"Read","input_schema":{"type":"object"}}])")}};
}

// True if the sent request contains the text, literally or in base64. Bedrock gets text documents in base64.
bool arrives(const std::string& text, const std::string& sent) {
  return sent.find(text) != std::string::npos ||
         sent.find(base64_encoded(text, base64_padding::wanted)) != std::string::npos;
}

void expect_texts(const json& block, const std::vector<std::string>& texts) {
  for (const json& request : {user_request(json::array({block})), result_request(json::array({block}))})
    for (const asked_provider& to : others_than(documents_client)) {
      SCOPED_TRACE(std::string(to.name) + request.dump());
      const asked got = ask(documents_client, to, request);
      ASSERT_EQ(got.unsupported, "");
      for (const std::string& text : texts) EXPECT_TRUE(arrives(text, got.body.dump())) << text << got.body;
    }
}

TEST(DocumentPairs, ADocumentOfBlocksArrivesWithItsTitleAndContext) {
  expect_texts(json::parse(R"({"type":"document","title":"Report","context":"Of 2026","source":{"type":"content",
                   "content":[{"type":"text","text":"first words"},{"type":"text","text":"last words"}]}})"),
               {"Document title: Report", "Document context: Of 2026", "first words", "last words"});
  expect_texts(json::parse(R"({"type":"document","source":{"type":"content","content":"plain words"}})"),
               {"plain words"});
}

TEST(DocumentPairs, ATextDocumentArrivesWithItsTitleAndContext) {
  expect_texts(json::parse(R"({"type":"document","title":"Report","context":"Of 2026",
                   "source":{"type":"text","media_type":"text/plain","data":"plain words"}})"),
               {"Document title: Report", "Document context: Of 2026", "plain words"});
}

TEST(DocumentPairs, AFileArrivesWithItsContextAndItsTitleIsNamedIfItHasNoPlace) {
  const json block = json::parse(R"({"type":"document","title":"Report","context":"Of 2026",
      "source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjcK"}})");
  expect_texts(block, {"Document context: Of 2026", "JVBERi0xLjcK"});
  for (const asked_provider& to : others_than(documents_client)) {
    const asked got = ask(documents_client, to, user_request(json::array({block})));
    EXPECT_TRUE(arrives("Report", got.body.dump()) != holds_name(got.dropped, "content.document.title")) << to.name;
  }
}

TEST(DocumentPairs, ASearchResultIsATextWithItsTitleAndSource) {
  expect_texts(json::parse(R"({"type":"search_result","source":"https://s.example/a","title":"Colours",
                   "citations":{"enabled":true},"content":[{"type":"text","text":"It is red."}]})"),
               {"Search result: Colours", "Source: https://s.example/a", "It is red."});
}

TEST(DocumentPairs, AToolReferenceIsATextInTheResult) {
  const json found = json::parse(R"([{"type":"tool_reference","tool_name":"f1"},{"type":"tool_reference","tool_name":"f2"}])");
  for (const asked_provider& to : others_than(documents_client)) {
    const asked got = ask(documents_client, to, result_request(found));
    EXPECT_EQ(got.unsupported, "") << to.name;
    for (const char* const name : {"f1", "f2"})
      EXPECT_TRUE(arrives("Tool found: " + std::string(name), got.body.dump())) << got.body;
    EXPECT_EQ(ask(documents_client, to, user_request(found)).unsupported, "content.tool_reference");
  }
}

TEST(DocumentPairs, BlocksWithoutContentAreRefusedByTheirPlace) {
  const json request = user_request(json::parse(R"([{"type":"search_result","source":"s","title":"t"}])"));
  const client_body body(request.dump());
  const read_conversation said = read_messages(body);
  ASSERT_TRUE(std::holds_alternative<request_fault>(said));
  EXPECT_EQ(std::get<request_fault>(said).param, "messages[0].content[0].content");
}

}  // namespace
}  // namespace photofinish::proxy::pairs
