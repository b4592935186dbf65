// Tests the setting `win_on: finish`: the gateway holds back the tokens of the first target while it expects another target to finish
// sooner. The tests check the winner, the client's answer and the receipt.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <functional>
#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// The behaviour of the provider `early` after its second token.
enum class behind_two_tokens { goes_on, breaks, gives_much };

// The target `early` starts its answer immediately, but needs a long time to complete it. The target `late` sends its complete answer a
// little later.
class finish_test : public gateway_fixture {
 protected:
  finish_test() { keeping.tick = 20ms; }

  std::atomic<bool> has_spoken = false;     // true if the target `early` has sent a token for the current request
  std::atomic<bool> may_late_speak = true;
  std::atomic<behind_two_tokens> early_then = behind_two_tokens::goes_on;
  std::atomic<bool> has_early_ended = false;  // true if the target `early` stopped without completing its answer

  scripted_provider early{[this](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("slowly "));
    call.event(token_chunk("spoken "));
    has_spoken = true;
    if (early_then != behind_two_tokens::goes_on) return end_early(call);
    for (int n = 0; n < 38; ++n)
      if (!call.wait(20ms) || !call.event(token_chunk("word "))) return;
    call.event(finish_chunk());
    call.end();
  }};
  scripted_provider late{[this](provider_call& call) {
    const bool runs_alone = call.request().body.find("alone") != std::string::npos;
    if (!runs_alone && !call.wait_until([this] { return has_spoken && may_late_speak; })) return;
    // The gateway holds back the tokens of the target `early` for about this time, even if the machine is busy.
    streams({"quick ", "answer"}, 40ms)(call);
  }};

  void end_early(provider_call& call) {
    if (early_then == behind_two_tokens::breaks) {
      call.reset();
      may_late_speak = true;
    } else {
      call.event(token_chunk(std::string(80u << 10, 'x')));
      call.event(finish_chunk());
      call.end();
    }
    has_early_ended = true;
  }

  racing::race_settings& serve() {
    add("early", early).limits.max_buffered_bytes = 64u << 10;
    add("late", late);
    return add_route("r", {"early/m", "late/m"}).race;
  }
  http_response ask(const std::string& body, const std::string& fields = "") {
    has_spoken = false;
    return post(body, fields);
  }
  // Sends requests until the gateway knows the speeds of both targets. The gateway then holds back the tokens of `early`, because `late`
  // will finish sooner.
  bool is_learned(const std::function<std::string()>& body = [] { return streamed("r"); }) {
    return comes_true([&] {
      ask(streamed("r", R"(,"user":"alone")"), "x-race-policy: fallback\r\n");
      // Measures a complete answer of the target `late`. In a race, the gateway might cancel each answer of this target.
      ask(streamed("late/m", R"(,"user":"alone")"));
      return ask(body()).field_or("x-race-winner", "") == "late/m";
    });
  }
  // Sends requests until `late` wins a race in which the gateway has held back the tokens of `early`. On a busy machine, the first tokens
  // of both targets may arrive in the same pass of the event loop. If the token of `late` comes first, the gateway holds back no token, and
  // the receipt shows no learned speed.
  http_response ask_until_held() {
    http_response held;
    const bool was_held = comes_true([&] {
      if (!is_learned()) return false;
      held = ask(streamed("r"));
      return receipt_of(held).find(R"("hold":{"target":"early/m")") != std::string::npos;
    });
    EXPECT_TRUE(was_held) << "no race held the early one's tokens";
    return held;
  }
  std::string receipt_of(const http_response& got) {
    std::string page;
    EXPECT_TRUE(comes_true([&] {
      const http_response shown = get("/v1/races/" + got.field_or("x-race-id", "none"));
      page = shown.body;
      return shown.status == 200;
    }));
    return page;
  }
};

TEST_F(finish_test, TheFirstTokenIsHeldForOneThatFinishesSooner) {
  serve().wins = racing::win_on::finish;
  start();
  const http_response got = ask_until_held();
  EXPECT_EQ(got.text(), "quick answer");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "late/m");
  const std::string receipt = receipt_of(got);
  EXPECT_NE(receipt.find(R"("why":"overtaken")"), std::string::npos) << receipt;
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_lost_output_tokens_total", {R"(provider="early")"}) > 0; }))
      << "what it had said is paid for";
}

TEST_F(finish_test, WhenTheOtherStaysSilentTheHeldAnswerIsTheClients) {
  serve().wins = racing::win_on::finish;
  start();
  ask_until_held();
  may_late_speak = false;
  const http_response got = ask(streamed("r"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "early/m");
  EXPECT_TRUE(got.text().starts_with("slowly spoken word ")) << got.text();
  EXPECT_TRUE(got.text().ends_with("word word ")) << got.text();
  EXPECT_NE(receipt_of(got).find(R"("hold":{"target":"early/m")"), std::string::npos);
}

TEST_F(finish_test, OneThatFailsWhileItIsHeldLeavesNoTrace) {
  serve().wins = racing::win_on::finish;
  start();
  ask_until_held();
  may_late_speak = false;
  early_then = behind_two_tokens::breaks;
  const http_response got = ask(streamed("r"));
  EXPECT_TRUE(has_early_ended);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text(), "quick answer");
}

TEST_F(finish_test, WhatIsHeldIsBounded) {
  serve().wins = racing::win_on::finish;
  start();
  ask_until_held();
  may_late_speak = false;
  early_then = behind_two_tokens::gives_much;
  const http_response got = ask(streamed("r"));
  EXPECT_EQ(got.text().size(), std::string("slowly spoken ").size() + (80u << 10));
  const std::string receipt = receipt_of(got);
  EXPECT_TRUE(receipt.find(R"("why":"full")") != std::string::npos ||
              // The last token and the end of the answer may both have arrived in one read.
              receipt.find(R"("why":"complete")") != std::string::npos) << receipt;
}

TEST_F(finish_test, AWholeAnswerSortedByFinishIsSoByItself) {
  serve().sort = racing::target_sort::finish;
  start();
  EXPECT_TRUE(is_learned([] { return whole("r"); }));
}

TEST_F(finish_test, AndAStreamIsNot) {
  serve().sort = racing::target_sort::finish;
  start();
  ASSERT_TRUE(is_learned([] { return whole("r"); }));
  may_late_speak = false;
  EXPECT_EQ(ask(streamed("r")).field_or("x-race-winner", ""), "early/m");
}

TEST_F(finish_test, WhereNothingIsKnownTheFirstTokenWins) {
  keeping.tick = std::chrono::hours(1);
  serve().wins = racing::win_on::finish;
  start();
  EXPECT_EQ(ask(streamed("r")).field_or("x-race-winner", ""), "early/m");
}

}  // namespace
}  // namespace photofinish::testing
