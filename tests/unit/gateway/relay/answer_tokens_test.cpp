// Tests how the tokens of an answer are counted. Covers which texts are counted, how many tokens arrived with the first token, and counts
// by another thread.
#include "gateway/relay/answer_tokens.hpp"

#include "proxy/tokens/byte_pairs.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using proxy::count_tokens;
using proxy::delta;
using proxy::delta_kind;

constexpr proxy::instant t0{1h};

class AnswerTokens : public testing::Test {
 protected:
  void add(delta each, proxy::instant read_at = t0) { tokens.add(std::span(&each, 1), read_at); }
  void say(std::string_view text, proxy::instant read_at = t0) { add({.text = text}, read_at); }

  // Waits until the other thread has finished counting, and returns all counts.
  counted_tokens finish() {
    bool has_finished = false;
    tokens.finish();
    boost::asio::co_spawn(loop, tokens.all_counted(), [&](std::exception_ptr) { has_finished = true; });
    loop.poll();
    for (auto& [text, counted] : std::exchange(elsewhere, {})) counted(count_tokens(text));
    loop.restart();
    loop.poll();
    EXPECT_TRUE(has_finished);
    return tokens.result().value_or(counted_tokens{});
  }

  boost::asio::io_context loop;
  bool is_full = false;
  std::vector<std::pair<std::string, std::function<void(std::uint64_t)>>> elsewhere;
  answer_tokens tokens{[this](std::string text, std::function<void(std::uint64_t)> counted) {
    if (!is_full) elsewhere.emplace_back(std::move(text), std::move(counted));
    return !is_full;
  }};
};

TEST_F(AnswerTokens, AWordThatComesInTwoDeltasIsCountedAsOne) {
  say("foot"), say("ball");
  EXPECT_EQ(finish().all, count_tokens("football"));
}

TEST_F(AnswerTokens, ReasoningAndContentAreTextsOfTheirOwn) {
  add({.kind = delta_kind::reasoning, .text = "foot"});
  say("ball");
  EXPECT_EQ(finish().all, count_tokens("foot") + count_tokens("ball"));
}

TEST_F(AnswerTokens, ChoicesThatTakeTurnsAreCountedEachAsOneText) {
  for (const char letter : std::string("international"))
    for (const std::int64_t choice : {0, 1}) add({.choice = choice, .text = {&letter, 1}});
  EXPECT_EQ(finish().all, 2 * count_tokens("international"));
}

TEST_F(AnswerTokens, CallsUnderOneIndexAreCountedApart) {
  for (int call = 0; call < 2; ++call) {
    add({.kind = delta_kind::call, .text = "look"});
    add({.kind = delta_kind::call_arguments, .text = "{\"n\":"});
    add({.kind = delta_kind::call_arguments, .text = "{}}"});
  }
  EXPECT_EQ(finish().all, count_tokens("looklook") + 2 * count_tokens("{\"n\":{}}"));
}

TEST_F(AnswerTokens, MoreTextsThanAreKeptOpenAreCountedAllTheSame) {
  for (int turn = 0; turn < 2; ++turn)
    for (std::int64_t choice = 0; choice < 40; ++choice) add({.choice = choice, .text = " whole"});
  EXPECT_EQ(finish().all, 80 * count_tokens(" whole"));
}

TEST_F(AnswerTokens, TheFirstPartIsWhatWasReadWithTheFirstToken) {
  say("One two", t0), say(" three", t0), say(" four", t0 + 1ms);
  const counted_tokens counted = finish();
  EXPECT_EQ(counted.first, count_tokens("One two three"));
  EXPECT_EQ(counted.all, count_tokens("One two three four"));
}

TEST_F(AnswerTokens, AnAnswerOfOneReadIsAllFirst) {
  say("One two three");
  const counted_tokens counted = finish();
  EXPECT_EQ(counted.first, counted.all);
}

TEST_F(AnswerTokens, WhatWasHeldIsCountedAsIfItHadBeenAdded) {
  std::string shared = "foot";
  const delta each{.text = shared};
  tokens.hold(std::span(&each, 1), t0);
  shared = "ball";  // overwrites the text of the event before its tokens are counted
  tokens.hold(std::span(&each, 1), t0);
  tokens.add_held();
  tokens.add_held();
  EXPECT_EQ(finish().all, count_tokens("football"));
}

TEST_F(AnswerTokens, EventsHeldUntilTheRaceWasDecidedBringTheirText) {
  std::vector<proxy::kept_event> held;
  held.emplace_back(proxy::stream_event{.read_at = t0});
  {
    std::string gone = "footb";
    const std::string_view all = gone;
    const delta deltas[] = {{.text = all.substr(0, 4)}, {.text = all.substr(4)}};
    held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::token, .deltas = deltas, .read_at = t0});
    gone = "*****";
  }
  held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::end, .read_at = t0});
  tokens.add(held);
  say("all", t0 + 1ms);
  const counted_tokens counted = finish();
  EXPECT_EQ(counted.first, count_tokens("footb"));
  EXPECT_EQ(counted.all, count_tokens("football"));
}

TEST_F(AnswerTokens, ABurstIsCountedElsewhereAndComesInLater) {
  std::string text;
  while (text.size() < 5'000) text += "every word of a long burst, ";
  say(text, t0), say(text, t0 + 1ms);
  EXPECT_EQ(elsewhere.size(), 2u);
  const counted_tokens counted = finish();
  EXPECT_EQ(counted.all, count_tokens(text + text));
  EXPECT_EQ(counted.first, count_tokens(text));
}

TEST_F(AnswerTokens, ALongWordAtTheEndOfTheFirstPartIsCountedElsewhere) {
  const std::string word(300, 'x');
  say(word, t0), say(" and", t0 + 1ms);
  const counted_tokens counted = finish();
  EXPECT_EQ(counted.first, count_tokens(word));
  EXPECT_EQ(counted.all, count_tokens(word + " and"));
}

TEST_F(AnswerTokens, WhatNobodyTakesLeavesTheAnswerWithoutACount) {
  is_full = true;
  say(std::string(5'000, '=') + " ");
  say("x");
  finish();
  EXPECT_FALSE(tokens.result());
}

TEST_F(AnswerTokens, AnAnswerWithoutTextHasNoTokens) { EXPECT_EQ(finish().all, 0u); }

}  // namespace
}  // namespace photofinish::gateway
