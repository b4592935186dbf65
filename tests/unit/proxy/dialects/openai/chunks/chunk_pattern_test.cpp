#include "proxy/dialects/openai/chunks/chunk_pattern.hpp"

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/proxy/dialects/openai/chunks/described_facts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::described;

// Inspects a chunk with a new inspector, and returns the found facts as text.
std::string found_in(std::string_view chunk) {
  chunk_inspector inspector;
  const test::padded_bytes bytes(chunk);
  const auto seen = inspector.inspect(bytes.view());
  return seen ? described(inspector.facts()) : "no chunk";
}

std::string with_delta(std::string_view delta) {
  return R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":)" +
         std::string(delta) + R"(,"finish_reason":null}]})";
}

std::string call_with(std::string_view arguments) {
  return with_delta(R"({"tool_calls":[{"index":2,"id":"call_7","function":{"arguments":")" + std::string(arguments) + "\"}}]}");
}

struct pattern_case {
  const char* name;
  std::string first;
  std::string second;
  bool applies;
};

// Inspects each chunk separately, without memory of earlier chunks.
class full_look {
 public:
  explicit full_look(std::string_view chunk) : bytes_(chunk) {
    EXPECT_TRUE(inspector_.inspect(bytes_.view()));
    facts = inspector_.facts();
  }
  std::string_view chunk() const { return bytes_.view(); }

  chunk_facts facts;

 private:
  test::padded_bytes bytes_;
  chunk_inspector inspector_;
};

class ChunkPatterns : public testing::Test {
 protected:
  ChunkPatterns() {
    full_look opening(with_delta(R"({"role":"assistant","content":"o"})"));
    pattern.learn(opening.chunk(), opening.facts);
    EXPECT_FALSE(pattern.applies(opening.chunk(), opening.facts));  // the pattern must not be learned from the first chunk of a stream
  }

  chunk_pattern pattern;
};

class ChunkPattern : public ChunkPatterns, public testing::WithParamInterface<pattern_case> {};

TEST_P(ChunkPattern, AppliesWhereAFullLookFindsTheSameButForTheText) {
  full_look first(GetParam().first);
  const test::padded_bytes second(GetParam().second);
  pattern.learn(first.chunk(), first.facts);
  EXPECT_EQ(described(first.facts), found_in(GetParam().first));
  ASSERT_EQ(pattern.applies(second.view(), first.facts), GetParam().applies);
  EXPECT_EQ(described(first.facts), found_in(GetParam().applies ? GetParam().second : GetParam().first));
}

constexpr bool yes = true, no = false;

