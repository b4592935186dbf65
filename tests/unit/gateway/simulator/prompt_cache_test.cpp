// Tests the simulated prompt caches in virtual time: how many tokens of a second request's prompt the cache contains.
#include "gateway/simulator/prompts/prompt_cache.hpp"
#include "gateway/simulator/prompts/prompt_visit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

using namespace std::chrono_literals;

sim_prompt_cache on() {
  sim_prompt_cache settings;
  settings.is_on = true;
  settings.minimum = 1000;
  settings.step = 100;
  return settings;
}

// A conversation of `messages` messages with 520 tokens each. From message `fork_at` on, it differs from a conversation that has no fork.
std::vector<prompt_boundary> conversation(std::uint64_t root, std::size_t messages, std::size_t fork_at = 1000) {
  std::vector<prompt_boundary> all;
  for (std::size_t number = 0; number < messages; ++number)
    all.push_back({.hash = root * 1000 + number + (number >= fork_at ? 500 : 0), .tokens = (number + 1) * 520, .ends_message = true});
  return all;
}

class SimPromptCache : public testing::Test {
 protected:
  // Answers a request, and returns how many of its tokens were cached.
  cached_tokens ask(const std::vector<prompt_boundary>& prompt, microseconds now, const cache_chances& chances = {}) {
    prompt_visit visit(cache_, settings_, prompt, chances, now);
    visit.keep();
    return visit.found();
  }
  std::uint64_t read(const std::vector<prompt_boundary>& prompt, microseconds now) const {
    return cache_.find(settings_, prompt, {}, now).read;
  }

  sim_prompt_cache settings_ = on();
  prompt_cache cache_{1};
};

TEST_F(SimPromptCache, FindsTheLongestPrefixInWholeSteps) {
  EXPECT_EQ(ask(conversation(1, 4), 0s).read, 0u);
  EXPECT_EQ(ask(conversation(1, 6), 1s).read, 2000u);  // the shared prefix has 2,080 tokens; the cache rounds down to multiples of 100
  EXPECT_EQ(read(conversation(1, 7), 2s), 3100u);      // the shared prefix has 3,120 tokens; the cache rounds down to multiples of 100
  EXPECT_EQ(read(conversation(1, 7, 3), 2s), 1500u);   // shares only its first three messages with the stored conversation
  EXPECT_EQ(read(conversation(2, 7), 2s), 0u);
}

TEST_F(SimPromptCache, CountsWhatIsWrittenBeyondWhatWasRead) {
  EXPECT_EQ(ask(conversation(1, 4), 0s).written, 2000u);
  EXPECT_EQ(ask(conversation(1, 6), 1s).written, 1100u);
}

TEST_F(SimPromptCache, KeepsNothingBelowTheMinimum) {
  ask(conversation(1, 1), 0s);
  EXPECT_EQ(cache_.size(), 0u);
  EXPECT_EQ(read(conversation(1, 1), 1s), 0u);
  settings_.minimum = 500;
  ask(conversation(1, 1), 2s);
  EXPECT_EQ(read(conversation(1, 1), 3s), 500u);
}

TEST_F(SimPromptCache, ARequestThatIsCutEarlyKeepsNothing) {
  { prompt_visit cut(cache_, settings_, conversation(1, 4), {}, 0s); }
  EXPECT_EQ(read(conversation(1, 4), 1s), 0u);
}

TEST_F(SimPromptCache, LivesFromTheStartOfItsLastUse) {
  settings_.ttl = 300s;
  ask(conversation(1, 4), 0s);
  EXPECT_EQ(read(conversation(1, 4), 299s), 2000u);
  EXPECT_EQ(read(conversation(1, 4), 300s), 0u);
  ask(conversation(1, 4), 200s);
  EXPECT_EQ(read(conversation(1, 4), 499s), 2000u);
  EXPECT_EQ(read(conversation(1, 4), 500s), 0u);
}

TEST_F(SimPromptCache, AnEarlierStartDoesNotShortenALife) {
  settings_.ttl = 300s;
  prompt_visit slow(cache_, settings_, conversation(1, 4), {}, 0s);
  ask(conversation(1, 4), 100s);
  slow.keep();
  EXPECT_EQ(read(conversation(1, 4), 399s), 2000u);
}

TEST_F(SimPromptCache, TheLeastRecentlyUsedAreLost) {
  settings_.entries = 6;  // three of a conversation's four prefixes are long enough for the cache
  ask(conversation(1, 4), 0s);
  ask(conversation(2, 4), 1s);
  ask(conversation(1, 4), 2s);
  ask(conversation(3, 4), 3s);
  EXPECT_EQ(cache_.size(), 6u);
  EXPECT_EQ(read(conversation(1, 4), 4s), 2000u);
  EXPECT_EQ(read(conversation(2, 4), 4s), 0u);
  EXPECT_EQ(read(conversation(3, 4), 4s), 2000u);
}

