// Tests the fingerprints of callers. Cooldowns, forecasts and receipts use the fingerprints to keep callers apart.
#include "gateway/access/fingerprints.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

constexpr std::uint64_t salt = 0x0123456789abcdef;

// Callers can choose the subjects of their tokens. This subject has the same hash in libstdc++'s std::hash as the access key "alice", and
// was found in a millisecond. If the gateway used std::hash, a caller with this subject could read the receipts of "alice".
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
