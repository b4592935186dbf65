// Tests the cache marks that the gateway adds to Messages requests or moves. Also tests the billing data that Claude Code adds to the
// system prompt.
#include "proxy/find_dialect.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/providers/presets.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

constexpr auto spoken = wire_format::anthropic_messages;

const json mark{{"type", "ephemeral"}};
const json hour{{"type", "ephemeral"}, {"ttl", "1h"}};
const std::string attribution = "x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=36ee5;";

provider target_of(const std::string& preset, bool adds_marks = true) {
  provider target = presets().at(preset).defaults;
  if (preset == "vertex-anthropic") target.url.path = "/v1/projects/p/locations/l/publishers/anthropic";
  if (preset == "bedrock-mantle") target.url.host = "bedrock-mantle.us-east-1.api.aws";
  target.behaves.prompt_cache.adds_marks = adds_marks;
  return target;
}

const char* model_at(const std::string& preset) {
  return preset.starts_with("bedrock") ? "anthropic.claude-sonnet-5-5" : "claude-sonnet-5-5";
}

struct marked_request {
  json body;
  std::vector<std::string> dropped;
};

marked_request send_marked(const provider& target, const json& body, bool is_translated = true) {
  const auto original = std::make_shared<const client_body>(body.dump());
  const secret key("k");
  const std::string model = model_at(target.preset);
  prepared_request prepared = find_dialect(target.dialect)->prepare({.body = original, .format = spoken, .target = target,
                                                                     .model = model, .key = key,
                                                                     .is_translated = is_translated});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  return {json::parse(text), prepared.dropped};
}

json asks(const json& content) {
  return {{"model", "m"}, {"max_tokens", 9}, {"messages", {{{"role", "user"}, {"content", content}}}}};
}

const json words{{{"type", "text"}, {"text", "Why?"}}};
const json marked_words{{{"type", "text"}, {"text", "Why?"}, {"cache_control", mark}}};

TEST(CacheMarks, AreAddedWhereThePlaceTakesThem) {
  for (const char* preset : {"anthropic", "azure-anthropic"}) {
    const marked_request sent = send_marked(target_of(preset), asks(words));
    EXPECT_EQ(sent.body.at("cache_control"), mark) << preset;
    EXPECT_EQ(sent.body.at("messages")[0].at("content"), words) << preset;
  }
  for (const char* preset : {"vertex-anthropic", "bedrock", "bedrock-mantle", "minimax"}) {
    for (const json& content : {words, json("Why?")}) {
      const marked_request sent = send_marked(target_of(preset), asks(content));
      EXPECT_FALSE(sent.body.contains("cache_control")) << preset;
      EXPECT_EQ(sent.body.at("messages")[0].at("content"), marked_words) << preset;
      EXPECT_TRUE(sent.dropped.empty()) << preset;
    }
  }
}

TEST(CacheMarks, AreNotAddedUnlessAskedForAndNeverNextToTheClients) {
  EXPECT_EQ(send_marked(target_of("anthropic", false), asks(words)).body.dump().find("cache_control"), std::string::npos);
  EXPECT_EQ(send_marked(target_of("anthropic"), asks(words), false).body.dump().find("cache_control"), std::string::npos)
      << "a client of Messages can set its own";
  const marked_request sent = send_marked(target_of("anthropic"), asks(marked_words));
  EXPECT_FALSE(sent.body.contains("cache_control"));
  EXPECT_EQ(sent.body.at("messages")[0].at("content"), marked_words);
  json top = asks(words);
  top["cache_control"] = hour;
  EXPECT_EQ(send_marked(target_of("anthropic"), top).body.at("cache_control"), hour);
}

TEST(CacheMarks, OfTheWholeRequestMoveIntoTheLastBlockWhereTheTopIsRefused) {
  for (const bool is_translated : {false, true}) {
    for (const char* preset : {"vertex-anthropic", "bedrock"}) {
      json top = asks(words);
      top["cache_control"] = hour;
      const marked_request sent = send_marked(target_of(preset, false), top, is_translated);
      EXPECT_FALSE(sent.body.contains("cache_control")) << preset;
      EXPECT_EQ(sent.body.at("messages")[0].at("content")[0].at("cache_control"), hour) << preset;
    }
  }
  json empty = asks("");
  empty["cache_control"] = mark;
  const marked_request sent = send_marked(target_of("bedrock", false), empty);
  EXPECT_FALSE(sent.body.contains("cache_control"));
  EXPECT_EQ(sent.dropped, std::vector<std::string>{"cache_control"});
}