INSTANTIATE_TEST_SUITE_P(
    Cases, ChunkPattern,
    testing::Values(
        pattern_case{"Content", with_delta(R"({"content":"a"})"), with_delta(R"({"content":" longer"})"), yes},
        pattern_case{"ContentBesideARole", with_delta(R"({"role":"assistant","content":"a"})"),
                     with_delta(R"({"role":"assistant","content":"b"})"), yes},
        pattern_case{"Refusal", with_delta(R"({"refusal":"a"})"), with_delta(R"({"refusal":"bc"})"), yes},
        pattern_case{"Reasoning", with_delta(R"({"content":"","reasoning":"a"})"),
                     with_delta(R"({"content":"","reasoning":"bc"})"), yes},
        pattern_case{"ReasoningContent", with_delta(R"({"reasoning_content":"a","content":null})"),
                     with_delta(R"({"reasoning_content":"bc","content":null})"), yes},
        pattern_case{"Arguments", call_with(R"({\"a\":)"), call_with("1}"), yes},
        pattern_case{"UsageThatStaysTheSame", R"({"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}})",
                     R"({"choices":[{"delta":{"content":"b"}}],"usage":{"prompt_tokens":3}})", yes},
        pattern_case{"Escapes", with_delta(R"({"content":"a"})"), with_delta(R"({"content":"\"\\\/\b\f\n\r\t"})"), yes},
        pattern_case{"BeyondAscii", with_delta(R"({"content":"a"})"), with_delta("{\"content\":\"\xC3\xA9\xF0\x9F\x98\x80\"}"), yes},
        pattern_case{"TextLikeItsFrame", with_delta(R"({"content":"a"})"), with_delta(R"({"content":"\"},\"finish_reason\":null}]}"})"), yes},
        pattern_case{"EmptyText", with_delta(R"({"content":"a"})"), with_delta(R"({"content":""})"), no},
        pattern_case{"AfterAnEmptyText", with_delta(R"({"content":""})"), with_delta(R"({"content":"a"})"), no},
        pattern_case{"NumberedEscape", with_delta(R"({"content":"a"})"), with_delta(R"({"content":"\u00e9"})"), no},
        pattern_case{"UnknownEscape", with_delta(R"({"content":"a"})"), with_delta(R"({"content":"\x"})"), no},
        pattern_case{"ControlCharacter", with_delta(R"({"content":"a"})"), with_delta("{\"content\":\"\x1F\"}"), no},
        pattern_case{"BrokenUtf8", with_delta(R"({"content":"a"})"), with_delta("{\"content\":\"\xC3\"}"), no},
        pattern_case{"AnotherId", R"({"id":"a","choices":[{"delta":{"content":"a"}}]})",
                     R"({"id":"b","choices":[{"delta":{"content":"a"}}]})", no},
        pattern_case{"AnError", R"({"message":"","choices":[{"delta":{"content":"a"}}]})",
                     R"({"message":"b","choices":[{"delta":{"content":"a"}}]})", no},
        pattern_case{"AFinish", with_delta(R"({"content":"a"})"),
                     R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})", no},
        pattern_case{"TwoReasonings", with_delta(R"({"reasoning":"abc","reasoning":"de"})"),
                     with_delta(R"({"reasoning":"x","reasoning":"de"})"), no},
        pattern_case{"ReasoningUnderBothNames", with_delta(R"({"reasoning":"abc","reasoning_content":"ab"})"),
                     with_delta(R"({"reasoning":"x","reasoning_content":"ab"})"), no},
        pattern_case{"TwoTexts", with_delta(R"({"content":"a","refusal":"b"})"), with_delta(R"({"content":"c","refusal":"b"})"), no},
        pattern_case{"TwoChoices", R"({"choices":[{"delta":{}},{"delta":{"content":"a"}}]})",
                     R"({"choices":[{"delta":{}},{"delta":{"content":"b"}}]})", no},
        pattern_case{"SecondOfOneKey", with_delta(R"({"content":"","content":"a"})"), with_delta(R"({"content":"","content":"b"})"), yes},
        pattern_case{"TextThatIsAlsoElsewhere", R"({"id":"a","choices":[{"delta":{"content":"a","x":{"content":"a"}}}]})",
                     R"({"id":"a","choices":[{"delta":{"content":"b","x":{"content":"a"}}}]})", yes},
        pattern_case{"TextWhoseKeyIsAnothers", R"({"choices":[{"delta":{"content":[{"text":"a"}],"x":{"content":"a"}}}]})",
                     R"({"choices":[{"delta":{"content":[{"text":"a"}],"x":{"content":"b"}}}]})", no},
        pattern_case{"EscapedId", R"({"id":"\u0061bc","choices":[{"delta":{"content":"x"}}]})",
                     R"({"id":"\u0061bc","choices":[{"delta":{"content":"y"}}]})", no},
        pattern_case{"EscapedIdThatIsAlsoElsewhere", R"({"id":"\u0061","choices":[{"delta":{"content":"x"}}]})",
                     R"({"id":"\u0061","choices":[{"delta":{"content":"y"}}]})", yes},
        pattern_case{"ContentParts", with_delta(R"({"content":[{"type":"text","text":"a"}]})"),
                     with_delta(R"({"content":[{"type":"text","text":"b"}]})"), no},
        pattern_case{"Audio", with_delta(R"({"audio":{"transcript":"a"}})"), with_delta(R"({"audio":{"transcript":"b"}})"), no}),
    [](const auto& tested) { return tested.param.name; });

