// Tests random streams. Whatever a provider sends, the client must get a stream with the properties that the gateway guarantees.
#include "proxy/dialects/openai/openai_stream.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::play;

// Creates random chunks. They contain members that real providers send, and invalid members.
class random_chunks {
 public:
  explicit random_chunks(unsigned seed) : random_(seed) {}

  std::string next() {
    return object({pick({"", R"("id":"a")", R"("id":"b")", R"("id":"")", R"("id":null)"}),
                   pick({"", R"("created":7)", R"("created":0)", R"("created":"x")"}),
                   pick({"", R"("usage":null)", R"("usage":{"prompt_tokens":1,"completion_tokens":2})"}),
                   "\"choices\":" + list([this] { return choice(); })});
  }
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  std::string choice() {
    return object({pick({"", R"("index":0)", R"("index":1)"}),
                   pick({"", R"("finish_reason":null)", R"("finish_reason":"")", R"("finish_reason":"eos")",
                         R"("finish_reason":"stop")"}),
                   draw(8) == 0 ? "" : draw(8) == 0 ? R"("delta":null)" : "\"delta\":" + delta(), R"("x":[{}])"});
  }
  std::string delta() {
    return object({pick({"", R"("role":"assistant")", R"("role":null)", R"("role":"")"}),
                   pick({"", R"("content":"")", R"("content":"t\\n")"}),
                   draw(2) ? "" : "\"tool_calls\":" + list([this] { return call(); })});
  }
  std::string call() {
    return draw(9) == 0 ? "null"
                        : object({pick({"", R"("index":0)", R"("index":1)", R"("index":"0")", R"("index":-1)"}),
                                  pick({"", R"("id":"c1")", R"("id":"c2")", R"("id":"")"}),
                                  pick({"", R"("function":{})", R"("function":{"name":"f","arguments":"{}"})",
                                        R"("function":{"arguments":"{\"a\":"})", R"("function":{"arguments":"1}"})",
                                        R"("function":{"arguments":null})", R"("function":null)"})});
  }
  template <class Make>
  std::string list(Make make) {
    std::string text = "[";
    for (unsigned left = draw(4); left > 0; --left) text += make() + (left > 1 ? pick({",", " , "}) : "");
    return text + "]";
  }
  std::string object(std::vector<std::string> members) {
    std::shuffle(members.begin(), members.end(), random_);
    std::string text;
    for (const std::string& member : members)
      if (!member.empty()) text += (text.empty() ? "" : pick({",", ", "})) + member;
    return "{" + text + "}";
  }
  std::string pick(std::vector<std::string> choices) { return choices[draw(static_cast<unsigned>(choices.size()))]; }

  std::mt19937 random_;
};

// Checks that a complete stream has the properties on which clients rely.
class client_view {
 public:
  void see(const std::string& json) {
    simdjson::dom::element root;
    ASSERT_EQ(parser_.parse(json).get(root), simdjson::SUCCESS) << json;
    ids_.insert(std::string(root["id"].get_string().value()));
    created_.insert(root["created"].get_int64().value());
    const simdjson::dom::array choices = root["choices"].get_array().value();
    for (const simdjson::dom::element choice : choices) see_choice(choice);
    if (root["usage"].error() == simdjson::SUCCESS && !root["usage"].is_null()) {
      ++usages_;
      EXPECT_EQ(choices.size(), 0u) << json;
    }
  }
  void check() const {
    EXPECT_LE(ids_.size(), 1u);
    EXPECT_LE(created_.size(), 1u);
    EXPECT_LE(usages_, 1u);
    for (const auto& [index, count] : roles_) EXPECT_EQ(count, 1) << "roles of choice " << index;
    for (const auto& [index, count] : finishes_) EXPECT_EQ(count, 1) << "finishes of choice " << index;
    EXPECT_EQ(roles_.size(), finishes_.size());
  }

 private:
  void see_choice(simdjson::dom::element choice) {
    const std::int64_t index = choice["index"].get_int64().value();
    const simdjson::dom::object delta = choice["delta"].get_object().value();
    std::string_view text;
    roles_[index] += delta["role"].get(text) == simdjson::SUCCESS && text == "assistant";
    finishes_[index] += choice["finish_reason"].get(text) == simdjson::SUCCESS && (text == "stop" || text == "tool_calls");
    simdjson::dom::array calls;
    if (delta["tool_calls"].get(calls) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element call : calls) EXPECT_TRUE(!call.is_object() || call["index"].is_int64());
  }

  simdjson::dom::parser parser_;
  std::set<std::string> ids_;
  std::set<std::int64_t> created_;
  std::map<std::int64_t, int> roles_, finishes_;
  std::size_t usages_ = 0;
};

TEST(RandomOpenAiStream, WhateverChunksComeTheClientCanRelyOnTheirShape) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_chunks chunks(seed);
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    std::vector<std::string> sent;
    for (unsigned left = 1 + chunks.draw(6); left > 0; --left) {
      const unsigned repetitions = chunks.draw(4) == 0 ? chunks.draw(6) : 0;
      sent.insert(sent.end(), 1 + repetitions, chunks.next());
    }
    SCOPED_TRACE(test::events_of(sent));
    const auto played = test::play_chunks(sent, chunks.draw(2) ? usage_chunk::wanted : usage_chunk::unwanted);
    if (played.failed) {  // a stream fails if it has neither a token nor a finish reason
      ASSERT_FALSE(played.summary.first_token_at.has_value());
      ASSERT_EQ(played.ends, 0u);
      continue;
    }
    ASSERT_EQ(played.ends, 1u);
    client_view view;
    for (const std::string& json : played.json) view.see(json);
    view.check();
  }
}

TEST(RandomOpenAiStream, NoBytesMakeItFall) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_chunks chunks(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = test::events_of({chunks.next(), chunks.next()}) + "data: [DONE]\n\n";
    for (unsigned left = chunks.draw(4); left > 0; --left)
      bytes[chunks.draw(static_cast<unsigned>(bytes.size()))] = static_cast<char>(chunks.draw(256));
    const std::size_t cut = chunks.draw(static_cast<unsigned>(bytes.size()));
    const auto played = play({std::string_view(bytes).substr(0, cut), std::string_view(bytes).substr(cut)});
    ASSERT_EQ(played.ends + played.failed.has_value(), 1u) << "exactly one end, or a failure";
  }
}

}  // namespace
}  // namespace photofinish::proxy