TEST(CacheMarks, StandInTheLastMessageOfTheUser) {
  const json result{{"type", "tool_result"}, {"tool_use_id", "t"}, {"content", "r"}};
  json body = asks(words);
  const json call{{"type", "tool_use"}, {"id", "t"}, {"name", "f"}, {"input", json::object()}};
  body["messages"].push_back({{"role", "assistant"}, {"content", json::array({call})}});
  body["messages"].push_back({{"role", "user"}, {"content", json::array({result})}});
  const json got = send_marked(target_of("bedrock"), body).body.at("messages");
  EXPECT_EQ(got[0].at("content"), words);
  EXPECT_EQ(got[2].at("content")[0].at("cache_control"), mark);
}

json attributed(const json& more) {
  json body = asks(words);
  body["system"] = {{{"type", "text"}, {"text", attribution}}};
  for (const json& each : more) body["system"].push_back(each);
  return body;
}

TEST(Attribution, GoesToAnthropicAlone) {
  const json brief{{"type", "text"}, {"text", "Be brief."}, {"cache_control", mark}};
  const json long_one{{"type", "text"}, {"text", "Be long."}};
  const json body = attributed({brief, long_one});
  EXPECT_EQ(send_marked(target_of("anthropic", false), body, false).body.at("system"), body.at("system"));
  provider elsewhere = target_of("anthropic", false);
  elsewhere.url.host = "proxy.example.com";
  EXPECT_EQ(send_marked(elsewhere, body, false).body.at("system"), body.at("system")) << "a proxy before Anthropic";
  for (const char* preset : {"azure-anthropic", "vertex-anthropic", "bedrock", "bedrock-mantle", "minimax"}) {
    const marked_request sent = send_marked(target_of(preset, false), body, false);
    EXPECT_EQ(sent.body.at("system"), json({brief, long_one})) << preset;
    EXPECT_TRUE(sent.dropped.empty()) << preset;
  }
}

TEST(Attribution, TakesAnEmptySystemTextWithIt) {
  for (const json& system : {json(attribution), json({{{"type", "text"}, {"text", attribution}}})}) {
    json body = asks(words);
    body["system"] = system;
    EXPECT_FALSE(send_marked(target_of("bedrock", false), body, false).body.contains("system"));
  }
}

TEST(Attribution, OnlyTheFirstBlockCounts) {
  json body = asks(words);
  body["system"] = {{{"type", "text"}, {"text", "Be brief."}}, {{"type", "text"}, {"text", attribution}}};
  EXPECT_EQ(send_marked(target_of("minimax", false), body, false).body.at("system"), body.at("system"));
}

// If the gateway removes a whole block, it must not also edit the block's members.
TEST(Attribution, MayHaveMembersThatThePlaceRefuses) {
  json body = attributed({{{"type", "text"}, {"text", "Be brief."}, {"cache_control", {{"type", "ephemeral"}, {"scope", "global"}}}}});
  body["system"][0]["cache_control"] = {{"type", "ephemeral"}, {"scope", "global"}};
  const auto original = std::make_shared<const client_body>(body.dump());
  const secret key("k");
  const provider target = target_of("bedrock", false);
  const std::vector<std::pair<std::string, std::string>> forwarded{{"anthropic-beta", "prompt-caching-scope-2026-01-05"}};
  prepared_request prepared = find_dialect("bedrock")->prepare(
      {.body = original, .format = spoken, .target = target, .model = "anthropic.claude-sonnet-5-5", .key = key, .forwarded = forwarded});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  EXPECT_EQ(json::parse(text).at("system"), json::array({{{"type", "text"}, {"text", "Be brief."}, {"cache_control", mark}}}));
}

}  // namespace
}  // namespace photofinish::proxy