// Returns a chunk with this text. Padding precedes and follows the text, and the inspector ignores the padding.
std::string padded(std::string_view text, std::string_view padding) {
  return R"({"p":")" + std::string(padding) + R"(","choices":[{"delta":{"content":")" + std::string(text) +
         R"("}}],"obfuscation":")" + std::string(padding) + "\"}";
}

TEST(ChunkPatternOfAStream, IsTheFirstTextBehindTheOpening) {
  full_look opening(with_delta(R"({"role":"assistant","content":""})")), first(with_delta(R"({"content":"a"})"));
  const test::padded_bytes second(with_delta(R"({"content":"b"})"));
  chunk_pattern pattern;
  pattern.learn(opening.chunk(), opening.facts);
  EXPECT_FALSE(pattern.applies(first.chunk(), opening.facts));
  pattern.learn(first.chunk(), first.facts);
  EXPECT_TRUE(pattern.applies(second.view(), first.facts));
}

TEST_F(ChunkPatterns, LearnsOfPaddingWhereTheTextAloneWasNotEnough) {
  full_look first(padded("a", "xy")), second(padded("b", ""));
  const test::padded_bytes third(padded("c", "xyz")), broken(padded("d", "\\x"));
  pattern.learn(first.chunk(), first.facts);
  EXPECT_FALSE(pattern.applies(second.chunk(), first.facts));
  pattern.learn(second.chunk(), second.facts);
  EXPECT_TRUE(pattern.applies(third.view(), second.facts));
  EXPECT_EQ(described(second.facts), found_in(third.view()));
  EXPECT_FALSE(pattern.applies(broken.view(), second.facts));
}

TEST_F(ChunkPatterns, DoNotApplyToPaddedChunksOfAnotherTier) {
  const auto of_tier = [](const std::string& tier, std::string_view text, std::string_view padding) {
    return R"({"service_tier":")" + tier + "\"," + padded(text, padding).substr(1);
  };
  full_look first(of_tier("flex", "a", "xy")), second(of_tier("flex", "b", ""));
  const test::padded_bytes third(of_tier("flex", "c", "xyz")), other(of_tier("priority", "d", "x"));
  pattern.learn(first.chunk(), first.facts);
  EXPECT_FALSE(pattern.applies(second.chunk(), first.facts));
  pattern.learn(second.chunk(), second.facts);
  EXPECT_TRUE(pattern.applies(third.view(), second.facts));
  EXPECT_EQ(second.facts.tier, price_tier::flex);
  EXPECT_FALSE(pattern.applies(other.view(), second.facts));
}

TEST_F(ChunkPatterns, IsGivenUpWhereItNeverApplies) {
  const auto learns = [this](const std::string& chunk) {
    full_look seen(chunk);
    pattern.learn(seen.chunk(), seen.facts);
    return pattern.applies(seen.chunk(), seen.facts);
  };
  EXPECT_TRUE(learns(with_delta(R"({"content":"a"})")));
  for (int count = 0; count < 8; ++count) EXPECT_FALSE(learns(with_delta(R"({"content":[{"text":"a"}]})")));
  EXPECT_FALSE(learns(with_delta(R"({"content":"a"})")));
}

