// Tests the time limits for the winner's stream. The test advances the clock, so each alarm fires exactly at the expected millisecond.
#include "gateway/relay/winner_reader.hpp"
#include "tests/support/hand_cranked_test.hpp"
#include "tests/support/streams/scripted_upstream.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::tests {
namespace {

using namespace std::chrono_literals;

class winner_test : public hand_cranked_test {
 protected:
  void play(std::deque<scripted_step> steps) {
    upstream_script script;
    script.steps = std::move(steps);
    upstream_ = std::make_unique<scripted_upstream>(std::move(script), alarms_, loop_.get_executor(), record_);
    limits_.stall_timeout = 10s;
    reader_.emplace(*upstream_, held_, std::nullopt, alarms_, limits_, alarms_.now() + 60s, [this] { ++heartbeats_; });
  }
  auto next() { return start(reader_->next()); }
  static scripted_step token_after(std::chrono::nanoseconds delay) { return {.delay = delay, .what = proxy::event_kind::token}; }

  upstream_record record_;
  std::unique_ptr<scripted_upstream> upstream_;
  std::vector<proxy::kept_event> held_;
  racing::race_settings limits_;
  std::optional<gateway::winner_reader> reader_;
  int heartbeats_ = 0;
};

TEST_F(winner_test, IsCutAtTheMillisecondOfItsStallTimeout) {
  play({});
  const auto event = next();
  pass(9'999ms);
  EXPECT_FALSE(event->is_done());
  pass(1ms);
  ASSERT_TRUE(event->is_done());
  EXPECT_EQ(event->value->error().kind, proxy::failure_kind::stall);
  EXPECT_EQ(event->value->error().detail, "the target sent nothing for 10000 ms");
  EXPECT_TRUE(record_.was_closed);
}

TEST_F(winner_test, IsNotCutWhileEachSilenceIsShorter) {
  play({token_after(9'999ms), token_after(9'999ms), token_after(9'999ms)});
  for (int count = 0; count < 3; ++count) {
    const auto event = next();
    pass(9'999ms);
    ASSERT_TRUE(event->is_done());
    EXPECT_TRUE(event->value->has_value());
  }
  const auto last = next();
  pass(9'999ms);
  EXPECT_FALSE(last->is_done());
  pass(1ms);
  EXPECT_EQ(last->value->error().kind, proxy::failure_kind::stall);
}

TEST_F(winner_test, IsNotBlamedForTheTimeInWhichNobodyReads) {
  play({token_after(0ms), token_after(0ms)});
  next();
  pass(50s);  // the client does not read for 50 seconds
  EXPECT_FALSE(record_.was_closed);
  const auto event = next();
  EXPECT_TRUE(event->value->has_value());
  const auto last = next();
  pass(9'999ms);
  EXPECT_FALSE(last->is_done());
  pass(1ms);
  EXPECT_TRUE(last->is_done());
}

TEST_F(winner_test, IsCutAtItsTotalTimeoutHoweverItFlows) {
  std::deque<scripted_step> steps;
  for (int count = 0; count < 100; ++count) steps.push_back(token_after(1s));
  play(std::move(steps));
  std::unique_ptr<under_way<proxy::result<proxy::stream_event>>> event;
  for (int second = 0; second < 59; ++second) {
    event = next();
    pass(1s);
    ASSERT_TRUE(event->value->has_value()) << "second " << second;
  }
  event = next();
  pass(999ms);
  EXPECT_FALSE(event->is_done());
  pass(1ms);
  ASSERT_TRUE(event->is_done());
  EXPECT_TRUE(record_.was_closed);
  // If a token arrives exactly when total_timeout ends, the reader may get the token first. The next event is then the timeout.
  if (event->value->has_value()) event = next();
  EXPECT_EQ(event->value->error().kind, proxy::failure_kind::timeout);
  EXPECT_EQ(event->value->error().detail, "the answer took longer than total_timeout");
}

TEST_F(winner_test, HeartbeatsComeEachFifteenSecondsOfSilenceAndNotBetweenTokens) {
  play({token_after(14s), token_after(46s)});
  limits_.stall_timeout = 100s;
  reader_.emplace(*upstream_, held_, std::nullopt, alarms_, limits_, alarms_.now() + 600s, [this] { ++heartbeats_; });
  const auto first = next();
  pass(14s);
  ASSERT_TRUE(first->is_done());
  const auto second = next();
  pass(14'999ms);
  EXPECT_EQ(heartbeats_, 0);
  pass(1ms);
  EXPECT_EQ(heartbeats_, 1);
  pass(15s);
  EXPECT_EQ(heartbeats_, 2);
  pass(15s);
  EXPECT_EQ(heartbeats_, 3);
  pass(1s);
  EXPECT_TRUE(second->is_done());
  pass(60s);  // the client does not read for 60 seconds
  EXPECT_EQ(heartbeats_, 3);
}

}  // namespace
}  // namespace photofinish::tests
