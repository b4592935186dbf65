// Tests answers that break off on a route with `on_break: continue`. No target is reachable in the fixture, so each continuation ends
// without text.
#include "gateway/requests/stages/continuation_stage.hpp"

#include "tests/unit/gateway/requests/stages/scripted_race.hpp"

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

class continuation_stage_test : public scripted_race {
 protected:
  void use_continuation() { use("", "    race: {policy: fallback, on_break: continue}\n"); }
  static steps broken(const std::string& text) {
    steps all = token_after(0ms, text);
    for (const auto& each : failure_after(5ms)) all.push_back(each);
    return all;
  }
  static relayed broken_off() {
    proxy::failure why;
    why.kind = proxy::failure_kind::bad_stream;
    return {answer_end::truncated, why, {}};
  }
};

TEST_F(continuation_stage_test, ARouteThatDoesNotContinueKeepsNothingOfTheAnswer) {
  use();
  const auto served = race({{token_after(0ms, "a text of sixteen bytes")}});
  EXPECT_TRUE(asked->context.observers.is_empty());
  EXPECT_FALSE(stages->continuation.may_continue(broken_off()));
  client.peer.close();
  settle();
}

TEST_F(continuation_stage_test, TheTextIsKeptWhileItStreamsAndThePlanOnlyHere) {
  use_continuation();
  const auto served = race({{token_after(0ms, "a text of sixteen bytes")}});
  EXPECT_EQ(asked->context.observers.readers().size(), 1u);
  EXPECT_EQ(asked->plan, nullptr) << "no attempt of the decided race can be made again";
  client.peer.close();
  settle();
  EXPECT_TRUE(served->is_done());
}

TEST_F(continuation_stage_test, WithoutATargetThatSpeaksTheFirstFailureIsTheClients) {
  use_continuation();
  const auto served = race({{broken("a text of sixteen bytes")}});
  pass(5ms);
  for (int turn = 0; turn < 20 && !served->is_done(); ++turn) pass(1s);
  ASSERT_TRUE(served->is_done());
  EXPECT_EQ(*served->value, after_response::close);
  EXPECT_NE(client.received().find("error"), std::string::npos);
  EXPECT_EQ(asked->account.record.outcome, metrics::request_outcome::truncated);
  ASSERT_TRUE(asked->account.record.winner.broken);
  EXPECT_EQ(asked->account.record.winner.broken->detail, "the script ends here");
}

TEST_F(continuation_stage_test, AShortTextIsNotContinued) {
  use_continuation();
  const auto served = race({{broken("short")}});
  pass(5ms);
  ASSERT_TRUE(served->is_done());
  EXPECT_TRUE(asked->account.record.continuation.races.empty());
}

}  // namespace
}  // namespace photofinish::gateway
