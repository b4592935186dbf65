#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/dialects/openai/chunks/chunk_memory.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/proxy/dialects/openai/chunks/described_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::described;
using test::padded_bytes;

std::string chunk_of(std::string_view id, std::string_view created, std::string_view delta,
                     std::string_view finish = "null", std::string_view more = "") {
  std::string chunk = R"({"id":")";
  chunk.append(id).append(R"(","object":"chat.completion.chunk","created":)").append(created);
  chunk.append(R"(,"model":"m","choices":[{"index":0,"delta":)").append(delta);
  return chunk.append(R"(,"finish_reason":)").append(finish).append("}]").append(more).append("}");
}

// Inspects a chunk with a new inspector, and returns the found facts as text.
std::string found_in(const padded_bytes& chunk) {
  chunk_inspector inspector;
  return inspector.inspect(chunk.view()) ? described(inspector.facts()) : "no chunk";
}

struct shape_case {
  const char* name;
  std::string first;
  std::string second;
  bool applies;
};

class ChunkShape : public testing::TestWithParam<shape_case> {};

TEST_P(ChunkShape, AppliesToAChunkOfAnotherStreamWithTheFactsOfAFullLook) {
  chunk_shapes shapes(chat_form);
  const padded_bytes first(GetParam().first), second(GetParam().second);
  chunk_inspector inspector;
  ASSERT_TRUE(inspector.inspect(first.view()));
  shapes.learn(first.view(), inspector.facts());
  chunk_facts facts;
  std::uint8_t next = 0;
  ASSERT_EQ(shapes.apply(second.view(), facts, next).has_value(), GetParam().applies);
  if (!GetParam().applies) return;
  EXPECT_EQ(described(facts), found_in(second));
}

constexpr bool yes = true, no = false;

const std::string opening = chunk_of("a", "7", R"({"role":"assistant","content":""})");
const std::string text = chunk_of("a", "7", R"({"content":"x"})");
const std::string last = chunk_of("a", "7", "{}", "\"stop\"");

