// Callers as cooldowns, forecasts and receipts keep them apart.
#include "gateway/access/fingerprints.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

constexpr std::uint64_t salt = 0x0123456789abcdef;

// Subjects of tokens are names that callers may choose. This one was computed in a millisecond: libstdc++'s std::hash
// cannot tell it from the access key "alice", whose receipts its caller would have read.
TEST(Fingerprints, ASubjectThatStdHashTakesForAnotherCallerIsNotThatCaller) {
  EXPECT_NE(caller_print("alice", salt), caller_print("_jwt/sso/search/EydsrMBskXu8kjj9P6yPDfb2", salt));
}

TEST(Fingerprints, ACallerIsTheSameWithEachRequestAndNeverZero) {
  EXPECT_EQ(caller_print("alice", salt), caller_print("alice", salt));
  EXPECT_NE(caller_print("alice", salt), caller_print("bob", salt));
  for (const char* name : {"", "_none", "alice", "bob"}) EXPECT_NE(caller_print(name, salt), 0u) << name;
}

TEST(Fingerprints, AnotherProcessHasOtherPrints) {
  EXPECT_NE(caller_print("alice", salt), caller_print("alice", salt + 1));
}

}  // namespace
}  // namespace photofinish::gateway
