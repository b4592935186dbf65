// Tests the order of the stages that may answer a request: limits, guardrails, cache, race. The table contains every combination, so any
// change of this order fails the test.
#include "tests/integration/guardrails/guardrail_fixture.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::testing {
namespace {

enum class limit { room, spent };
enum class check { none, pass, reject_before, reject_parallel };
enum class store { cold, warm };

// The test allows no race or one race, because the guardrail's verdict may come before the first attempt starts.
constexpr std::size_t races_or_not = 2;

struct combination {
  limit limits;
  check guardrail;
  store cache;
  std::string_view code;     // the error's code; empty if the request is answered
  std::string_view x_cache;  // the x-cache header; "none" if the request did not reach the cache
  std::size_t judged;
  std::size_t raced;
};

constexpr auto table = std::to_array<combination>({
    // A request that exceeds its limit costs nothing. No guardrail judges it, no race runs, and the cache does not answer it.
    {limit::spent, check::none, store::cold, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::none, store::warm, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::pass, store::cold, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::pass, store::warm, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::reject_before, store::cold, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::reject_before, store::warm, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::reject_parallel, store::cold, "rate_limit_exceeded", "none", 0, 0},
    {limit::spent, check::reject_parallel, store::warm, "rate_limit_exceeded", "none", 0, 0},
    // A stored answer needs no race, but it needs the guardrail's verdict.
    {limit::room, check::none, store::cold, "", "miss", 0, 1},
    {limit::room, check::none, store::warm, "", "hit", 0, 0},
    {limit::room, check::pass, store::cold, "", "miss", 1, 1},
    {limit::room, check::pass, store::warm, "", "hit", 1, 0},
    // If the guardrail rejects a request before the race, the request does not reach the cache. In parallel mode it has already reached the
    // cache, but no part of an answer is sent.
    {limit::room, check::reject_before, store::cold, "content_blocked", "none", 1, 0},
    {limit::room, check::reject_before, store::warm, "content_blocked", "none", 1, 0},
    {limit::room, check::reject_parallel, store::cold, "content_blocked", "miss", 1, races_or_not},
    {limit::room, check::reject_parallel, store::warm, "content_blocked", "hit", 1, 0},
});

class stage_order_test : public guardrail_fixture {
 protected:
  stage_order_test() {
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
    settings.routes["fast"].cache.emplace();
  }

  http_response ask(std::string_view more) {
    return post(streamed("fast", more), "Authorization: Bearer key-a\r\n");
  }

  void start_with(const combination& each) {
    settings.access.keys[0].limits.requests_per_minute = each.limits == limit::spent ? 1 : 10;
    pii().routes = {each.guardrail == check::none ? "free" : "fast"};
    pii().mode = each.guardrail == check::reject_parallel ? gateway::guardrail_mode::parallel
                                                          : gateway::guardrail_mode::before;
    judge_with(passes);
    start();
    const std::string_view first = each.cache == store::warm ? question : other_question;
    ASSERT_EQ(ask(first).status, 200);
    const bool rejects_it = each.guardrail == check::reject_before || each.guardrail == check::reject_parallel;
    judge_with(rejects_it ? rejects : passes);
  }

  static constexpr std::string_view question = R"(,"temperature":0)";
  static constexpr std::string_view other_question = R"(,"temperature":0,"max_tokens":5)";
};

TEST_F(stage_order_test, LimitsThenGuardrailsThenCacheThenRace) {
  for (const combination& each : table) {
    SCOPED_TRACE("row " + std::to_string(&each - table.data()));
    start_with(each);
    if (HasFatalFailure()) return;
    const std::size_t judged = asked(), races = raced();
    const http_response answer = ask(question);
    EXPECT_EQ(answer.status == 200 ? "" : answer.error("code"), each.code);
    EXPECT_EQ(answer.status == 200 ? answer.text() : "", each.code.empty() ? "onetwo" : "");
    EXPECT_EQ(answer.field_or("x-cache", "none"), each.x_cache);
    EXPECT_EQ(asked() - judged, each.judged);
    EXPECT_TRUE(each.raced == races_or_not || each.raced == raced() - races) << raced() - races;
    expect_metric(0, "photofinish_inflight_requests");
    gateway.reset();
  }
}

}  // namespace
}  // namespace photofinish::testing