INSTANTIATE_TEST_SUITE_P(
    Cases, ChunkShape,
    testing::Values(
        shape_case{"Opening", opening, chunk_of("chat-2", "1700000000", R"({"role":"assistant","content":""})"), yes},
        shape_case{"Text", text, chunk_of("b", "1700000000", R"({"content":" longer"})"), yes},
        shape_case{"Last", last, chunk_of("", "1700000000", "{}", "\"stop\""), yes},
        shape_case{"BeyondAscii", text, chunk_of("b", "8", "{\"content\":\"\xC3\xA9 and seven more\"}"), yes},
        shape_case{"Refusal", chunk_of("a", "7", R"({"refusal":"x"})"), chunk_of("b", "8", R"({"refusal":"y"})"), yes},
        shape_case{"Reasoning", chunk_of("a", "7", R"({"reasoning":"x"})"), chunk_of("b", "8", R"({"reasoning":"y"})"), yes},
        shape_case{"UnreadMembers", chunk_of("a", "7", "{}", "null", R"(,"fp":"x","n":1)"),
                   chunk_of("b", "8", "{}", "null", R"(,"fp":"other","n":123456789)"), yes},
        shape_case{"SameTier", chunk_of("a", "7", R"({"content":"x"})", "null", R"(,"service_tier":"flex")"),
                   chunk_of("b", "8", R"({"content":"y"})", "null", R"(,"service_tier":"flex")"), yes},
        shape_case{"AnotherTier", chunk_of("a", "7", R"({"content":"x"})", "null", R"(,"service_tier":"flex")"),
                   chunk_of("b", "8", R"({"content":"y"})", "null", R"(,"service_tier":"priority")"), no},
        shape_case{"AnotherFinish", last, chunk_of("a", "7", "{}", "\"length\""), no},
        shape_case{"AnotherModel", R"({"model":"m","choices":[{"delta":{"content":"x"}}]})",
                   R"({"model":"n","choices":[{"delta":{"content":"x"}}]})", no},
        shape_case{"EmptyText", text, chunk_of("a", "7", R"({"content":""})"), no},
        shape_case{"NoTime", text, chunk_of("a", "0", R"({"content":"x"})"), no},
        shape_case{"NegativeTime", text, chunk_of("a", "-7", R"({"content":"x"})"), no},
        shape_case{"Escape", text, chunk_of("a", "7", R"({"content":"\n"})"), no},
        shape_case{"EscapeInTheId", text, chunk_of("\\u0061", "7", R"({"content":"x"})"), no},
        shape_case{"LearntWithAnEscape", chunk_of("a", "7", R"({"content":"\n"})"), text, no},
        shape_case{"ControlCharacter", text, chunk_of("a", "7", "{\"content\":\"12345678\x1F\"}"), no},
        shape_case{"ControlCharacterInTheId", text, chunk_of("12345\x01", "7", R"({"content":"x"})"), no},
        shape_case{"BrokenUtf8", text, chunk_of("a", "7", "{\"content\":\"\xC3\"}"), no},
        shape_case{"Usage", chunk_of("a", "7", "{}", "null", R"(,"usage":{"prompt_tokens":3})"),
                   chunk_of("a", "7", "{}", "null", R"(,"usage":{"prompt_tokens":3})"), no},
        shape_case{"Error", R"({"error":"x","choices":[{"delta":{}}]})", R"({"error":"x","choices":[{"delta":{}}]})", no},
        shape_case{"Call", chunk_of("a", "7", R"({"tool_calls":[{"index":0,"function":{"arguments":"x"}}]})"),
                   chunk_of("a", "7", R"({"tool_calls":[{"index":0,"function":{"arguments":"x"}}]})"), no},
        shape_case{"TwoIds", R"({"id":"a","id":"b","choices":[{"delta":{}}]})", R"({"id":"a","id":"b","choices":[{"delta":{}}]})", no},
        shape_case{"TwoTexts", chunk_of("a", "7", R"({"content":"x","refusal":"y"})"),
                   chunk_of("a", "7", R"({"content":"x","refusal":"y"})"), no},
        shape_case{"TextAsAPart", chunk_of("a", "7", R"({"content":[{"type":"text","text":"x"}]})"),
                   chunk_of("a", "7", R"({"content":[{"type":"text","text":"x"}]})"), no},
        shape_case{"ErrorThatIsNotEmpty", R"({"error":"","choices":[{"delta":{}}]})", R"({"error":"x","choices":[{"delta":{}}]})", no},
        shape_case{"TypeThatIsAnError", R"({"type":"","choices":[{"delta":{}}]})", R"({"type":"error","choices":[{"delta":{}}]})", no}),
    [](const auto& tested) { return tested.param.name; });

TEST(ChunkShapes, SayWhatChangesWithinAStream) {
  chunk_shapes shapes(chat_form);
  const padded_bytes first(chunk_of("a", "7", R"({"content":"x"})", "null", R"(,"pad":"p")"));
  const padded_bytes second(chunk_of("b", "8", R"({"content":"y"})", "null", R"(,"pad":"qq")"));
  chunk_inspector inspector;
  ASSERT_TRUE(inspector.inspect(first.view()));
  shapes.learn(first.view(), inspector.facts());
  chunk_facts facts;
  std::uint8_t next = 0;
  const auto changing = shapes.apply(second.view(), facts, next);
  ASSERT_TRUE(changing);
  ASSERT_EQ(changing->count, 2u);  // the id and the time of the chunk do not count as changing values
  EXPECT_EQ(changing->text, 0u);
  EXPECT_EQ(changing->values[0], "\"y\"");
  EXPECT_EQ(changing->values[1], "\"qq\"");
}

