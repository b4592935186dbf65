// Tests how the tokens of a growing text are counted. The result must equal the count for the whole text, and the counter must need little
// memory.
#include "proxy/tokens/token_counter.hpp"

#include "proxy/tokens/byte_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

// The sum of the token counts of a text's deltas. Another thread counts long deltas.
struct tally {
  std::uint64_t tokens = 0;
  std::size_t longest_tail = 0;
  std::size_t times_elsewhere = 0;
};

tally count_in_deltas(const std::string& text, std::mt19937& random, std::size_t longest_delta) {
  token_counter counter;
  tally all;
  const auto elsewhere = [&all](const std::string& much) {
    all.tokens += count_tokens(much);
    all.times_elsewhere += !much.empty();
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = std::min(1 + random() % longest_delta, text.size() - at);
    while (at + size < text.size() && (text[at + size] & 0xC0) == 0x80) ++size;  // does not cut a UTF-8 character in two
    elsewhere(counter.add(std::string_view(text).substr(at, size)));
    all.longest_tail = std::max(all.longest_tail, counter.tail().size());
    at += size;
  }
  elsewhere(counter.end());
  all.tokens += counter.tokens();
  return all;
}

const std::vector<std::string> words{
    "The", " quick", " brown", "'s", "'re", "\n", "\n\n", "    ", "\t", "if (", ") {", "};", "12345", " 7", "http://", "a/b",
    "\xC3\xA9t\xC3\xA9", "\xE4\xBD\xA0\xE5\xA5\xBD", "\xF0\x9F\x98\x80", "\xE0\xA4\xA8\xE0\xA4\xAE", " \xD0\x9C\xD0\xB8\xD1\x80",
    "...", "====", "CamelCase", "SHOUT", " ", "\r\n", ","};

std::string random_text(std::mt19937& random, std::size_t count) {
  std::string text;
  for (std::size_t word = 0; word < count; ++word) text += words[random() % words.size()];
  return text;
}

TEST(TokenCounter, CountsDeltasAsItCountsTheirWhole) {
  std::mt19937 random(4'096);
  for (int round = 0; round < 3'000; ++round) {
    const std::string text = random_text(random, 1 + random() % 200);
    const std::size_t longest_delta = round % 3 == 0 ? 1 : round % 3 == 1 ? 12 : 5'000;
    ASSERT_EQ(count_in_deltas(text, random, longest_delta).tokens, count_tokens(text)) << text;
  }
}

TEST(TokenCounter, KeepsOfALongTextOnlyItsLastPiece) {
  std::mt19937 random(1);
  const std::string text = random_text(random, 50'000);
  const tally counted = count_in_deltas(text, random, 12);
  EXPECT_LT(counted.longest_tail, 200u);
  EXPECT_EQ(counted.times_elsewhere, 0u);
}

TEST(TokenCounter, ABurstIsCountedElsewhere) {
  std::mt19937 random(2);
  const std::string text = random_text(random, 5'000);
  token_counter counter;
  const std::string much = counter.add(text);
  EXPECT_LE(text.size() - much.size(), token_counter::max_bytes_at_once + 64);
  std::uint64_t tokens = count_tokens(much);
  EXPECT_EQ(counter.end(), "");
  EXPECT_EQ(tokens + counter.tokens(), count_tokens(text));
}

// White space before another character is split into two pieces. At the end of a text, it is a single piece.
TEST(TokenCounter, SpacesAtTheEndOfABurstAreCountedAsInTheirText) {
  for (std::size_t prefix = 0; prefix < 40; ++prefix) {
    // The text ends with characters that would be split differently if more text followed.
    const std::string text = std::string(prefix, 'a') + std::string(2'000, '.') + "\t\xC2\xA0\xC2\xBD";
    token_counter counter;
    std::uint64_t tokens = count_tokens(counter.add(text));
    tokens += count_tokens(counter.end());
    EXPECT_EQ(tokens + counter.tokens(), count_tokens(text)) << prefix;
  }
}

TEST(TokenCounter, ALongPieceIsCountedElsewhere) {
  token_counter counter;
  EXPECT_EQ(counter.add("see " + std::string(300, 'x') + "."), " " + std::string(300, 'x'));
  EXPECT_EQ(counter.tokens(), 1u);
  EXPECT_EQ(counter.tail(), ".");
}

TEST(TokenCounter, APieceWithoutEndStaysBounded) {
  std::mt19937 random(3);
  const std::string text(1u << 20, '=');
  const tally counted = count_in_deltas(text, random, 20);
  EXPECT_LE(counted.longest_tail, 3 * token_counter::max_tail);
  const auto exact = static_cast<double>(count_tokens(text));
  EXPECT_NEAR(static_cast<double>(counted.tokens), exact, 2.0 * (1u << 20) / token_counter::max_tail);
}

TEST(TokenCounter, AGiantDeltaIsNotLookedThroughHereAndCountsTheSame) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    const std::string text = random_text(random, 60'000) + " and so it ends";
    token_counter counter;
    std::uint64_t elsewhere = count_tokens(counter.add(text));
    EXPECT_EQ(counter.tokens(), 0u) << "pieces at its beginning would have been counted here";
    EXPECT_LE(counter.tail().size(), 4096u);
    elsewhere += count_tokens(counter.add(", or not"));
    elsewhere += count_tokens(counter.end());
    EXPECT_EQ(counter.tokens() + elsewhere, count_tokens(text + ", or not"));
  }
}

TEST(TokenCounter, AGiantDeltaWithoutSpacesIsNotLookedThroughEither) {
  const std::string text(1u << 20, '7');
  token_counter counter;
  EXPECT_EQ(counter.add(text).size(), text.size());
  EXPECT_EQ(counter.tokens(), 0u);
}

TEST(TokenCounter, WhatFollowsAnEndIsATextOfItsOwn) {
  token_counter counter;
  EXPECT_EQ(counter.add("foot"), "");
  EXPECT_EQ(counter.end(), "");
  EXPECT_EQ(counter.add("ball"), "");
  EXPECT_EQ(counter.end(), "");
  EXPECT_EQ(counter.tokens(), count_tokens("foot") + count_tokens("ball"));
}

}  // namespace
}  // namespace photofinish::proxy
