// Tests the limit stage: the limits of a request's caller, and the gateway's limit of concurrent requests.
#include "gateway/requests/stages/limit_stage.hpp"

#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

class limit_stage_test : public stage_fixture {
 protected:
  void use_limits(const std::string& limits) {
    use("access_keys:\n  - {name: alice, key: key-a, " + limits + "}\n");
  }
  caller alice() const { return {&*settings->access.keys.begin()}; }
  stage_result take(bool is_stored = false) {
    held.push_back(planned(question(), alice()));
    request_in_test& last = *held.back();
    return limit_stage(last.context, *last.plan, table).take(last.place, is_stored);
  }

  std::vector<std::unique_ptr<request_in_test>> held;
};

TEST_F(limit_stage_test, ARequestOverItsLimitIsRefusedUntilTimeHasPassed) {
  use_limits("rpm_limit: 1");
  EXPECT_TRUE(is_next(take()));
  EXPECT_EQ(status_of(take()), 429);
  pass(59s);
  EXPECT_EQ(status_of(take()), 429);
  pass(1s);
  EXPECT_TRUE(is_next(take()));
}

TEST_F(limit_stage_test, AnAnswerThatIsThereTakesNoTokens) {
  use_limits("tpm_limit: 1");
  EXPECT_EQ(status_of(take()), 400) << "more tokens than the limit ever allows";
  EXPECT_TRUE(is_next(take(true)));
}

TEST_F(limit_stage_test, CountsTokensIfALimitDoes) {
  use_limits("tpm_limit: 1000");
  const auto asked = request(question(), alice());
  EXPECT_TRUE(limit_stage(asked->context, *asked->plan, table).counts_tokens("fast"));
  use_limits("rpm_limit: 1");
  const auto other = request(question(), alice());
  EXPECT_FALSE(limit_stage(other->context, *other->plan, table).counts_tokens("fast"));
}

TEST_F(limit_stage_test, ARequestHoldsItsPlaceAmongAll) {
  use("limits: {max_inflight: 1}\n");
  const auto first = planned(question());
  EXPECT_TRUE(is_next(limit_stage(first->context, *first->plan, table).take(first->place, false)));
  const auto second = planned(question());
  EXPECT_EQ(status_of(limit_stage(second->context, *second->plan, table).take(second->place, false)), 503);
  first->place = {};
  second->place = {};
  const auto third = planned(question());
  EXPECT_TRUE(is_next(limit_stage(third->context, *third->plan, table).take(third->place, false)));
}

}  // namespace
}  // namespace photofinish::gateway
