// Tests the delivery stage, which sends the winner's answer. Covers its time limits and the cost of the answer.
#include "gateway/requests/stages/delivery_stage.hpp"

#include "tests/unit/gateway/requests/stages/scripted_race.hpp"

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using delivery_stage_test = scripted_race;

TEST_F(delivery_stage_test, AWinnerMayBeSilentForItsStallTimeout) {
  use("", "    race: {policy: all, stall_timeout: 10s}\n");
  const auto served = race({{token_after(0ms, "half")}});
  pass(9999ms);
  EXPECT_FALSE(served->is_done());
  pass(1ms);
  ASSERT_TRUE(served->is_done());
  EXPECT_TRUE(attempts[0].was_closed);
  ASSERT_TRUE(asked->account.record.winner.broken);
  EXPECT_EQ(asked->account.record.winner.broken->kind, proxy::failure_kind::stall);
}

TEST_F(delivery_stage_test, ASilentStreamShowsThatItLives) {
  use();
  const auto served = race({{token_after(0ms, "half")}});
  EXPECT_NE(client.received().find("half"), std::string::npos);
  pass(15s);
  EXPECT_NE(client.received().find(": waiting"), std::string::npos);
  client.peer.close();
  settle();
  EXPECT_TRUE(served->is_done());
}

TEST_F(delivery_stage_test, TheRecordSaysWhenTheAnswerWasDecidedAndWritten) {
  use();
  const auto served = race({{answer_after(30ms, "all")}});
  const proxy::instant began = alarms_.now();
  pass(30ms);
  ASSERT_TRUE(served->is_done());
  const request_record& record = asked->account.record;
  EXPECT_EQ(record.times.decided_by_read_at, began + 30ms);
  EXPECT_EQ(record.times.first_written_at, began + 30ms);
  EXPECT_EQ(record.times.ended_at, began + 30ms);
}

TEST_F(delivery_stage_test, AClientThatLeavesClosesTheWinner) {
  use();
  const auto served = race({{token_after(0ms, "half")}});
  client.peer.close();
  settle();
  ASSERT_TRUE(served->is_done());
  EXPECT_TRUE(attempts[0].was_closed);
  EXPECT_TRUE(asked->account.record.winner.cancelled_after);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::client_cancelled);
}

}  // namespace
}  // namespace photofinish::gateway
