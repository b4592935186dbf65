// Tests the buffer that holds an answer's bytes until they are sent. Bytes may be added in different ways and in any order.
#include "gateway/api/outgoing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t block = proxy::long_text::block_bytes;

class outgoing_test : public ::testing::Test {
 protected:
  outgoing_test() { out_.begin_batch(); }

  std::string batch_;
  outgoing out_{batch_};
};

TEST_F(outgoing_test, CopiesShortTextsIntoTheBatch) {
  out_.put("a");
  out_.put(proxy::long_text("b"));
  out_.put(std::string("c"));
  EXPECT_EQ(batch_, "abc");
  EXPECT_EQ(out_.size(), 3u);
  EXPECT_TRUE(out_.long_text().empty());
}

TEST_F(outgoing_test, MovesALongTextAndKeepsTheOrder) {
  const std::string much(block, 'x');
  std::string moved = much;
  const char* const bytes = moved.data();
  out_.put("before ");
  out_.put(std::move(moved));
  out_.put(" behind");
  EXPECT_EQ(out_.size(), much.size() + 14);
  EXPECT_TRUE(batch_.empty());
  std::array<std::string_view, 4> pieces;
  const std::size_t count = out_.long_text().front(pieces);
  ASSERT_GE(count, 2u);
  EXPECT_EQ(pieces[1].data(), bytes);
  EXPECT_EQ(out_.take().text(), "before " + much + " behind");
}

TEST_F(outgoing_test, LetsNoBatchGrowBeyondABlock) {
  const std::string piece(block / 8, 'y');
  std::string all;
  for (int count = 0; count < 20; ++count) {
    out_.put(piece);
    all += piece;
    EXPECT_LE(batch_.size(), block);
  }
  EXPECT_EQ(out_.size(), all.size());
  EXPECT_EQ(out_.take().text(), all);
}

TEST_F(outgoing_test, SendsTheTextsOfALoneEventFromWhereTheyLie) {
  const std::string text = "event";
  out_.begin_lone();
  out_.put(text);
  ASSERT_EQ(out_.pieces().size(), 1u);
  EXPECT_EQ(out_.pieces()[0].data(), text.data());
}

// Long text is stored in blocks. Here, part of the first block was already sent, so the remaining text spans the end of the first block and
// the second block.
TEST_F(outgoing_test, CopiesAShortRestOfALongText) {
  proxy::long_text rest(std::string(block, 'a'));
  rest.append("the end");
  rest.drop(block - 2);
  out_.put(std::move(rest));
  EXPECT_EQ(out_.take().text(), "aathe end");
}

}  // namespace
}  // namespace photofinish::gateway
