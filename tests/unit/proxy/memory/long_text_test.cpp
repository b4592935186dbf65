#include "proxy/memory/long_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace photofinish::proxy {
namespace {

TEST(LongText, IsWhatWasAppended) {
  long_text text;
  EXPECT_TRUE(text.empty());
  text.append("one ");
  text.append(std::string("two "));
  text.append(long_text("three"));
  EXPECT_EQ(text.size(), 13u);
  EXPECT_EQ(text.text(), "one two three");
}

TEST(LongText, DoesNotMoveWhatIsThereWhenItGrows) {
  long_text text;
  text.append(std::string(long_text::block_bytes, 'a'));
  std::array<std::string_view, 1> first;
  ASSERT_EQ(text.front(first), 1u);
  const char* const at = first[0].data();
  for (int more = 0; more < 100; ++more) text.append(std::string(long_text::block_bytes, 'b'));
  ASSERT_EQ(text.front(first), 1u);
  EXPECT_EQ(first[0].data(), at);
}

TEST(LongText, TakesALongTextAsItIs) {
  std::string much(4 * long_text::block_bytes, 'x');
  const char* const at = much.data();
  long_text text;
  text.append("short");
  text.append(std::move(much));
  text.append("behind");
  std::array<std::string_view, 8> pieces;
  ASSERT_EQ(text.front(pieces), 3u);
  EXPECT_EQ(pieces[1].data(), at);
}

// Compares long_text with a plain string. Adds pieces of random sizes at the end, and removes them at the beginning.
TEST(LongText, DoesWhatAStringDoes) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&random](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
    long_text text;
    std::string plain;
    for (int step = 0; step < 200; ++step) {
      const std::string piece(up_to(step % 7 == 0 ? 2 * long_text::block_bytes : 5'000), static_cast<char>('a' + step % 26));
      plain += piece;
      switch (up_to(2)) {
        case 0: text.append(std::string_view(piece)); break;
        case 1: text.append(std::string(piece)); break;
        default: text.append(long_text(piece));
      }
      const std::size_t taken = up_to(std::min<std::size_t>(plain.size(), 300'000));
      plain.erase(0, taken);
      text.drop(taken);
      ASSERT_EQ(text.size(), plain.size()) << seed;
      std::array<std::string_view, 3> pieces;
      std::string front;
      for (std::size_t at = 0, count = text.front(pieces); at < count; ++at) {
        EXPECT_FALSE(pieces[at].empty());
        front += pieces[at];
      }
      ASSERT_TRUE(plain.starts_with(front) && front.empty() == plain.empty()) << seed;
    }
    ASSERT_EQ(text.text(), plain) << seed;
    long_text other("before ");
    other.append(std::move(text));
    EXPECT_EQ(other.text(), "before " + plain);
    EXPECT_TRUE(text.empty());
  }
}

}  // namespace
}  // namespace photofinish::proxy