TEST_F(SimPromptCache, NeverHoldsMoreThanItsEntries) {
  settings_.entries = most_cached_prefixes;
  for (std::uint64_t root = 1; root < 40'000; ++root) ask(conversation(root, 4), 0s);
  EXPECT_EQ(cache_.size(), most_cached_prefixes);
}

TEST_F(SimPromptCache, IsLostByChanceAtTheRateThatIsSet) {
  settings_.ttl = 3600s;
  settings_.evict = 1000s;
  constexpr int count = 2'000;
  for (int each = 0; each < count; ++each)
    ask(conversation(static_cast<std::uint64_t>(each), 4), 0s, {.life = (each + 0.5) / count});
  int left = 0;
  for (int each = 0; each < count; ++each) left += read(conversation(static_cast<std::uint64_t>(each), 4), 1000s) > 0;
  EXPECT_NEAR(left, count * std::exp(-1), 2);
}

TEST_F(SimPromptCache, AShareOfTheRequestsFindsNothing) {
  settings_.miss_share = 0.03;
  ask(conversation(1, 4), 0s);
  EXPECT_EQ(cache_.find(settings_, conversation(1, 4), {.miss = 0.029}, 1s).read, 0u);
  EXPECT_EQ(cache_.find(settings_, conversation(1, 4), {.miss = 0.03}, 1s).read, 2000u);
}

// The simulated cache stores a prompt only up to boundaries that have a cache mark. A cache mark in a later request matches a stored
// boundary only if the boundary is at most 20 blocks before the mark.
class SimMarkedPrompts : public SimPromptCache {
 protected:
  SimMarkedPrompts() {
    settings_.needs_marks = true;
    settings_.step = 1;
  }
  static std::vector<prompt_boundary> marked(std::size_t messages, std::vector<std::size_t> marks,
                                             prompt_mark mark = prompt_mark::usual) {
    auto prompt = conversation(1, messages);
    for (const std::size_t each : marks) prompt[each].mark = mark;
    return prompt;
  }
};

TEST_F(SimMarkedPrompts, WithoutAMarkNothingIsKept) {
  EXPECT_EQ(ask(conversation(1, 4), 0s).written, 0u);
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(SimMarkedPrompts, AMarkThatMovesOnFindsTheOneBefore) {
  EXPECT_EQ(ask(marked(4, {3}), 0s).written, 2080u);
  const cached_tokens second = ask(marked(6, {5}), 1s);
  EXPECT_EQ(second.read, 2080u);
  EXPECT_EQ(second.written, 1040u);
  EXPECT_EQ(ask(marked(27, {26}), 2s).read, 0u);  // this cache mark is 21 blocks after the last stored mark
  EXPECT_EQ(ask(marked(27, {24, 26}), 3s).read, 27u * 520);
}

TEST_F(SimMarkedPrompts, OnlyTheLastFourMarksCount) {
  ask(marked(6, {1, 2, 3, 4, 5}), 0s);
  EXPECT_EQ(cache_.size(), 4u);
}

TEST_F(SimMarkedPrompts, LiveAsLongAsTheirMarkSays) {
  settings_.ttl = 600s;
  ask(marked(4, {3}, prompt_mark::one_hour), 0s);
  EXPECT_EQ(read(marked(4, {3}), 3599s), 2080u);
  EXPECT_EQ(read(marked(4, {3}), 3600s), 0u);
  ask(marked(4, {3}, prompt_mark::five_minutes), 4000s);
  EXPECT_EQ(read(marked(4, {3}), 4299s), 2080u);
  EXPECT_EQ(read(marked(4, {3}), 4300s), 0u);
  ask(marked(4, {3}), 5000s);
  EXPECT_EQ(read(marked(4, {3}), 5599s), 2080u);
}

TEST_F(SimMarkedPrompts, AReadRenewsThePrefixThatItFound) {
  settings_.ttl = 300s;
  ask(marked(4, {3}), 0s);
  EXPECT_EQ(ask(marked(6, {5}), 200s).read, 2080u);
  EXPECT_EQ(read(marked(4, {3}), 499s), 2080u);
}

TEST_F(SimMarkedPrompts, TokensForAnHourAreCountedApart) {
  auto prompt = marked(6, {5});
  prompt[3].mark = prompt_mark::one_hour;
  const cached_tokens found = ask(prompt, 0s);
  EXPECT_EQ(found.written, 3120u);
  EXPECT_EQ(found.written_1h, 2080u);
}

TEST(SimCacheRoots, DifferByCredentialModelAndReplica) {
  const prompt_cache cache(1);
  sim_prompt_cache settings = on();
  const auto root = [&](const cache_owner& owner, double chance = 0) { return cache.root_of(owner, settings, chance); };
  EXPECT_EQ(root({"key", "m", {}}), root({"key", "m", "hint"}, 0.9));  // one replica
  EXPECT_NE(root({"key", "m", {}}), root({"other", "m", {}}));
  EXPECT_NE(root({"key", "m", {}}), root({"key", "n", {}}));
  settings.replicas = 2;
  EXPECT_EQ(root({"key", "m", {}}, 0), root({"key", "m", {}}, 0.49));
  EXPECT_NE(root({"key", "m", {}}, 0), root({"key", "m", {}}, 0.5));
  EXPECT_EQ(root({"key", "m", "hint"}, 0), root({"key", "m", "hint"}, 0.99));
}

TEST(SimCacheRoots, HintsSpreadOverAllReplicas) {
  const prompt_cache cache(1);
  sim_prompt_cache settings = on();
  settings.replicas = 4;
  std::vector<std::uint64_t> seen;
  for (int each = 0; each < 64; ++each) seen.push_back(cache.root_of({"key", "m", std::to_string(each)}, settings, 0));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), 4);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
