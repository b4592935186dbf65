// Compares the prefixes of a request body with the result of a slow but simple reader. Also tests which changes of the body change the
// prefixes.
#include "gateway/api/responses/item_references.hpp"
#include "gateway/prefixes/prompt_chain.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;
using proxy::wire_format;
using racing::prefix_boundary;
using std::chrono::minutes;

constexpr proxy::hash_key key{1, 2};
const std::string filler(5'000, 'x');

prompt_chain chain_of_json(const json& body, wire_format format, std::uint64_t scope = 0) {
  const proxy::client_body read(body.dump());
  return chain_of(read, format, {key, scope});
}

std::vector<racing::prefix_hash> hashes_of(const prompt_chain& chain) {
  std::vector<racing::prefix_hash> all;
  for (const prefix_boundary& each : chain.boundaries) all.push_back(each.hash);
  return all;
}

json messages_body() {
  return json::parse(R"({"model": "m", "max_tokens": 100, "system": [{"type": "text", "text": "You help."}],
    "tools": [{"name": "read", "input_schema": {"type": "object"}}, {"name": "write", "input_schema": {"type": "object"}}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Begin."}]},
                 {"role": "assistant", "content": [{"type": "text", "text": "I read."},
                                                   {"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "data"}]}]})");
}

class PromptChain : public testing::Test {
 protected:
  PromptChain() {
    body["system"][0]["text"] = filler;
  }
  std::vector<racing::prefix_hash> hashes() { return hashes_of(chain()); }
  prompt_chain chain() { return chain_of_json(body, wire_format::anthropic_messages); }

  json body = messages_body();
  const json mark = {{"type", "ephemeral"}};
};

TEST_F(PromptChain, HasARootAndTheEndOfEachMessage) {
  const prompt_chain its = chain();
  ASSERT_EQ(its.boundaries.size(), 4u);
  EXPECT_EQ(its.answers, 1u);
  EXPECT_FALSE(its.marks.any());
  for (std::size_t at = 1; at < 4; ++at) EXPECT_GT(its.boundaries[at].tokens, its.boundaries[at - 1].tokens);
  const std::size_t root_bytes = body["system"].dump().size() + body["tools"].dump().size();
  EXPECT_NEAR(its.root().tokens, static_cast<double>(root_bytes) / 4, 2);
}

TEST_F(PromptChain, ALongerConversationBeginsWithTheSameHashes) {
  const auto before = hashes();
  body["messages"].push_back({{"role", "assistant"}, {"content", "Done."}});
  const auto after = hashes();
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

TEST_F(PromptChain, ForksShareTheirBeginning) {
  const auto before = hashes();
  body["messages"][2]["content"][0]["content"] = "dato";
  const auto fork = hashes();
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 3, fork.begin()));
  EXPECT_NE(before[3], fork[3]);
}

TEST_F(PromptChain, OneChangedByteChangesAllHashesAfterIt) {
  const auto before = hashes();
  body["messages"][0]["content"][0]["text"] = "Begin!";
  const auto changed = hashes();
  EXPECT_EQ(before[0], changed[0]);
  for (std::size_t at = 1; at < before.size(); ++at) EXPECT_NE(before[at], changed[at]);
}

TEST_F(PromptChain, WhatComesBeforeTheMessagesChangesAllHashes) {
  const auto before = hashes();
  const std::vector<std::pair<std::string, json>> changes{
      {"/tools/0/name", "reed"}, {"/system/0/text", filler + "!"}, {"/thinking", {{"type", "enabled"}}},
      {"/output_config", {{"effort", "high"}}}, {"/tool_choice", {{"type", "any"}}}, {"/reasoning_effort", "low"},
      {"/response_format", {{"type", "json_object"}}}};
  for (const auto& [pointer, value] : changes) {
    json other = body;
    other[json::json_pointer(pointer)] = value;
    const auto changed = hashes_of(chain_of_json(other, wire_format::anthropic_messages));
    ASSERT_EQ(changed.size(), before.size());
    for (std::size_t at = 0; at < before.size(); ++at) EXPECT_NE(before[at], changed[at]) << pointer;
  }
  std::swap(body["tools"][0], body["tools"][1]);
  EXPECT_NE(before[0], hashes()[0]);
}

TEST_F(PromptChain, WhatChangesNoPromptChangesNoHash) {
  const auto before = hashes();
  body["model"] = "other";
  body["max_tokens"] = 7;
  body["temperature"] = 0.5;
  body["stream"] = true;
  body["metadata"] = {{"user_id", "u"}};
  EXPECT_EQ(hashes(), before);
  json reordered;
  for (auto each = body.rbegin(); each != body.rend(); ++each) reordered[each.key()] = each.value();
  EXPECT_EQ(hashes_of(chain_of_json(reordered, wire_format::anthropic_messages)), before);
}

TEST_F(PromptChain, MovedMarksGiveTheSameHashes) {
  const auto before = hashes();
  body["system"][0]["cache_control"] = mark;
  body["tools"][1]["cache_control"] = mark;
  body["messages"][0]["content"][0]["cache_control"] = mark;
  EXPECT_EQ(hashes(), before);
  body["messages"][0]["content"][0].erase("cache_control");
  body["messages"][2]["content"][0]["cache_control"] = {{"type", "ephemeral"}, {"ttl", "1h"}};
  body["messages"][1]["content"][1] = json{{"cache_control", mark}};
  body["messages"][1]["content"][1].update(messages_body()["messages"][1]["content"][1]);
  body["messages"][1]["content"][0]["prompt_cache_breakpoint"] = true;
  body["cache_control"] = mark;
  EXPECT_EQ(hashes(), before);
}

TEST_F(PromptChain, AMovedMarkMayMakeABlockAString) {
  const auto before = hashes();
  body["messages"][0]["content"] = "Begin.";
  EXPECT_EQ(hashes(), before);
  body["messages"][0]["content"] = {{{"type", "text"}, {"text", "Begin."}, {"cache_control", mark}}};
  EXPECT_EQ(hashes(), before);
  EXPECT_TRUE(chain().marks.any());
  body["messages"][0]["content"].push_back({{"type", "text"}, {"text", "More."}});
  EXPECT_NE(hashes(), before);
}

TEST_F(PromptChain, TheBillingBlockIsLeftOut) {
  const auto before = hashes();
  for (const std::string number : {"1", "2"}) {
    json other = body;
    const json billing = {{"type", "text"}, {"text", "x-anthropic-billing-header: cc_version=2; cch=" + number + ";"}};
    other["system"] = {billing, body["system"][0]};
    EXPECT_EQ(hashes_of(chain_of_json(other, wire_format::anthropic_messages)), before);
  }
}

TEST_F(PromptChain, SaysWhereTheMarksAreAndHowLongTheyLast) {
  body["messages"][2]["content"][0]["cache_control"] = {{"type", "ephemeral"}, {"ttl", "1h"}};
  prompt_chain its = chain();
  EXPECT_EQ(its.marks.of_root, std::nullopt);
  EXPECT_EQ(its.marks.of_last, minutes(60));
  EXPECT_EQ(its.marks.last.hash, its.end().hash);
  body["messages"][2]["content"][0].erase("cache_control");
  body["messages"][0]["content"][0]["cache_control"] = mark;
  its = chain();
  EXPECT_EQ(its.marks.of_last, minutes(5));
  EXPECT_EQ(its.marks.last.hash, its.boundaries[1].hash);
  body["messages"][0]["content"][0].erase("cache_control");
  body["system"][0]["cache_control"] = mark;
  its = chain();
  EXPECT_EQ(its.marks.of_root, minutes(5));
  EXPECT_EQ(its.marks.last.hash, its.root().hash);
  body["cache_control"] = {{"type", "ephemeral"}, {"ttl", "1h"}};
  its = chain();
  EXPECT_EQ(its.marks.of_last, minutes(60));
  EXPECT_EQ(its.marks.of_root, minutes(5));
  EXPECT_EQ(its.marks.last.hash, its.end().hash);
}

TEST_F(PromptChain, AnotherRouteOrCallersKeyGivesOtherHashes) {
  const auto before = hashes();
  const auto others = hashes_of(chain_of_json(body, wire_format::anthropic_messages, 77));
  for (std::size_t at = 0; at < before.size(); ++at) EXPECT_NE(before[at], others[at]);
}

TEST_F(PromptChain, ShortBodiesAndOtherApisHaveNone) {
  EXPECT_TRUE(chain_of_json(messages_body(), wire_format::anthropic_messages).empty());
  EXPECT_TRUE(chain_of_json(body, wire_format::openai_embeddings).empty());
  EXPECT_TRUE(chain_of_json(body, wire_format::openai_responses).empty());  // without input
  body["messages"][0]["content"] = std::string(largest_chained_body, 'x');
  EXPECT_TRUE(chain().empty());
}

TEST_F(PromptChain, KeepsTheLastEndsOfALongConversation) {
  for (int turn = 0; turn < 150; ++turn) {
    body["messages"].push_back({{"role", "assistant"}, {"content", "a" + std::to_string(turn)}});
    body["messages"].push_back({{"role", "user"}, {"content", "u" + std::to_string(turn)}});
  }
  const prompt_chain its = chain();
  EXPECT_GE(its.boundaries.size(), 65u);
  EXPECT_LE(its.boundaries.size(), 129u);
  EXPECT_EQ(its.answers, 151u);
  body["messages"].push_back({{"role", "assistant"}, {"content", "last"}});
  const prompt_chain next = chain();
  EXPECT_EQ(next.root().hash, its.root().hash);
  EXPECT_EQ(next.boundaries[next.boundaries.size() - 2].hash, its.end().hash);
  body["messages"] = json::array();
  for (std::size_t each = 0; each <= most_chained_messages; ++each) body["messages"].push_back(1);
  EXPECT_TRUE(chain().empty());
}

TEST(PromptChainOfChat, InstructionsThatBeginTheListBelongToTheRoot) {
  json body{{"model", "m"}};
  body["messages"] = {{{"role", "system"}, {"content", filler}}, {{"role", "developer"}, {"content", "More."}},
                      {{"role", "user"}, {"content", "Hi."}}, {{"role", "system"}, {"content", "Later."}}};
  const prompt_chain chat = chain_of_json(body, wire_format::openai_chat);
  ASSERT_EQ(chat.boundaries.size(), 3u);
  body["messages"][2]["content"] = "Bye.";
  EXPECT_EQ(chain_of_json(body, wire_format::openai_chat).root().hash, chat.root().hash);
  body["messages"][1]["content"] = "Less.";
  EXPECT_NE(chain_of_json(body, wire_format::openai_chat).root().hash, chat.root().hash);
  body["messages"].erase(2), body["messages"].erase(2);
  EXPECT_EQ(chain_of_json(body, wire_format::openai_chat).boundaries.size(), 1u);
}

TEST(PromptChainOfResponses, CountsAnswersAndReadsRetention) {
  json body{{"model", "m"}, {"instructions", filler}, {"prompt_cache_retention", "24h"}};
  body["input"] = {{{"type", "message"}, {"role", "user"}, {"content", "Hi."}},
                   {{"type", "reasoning"}, {"summary", json::array()}},
                   {{"type", "function_call"}, {"call_id", "1"}, {"arguments", "{}"}},
                   {{"type", "function_call_output"}, {"call_id", "1"}, {"output", "x"}},
                   {{"type", "message"}, {"role", "assistant"}, {"content", json::array()}}};
  const prompt_chain its = chain_of_json(body, wire_format::openai_responses);
  EXPECT_EQ(its.boundaries.size(), 6u);
  EXPECT_EQ(its.answers, 2u);
  EXPECT_EQ(its.retention, minutes(24 * 60));
  body["input"] = "Hi.";
  EXPECT_EQ(chain_of_json(body, wire_format::openai_responses).boundaries.size(), 2u);
}

// A request may refer to items of earlier answers by their ids. The gateway inserts these items into the request before it computes the
// prefixes.
TEST(PromptChainOfResponses, AReferenceHasTheChainOfItsItem) {
  const json question{{"role", "user"}, {"content", filler}}, next{{"role", "user"}, {"content", "And now?"}};
  const json item{{"type", "message"}, {"id", "msg_1"}, {"role", "assistant"}, {"content", "Hi."}};
  const auto chain_of_input = [&](const json& input) {
    const json body{{"model", "m"}, {"input", input}};
    const auto read = with_items(body.dump(), 100'000, [&](std::string_view) { return std::optional(item.dump()); },
                                 [](std::size_t) { return true; });
    return chain_of_json(json::parse(std::get<std::string>(read)), wire_format::openai_responses);
  };
  const json reference{{"type", "item_reference"}, {"id", "msg_1"}};
  const prompt_chain sent = chain_of_input({question, item, next}), named = chain_of_input({question, reference, next});
  ASSERT_EQ(sent.boundaries.size(), 4u);
  EXPECT_EQ(hashes_of(named), hashes_of(sent));
  EXPECT_EQ(hashes_of(chain_of_input(json::array({question}))).back(), named.boundaries[1].hash);
}

// A slow reader of prefixes. It parses the body, removes cache marks and Claude Code's billing block, and serializes the body again.
class slow_reader {
 public:
  explicit slow_reader(const json& body) : body_(without_marks(body)) {}

  std::vector<prefix_boundary> read(const std::string& list) {
    proxy::keyed_stream stream(key);
    std::size_t bytes = 0;
    const auto add = [&](const std::string& text) { stream.add(text), bytes += text.size(); };
    std::vector<prefix_boundary> all;
    const auto end = [&] { all.push_back({stream.end_part(), static_cast<std::uint32_t>(bytes / 4)}); };
    stream.add(std::string(8, '\0'));
    for (const char* name : {"tools", "system", "instructions", "reasoning_effort", "tool_choice"}) {
      if (!body_.contains(name) || body_[name].is_null()) continue;
      stream.add(name);
      if (std::string(name) != "system" || body_[name].is_string()) add(body_[name].dump());
      else for (const json& block : body_[name]) add(block.dump()), stream.add(",");
    }
    stream.end_part();
    bool is_in_root = true;
    for (const json& item : body_[list]) {
      const std::string role = item.value("role", "");
      if (is_in_root && role != "system" && role != "developer") end(), is_in_root = false;
      add(item.dump());
      if (!is_in_root) end();
    }
    if (is_in_root) end();
    return all;
  }

 private:
  static json without_marks(const json& from) {
    if (from.is_array()) {
      json list = json::array();
      for (const json& each : from) list.push_back(without_marks(each));
      return list;
    }
    if (!from.is_object()) return from;
    json object = json::object();
    for (const auto& [name, value] : from.items())
      if (name != "cache_control" && name != "prompt_cache_breakpoint") object[name] = without_marks(value);
    return object;
  }

  json body_;
};

class random_body {
 public:
  explicit random_body(unsigned seed) : random_(seed) {}

  json make(const std::string& list) {
    json body = json::object();
    const std::string heads = list == "messages" ? "system" : "instructions";
    if (one_in(3)) body["model"] = text();
    if (one_in(2)) body["tools"] = value(3);
    if (one_in(2)) body["reasoning_effort"] = text();
    if (one_in(3)) body["tool_choice"] = value(1);
    body[heads] = one_in(2) ? json(text()) : json::array({block(), block()});
    body["metadata"] = filler;
    json items = json::array();
    for (auto each = random_() % 30; each > 0; --each) items.push_back(item());
    body[list] = items;
    return body;
  }

 private:
  bool one_in(unsigned many) { return random_() % many == 0; }

  std::string text() {
    static const std::vector<std::string> pieces{"a", "\"", "\\", "\\\"", "{", "}", "[", "]", ",", ":", "\n", "é", "\"cache_control\":",
                                                 "cache_control", "role", "\u0001", "long text without anything in it"};
    std::string all;
    for (auto each = random_() % 12; each > 0; --each) all += pieces[random_() % pieces.size()];
    return all;
  }
  json value(int depth) {
    const auto kind = random_() % 7;
    if (depth == 0 || kind < 2) return text();
    if (kind == 2) return json(static_cast<int>(random_() % 1000) - 500);
    if (kind == 3) return one_in(2) ? json(nullptr) : json(one_in(2));
    if (kind == 4) return 1.5e-3;
    json made = kind == 5 ? json::array() : json::object();
    for (auto each = random_() % 4; each > 0; --each) {
      if (kind == 5) made.push_back(value(depth - 1));
      else made[one_in(6) ? (one_in(2) ? "cache_control" : "prompt_cache_breakpoint") : text()] = value(depth - 1);
    }
    return made;
  }
  json block() {
    json made = json::object();
    if (one_in(4)) made["cache_control"] = {{"type", "ephemeral"}};
    made["type"] = "tool_result";
    made[one_in(2) ? "text" : "content"] = one_in(2) ? json(text()) : value(2);
    if (one_in(4)) made["cache_control"] = {{"type", "ephemeral"}, {"ttl", "1h"}};
    if (one_in(6)) made["prompt_cache_breakpoint"] = value(1);
    return made;
  }
  json item() {
    static const std::vector<std::string> roles{"user", "assistant", "system", "developer", "tool"};
    json made = json::object();
    if (one_in(5)) made["type"] = text();
    made["role"] = roles[random_() % roles.size()];
    if (one_in(8)) made["cache_control"] = value(2);
    made["content"] = one_in(3) ? json(text()) : json::array({block(), block()});
    if (one_in(5)) made["id"] = text();
    return made;
  }

  std::mt19937 random_;
};

TEST(PromptChainOfRandomBodies, IsThatOfTheSlowReader) {
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    const std::string list = seed % 2 == 0 ? "messages" : "input";
    const json body = random_body(seed).make(list);
    const wire_format format = seed % 2 == 1 ? wire_format::openai_responses
                               : seed % 4 == 0 ? wire_format::openai_chat
                                               : wire_format::anthropic_messages;
    const prompt_chain its = chain_of_json(body, format);
    const std::vector<prefix_boundary> slow = slow_reader(body).read(list);
    ASSERT_EQ(its.boundaries.size(), slow.size()) << body.dump(1);
    for (std::size_t at = 0; at < slow.size(); ++at) {
      ASSERT_EQ(its.boundaries[at].hash, slow[at].hash) << seed << " at " << at << ": " << body.dump(1);
      ASSERT_EQ(its.boundaries[at].tokens, slow[at].tokens) << seed;
    }
  }
}

// The body is truncated or damaged at an arbitrary place. The reader must never read beyond the end of the body.
TEST(PromptChainOfRandomBodies, BrokenTextIsReadToItsEndAtMost) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::string list = random_body(seed).make("messages")["messages"].dump();
    for (int each = 0; each < 3; ++each)
      if (!list.empty()) list[random() % list.size()] = R"("\{}[],:x)"[random() % 10];
    list.resize(random() % (list.size() + 1));
    const proxy::client_body body("{\"metadata\":\"" + filler + "\",\"messages\":[" + list);
    const prompt_chain its = chain_of(body, wire_format::openai_chat, {key});
    EXPECT_LE(its.boundaries.size(), 129u);
  }
}

}  // namespace
}  // namespace photofinish::gateway
