// Tests answers from a route's cache. Also tests answers that several equal requests share while the answers are still arriving.
#include "gateway/requests/stages/cache_stage.hpp"

#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

class cache_stage_test : public stage_fixture {
 protected:
  cache_stage_test() { use("", "    race: {policy: all}\n    cache: {coalesce: true}\n"); }

  static std::string equal_question() { return question(R"(,"temperature":0)"); }

  // A request that was read and planned. Its race has not started.
  struct cached_request {
    std::unique_ptr<request_in_test> asked;
    std::unique_ptr<cache_stage> stage;
    std::unique_ptr<guardrail_stage> guardrails;

    request_plan& plan() { return *asked->plan; }
    std::string header() const { return std::string(asked->context.fields.text()); }
  };
  cached_request join(std::string body = equal_question()) {
    cached_request made{planned(std::move(body)), nullptr, nullptr};
    made.stage = std::make_unique<cache_stage>(made.asked->context);
    made.guardrails = std::make_unique<guardrail_stage>(made.asked->context);
    made.stage->look(made.plan());
    made.stage->join(made.plan());
    return made;
  }
  auto replay(cached_request& of) {
    return start(of.stage->replay(std::move(of.asked->place), of.plan(), *of.guardrails, of.asked->reply));
  }

  // begin() starts recording an answer for the cache. say() adds one event to this answer.
  static void begin(cached_request& of) { of.stage->recorder()->begin({"req_1", 7, "m"}, {"a", "m"}, {}, nullptr); }
  static void say(cached_request& of, std::string_view json, proxy::event_kind kind = proxy::event_kind::token) {
    proxy::stream_event event;
    event.kind = kind;
    event.spoken = proxy::wire_format::openai_chat;
    if (!json.empty()) event.json = {&json, 1};
    for (const auto& each : of.asked->context.observers.readers()) each->event(event);
  }
};

constexpr std::string_view hello = R"({"choices":[{"index":0,"delta":{"content":"Hello"}}]})";

TEST_F(cache_stage_test, ARouteWithoutACacheHasNoPartInIt) {
  use();
  auto first = join();
  EXPECT_FALSE(first.stage->has_answer());
  EXPECT_EQ(first.stage->recorder(), nullptr);
  EXPECT_FALSE(first.asked->account.record.terms.cache);
  EXPECT_EQ(first.header(), "");
}

TEST_F(cache_stage_test, AMissIsRecordedForOthers) {
  auto first = join();
  EXPECT_FALSE(first.stage->has_answer());
  ASSERT_NE(first.stage->recorder(), nullptr);
  EXPECT_EQ(first.asked->context.observers.readers().size(), 1u);
  EXPECT_EQ(first.header(), "x-cache: miss\r\n");
  EXPECT_TRUE(first.plan().asked.is_shared);
}

TEST_F(cache_stage_test, AQuestionThatMayHaveManyAnswersBypassesIt) {
  auto first = join(question());
  EXPECT_EQ(first.stage->recorder(), nullptr);
  EXPECT_EQ(first.header(), "x-cache: bypass\r\n");
}

TEST_F(cache_stage_test, AnEqualRequestGetsTheAnswerOfARunningRace) {
  auto leader = join();
  auto follower = join();
  ASSERT_TRUE(follower.stage->has_answer());
  EXPECT_EQ(follower.header(), "x-cache: coalesced\r\n");
  EXPECT_TRUE(follower.asked->account.record.planned.empty()) << "it has no race of its own";
  const auto served = replay(follower);
  EXPECT_FALSE(served->is_done()) << "no attempt has won";
  begin(leader);
  say(leader, hello);
  settle();
  EXPECT_NE(client.received().find("Hello"), std::string::npos);
  api_error error;
  error.status = 502;
  error.message = "broken off";
  leader.stage->recorder()->failed(error);
  settle();
  ASSERT_TRUE(served->is_done());
  EXPECT_EQ(*served->value, after_response::close);
  EXPECT_NE(client.received().find("broken off"), std::string::npos);
  EXPECT_EQ(follower.asked->account.record.outcome, metrics::request_outcome::truncated);
}

TEST_F(cache_stage_test, AFollowerGetsTheErrorOfARaceThatNobodyWins) {
  auto leader = join();
  auto follower = join();
  const auto served = replay(follower);
  api_error error;
  error.status = 429;
  error.message = "too many";
  leader.stage->recorder()->failed(error);
  settle();
  ASSERT_TRUE(served->is_done());
  EXPECT_NE(client.received().find("HTTP/1.1 429 "), std::string::npos);
  EXPECT_EQ(follower.asked->account.record.status, 429);
}

TEST_F(cache_stage_test, AFollowersStreamShowsThatItWaits) {
  use("", "    cache: {coalesce: true}\n    race: {policy: all, keepalive_after: 2s}\n");
  auto leader = join();
  auto follower = join();
  const auto served = replay(follower);
  pass(1999ms);
  EXPECT_EQ(client.received(), "");
  pass(1ms);
  EXPECT_NE(client.received().find("HTTP/1.1 200 "), std::string::npos);
  pass(15s);
  EXPECT_EQ(client.received().find("HTTP"), std::string::npos) << "a comment and no second head";
  leader.stage->recorder()->failed({});
  settle();
  EXPECT_TRUE(served->is_done());
}

TEST_F(cache_stage_test, TheRaceOfALeaderThatLeavesGoesOnForItsFollower) {
  auto leader = join();
  auto follower = std::make_unique<cached_request>(join());
  int left = 0;
  leader.stage->recorder()->begin_race();
  leader.stage->on_leave([&left] { ++left; });
  client.peer.close();
  settle();
  EXPECT_EQ(left, 0) << "the follower reads the answer";
  follower.reset();
  settle();
  EXPECT_EQ(left, 1);
  leader.stage->recorder()->end_race();
}

TEST_F(cache_stage_test, ALeaderWithoutFollowersLeavesItsRace) {
  auto leader = join();
  int left = 0;
  leader.stage->recorder()->begin_race();
  leader.stage->on_leave([&left] { ++left; });
  client.peer.close();
  settle();
  EXPECT_EQ(left, 1);
}

}  // namespace
}  // namespace photofinish::gateway
