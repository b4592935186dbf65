// Tests adaptive races: which target starts first, how often a hedge starts, and what the hedges cost.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""s;
using std::chrono::operator""min;
using racing::race_policy;

// Sends requests until the given condition holds for the last ten answers.
struct last_answers {
  std::deque<http_response> kept;

  void add(http_response got) {
    kept.push_back(std::move(got));
    if (kept.size() > 10) kept.pop_front();
  }
  // Returns the number of races in which only this target received the request, because the race had started with this target.
  std::ptrdiff_t alone_by(const std::string& target) const {
    return std::count_if(kept.begin(), kept.end(), [&](const http_response& each) {
      return each.field_or("x-race-winner", "") == target && each.field_or("x-race-attempts", "") == "1";
    });
  }
};

class adaptive_test : public gateway_fixture {
 protected:
  adaptive_test() { keeping.tick = 20ms; }

  racing::race_settings& serve(scripted_provider& listed_first, scripted_provider& second,
                               race_policy policy = race_policy::adaptive) {
    for (proxy::provider* each : {&add("a", listed_first), &add("b", second)})
      // The provider stops billing when an attempt is cancelled, so that it is cheap to try the other target.
      each->behaves.billing = proxy::cancel_billing::stops;
    return add_route("r", {"a/m", "b/m"}, policy).race;
  }
  // Starts the gateway, and waits until the housekeeper publishes the first measured speeds. A race has an id only if it uses measured
  // speeds.
  void start_with_board(const std::string& fields = "") {
    start();
    EXPECT_TRUE(comes_true([&] { return !post(streamed("r"), fields).field_or("x-race-id", "").empty(); }));
  }
  bool becomes_first(const std::string& target) {
    last_answers last;
    return comes_true([&] {
      last.add(post(streamed("r")));
      return last.alone_by(target) >= 8;
    });
  }
};

TEST_F(adaptive_test, TheFasterOneStartsFirstThoughItIsListedLast) {
  scripted_provider slow(streams({"slow"}, 250ms)), fast(streams({"fast"}));
  serve(slow, fast);
  start();
  EXPECT_TRUE(becomes_first("b/m"));
  EXPECT_GE(metric("photofinish_choice_changes_total", {R"(route="r")"}), 1);
}

TEST_F(adaptive_test, AndIsLeftWhenItSlowsDownAndTakenUpAgainBehindThat) {
  std::atomic<bool> is_slow = false;
  // A trial of the other target costs a fifth of an answer with 100 words. If it cost more, the gateway would try the target later.
  const std::vector<std::string> answer(100, "word ");
  scripted_provider steady(streams(answer, 120ms));
  scripted_provider changing([&](provider_call& call) {
    if (is_slow && !call.wait(700ms)) return;
    streams(answer)(call);
  });
  serve(steady, changing);
  start();
  EXPECT_TRUE(becomes_first("b/m"));
  is_slow = true;
  EXPECT_TRUE(becomes_first("a/m"));
  is_slow = false;
  EXPECT_TRUE(becomes_first("b/m"));
}

TEST_F(adaptive_test, OneWhoseKeyHasNoRoomLeftIsNotFirst) {
  std::atomic<bool> is_full = false;
  scripted_provider slow(streams({"slow"}, 120ms));
  scripted_provider fast([&](provider_call& call) {
    const std::string left = is_full ? "0" : "99";
    call.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
              "x-ratelimit-remaining-requests: " + left + "\r\nx-ratelimit-reset-requests: 1h\r\n\r\n");
    for (const std::string& event : {role_chunk(), token_chunk("fast"), finish_chunk()}) call.event(event);
    call.end();
  });
  serve(slow, fast);
  start();
  EXPECT_TRUE(becomes_first("b/m"));
  is_full = true;
  EXPECT_TRUE(becomes_first("a/m"));
}

TEST_F(adaptive_test, OneThatFailsIsNotFirst) {
  scripted_provider broken(refuses(500, "{}")), sound(streams({"sound"}, 30ms));
  serve(broken, sound);
  start();
  EXPECT_TRUE(becomes_first("b/m"));
}