TEST(ChunkShapes, LearnNoMoreAfterMuchInVainUntilAStreamBegins) {
  chunk_shapes shapes(chat_form);
  const auto learns = [&shapes](const std::string& chunk) {
    const padded_bytes bytes(chunk);
    chunk_inspector inspector;
    EXPECT_TRUE(inspector.inspect(bytes.view()));
    shapes.learn(bytes.view(), inspector.facts());
    chunk_facts facts;
    std::uint8_t next = 0;
    return shapes.apply(bytes.view(), facts, next).has_value();
  };
  for (int count = 0; count < 16; ++count) EXPECT_FALSE(learns(chunk_of("a", "7", R"({"content":[{"text":"x"}]})")));
  EXPECT_FALSE(learns(text));
  shapes.begin_stream();
  EXPECT_TRUE(learns(text));
}

TEST(ChunkShapes, AreUsedByTheInspectorsOfLaterStreams) {
  chunk_shapes shapes(chat_form);
  const auto sees = [&shapes](std::string_view id) {
    chunk_inspector inspector(nullptr, chat_form, json_use::passes, true, &shapes);
    std::string all;
    for (const std::string_view delta : {R"({"role":"assistant","content":""})", R"({"content":"x"})", R"({"content":"yy"})"}) {
      const padded_bytes bytes(chunk_of(id, "7", delta));
      EXPECT_TRUE(inspector.inspect(bytes.view()));
      EXPECT_EQ(described(inspector.facts()), found_in(bytes));
      all += inspector.is_repetition() ? "repeated " : "new ";
    }
    return all;
  };
  EXPECT_EQ(sees("a"), "new new repeated ");
  EXPECT_EQ(sees("bb"), "new new repeated ");  // the second chunk has a shape that was learned from the first stream
}

// Several streams, valid and broken, share the shapes that were learned from their chunks. The facts and the end of each stream must be the
// same as without learned shapes.
TEST(ChunkShapesOfManyStreams, ChangeNothingThatAnInspectorFinds) {
  constexpr std::array<std::string_view, 17> shapes{
      R"({"id":"$","created":#,"model":"m","choices":[{"index":0,"delta":{"content":"$"},"finish_reason":null}]})",
      R"({"id":"$","created":#,"choices":[{"index":0,"delta":{"role":"assistant","content":"$"}}],"obfuscation":"$"})",
      R"({"id":"$","created":#,"model":"$","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"sent":#})",
      R"({"choices":[{"delta":{"reasoning":"$","content":""}}],"created":#})",
      R"({"choices":[{"delta":{"reasoning_content":"$","content":"$"}}]})",
      R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"$"}]}}]})",
      R"({"choices":[{"delta":{"reasoning":"$","reasoning_details":[{"type":"reasoning.text","text":"$"}]}}]})",
      R"({"choices":[{"message":{"role":"assistant","content":"$"}}]})",
      R"({"choices":[{"delta":{},"message":{"content":"$"}}]})",
      R"({"choices":[{"delta":{"content":[{"type":"strange","x":"$"}]}}]})",
      R"({"choices":[{"delta":{"images":[{"image_url":{"url":"$"}}]}}]})",
      R"({"choices":[{"delta":{"content":"$"},"finish_reason":"$"}],"usage":{"prompt_tokens":#,"completion_tokens":4}})",
      R"({"choices":[],"usage":{"prompt_tokens":#,"completion_tokens":#}})",
      R"({"id":"$","id":"$","created":#,"created":"$","choices":[{"delta":{"content":"$"}}]})",
      R"({"error":"$","type":"$","detail":"$","object":"$","n":#,"choices":[{"delta":{"content":"$"}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"$","function":{"name":"$","arguments":"$"}}]}}],"s":"$"})",
      R"({"id":"$","created":#,"choices":[{"delta":{"content":"$"}}],"service_tier":"%"})"};
  constexpr std::array<std::string_view, 14> texts{"a",    " token of text", "",     R"(\n)", R"(\"q\")", R"(\u0041)", R"(\ud83d)",
                                                   "\xC3\xA9", "\xC3", "\x01", "a\x1F", R"(\x)", "error",   "stop"};
  constexpr std::array<std::string_view, 9> numbers{"7", "1700000000", "0", "-1", "1.5", "1e3", "01", "123456789012345678901", "x"};
  constexpr std::array<std::string_view, 4> tiers{"default", "flex", "priority", "unheard-of"};
  const auto served_tier = [](const chunk_facts& facts) { return facts.usage ? facts.usage->tier : std::nullopt; };
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::array<chunk_shapes, 2> of_use{chunk_shapes(chat_form), chunk_shapes(chat_form)};
  tolerant_parser lent;
  std::size_t known = 0;
  for (int stream = 0; stream < 1500; ++stream) {
    const json_use use = stream % 2 == 0 ? json_use::passes : json_use::translated;
    chunk_shapes& kept = of_use[static_cast<std::size_t>(stream % 2)];
    kept.begin_stream();
    chunk_inspector knowing(&lent, chat_form, use, true, &kept), plain(nullptr, chat_form, use, true);
    std::size_t shape = random() % shapes.size();
    for (int count = 0; count < 12; ++count) {
      if (random() % 3 == 0) shape = random() % 3 == 0 ? random() % shapes.size() : random() % 4;
      std::string chunk;
      for (const char character : shapes[shape]) {
        const bool is_odd = random() % 8 == 0;
        if (character == '$') chunk += texts[random() % (is_odd ? texts.size() : 2)];
        else if (character == '#') chunk += numbers[random() % (is_odd ? numbers.size() : 2)];
        else if (character == '%') chunk += tiers[random() % tiers.size()];
        else chunk += character;
      }
      const padded_bytes bytes(chunk);
      chunk_facts facts;
      std::uint8_t next = 0;
      known += kept.apply(bytes.view(), facts, next).has_value();
      const auto seen = knowing.inspect(bytes.view()), wanted = plain.inspect(bytes.view());
      ASSERT_EQ(seen ? described(knowing.facts()) : "no chunk", wanted ? described(plain.facts()) : "no chunk") << chunk;
      ASSERT_EQ(served_tier(knowing.facts()), served_tier(plain.facts())) << chunk;
    }
    ASSERT_EQ(knowing.failure_if_all_is_lost().has_value(), plain.failure_if_all_is_lost().has_value());
  }
  EXPECT_GT(known, 1000u);
}

