// Compares the splitter with the published pattern in PCRE2. The texts contain characters of all kinds that the pattern distinguishes.
#include "proxy/tokens/splitter.hpp"

#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using pieces = std::vector<std::string>;

constexpr const char* published_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

class oracle {
 public:
  explicit oracle(const char* pattern = published_pattern) {
    int error = 0;
    PCRE2_SIZE at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                              PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr));
    EXPECT_NE(code_, nullptr) << error << " at " << at;
    match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  }

  bool matches(const std::string& text, std::size_t at = 0) const {
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, PCRE2_ANCHORED,
                       match_.get(), nullptr) > 0;
  }

  pieces split(const std::string& text) const {
    pieces found;
    for (std::size_t at = 0; at < text.size();) {
      if (!matches(text, at)) return found.push_back("no match at " + std::to_string(at)), found;
      const std::size_t end = pcre2_get_ovector_pointer(match_.get())[1];
      found.push_back(text.substr(at, end - at));
      at = end;
    }
    return found;
  }

 private:
  struct release {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  };
  std::unique_ptr<pcre2_code, release> code_;
  std::unique_ptr<pcre2_match_data, release> match_;
};

pieces split(std::string_view text) {
  pieces found;
  while (!text.empty()) {
    const std::size_t size = first_piece(text).size;
    found.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return found;
}

// The characters of the random texts: some of each class, characters with unusual case folding or combining behaviour, and the letters of
// English contractions.
const std::vector<std::string> alphabet{
    "a", "b", "s", "S", "t", "r", "e", "v", "l", "L", "m", "d", "K", "A", "Z", "'", "'", "'", " ", " ", " ", "\t", "\n",
    "\r", "\r\n", "/", "/", ".", "!", "(", "_", "1", "2", "9",
    "\xC5\xBF",          // long s, which counts as s if case is ignored
    "\xE2\x84\xAA",      // the Kelvin sign, which is a capital letter
    "\xC3\xA9", "\xC3\x89", "\xC7\x85",      // e and E with an acute accent, and a title-case letter
    "\xCA\xB0", "\xD7\x90", "\xE4\xB8\xAD", "\xE3\x81\x82",  // letters without case: a modifier, Hebrew, Chinese, Hiragana
    "\xCC\x81", "\xE0\xA5\x8D",              // combining marks: acute accent, virama
    "\xD9\xA3", "\xE2\x85\xA7", "\xC2\xBD",  // numbers: Arabic three, Roman eight, one half
    "\xC2\xA0", "\xE2\x80\x83", "\xE3\x80\x80", "\xC2\x85", "\xE2\x80\xA8",  // spaces
    "\xF0\x9F\x98\x80", "\xE2\x80\x8D", "\xF0\x9D\x94\x84", "\xE2\x82\xAC", "\x1C", "\x01",
};

std::string random_text(std::mt19937& random) {
  std::string text;
  for (std::size_t left = 1 + random() % 24; left > 0; --left) {
    const std::string& letter = alphabet[random() % alphabet.size()];
    for (std::size_t times = random() % 8 == 0 ? 1 + random() % 5 : 1; times > 0; --times) text += letter;
  }
  return text;
}

TEST(Splitter, CutsAsThePublishedPatternDoes) {
  const oracle pattern;
  std::mt19937 random(200'000);
  for (int round = 0; round < 300'000; ++round) {
    const std::string text = random_text(random);
    ASSERT_EQ(split(text), pattern.split(text)) << "round " << round << ": " << ::testing::PrintToString(text);
  }
}

std::string utf8(char32_t code) {
  const auto tail = [code](unsigned shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

// Compares the splitter with the published pattern, for each character that PCRE2's older version of Unicode contains. The pieces of the
// test text show the class of the character: a letter at the start or end of a word, a number, a space, or a sign.
TEST(Splitter, PutsEveryCharacterIntoItsClass) {
  const oracle pattern, unassigned(R"([\p{Cn}\p{Co}])");
  std::size_t compared = 0;
  for (char32_t code = 1; code < 0x32000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string letter = utf8(code);
    if (unassigned.matches(letter) || code == 0x180E) continue;  // only PCRE2 still treats U+180E as a space
    const std::string text = "a" + letter + "A" + letter + "a " + letter + "1";
    ASSERT_EQ(split(text), pattern.split(text)) << "U+" << std::hex << static_cast<unsigned>(code);
    ++compared;
  }
  EXPECT_GT(compared, 140'000u);
}

// If the splitter marks a piece as settled, the piece must stay the same, whatever text follows. The token counter for growing texts relies
// on this property.
TEST(Splitter, ASettledPieceStaysAsItIsWhateverFollows) {
  std::mt19937 random(77);
  for (int round = 0; round < 300'000; ++round) {
    const std::string text = random_text(random), more = random_text(random);
    const text_piece before = first_piece(text);
    if (!before.is_settled) continue;
    ASSERT_EQ(first_piece(text + more).size, before.size) << ::testing::PrintToString(text + "|" + more);
  }
}

TEST(Splitter, ASettledPieceStaysThoughItsTextWasCutInsideACharacter) {
  std::mt19937 random(78);
  for (int round = 0; round < 100'000; ++round) {
    const std::string text = random_text(random);
    const std::string begin = text.substr(0, random() % text.size());
    const text_piece before = begin.empty() ? text_piece{} : first_piece(begin);
    if (!before.is_settled) continue;
    ASSERT_EQ(first_piece(text).size, before.size) << ::testing::PrintToString(text) << " at " << begin.size();
  }
}

// A group of consecutive pieces can be counted on another thread, because splitting the group alone gives the same pieces as splitting the
// whole text. The only exception is a group that ends with a single space.
TEST(Splitter, PiecesTakenOutOfTheirTextAreCutTheSame) {
  std::mt19937 random(79);
  for (int round = 0; round < 100'000; ++round) {
    const std::string text = random_text(random);
    const pieces whole = split(text);
    const std::size_t from = random() % whole.size(), to = from + 1 + random() % (whole.size() - from);
    if (whole[to - 1].size() <= 3) continue;
    std::string taken;
    for (std::size_t at = from; at < to; ++at) taken += whole[at];
    const pieces expected(whole.begin() + static_cast<std::ptrdiff_t>(from),
                          whole.begin() + static_cast<std::ptrdiff_t>(to));
    ASSERT_EQ(split(taken), expected) << ::testing::PrintToString(text);
  }
}

TEST(Splitter, BytesThatAreNoUtf8AreTakenOneByOne) {
  for (const std::string text : {"\xFF", "a\xC3", "\xE2\x82", "\xF5\x80\x80\x80", "\xC0\x80", "\xED\xA0\x80", "x\x80y"}) {
    std::string joined;
    for (const std::string& piece : split(text)) joined += piece;
    EXPECT_EQ(joined, text);
  }
}

}  // namespace
}  // namespace photofinish::proxy
