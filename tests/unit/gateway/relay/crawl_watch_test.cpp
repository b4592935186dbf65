// Tests the limit `min_tokens_per_second`. Only the time in which the gateway waits for more text counts toward this limit.
#include "gateway/relay/crawl_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using proxy::delta;
using proxy::delta_kind;

// An answer in virtual time. The tested limit requires 10 tokens per second, measured over 10 s.
struct watched_answer {
  explicit watched_answer(bool counts_reasoning = false) : reasoning_counts(counts_reasoning) {}

  bool reasoning_counts;
  proxy::instant now{1h};
  std::vector<std::pair<std::string, std::function<void(std::uint64_t)>>> elsewhere;
  answer_tokens tokens{[this](std::string text, std::function<void(std::uint64_t)> counted) {
    elsewhere.emplace_back(std::move(text), std::move(counted));
    return true;
  }};
  crawl_watch watch{limits(reasoning_counts), tokens};
  std::optional<found_crawl> found;

  static racing::crawl_settings limits(bool counts_reasoning) {
    racing::crawl_settings settings;
    settings.counts_reasoning = counts_reasoning;
    settings.min_tokens_per_second = 10;
    return settings;
  }
  // Waits this long for the provider, and checks the limit every second.
  void wait(std::chrono::seconds time) {
    watch.waits(now);
    for (auto second = 0s; second < time; ++second) {
      now += 1s;
      if (auto seen = watch.look(now)) found = seen;
    }
  }
  void come(delta each) {
    proxy::stream_event event;
    const std::array deltas{each};
    event.deltas = deltas;
    event.read_at = now;
    watch.came(event);
    tokens.add(deltas, now);
  }
  void say(std::string_view text) { come({.text = text}); }
  void flow(int seconds, std::string_view text) {
    for (int second = 0; second < seconds; ++second) wait(1s), say(text);
  }
};

TEST(CrawlWatch, ASlowTextIsFoundOnceBehindAWindow) {
  watched_answer answer;
  answer.say("begins ");
  answer.flow(9, "two words ");
  EXPECT_FALSE(answer.found);
  answer.flow(2, "two words ");
  ASSERT_TRUE(answer.found);
  EXPECT_NEAR(answer.found->tokens_per_second, 2, 0.5);
  EXPECT_EQ(answer.found->watched, 10s);
  answer.found.reset();
  answer.flow(60, "two words ");
  EXPECT_FALSE(answer.found) << "it was reported";
}

TEST(CrawlWatch, AFastOneIsNot) {
  watched_answer answer;
  answer.flow(60, "one two three four five six seven eight nine ten eleven twelve ");
  EXPECT_FALSE(answer.found);
}

TEST(CrawlWatch, SilenceBeforeTheTextAndBehindReasoningCallsAndSignaturesIsHealthy) {
  for (const delta& each : {delta{.kind = delta_kind::reasoning, .text = "hm"},
                           delta{.kind = delta_kind::call, .text = "search"},
                           delta{.kind = delta_kind::call_arguments, .text = "{"},
                           delta{.kind = delta_kind::signature, .text = "x"},
                           delta{.kind = delta_kind::opaque, .text = "x"}, delta{.kind = delta_kind::finish}}) {
    watched_answer answer;
    answer.wait(100s);
    answer.say("let me see ");
    answer.come(each);
    answer.wait(100s);
    EXPECT_FALSE(answer.found) << static_cast<int>(each.kind);
    answer.say("and ");
    answer.wait(11s);
    EXPECT_TRUE(answer.found) << static_cast<int>(each.kind);
  }
}

TEST(CrawlWatch, SlowReasoningIsFoundWhereItIsToBeWatched) {
  for (const bool counts : {false, true}) {
    watched_answer answer(counts);
    for (int second = 0; second < 12; ++second) {
      answer.come({.kind = delta_kind::reasoning, .text = "well then "});
      answer.wait(1s);
    }
    EXPECT_EQ(answer.found.has_value(), counts);
  }
}

TEST(CrawlWatch, FastReasoningIsNotAndSilenceBehindACallIsHealthyThereToo) {
  watched_answer answer(true);
  for (int second = 0; second < 12; ++second) {
    answer.come({.kind = delta_kind::reasoning, .text = "one two three four five six seven eight nine ten eleven "});
    answer.wait(1s);
  }
  for (const delta_kind kind : {delta_kind::call, delta_kind::call_arguments, delta_kind::signature,
                                delta_kind::opaque}) {
    answer.come({.kind = kind, .text = "x"});
    answer.wait(100s);
  }
  EXPECT_FALSE(answer.found);
}

TEST(CrawlWatch, APingIsNoPause) {
  watched_answer answer;
  answer.say("begins ");
  for (int each = 0; each < 12; ++each) {
    answer.wait(1s);
    proxy::stream_event ping;
    ping.read_at = answer.now;
    answer.watch.came(ping);
  }
  EXPECT_TRUE(answer.found);
}

TEST(CrawlWatch, TheClientsTimeIsNotTheProviders) {
  watched_answer answer;
  for (int second = 0; second < 100; ++second) {
    answer.say("word ");
    answer.now += 1s;  // the gateway spends this second writing to the client, not waiting for the provider
    EXPECT_FALSE(answer.watch.look(answer.now));
  }
}

TEST(CrawlWatch, WhatIsCountedElsewhereIsWaitedFor) {
  watched_answer answer;
  answer.say("begins ");
  std::string giant;
  while (giant.size() < (1u << 20)) giant += "some more words of it ";
  answer.say(giant);
  ASSERT_FALSE(answer.elsewhere.empty());
  answer.wait(30s);
  EXPECT_FALSE(answer.found) << "how many came is not known yet";
  for (auto& [text, counted] : answer.elsewhere) counted(200'000);
  answer.wait(1s);
  EXPECT_FALSE(answer.found);
}

}  // namespace
}  // namespace photofinish::gateway
