// Tests which targets are skipped after failures (cooldowns), and for how long.
#include "racing/cooldowns.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using proxy::failure_kind;

constexpr instant now{1h};

TEST(Cooldowns, ARateLimitCoolsForItsRetryAfter) {
  cooldowns all;
  EXPECT_TRUE(all.note({"a/m", failure_kind::rate_limited, 2s}, now));
  EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now + 1999ms));
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now + 2s));
}

TEST(Cooldowns, NoneIsLongerThanTenMinutes) {
  cooldowns all;
  all.note({"a/m", failure_kind::quota, std::chrono::hours(9)}, now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now + 10min));
}

TEST(Cooldowns, OtherFailuresCoolOnlyWhenTheyRepeat) {
  cooldowns all;
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
  EXPECT_TRUE(all.note({"a/m", failure_kind::connect, {}}, now));
}

TEST(Cooldowns, ASuccessInBetweenBreaksTheSeries) {
  cooldowns all;
  all.note({"a/m", failure_kind::connect, {}}, now);
  all.note({"a/m", failure_kind::connect, {}}, now);
  all.note({"a/m", std::nullopt, {}}, now);
  EXPECT_FALSE(all.note({"a/m", failure_kind::connect, {}}, now));
}

TEST(Cooldowns, AClientsFaultCoolsNobody) {
  cooldowns all;
  for (int times = 0; times < 10; ++times) {
    EXPECT_FALSE(all.note({"a/m", failure_kind::bad_request, {}}, now));
    EXPECT_FALSE(all.note({"a/m", failure_kind::auth, {}}, now));
  }
}

TEST(Cooldowns, OneCallersLimitDoesNotCoolAnothersKey) {
  cooldowns all;
  all.note({"a/m#1111", failure_kind::rate_limited, 2s}, now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now));
}

TEST(Cooldowns, TenThousandRunnersAreTheBound) {
  cooldowns all;
  for (std::size_t index = 0; index < 20'000; ++index)
    all.note({"a/m#" + std::to_string(index), failure_kind::rate_limited, 60s}, now);
  EXPECT_EQ(all.snapshot(now).cools_until.size(), cooldowns::max_candidates);
}

attempt_sample broken(caller_id caller, std::uint64_t prompt, failure_kind kind = failure_kind::server_error) {
  return {.id = "a/m", .failed = kind, .retry_after = {}, .status = 500, .caller = caller, .prompt = prompt};
}

constexpr caller_id alice = 1, bob = 2;

TEST(Cooldowns, OnePromptSentAgainAndAgainCoolsNothing) {
  cooldowns all;
  for (std::size_t times = 1; times < cooldowns::stubborn; ++times) EXPECT_FALSE(all.note(broken(alice, 7), now)) << times;
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, alice));
}

TEST(Cooldowns, WhereNothingElseIsAskedOnePromptCoolsAtLast) {
  cooldowns all;
  for (std::size_t times = 0; times < cooldowns::stubborn; ++times) all.note(broken(alice, 7), now);
  EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, alice));
}

TEST(Cooldowns, OneCallersPromptsCoolForThatCallerAlone) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 50; ++prompt) all.note(broken(alice, prompt), now);
  const scoreboard board = all.snapshot(now);
  EXPECT_TRUE(board.is_cooling("a/m", now, alice));
  EXPECT_FALSE(board.is_cooling("a/m", now, bob));
  EXPECT_FALSE(board.is_cooling("a/m", now));
}

TEST(Cooldowns, ASecondCallersFailureConfirmsIt) {
  cooldowns all;
  all.note(broken(alice, 1), now);
  all.note(broken(alice, 2), now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, bob));
  EXPECT_TRUE(all.note(broken(bob, 3), now));
  for (const caller_id who : {alice, bob, caller_id{3}}) EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, who));
}

// A caller can make a provider fail arbitrarily often, for example with a prompt that the provider answers with status 500.
TEST(Cooldowns, OneCallersManyFailuresDoNotMakeACooldownOfAllLong) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 1000; ++prompt) all.note(broken(alice, prompt), now);
  all.note(broken(bob, 3), now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now + cooldowns::repeated_default, bob));
}

