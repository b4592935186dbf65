// Tests the race of a request with scripted attempts: which target answers, what the client gets, and how attempts are closed.
#include "gateway/requests/stages/race_stage.hpp"

#include "tests/unit/gateway/requests/stages/scripted_race.hpp"

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using race_stage_test = scripted_race;

TEST_F(race_stage_test, TheFirstTokenWinsAndTheLoserIsClosed) {
  use();
  const auto served = race({{answer_after(50ms, "slow")}, {answer_after(20ms, "fast")}});
  pass(19ms);
  EXPECT_EQ(client.received(), "") << "nothing is written before the first token";
  pass(1ms);
  ASSERT_TRUE(served->is_done());
  EXPECT_EQ(*served->value, after_response::keep_alive);
  const std::string answer = client.received();
  EXPECT_NE(answer.find("fast"), std::string::npos);
  EXPECT_NE(answer.find("x-race-winner: b/m"), std::string::npos);
  EXPECT_TRUE(attempts[0].was_closed && attempts[0].is_destroyed);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::ok);
  EXPECT_EQ(asked->account.record.race.winner, 1u);
  EXPECT_EQ(asked->plan, nullptr) << "the plan is gone before the answer streams";
}

TEST_F(race_stage_test, ARaceThatNobodyWinsIsAnError) {
  use();
  const auto served = race({{failure_after(5ms)}, {failure_after(10ms)}});
  pass(10ms);
  ASSERT_TRUE(served->is_done());
  EXPECT_NE(client.received().find("HTTP/1.1 502 "), std::string::npos);
  EXPECT_EQ(asked->account.record.status, 502);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::upstream_error);
}

TEST_F(race_stage_test, AClientThatLeavesClosesEveryAttempt) {
  use();
  const auto served = race({{}, {}});
  client.peer.close();
  settle();
  ASSERT_TRUE(served->is_done());
  EXPECT_EQ(*served->value, after_response::close);
  EXPECT_TRUE(attempts[0].was_closed && attempts[1].was_closed);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::client_cancelled);
  EXPECT_EQ(asked->account.record.status, client_left_status);
}

TEST_F(race_stage_test, AStreamThatWaitsShowsThatItLives) {
  use("", "    race: {policy: all, keepalive_after: 2s}\n");
  const auto served = race({{answer_after(20s, "late")}, {}});
  pass(2s);
  EXPECT_NE(client.received().find("HTTP/1.1 200 "), std::string::npos);
  pass(15s);
  EXPECT_NE(client.received().find(": waiting"), std::string::npos);
  pass(3s);
  ASSERT_TRUE(served->is_done());
  const std::string rest = client.received();
  EXPECT_NE(rest.find("winner=a/m"), std::string::npos) << "a comment says what the head could not";
  EXPECT_NE(rest.find("late"), std::string::npos);
}

TEST_F(race_stage_test, ABrokenWinnerEndsTheStreamWithItsError) {
  use();
  const auto served = race({{token_after(5ms, "half"), failure_after(5ms)}, {}});
  pass(10ms);
  ASSERT_TRUE(served->is_done());
  EXPECT_EQ(*served->value, after_response::close);
  EXPECT_NE(client.received().find("error"), std::string::npos);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::truncated);
}

TEST_F(race_stage_test, ABugWhileAnAttemptIsMadeEndsTheRaceFirst) {
  use();
  throws_bug = true;
  const auto served = race({{}, {}});
  EXPECT_FALSE(served->is_done()) << "the flow answers the exception";
  EXPECT_EQ(load.requests.load(), 0u) << "the request has left its place";
}

}  // namespace
}  // namespace photofinish::gateway
