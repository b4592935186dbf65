// Tests the plan of a request: its targets, the attempts in its record, and its observers.
#include "gateway/requests/stages/plan_stage.hpp"

#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

namespace photofinish::gateway {
namespace {

class plan_stage_test : public stage_fixture {
 protected:
  // Runs the body stage, the limit stage, and both steps of the plan stage.
  stage_result plan(request_in_test& asked, bool is_stored = false) {
    EXPECT_TRUE(is_next(body_stage(asked.context, *asked.plan).read()));
    limit_stage limits(asked.context, *asked.plan, table);
    plan_stage stage(asked.context, *asked.plan);
    stage_result result = stage.choose_targets(limits);
    can_run = is_next(result) && stage.can_run();
    return is_next(result) ? stage.record(is_stored) : result;
  }

  bool can_run = false;
};

TEST_F(plan_stage_test, RecordsTheTargetsOfTheRoute) {
  use();
  const auto asked = request(question());
  ASSERT_TRUE(is_next(plan(*asked)));
  EXPECT_TRUE(can_run);
  EXPECT_EQ(asked->account.record.route, "fast");
  ASSERT_EQ(asked->account.record.planned.size(), 2u);
  EXPECT_EQ(asked->account.record.planned[0].target.text(), "a/m");
  EXPECT_TRUE(asked->context.observers.is_empty()) << "nothing follows a plain request";
}

TEST_F(plan_stage_test, AnAnswerThatIsThereHasNoTargets) {
  use();
  const auto asked = request(question());
  ASSERT_TRUE(is_next(plan(*asked, true)));
  EXPECT_EQ(asked->account.record.route, "fast");
  EXPECT_TRUE(asked->account.record.planned.empty());
}

TEST_F(plan_stage_test, RefusesAModelThatNobodyHas) {
  use();
  const auto asked = request(R"({"model":"none","messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_EQ(status_of(plan(*asked)), 404);
  EXPECT_FALSE(can_run);
  EXPECT_EQ(asked->account.record.route, "_none");
}

TEST_F(plan_stage_test, RefusesAnOverrideBeforeItLooksForTargets) {
  use();
  const auto asked = request(question());
  asked->plan->request.fields.push_back({"x-race-max-attempts", "none"});
  EXPECT_EQ(status_of(plan(*asked)), 400);
  EXPECT_TRUE(asked->plan->setup.candidates.empty());
}

TEST_F(plan_stage_test, ARequestWithASessionIsFollowedForItsReceipt) {
  use();
  const auto asked = request(question());
  asked->plan->request.fields.push_back({"x-race-session", "s1"});
  ASSERT_TRUE(is_next(plan(*asked)));
  EXPECT_EQ(asked->account.record.caller.session, "s1");
  ASSERT_EQ(asked->context.observers.all().size(), 1u);
  EXPECT_FALSE(asked->context.observers.race_id().empty());
}

}  // namespace
}  // namespace photofinish::gateway
