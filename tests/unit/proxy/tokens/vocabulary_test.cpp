// Tests the token vocabulary that is compiled into the program.
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/vocabulary.hpp"

#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

std::string from_base64(const std::string& text) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char letter : text) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (letter == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(letter));
    count += 6;
    if (count >= 8) count -= 8, bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

std::vector<std::string> published_tokens() {
  std::istringstream file(tests::source_file("proxy/tokens/o200k_base.tiktoken"));
  std::vector<std::string> tokens;
  for (std::string word, rank; file >> word >> rank;) {
    EXPECT_EQ(rank, std::to_string(tokens.size()));
    tokens.push_back(from_base64(word));
  }
  return tokens;
}

TEST(Vocabulary, EveryPublishedTokenHasItsRank) {
  const auto tokens = published_tokens();
  ASSERT_EQ(tokens.size(), 199'998u);
  for (std::size_t rank = 0; rank < tokens.size(); ++rank) ASSERT_EQ(find_token(tokens[rank]), rank) << tokens[rank];
}

TEST(Vocabulary, NothingElseIsAToken) {
  std::size_t found = 0;
  for (const std::string& token : published_tokens()) found += find_token(token + "\x01\xFF") != no_token;
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(find_token(""), no_token);
  EXPECT_EQ(find_token(std::string(129, ' ')), no_token);
}

TEST(Vocabulary, EverySingleByteIsAToken) {
  for (int byte = 0; byte < 256; ++byte) EXPECT_NE(find_token(std::string(1, static_cast<char>(byte))), no_token) << byte;
}

}  // namespace
}  // namespace photofinish::proxy