TEST(ChunkMemory, KeepsTheShapesOfEachTargetAndOfEachClientsFormat) {
  chunk_memory memory;
  const auto shapes = [&memory](std::string_view model, wire_format client) {
    return memory.shapes_of("groq", model, wire_format::openai_chat, client);
  };
  const auto first = shapes("m", wire_format::openai_chat);
  ASSERT_TRUE(first);
  EXPECT_EQ(shapes("m", wire_format::openai_chat), first);
  EXPECT_NE(shapes("other", wire_format::openai_chat), first);
  EXPECT_EQ(memory.shapes_of("groq", "m", wire_format::gemini, wire_format::openai_chat), nullptr);
  EXPECT_NE(shapes("m", wire_format::anthropic_messages), first);
  EXPECT_EQ(shapes("m", wire_format::openai_chat), first);
}

TEST(ChunkMemory, ReplacesTheTargetThatWasUsedLeastRecently) {
  chunk_memory memory;
  const auto shapes = [&memory](const std::string& model) {
    return memory.shapes_of("groq", model, wire_format::openai_chat, wire_format::openai_chat);
  };
  const auto first = shapes("m"), unused = shapes("unused");
  for (int count = 0; count < 1000; ++count) {
    (void)shapes(std::to_string(count));
    ASSERT_EQ(shapes("m"), first) << count;
  }
  EXPECT_NE(shapes("unused"), unused);
}

TEST(ChunkMemory, ForgetsTargetsThatOthersReplace) {
  chunk_memory memory;
  std::vector<std::weak_ptr<chunk_shapes>> all;
  for (int count = 0; count < 1000; ++count)
    all.push_back(memory.shapes_of("p", std::to_string(count), wire_format::openai_chat, wire_format::openai_chat));
  const auto is_kept = [](const std::weak_ptr<chunk_shapes>& each) { return !each.expired(); };
  EXPECT_LE(std::count_if(all.begin(), all.end(), is_kept), static_cast<std::ptrdiff_t>(chunk_memory::max_targets));
}

}  // namespace
}  // namespace photofinish::proxy