TEST(Cooldowns, FurtherFailuresOfOneCallerDoNotRenewACooldownOfAll) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 3; ++prompt) all.note(broken(alice, prompt), now);
  all.note(broken(bob, 3), now);
  const instant later = now + cooldowns::repeated_default;
  for (std::uint64_t prompt = 1; prompt <= 1000; ++prompt) all.note(broken(alice, prompt), later);
  EXPECT_TRUE(all.snapshot(later).is_cooling("a/m", later, alice));
  EXPECT_FALSE(all.snapshot(later).is_cooling("a/m", later, bob));
}

TEST(Cooldowns, ASuccessOfAnyCallerEndsThem) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 5; ++prompt) all.note(broken(alice, prompt), now);
  EXPECT_TRUE(all.note({.id = "a/m", .failed = {}, .retry_after = {}, .caller = bob}, now));
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, alice));
}

TEST(Cooldowns, WhatNoPromptBringsAboutCoolsForAll) {
  for (const failure_kind kind : {failure_kind::dns, failure_kind::connect, failure_kind::tls}) {
    cooldowns all;
    for (int times = 0; times < 3; ++times) all.note(broken(alice, 7, kind), now);
    EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, bob)) << to_string(kind);
  }
}

TEST(Cooldowns, AProviderThatSaysThatItIsOverloadedCoolsForAll) {
  for (const int status : {503, 529}) {
    cooldowns all;
    auto sample = broken(alice, 7);
    sample.status = status;
    for (int times = 0; times < 3; ++times) all.note(sample, now);
    EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, bob)) << status;
  }
}

TEST(Cooldowns, OneCallersDoubtsAreOneFailureBesideTheCertainOnes) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 5; ++prompt) all.note(broken(alice, prompt), now);
  all.note(broken(alice, 7, failure_kind::connect), now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, bob));
  all.note(broken(alice, 7, failure_kind::connect), now);
  EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, bob));
}

attempt_sample limited_by_prose(caller_id caller, failure_kind kind = failure_kind::quota) {
  return {.id = "a/m", .failed = kind, .retry_after = {}, .caller = caller, .scope = proxy::failure_scope::caller};
}

TEST(Cooldowns, ALimitThatOnlyProseTellsCoolsForItsCallerAlone) {
  for (const failure_kind kind : {failure_kind::quota, failure_kind::rate_limited}) {
    cooldowns all;
    for (int times = 0; times < 50; ++times) all.note(limited_by_prose(7, kind), now);
    const scoreboard board = all.snapshot(now);
    EXPECT_TRUE(board.is_cooling("a/m", now, 7)) << to_string(kind);
    EXPECT_FALSE(board.is_cooling("a/m", now, 8)) << to_string(kind);
    EXPECT_FALSE(board.is_cooling("a/m", now)) << to_string(kind);
    EXPECT_FALSE(board.is_limited("a/m", now)) << to_string(kind);
  }
}

TEST(Cooldowns, ManyCallersProseCoolsForNoOther) {
  cooldowns all;
  for (caller_id who = 1; who <= 200; ++who) all.note(limited_by_prose(who), now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, 201));
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now));
}

TEST(Cooldowns, ProseConfirmsNoOtherCallersDoubts) {
  cooldowns all;
  for (std::uint64_t prompt = 1; prompt <= 5; ++prompt) all.note(broken(alice, prompt), now);
  all.note(limited_by_prose(bob), now);
  all.note(broken(alice, 6), now);
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, 3));
}

TEST(Cooldowns, OverloadThatOnlyProseTellsIsDoubtful) {
  cooldowns all;
  attempt_sample sample = limited_by_prose(7, failure_kind::server_error);
  sample.status = 503;
  for (std::uint64_t prompt = 1; prompt <= 50; ++prompt) sample.prompt = prompt, all.note(sample, now);
  EXPECT_TRUE(all.snapshot(now).is_cooling("a/m", now, 7));
  EXPECT_FALSE(all.snapshot(now).is_cooling("a/m", now, 8));
}

TEST(Cooldowns, CallersAreRememberedUpToABound) {
  cooldowns all;
  for (caller_id who = 1; who <= 10'000; ++who)
    for (std::uint64_t prompt = 0; prompt < 3; ++prompt) all.note(broken(who, prompt), now);
  EXPECT_LE(all.snapshot(now).cools_for["a/m"].size(), cooldowns::max_callers + 1);
}

}  // namespace
}  // namespace photofinish::racing