// An inspector that remembers earlier chunks must find the same facts as an inspector that sees only one chunk. The test compares both with
// all kinds of streams, valid and broken.
TEST(ChunkPatternInAnInspector, ChangesNothingThatAnInspectorFinds) {
  constexpr std::array<std::string_view, 15> shapes{
      R"({"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"$"},"finish_reason":null}]})",
      R"({"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"$"},"finish_reason":null}],"obfuscation":"$"})",
      R"({"system_fingerprint":"$","p":"$","q":"$","r":"$","choices":[{"index":1,"delta":{"role":"assistant","content":"$"}}],"z":"$"})",
      R"({"id":"$","choices":[{"delta":{"content":"$"}}]})",
      R"({"choices":[{"delta":{"role":"$","content":"$"}}]})",
      R"({"choices":[{"delta":{"reasoning":"$","content":""}}]})",
      R"({"choices":[{"delta":{"reasoning":"$","reasoning_content":"ab"}}]})",
      R"({"choices":[{"delta":{"reasoning_content":"$","content":"$"}}]})",
      R"({"choices":[{"delta":{"content":"$","content":"b"}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"$"}}]}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"$","function":{"name":"$","arguments":"$"}}]}}]})",
      R"({"choices":[{"delta":{"content":"a"}},{"delta":{"content":"$"}}]})",
      R"({"choices":[{"delta":{"content":"$"},"finish_reason":"$"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
      R"({"error":"$","detail":"$","object":"$","choices":[{"delta":{"content":"$"}}]})",
      R"({"p":"$","service_tier":"$","choices":[{"delta":{"content":"$"}}]})"};
  constexpr std::array<std::string_view, 20> texts{"a", " token", "",      R"(\n)",  R"(\"q\")", R"(\\)", R"(\u0041)", R"(\ud83d)", "\xC3\xA9",
                                                   "\xC3", "\x01",  R"(\x)", R"(\)", R"(")",    R"(",")", "error",     "stop",      "ab",
                                                   "flex", "priority"};
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  tolerant_parser lent;
  const test::padded_bytes other_chunk(R"({"id":"ZZZZZZ","model":"ZZZZZZ","choices":[{"delta":{"role":"ZZZZZZ","content":"ZZZZZZ"}}]})");
  for (int stream = 0; stream < 300; ++stream) {
    chunk_inspector inspector(&lent), neighbour(&lent);
    std::string_view shape = shapes[random() % shapes.size()];
    for (int count = 0; count < 40; ++count) {
      if (random() % 8 == 0) shape = shapes[random() % shapes.size()];
      std::string chunk;
      for (const char character : shape) {
        if (character != '$') chunk += character;
        else chunk += texts[random() % (random() % 3 == 0 ? texts.size() : 2)];
      }
      const test::padded_bytes bytes(chunk);
      const auto seen = inspector.inspect(bytes.view());
      ASSERT_EQ(seen ? described(inspector.facts()) : "no chunk", found_in(chunk)) << chunk;
      // Simulates a second stream that uses the same parser between two chunks of the first stream.
      ASSERT_TRUE(neighbour.inspect(other_chunk.view()));
    }
  }
}

// The facts of a chunk must not depend on earlier chunks. In this test, chunks of different formats alternate. Some chunks match the
// pattern of earlier chunks, and others must be parsed.
TEST(ChunkPatternInAStream, EachChunkSaysWhatItWouldSayAlone) {
  std::mt19937 random(11);
  const std::string_view words[] = {"a", "the", " \xC3\xA4", R"(\n)", R"(\u0041)", "", "x"};
  const std::string_view deltas[] = {R"("content":"%")", R"("reasoning":"%")", R"("reasoning":"%","reasoning_content":"ab")",
                                     R"("content":"%","refusal":null)", R"("content":"","reasoning":"%")"};
  for (int run = 0; run < 500; ++run) {
    test::stream_player player(test::settings_for_test(usage_chunk::unwanted));
    chunk_inspector alone;
    std::uint64_t text_bytes = 0, reasoning_bytes = 0;
    std::vector<event_kind> kinds;
    std::string_view delta = deltas[0];
    for (int each = 0; each < 30; ++each) {
      if (random() % 4 == 0) delta = deltas[random() % std::size(deltas)];
      std::string json = R"({"id":"c","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{)" +
                         std::string(each == 0 ? R"("role":"assistant",)" : "") + std::string(delta) + R"(},"finish_reason":null}]})";
      json.replace(json.find('%'), 1, words[random() % std::size(words)]);
      const test::padded_bytes bytes(json);
      ASSERT_TRUE(alone.inspect(bytes.view()));
      kinds.push_back(alone.facts().kind);
      text_bytes += alone.facts().text_bytes, reasoning_bytes += alone.facts().reasoning_bytes;
      player.feed("data: " + json + "\n\n");
      ASSERT_EQ(player.played().json.back(), json);
    }
    EXPECT_EQ(player.played().kinds, kinds);
    EXPECT_EQ(player.played().summary.text_bytes, text_bytes);
    EXPECT_EQ(player.played().summary.reasoning_bytes, reasoning_bytes);
  }
}

}  // namespace
}  // namespace photofinish::proxy
