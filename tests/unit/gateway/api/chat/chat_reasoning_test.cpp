// Tests how clients of OpenAI's chat API receive signed reasoning in the formats of several providers.
#include "gateway/api/chat/chat_writers.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::testing {
namespace {

delta signs(std::string_view text, std::string_view by = "anthropic_messages") {
  return {.kind = delta_kind::signature, .text = text, .id = by};
}
delta hides(std::string_view data, std::string_view by = "anthropic_messages") {
  return {.kind = delta_kind::opaque, .text = data, .id = by};
}

// Joins a stream as openai-python does. Objects with the same index are merged. Their strings are concatenated, except `type`.
class accumulated {
 public:
  explicit accumulated(const std::string& bytes) {
    for (const auto& event : events_in(bytes))
      for (const json& choice : event.at("choices")) add(choice.at("delta"), message);
  }
  json message = json::object();

 private:
  static std::vector<json> events_in(const std::string& bytes) {
    std::vector<json> all;
    std::istringstream lines(bytes);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("data: {")) all.push_back(json::parse(line.substr(6)));
    return all;
  }
  static void add(const json& from, json& into) {
    for (const auto& [key, value] : from.items()) {
      if (!into.contains(key) || key == "index" || key == "type") into[key] = value.is_array() ? json::array() : value;
      else if (value.is_string()) into[key] = into[key].get<std::string>() + value.get<std::string>();
      else if (value.is_object()) add(value, into[key]);
      if (value.is_array())
        for (const json& each : value) add_to_list(each, into[key]);
    }
  }
  static void add_to_list(const json& each, json& list) {
    const std::size_t index = each.at("index").get<std::size_t>();
    for (json& known : list)
      if (known.at("index") == index) return add(each, known);
    list.push_back(each);
  }
};

class chat_reasoning_test : public ::testing::Test {
 protected:
  chat_reasoning_test() : stream_({"1", 5, "m"}, {}, false), whole_(chat_chunks({"1", 5, "m"})) {}

  // Returns the message of the answer. Checks that the streamed and the non-streamed answer contain the same message.
  json message(std::initializer_list<delta> deltas) {
    answer_driver streamed(stream_), collected(whole_);
    streamed.say_each(deltas).end();
    collected.say_each(deltas).end();
    bytes_ = streamed.bytes();
    json whole = collected.whole().at("choices")[0].at("message");
    json joined = accumulated(bytes_).message;
    EXPECT_EQ(joined.value("reasoning_details", json()), whole.value("reasoning_details", json()));
    EXPECT_EQ(joined.value("reasoning_content", json()), whole.value("reasoning_content", json()));
    return whole;
  }

  chat_stream_writer stream_;
  chat_whole_writer whole_;
  std::string bytes_;
};

TEST_F(chat_reasoning_test, ASignedTextComesWholeBesideItsText) {
  const json got = message({thought("I th"), thought("ink \""), signs("Ep=="), said("Hi"), finished()});
  EXPECT_EQ(got.at("reasoning_content"), "I think \"");
  EXPECT_EQ(got.at("reasoning_details"),
            json::parse(R"([{"type":"reasoning.text","text":"I think \"","signature":"Ep==","format":"anthropic-claude-v1","index":0}])"));
  EXPECT_EQ(got.at("content"), "Hi");
}

TEST_F(chat_reasoning_test, ASignatureInPiecesIsOne) {
  EXPECT_EQ(message({thought("a"), signs("E"), signs("p"), said("b"), finished()}).at("reasoning_details")[0].at("signature"), "Ep");
}

TEST_F(chat_reasoning_test, ASignatureWithoutItsTextIsNoRedactedOne) {
  const json details = message({signs("Ep"), said("b"), hides("data"), finished()}).at("reasoning_details");
  EXPECT_EQ(details[0].at("type"), "reasoning.text");
  EXPECT_EQ(details[0].at("text"), "");
  EXPECT_EQ(details[1], json::parse(R"({"type":"reasoning.encrypted","data":"data","format":"anthropic-claude-v1","index":1})"));
}

TEST_F(chat_reasoning_test, PartsKeepTheirOrderAndTheirCalls) {
  const json got = message({thought("a"), signs("A"), thought("b"), signs("B"), called(0, "f", "call_one_123"), arguments(0, "{}"),
                            hides("C"), called(1, "g", "call_two_123"), arguments(1, "{}"), finished()});
  EXPECT_EQ(got.at("reasoning_details"), json::parse(R"([
    {"type":"reasoning.text","text":"a","signature":"A","format":"anthropic-claude-v1","index":0},
    {"type":"reasoning.text","text":"b","signature":"B","id":"call_one_123","format":"anthropic-claude-v1","index":1},
    {"type":"reasoning.encrypted","data":"C","id":"call_two_123","format":"anthropic-claude-v1","index":2}])"));
}

TEST_F(chat_reasoning_test, GeminisSignatureIsOnItsCallToo) {
  const json got = message({thought("hm"), hides("sig/+", "gemini"), called(0, "f", "call_one_123"), arguments(0, "{}"),
                            called(1, "g", "call_two_123"), arguments(1, "{}"), finished()});
  EXPECT_EQ(got.at("tool_calls")[0].at("extra_content"), json::parse(R"({"google":{"thought_signature":"sig/+"}})"));
  EXPECT_FALSE(got.at("tool_calls")[1].contains("extra_content"));
  EXPECT_EQ(got.at("reasoning_details"),
            json::parse(R"([{"type":"reasoning.encrypted","data":"sig/+","id":"call_one_123","format":"google-gemini-v1","index":0}])"));
  EXPECT_EQ(accumulated(bytes_).message.at("tool_calls")[0].at("extra_content").at("google").at("thought_signature"), "sig/+");
}

