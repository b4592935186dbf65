// Tests guardrails before and during a race: refusals, and which events end the wait for a verdict.
#include "gateway/requests/stages/guardrail_stage.hpp"

#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

namespace photofinish::gateway {
namespace {

class guardrail_stage_test : public stage_fixture {
 protected:
  // Configures a guardrail service that accepts connections and never answers.
  void use_silent_service(const std::string& mode) {
    use("guardrails:\n  - {name: pii, url: 'http://127.0.0.1:" + std::to_string(service.local_endpoint().port()) +
        "', mode: " + mode + ", timeout: 50s}\n");
    asked = planned(question());
    stage = std::make_unique<guardrail_stage>(asked->context);
    stage->find();
  }
  auto check(bool is_stored = false) {
    body = std::make_unique<body_stage>(asked->context, *asked->plan);
    return start(stage->check(*asked->plan, *body, is_stored));
  }
  void end() {
    stage->cancel();
    for (int turn = 0; turn < 10 && stage->is_out(); ++turn) settle();
    EXPECT_FALSE(stage->is_out());
  }

  boost::asio::ip::tcp::acceptor service{loop_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::unique_ptr<request_in_test> asked;
  std::unique_ptr<body_stage> body;
  std::unique_ptr<guardrail_stage> stage;
};

TEST_F(guardrail_stage_test, ARouteThatNoneJudgesHasNoStage) {
  use();
  asked = planned(question());
  guardrail_stage none(asked->context);
  none.find();
  EXPECT_FALSE(none.is_on());
  EXPECT_FALSE(none.is_out());
  none.cancel();
}

TEST_F(guardrail_stage_test, ModeBeforeHoldsTheRequestUntilItsVerdict) {
  use_silent_service("before");
  ASSERT_TRUE(stage->is_on());
  const auto checked = check();
  EXPECT_FALSE(checked->is_done());
  EXPECT_TRUE(stage->is_out());
  end();
  ASSERT_TRUE(checked->is_done());
  EXPECT_TRUE(std::holds_alternative<departed>(*checked->value));
}

TEST_F(guardrail_stage_test, ModeParallelHoldsTheAnswerAndNotTheRace) {
  use_silent_service("parallel");
  const auto checked = check();
  ASSERT_TRUE(checked->is_done());
  EXPECT_TRUE(is_next(*checked->value));
  const auto passed = start(stage->pass());
  EXPECT_FALSE(passed->is_done());
  stage->cancel();
  settle();
  ASSERT_TRUE(passed->is_done());
  EXPECT_TRUE(std::holds_alternative<departed>(*passed->value));
  EXPECT_FALSE(asked->account.record.notes.guardrail) << "not all verdicts are there";
  EXPECT_FALSE(stage->is_on());
}

TEST_F(guardrail_stage_test, AClientThatLeavesEndsTheCheck) {
  use_silent_service("before");
  const auto checked = check();
  client.peer.close();
  settle();
  ASSERT_TRUE(checked->is_done());
  EXPECT_TRUE(std::holds_alternative<departed>(*checked->value));
  end();
}

}  // namespace
}  // namespace photofinish::gateway
