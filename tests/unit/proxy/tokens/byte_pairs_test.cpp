// Tests how byte pairs are merged into tokens, with published vectors and with texts for which merging is slow.
#include "proxy/tokens/byte_pairs.hpp"

#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

struct vector_case {
  std::string sample;
  std::vector<token_rank> tokens;
};

std::vector<token_rank> read_list(std::string list) {
  std::replace_if(list.begin(), list.end(), [](char each) { return each == '[' || each == ']' || each == ','; }, ' ');
  std::istringstream words(list);
  return {std::istream_iterator<token_rank>(words), {}};
}

// The vectors come from data/TestPlans.txt of gpt-tokenizer 4.0.0. Their format is "EncodingName: o200k_base\nSample: TEXT\nEncoded:
// [NUMBERS]\n".
std::vector<vector_case> published_vectors() {
  const std::string text = tests::source_file("tests/unit/proxy/tokens/o200k_base_vectors.txt");
  const std::string head = "EncodingName: o200k_base\nSample: ", middle = "\nEncoded: ";
  std::vector<vector_case> cases;
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const std::size_t sample = at + head.size(), encoded = text.find(middle, sample);
    const std::size_t list = encoded + middle.size();
    cases.push_back({text.substr(sample, encoded - sample), read_list(text.substr(list, text.find('\n', list) - list))});
  }
  return cases;
}

// Counts tokens with the published algorithm. It merges the pair with the lowest rank first. If several pairs have this rank, it merges the
// first of them.
std::size_t count_by_definition(const std::string& piece) {
  std::vector<std::string> parts;
  for (const char byte : piece) parts.emplace_back(1, byte);
  while (true) {
    token_rank lowest = no_token;
    std::size_t where = 0;
    for (std::size_t at = 0; at + 1 < parts.size(); ++at)
      if (const token_rank rank = find_token(parts[at] + parts[at + 1]); rank < lowest) lowest = rank, where = at;
    if (lowest == no_token) return parts.size();
    parts[where] += parts[where + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

TEST(BytePairs, AllPublishedVectorsPass) {
  const auto cases = published_vectors();
  ASSERT_EQ(cases.size(), 57u);
  for (const vector_case& each : cases) {
    EXPECT_EQ(encode_tokens(each.sample), each.tokens) << each.sample;
    EXPECT_EQ(count_tokens(each.sample), each.tokens.size()) << each.sample;
  }
}

TEST(BytePairs, ShortAndLongPiecesAreMergedAlike) {
  std::mt19937 random(20'240'513);
  for (int round = 0; round < 400; ++round) {
    const std::size_t size = 1 + random() % 400;
    const std::string letters = round % 2 ? "ab" : "etaoinshrdlu";
    std::string piece;
    while (piece.size() < size) piece += letters[random() % letters.size()];
    ASSERT_EQ(count_piece(piece), count_by_definition(piece)) << piece;
  }
}

TEST(BytePairs, CountingAndEncodingAgree) {
  const std::string text = "Ein Satz, 12345 Zahlen;\n\n\tund \xF0\x9F\x9A\x80 " + std::string(300, 'q') + "\xFF\xFE broken";
  EXPECT_EQ(encode_tokens(text).size(), count_tokens(text));
}

TEST(BytePairs, NoTextHasNoTokens) { EXPECT_EQ(count_tokens(""), 0u); }

// An algorithm that searches all pairs for each merge needs minutes for a megabyte of the same letter. If a text is 16 times as long, a
// linear algorithm takes 16 times as long, and a quadratic algorithm takes 256 times as long.
TEST(BytePairs, AMegabyteOfOneLetterTakesNoLongerThanItsSizeExplains) {
  const auto time_of = [](std::size_t size) {
    const std::string piece(size, 'a');
    const std::clock_t began = std::clock();  // measures processor time, so that other processes do not count
    EXPECT_EQ(count_tokens(piece), size / 8);
    return std::clock() - began;
  };
  time_of(1 << 16);
  EXPECT_LT(time_of(1 << 20), 64 * std::max<std::clock_t>(time_of(1 << 16), CLOCKS_PER_SEC / 1'000));
}

}  // namespace
}  // namespace photofinish::proxy