TEST_F(chat_reasoning_test, AnothersBlobStandsBesideASummary) {
  const json details = message({thought("sum"), signs("gAAA", "openai_responses"), said("x"), finished()}).at("reasoning_details");
  EXPECT_EQ(details, json::parse(R"([{"type":"reasoning.summary","summary":"sum","format":"openai-responses-v1","index":0},
                                     {"type":"reasoning.encrypted","data":"gAAA","format":"openai-responses-v1","index":1}])"));
}

TEST_F(chat_reasoning_test, ABlobHasTheIdOfItsItem) {
  delta in_an_item = hides("gAAA", "openai_responses"), summed_up = signs("gBBB", "openai_responses");
  in_an_item.item = "rs_1";
  summed_up.item = "rs_2";
  const json details = message({in_an_item, thought("sum"), summed_up, said("x"), finished()}).at("reasoning_details");
  EXPECT_EQ(details[0].at("item_id"), "rs_1");
  EXPECT_FALSE(details[1].contains("item_id")) << "a summary";
  EXPECT_EQ(details[2].at("item_id"), "rs_2");
}

TEST_F(chat_reasoning_test, WhatCanBeReadByNoOneKnownSaysSo) {
  EXPECT_EQ(message({hides("x", "made_up"), finished()}).at("reasoning_details")[0].at("format"), "unknown");
}

TEST_F(chat_reasoning_test, WhatIsNotSignedHasNoDetails) {
  const json got = message({thought("plain"), said("Hi"), finished()});
  EXPECT_EQ(got.at("reasoning_content"), "plain");
  EXPECT_FALSE(got.contains("reasoning_details"));
}

TEST_F(chat_reasoning_test, WhatComesLastIsSaidAtTheEnd) {
  EXPECT_EQ(message({said("Hi"), hides("last", "gemini")}).at("reasoning_details")[0].at("data"), "last");
}

TEST_F(chat_reasoning_test, ChoicesHaveTheirOwn) {
  answer_driver streamed(stream_);
  delta other = signs("B");
  other.choice = 1;
  delta words = said("x");
  words.choice = 1;
  streamed.say_each({thought("a"), other, signs("A"), words, said("y"), finished()}).end();
  std::vector<json> seen;
  std::istringstream lines(streamed.bytes());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: {")) continue;
    const json choice = json::parse(line.substr(6)).at("choices")[0];
    if (choice.at("delta").contains("reasoning_details"))
      seen.push_back({choice.at("index"), choice.at("delta").at("reasoning_details")[0].at("text"),
                      choice.at("delta").at("reasoning_details")[0].at("index")});
  }
  EXPECT_EQ(seen, (std::vector<json>{{1, "", 0}, {0, "a", 0}}));
}

TEST_F(chat_reasoning_test, WhatWaitsForASignatureIsCounted) {
  answer_driver streamed(stream_);
  const std::string text(1000, 'x');
  streamed.say({thought(text)});
  EXPECT_GE(stream_.held_bytes(), 1000u);
  streamed.say({signs("sig")}).say({said("a")});
  EXPECT_LT(stream_.held_bytes(), 1000u);
}

TEST_F(chat_reasoning_test, ChoicesThatHaveReasonedAreCounted) {
  answer_driver streamed(stream_);
  for (int at = 0; at < 1000; ++at) {
    delta each = thought("");
    each.choice = at;
    streamed.say({each});
  }
  EXPECT_GE(stream_.held_bytes(), 100'000u);
}

TEST_F(chat_reasoning_test, AnAnswerOfNothingButOpaquePartsIsSaidAsItComes) {
  const std::string data(1000, 'x');
  for (const bool is_signature : {false, true}) {
    chat_stream_writer stream({"1", 5, "m"}, {}, false);
    answer_driver streamed(stream);
    for (std::size_t at = 0; at < 100; ++at) {
      if (is_signature) streamed.say({thought("a")});
      streamed.say({is_signature ? signs(data) : hides(data)});
      ASSERT_LT(stream.held_bytes(), 3000u) << at;
      ASSERT_GE(streamed.bytes().size(), at * data.size()) << "each is said when the next one comes";
    }
    streamed.end();
    const json details = accumulated(streamed.bytes()).message.at("reasoning_details");
    ASSERT_EQ(details.size(), 100u);
    EXPECT_EQ(details[99].at(is_signature ? "signature" : "data"), data);
  }
}

TEST_F(chat_reasoning_test, TheEndSaysWhatWaitedAndTheUsage) {
  chat_stream_writer stream({"1", 5, "m"}, {}, true);
  answer_driver streamed(stream);
  const proxy::token_usage usage{.input_tokens = 3, .output_tokens = 4};
  streamed.say({said("Hi")}).say({hides("last", "gemini")}, &usage).end();
  const std::size_t details = streamed.bytes().find(R"("data":"last")"), counts = streamed.bytes().find(R"("total_tokens":7)");
  EXPECT_NE(counts, std::string::npos);
  EXPECT_LT(details, counts);
}

TEST_F(chat_reasoning_test, AWholeAnswerThatHasNoRoomForItsLastPartFails) {
  answer_driver collected(whole_);
  const std::string text(62u << 20, 'x'), data(3u << 20, 'y');
  collected.say({said(text)}).say({hides(data)});
  ASSERT_TRUE(collected.is_good());
  collected.end();
  EXPECT_FALSE(collected.is_good());
}

}  // namespace
}  // namespace photofinish::gateway::testing
