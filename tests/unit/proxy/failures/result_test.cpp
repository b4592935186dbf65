#include "proxy/failures/result.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

failure timed_out() {
  failure why;
  why.kind = failure_kind::timeout;
  why.detail = "no first token within the limit";
  return why;
}

TEST(ResultTest, ACopysFailureIsItsOwn) {
  result<int> first = timed_out();
  const result<int> second = first;
  first.error().detail = "changed";
  EXPECT_EQ(second.error().detail, "no first token within the limit");
}

TEST(ResultTest, StaysAFailureWhenItsReasonWasTaken) {
  result<int> number = timed_out();
  result<void> done = timed_out();
  EXPECT_EQ(std::move(number).error().kind, failure_kind::timeout);
  const failure taken = std::move(done).error();
  EXPECT_EQ(taken.detail, "no first token within the limit");
  EXPECT_FALSE(number);
  EXPECT_FALSE(done);
}

TEST(ResultTest, AValueTakesThePlaceOfAFailureAndBack) {
  result<int> number = timed_out();
  number = 7;
  ASSERT_TRUE(number);
  EXPECT_EQ(*number, 7);
  number = timed_out();
  EXPECT_FALSE(number);
}

TEST(MaybeFailureTest, IsEmptyUntilThereIsOneAndAfterwards) {
  maybe_failure why;
  EXPECT_FALSE(why.has_value());
  why = timed_out();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->kind, failure_kind::timeout);
  why = std::nullopt;
  EXPECT_FALSE(why);
}

// An open stream contains about twenty result objects (docs/performance/where-the-time-goes.md).
TEST(MaybeFailureTest, CostsAPointerWhileThereIsNone) {
  EXPECT_EQ(sizeof(maybe_failure), sizeof(void*));
  EXPECT_LE(sizeof(result<std::string_view>), sizeof(std::string_view) + sizeof(void*));
}

}  // namespace
}  // namespace photofinish::proxy