TEST_F(adaptive_test, WhatARequestItselfBroughtAboutSaysNothingAboutItsTarget) {
  std::atomic<int> refused = 0;
  scripted_provider fast([&](provider_call& call) {
    if (call.request().body.find("wrong") == std::string::npos) return streams({"fast"})(call);
    ++refused;
    call.answer(400, R"({"error":{"message":"that is wrong"}})");
  });
  scripted_provider slow([&](provider_call& call) {
    if (call.request().body.find("wrong") != std::string::npos)
      return call.answer(400, R"({"error":{"message":"that is wrong"}})");
    streams({"slow"}, 200ms)(call);
  });
  serve(fast, slow);
  start();
  EXPECT_TRUE(becomes_first("a/m"));
  for (int n = 0; n < 40; ++n) EXPECT_EQ(post(streamed("r", R"(,"user":"wrong")")).status, 400);
  int wins = 0;
  for (int n = 0; n < 10; ++n) wins += post(streamed("r")).field_or("x-race-winner", "") == "a/m";
  EXPECT_GE(wins, 6) << "its failures would have made it the last choice";
  EXPECT_GE(refused, 40);
}

TEST_F(adaptive_test, AHedgeStartsWhenTheFirstOneIsSilentAndLongBeforeARescue) {
  std::atomic<int> silent = 0;
  scripted_provider first([&](provider_call& call) {
    if (call.request().body.find("hang") == std::string::npos) return streams({"first"}, 20ms)(call);
    ++silent;
    call.hang();
  });
  scripted_provider second(streams({"second"}, 60ms));
  serve(first, second).max_extra_cost = 0.5;
  start();
  EXPECT_TRUE(becomes_first("a/m"));
  EXPECT_TRUE(comes_true([&] {
    post(streamed("r"));
    const double hedges = metric("photofinish_starts_total", {R"(why="hedge")"});
    const http_response got = post(streamed("r", R"(,"user":"hang")"));
    return got.field_or("x-race-winner", "") == "b/m" && silent > 0 &&
           metric("photofinish_starts_total", {R"(why="hedge")"}) > hedges;
  }));
}

// In this test hedges save time, so nearly every race would start a hedge if the budget did not limit the hedges. The test reads the
// budget's own counters.
TEST_F(adaptive_test, HedgesStayWithinTheBudget) {
  std::atomic<int> asked = 0;
  scripted_provider first([&](provider_call& call) {
    if (++asked % 3 == 0 && !call.wait(900ms)) return;
    streams({"first"}, 10ms)(call);
  });
  scripted_provider second(streams({"second"}, 40ms));
  serve(first, second).max_extra_cost = 0.2;
  start_with_board();
  expect_metric(1, "photofinish_prediction_ratio_count", {R"(route="r")"});
  const auto spent = [this](const char* on) {
    return metric("photofinish_speculation_cost_total", {R"(route="r")", on});
  };
  for (int n = 1; n < 150; ++n) post(streamed("r"));
  expect_metric(150, "photofinish_prediction_ratio_count", {R"(route="r")"});
  EXPECT_GT(metric("photofinish_starts_total", {R"(why="hedge")"}), 0);
  EXPECT_EQ(metric("photofinish_starts_total", {R"(why="first")"}), 150);
  const double won = spent(R"(kind="winner")"), extra = spent(R"(kind="hedge")") + spent(R"(kind="trial")");
  EXPECT_GT(won, 0);
  const double usual = won / 150;
  // The maximum cost of hedges is the sum of three amounts: the allowed share of the cost; the initial budget of three requests, or the
  // budget for a minute; and the cost of an attempt that was already running when the budget was spent.
  EXPECT_LE(extra, 0.2 * won + (0.2 * won + 3 * usual) + 2 * usual);
  EXPECT_EQ(metric("photofinish_max_extra_cost", {R"(route="r")"}), 0.2);
}

TEST_F(adaptive_test, AHedgeThatTheBudgetDoesNotCoverIsHeldBackInSight) {
  std::atomic<bool> is_slow = false;
  scripted_provider first([&](provider_call& call) {
    if (is_slow && !call.wait(600ms)) return;
    streams({"first"}, 10ms)(call);
  });
  scripted_provider second([&](provider_call& call) {
    if (is_slow && !call.wait(600ms)) return;
    streams({"second"}, 10ms)(call);
  });
  serve(first, second).max_extra_cost = 0.01;
  start();
  for (int n = 0; n < 10; ++n) post(streamed("r"));
  is_slow = true;
  EXPECT_TRUE(comes_true([&] {
    post(streamed("r"));
    return metric("photofinish_hedges_held_back_total", {R"(route="r")", R"(reason="empty")"}) > 0;
  }));
}

