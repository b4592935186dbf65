// Tests how the gateway counts the tokens of a Messages request.
#include "gateway/api/messages/token_count.hpp"

#include "proxy/json/tolerant_json.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

std::variant<token_count, api_error> counted(const json& request) {
  proxy::tolerant_parser parser;
  return count_request(request.dump(), parser);
}

json of_content(const json& content) { return {{"model", "m"}, {"messages", {{{"role", "user"}, {"content", content}}}}}; }

std::int64_t tokens(const json& request) {
  return json::parse(std::get<token_count>(counted(request)).json).at("input_tokens").get<std::int64_t>();
}

const std::int64_t empty = tokens(of_content(""));

TEST(TokenCount, ATextIsCountedAsItsTokenizerCountsIt) {
  const std::string text = "The quick \"brown\" fox\njumps over 你好 the lazy dog";
  EXPECT_EQ(tokens(of_content(text)) - empty, static_cast<std::int64_t>(proxy::count_tokens(text)));
  EXPECT_EQ(tokens(of_content({{{"type", "text"}, {"text", text}}})) - empty,
            static_cast<std::int64_t>(proxy::count_tokens(text)));
}

TEST(TokenCount, AllThatTheModelReadsIsCounted) {
  const std::string words = "one two three four five six seven eight nine ten";
  const json plain = of_content("x");
  json with = plain;
  with["system"] = words;
  EXPECT_GT(tokens(with), tokens(plain) + 9);
  with = plain;
  with["tools"] = {{{"name", "f"}, {"description", words}, {"input_schema", {{"type", "object"}}}}};
  EXPECT_GT(tokens(with), tokens(plain) + 15);
  with["tools"].push_back({{"type", "web_search_20250305"}, {"name", "web_search"}});
  EXPECT_GT(tokens(with), tokens(plain) + 25);
  const json call = {{"type", "tool_use"}, {"id", "a"}, {"name", "f"}, {"input", {{"text", words}}}};
  const json result = {{"type", "tool_result"}, {"tool_use_id", "a"}, {"content", {{{"type", "text"}, {"text", words}}}}};
  with = {{"model", "m"}, {"messages", {{{"role", "assistant"}, {"content", {call}}}, {{"role", "user"}, {"content", {result}}}}}};
  EXPECT_GT(tokens(with), 2 * 10 + 8);
}

TEST(TokenCount, AnImageIsAsMuchAsTheLargestAndADocumentByItsBytes) {
  const json source = {{"type", "base64"}, {"media_type", "image/png"}, {"data", std::string(4000, 'A')}};
  EXPECT_EQ(tokens(of_content({{{"type", "image"}, {"source", source}}})) - empty, 1600);
  EXPECT_EQ(tokens(of_content({{{"type", "document"}, {"source", source}}})) - empty, 100);
}

// If a text is longer than a megabyte, only its first megabyte is counted, and the remainder is estimated in proportion. Counting the whole
// text would delay other requests.
TEST(TokenCount, OfAGiantTextTheRestCountsInProportion) {
  std::string text;
  while (text.size() < (8u << 20)) text += "over the lazy dog ";
  const double expected = static_cast<double>(text.size()) / 18 * 4;
  EXPECT_NEAR(static_cast<double>(tokens(of_content(text))), expected, expected / 50);
}

TEST(TokenCount, HowLongAnAnswerMayBecomeIsNotAsked) {
  json request = of_content("x");
  request["max_tokens"] = "many";
  EXPECT_TRUE(std::holds_alternative<token_count>(counted(request)));
  EXPECT_EQ(std::get<token_count>(counted(request)).model, "m");
}

TEST(TokenCount, WhatIsNotARequestIsRefusedByItsPlace) {
  EXPECT_EQ(std::get<api_error>(counted({{"messages", json::array()}})).param, "model");
  EXPECT_EQ(std::get<api_error>(counted({{"model", "m"}, {"messages", json::array()}})).param, "messages");
  EXPECT_EQ(std::get<api_error>(counted(of_content(7))).param, "messages[0].content");
  proxy::tolerant_parser parser;
  EXPECT_EQ(std::get<api_error>(count_request("{", parser)).status, 400);
}

}  // namespace
}  // namespace photofinish::gateway