TEST_F(adaptive_test, WithoutABudgetASilentOneIsRescued) {
  std::atomic<bool> is_silent = false;
  scripted_provider first([&](provider_call& call) {
    if (is_silent) return call.hang();
    streams({"first"}, 20ms)(call);
  });
  scripted_provider second(streams({"second"}, 20ms));
  racing::race_settings& race = serve(first, second);
  race.max_extra_cost = 0;
  race.sort = racing::target_sort::listed;
  start_with_board();
  for (int n = 0; n < 10; ++n) post(streamed("r"));
  is_silent = true;
  EXPECT_TRUE(comes_true([&] {  // one request in a hundred starts with the target whose last measurement is the oldest
    return post(streamed("r")).text() == "second" && metric("photofinish_starts_total", {R"(why="rescue")"}) >= 1;
  }));
  EXPECT_EQ(metric("photofinish_starts_total", {R"(why="hedge")"}), 0);
}

TEST_F(adaptive_test, EveryPolicyMaySort) {
  scripted_provider slow(streams({"slow"}, 250ms)), fast(streams({"fast"}));
  racing::race_settings& race = serve(slow, fast, race_policy::all);
  race.sort = racing::target_sort::ttft;
  start();
  for (int n = 0; n < 20; ++n) post(streamed("r"));
  // The policy `all` has measured both targets. The adaptive policy now runs the targets one at a time, in the order that it has learned.
  EXPECT_TRUE(comes_true([&] {
    const http_response got = post(streamed("r"), "x-race-policy: fallback\r\n");
    return got.field_or("x-race-winner", "") == "b/m";
  }));
}

TEST_F(adaptive_test, AnAutomaticDelayIsThatOfTheTarget) {
  std::atomic<bool> may_hang = false;
  scripted_provider steady([&](provider_call& call) {
    if (may_hang) return call.hang();
    streams({"steady"}, 600ms)(call);
  });
  scripted_provider second(streams({"second"}));
  racing::race_settings& race = serve(steady, second, race_policy::hedge);
  race.is_hedge_delay_auto = true;
  start();
  EXPECT_TRUE(comes_true([&] {  // the second target would win each race if the hedge delay were 300 ms
    last_answers last;
    for (int n = 0; n < 4; ++n) last.add(post(streamed("r"), "x-race-policy: fallback\r\n"));
    for (int n = 0; n < 3; ++n) last.add(post(streamed("r")));
    return last.alone_by("a/m") == 7;
  }));
  may_hang = true;
  EXPECT_EQ(post(streamed("r")).text(), "second");
}

TEST_F(adaptive_test, WhereNoRouteAsksForItNothingIsLearned) {
  scripted_provider slow(streams({"slow"}, 100ms)), fast(streams({"fast"}));
  serve(slow, fast, race_policy::fallback);
  start();
  for (int n = 0; n < 10; ++n) EXPECT_EQ(post(streamed("r")).field_or("x-race-winner", ""), "a/m");
  EXPECT_EQ(get("/metrics").body.find("photofinish_budget_fill{"), std::string::npos);
}

TEST_F(adaptive_test, ARouteWithOneTargetIsNotRescued) {
  scripted_provider only(streams({"only"}, 3'500ms));
  add("a", only);
  add_route("r", {"a/m"}, race_policy::adaptive);
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "only");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
}

TEST_F(adaptive_test, AReceiptTellsWhoStartedAndWhy) {
  scripted_provider slow(streams({"slow"}, 250ms)), fast(streams({"fast"}));
  serve(slow, fast);
  start();
  EXPECT_TRUE(becomes_first("b/m"));
  http_response got;
  EXPECT_TRUE(comes_true([&] {
    got = post(streamed("r", R"(,"user":"a-person")"), "x-request-id: mine\r\n");
    return got.field_or("x-race-attempts", "") == "1" && got.field_or("x-race-winner", "") == "b/m";
  }));
  const std::string id = got.field_or("x-race-id", "");
  ASSERT_TRUE(id.starts_with("race_")) << got.head;
  http_response shown;
  EXPECT_TRUE(comes_true([&] {
    shown = get("/v1/races/" + id);
    return shown.status == 200;
  }));
  for (const char* part : {R"("policy":"adaptive")", R"("winner":"b/m")", R"("why":"first")", R"("order":["b/m","a/m"])"})
    EXPECT_NE(shown.body.find(part), std::string::npos) << part << " in " << shown.body;
  EXPECT_EQ(get("/v1/races/mine").status, 404) << "a client's own id need not be the only one of its kind";
  EXPECT_EQ(get("/v1/races/race_000").status, 404);
  EXPECT_EQ(shown.body.find("a-person"), std::string::npos);
}

TEST_F(adaptive_test, AKeySeesItsOwnRacesAlone) {
  scripted_provider one(streams({"one"})), two(streams({"two"}));
  serve(one, two);
  settings.access.keys = {{"search", proxy::secret("key-of-search"), {}}, {"chat", proxy::secret("key-of-chat"), {}}};
  const std::string search = "authorization: Bearer key-of-search\r\n", chat = "authorization: Bearer key-of-chat\r\n";
  start_with_board(search);
  const std::string path = "/v1/races/" + post(streamed("r"), search).field_or("x-race-id", "none");
  EXPECT_TRUE(comes_true([&] { return get(path, search).status == 200; }));
  EXPECT_EQ(get(path, chat).status, 404);
  EXPECT_EQ(get(path).status, 401);
  EXPECT_EQ(get(path, search).body.find("key-of"), std::string::npos);
}

TEST_F(adaptive_test, ADeadlineThatHardlyAnyTargetCanMeetIsSaidInTheAnswerAndTheReceipt) {
  scripted_provider one(streams({"one"}, 150ms)), two(streams({"two"}, 150ms));
  serve(one, two);
  start_with_board();
  http_response got;
  EXPECT_TRUE(comes_true([&] {
    got = post(streamed("r"), "x-race-deadline-ms: 1\r\n");
    return got.field_or("x-race-deadline", "").starts_with("unlikely;chance=0.0");
  })) << got.head;
  EXPECT_EQ(got.status, 200);
  http_response shown;
  EXPECT_TRUE(comes_true([&] {
    shown = get("/v1/races/" + got.field_or("x-race-id", "none"));
    return shown.status == 200;
  }));
  EXPECT_NE(shown.body.find(R"("deadline":{"seconds":0.001,"chance":)"), std::string::npos) << shown.body;
  EXPECT_EQ(post(streamed("r"), "x-race-deadline-ms: 60000\r\n").field_or("x-race-deadline", "none"), "none");
  EXPECT_EQ(post(streamed("r"), "x-race-deadline-ms: soon\r\n").status, 400);
}

TEST_F(adaptive_test, WhereNothingIsLearnedAClientMayStillAskForIt) {
  std::atomic<bool> is_silent = false;
  scripted_provider first([&](provider_call& call) {
    if (is_silent) return call.hang();
    streams({"first"})(call);
  });
  scripted_provider second(streams({"second"}));
  serve(first, second, race_policy::hedge).hedge_delay = 10min;
  start();
  const http_response got = post(streamed("r"), "x-race-policy: adaptive\r\n");
  EXPECT_EQ(got.text(), "first");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  is_silent = true;
  EXPECT_EQ(post(streamed("r"), "x-race-policy: adaptive\r\n").text(), "second") << "a rescue, long before the hedge";
}

TEST_F(adaptive_test, ClientsMayOnlyLowerIt) {
  scripted_provider slow(streams({"slow"})), fast(streams({"fast"}));
  serve(slow, fast);
  start();
  EXPECT_EQ(post(streamed("r"), "x-race-policy: hedge\r\n").status, 400);
  EXPECT_EQ(post(streamed("r"), "x-race-policy: fallback\r\n").status, 200);
  EXPECT_EQ(post(streamed("r"), "x-race-policy: adaptive\r\n").status, 200);
}

}  // namespace
}  // namespace photofinish::testing
