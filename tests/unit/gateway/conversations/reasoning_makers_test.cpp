// Tests how the gateway determines which target created encrypted reasoning, and which targets cannot read it.
#include "gateway/conversations/reasoning_makers.hpp"
#include "gateway/conversations/target_reasoning.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = 1u << 20;
const proxy::instant start{};

digest caller_named(char name) {
  digest made{};
  made.fill(static_cast<unsigned char>(name));
  return made;
}

reasoning_maker at(const std::string& provider, const std::string& model = "m", std::uint64_t account = 0) {
  return {{provider, model}, account};
}

class ReasoningMakers : public ::testing::Test {
 protected:
  void note(char who, std::string_view opaque, const reasoning_maker& maker, proxy::instant now = start) {
    makers.note(caller_named(who), static_cast<proxy::memory_budget::account>(who), makers.id_of(opaque), maker, now);
  }
  std::optional<reasoning_maker> find(char who, std::string_view opaque, proxy::instant now = start) {
    return makers.find(caller_named(who), makers.id_of(opaque), now);
  }
  bool is_foreign_to(const reasoning_maker& target, std::string_view opaque, char who = 'a') {
    return target_reasoning(makers, caller_named(who), target, start).contains(opaque);
  }

  proxy::memory_budget memory{160 * mebibyte};
  reasoning_makers makers{memory, 42, {.bytes = mebibyte, .share = 16, .items = 100, .longest = 512, .lifetime = 60s}};
};

TEST_F(ReasoningMakers, AreFoundByTheCallerThatGotTheReasoning) {
  note('a', "gAAAAone", at("openai", "ft:gpt/5", 7));
  EXPECT_EQ(find('a', "gAAAAone"), at("openai", "ft:gpt/5", 7)) << "with a slash in the model's name";
  EXPECT_EQ(find('a', "gAAAAtwo"), std::nullopt);
  EXPECT_EQ(find('b', "gAAAAone"), std::nullopt);
}

TEST_F(ReasoningMakers, ALongTextIsKnownByItsLengthAndItsEnds) {
  const std::string text(5000, 'x');
  note('a', text, at("openai"));
  EXPECT_TRUE(find('a', text));
  EXPECT_FALSE(find('a', text + "x"));
  for (const std::size_t place : {std::size_t{0}, std::size_t{255}, std::size_t{4744}, std::size_t{4999}}) {
    std::string other = text;
    other[place] = 'y';
    EXPECT_FALSE(find('a', other)) << place;
  }
}

TEST_F(ReasoningMakers, KeepNoText) {
  note('a', std::string(1u << 20, 'x'), at("openai"));
  EXPECT_LT(memory.used(), 600u);
}

TEST_F(ReasoningMakers, AreForgottenWithinBounds) {
  note('a', "old", at("openai"));
  EXPECT_FALSE(find('a', "old", start + 60s));
  note('b', "b", at("openai"), start + 61s);
  for (int count = 0; count < 1000; ++count) note('a', std::to_string(count), at("openai"), start + 61s);
  EXPECT_LE(makers.size(), 26u) << "a quarter for one account, and the other one's";
  EXPECT_TRUE(find('a', "999", start + 61s));
  EXPECT_TRUE(find('b', "b", start + 61s)) << "a caller that fills the store loses its own entries";
}

TEST_F(ReasoningMakers, ATextOfSeveralTargetsHasNoMaker) {
  note('a', "constant", at("kimi"));
  note('a', "constant", at("kimi"));
  EXPECT_EQ(find('a', "constant"), at("kimi"));
  for (const char* name : {"minimax", "kimi", "kimi"}) note('a', "constant", at(name));
  EXPECT_EQ(find('a', "constant"), std::nullopt);
  EXPECT_FALSE(is_foreign_to(at("elsewhere"), "constant"));
}

TEST_F(ReasoningMakers, AnotherAccountCannotReadIt) {
  note('a', "blob", at("openai", "gpt-5.5"));
  EXPECT_TRUE(is_foreign_to(at("azure", "gpt-5.5"), "blob"));
  EXPECT_FALSE(is_foreign_to(at("openai", "gpt-5.5"), "blob"));
  EXPECT_FALSE(is_foreign_to(at("openai", "gpt-5.4"), "blob")) << "another model of the same account";
}

TEST_F(ReasoningMakers, WhatIsNotKnownIsNotForeign) {
  note('a', "blob", at("openai"));
  EXPECT_FALSE(is_foreign_to(at("azure"), "another"));
  EXPECT_FALSE(is_foreign_to(at("azure"), "blob", 'b')) << "another caller's";
}

TEST_F(ReasoningMakers, TwoProvidersWithOneKeyAreOneAccount) {
  proxy::base_url place;
  place.host = "api.openai.com";
  place.port = 443;
  const std::uint64_t account = makers.account_of(place, proxy::secret("k"));
  note('a', "blob", at("openai", "m", account));
  EXPECT_FALSE(is_foreign_to(at("flex", "m", makers.account_of(place, proxy::secret("k"))), "blob"));
  EXPECT_TRUE(is_foreign_to(at("flex", "m", makers.account_of(place, proxy::secret("other"))), "blob"));
  place.host = "eu.example.com";
  EXPECT_TRUE(is_foreign_to(at("flex", "m", makers.account_of(place, proxy::secret("k"))), "blob"));
  note('a', "keyless", at("local", "m", makers.account_of(place, {})));
  EXPECT_TRUE(is_foreign_to(at("flex", "m", makers.account_of(place, {})), "keyless")) << "no key tells nothing";
}

TEST_F(ReasoningMakers, PlatformsOfClaudeReadEachOthersSignatures) {
  note('a', "sig", at("anthropic", "claude-sonnet-4-5"));
  EXPECT_FALSE(is_foreign_to(at("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"), "sig"));
  EXPECT_FALSE(is_foreign_to(at("vertex", "claude-sonnet-4-5@20250929"), "sig"));
  EXPECT_TRUE(is_foreign_to(at("moonshot", "kimi-k3"), "sig"));
  note('a', "kimi", at("moonshot", "kimi-k3"));
  EXPECT_TRUE(is_foreign_to(at("anthropic", "claude-sonnet-4-5"), "kimi"));
}

class RefusedReasoning : public ReasoningMakers {
 protected:
  // Sends a request with these pieces of reasoning to `target`, and reports that the target refused the request.
  void refuse(const reasoning_maker& target, std::initializer_list<const char*> pieces) {
    target_reasoning sent(makers, caller_named('a'), target, start);
    for (const char* each : pieces) sent.contains(each);
    sent.note_refusal(7);
  }
};

TEST_F(RefusedReasoning, IsNotSentToThatProviderAgain) {
  refuse(at("openai"), {"blob"});
  EXPECT_TRUE(is_foreign_to(at("openai"), "blob"));
  EXPECT_TRUE(is_foreign_to(at("openai", "another"), "blob")) << "the account counts";
  EXPECT_FALSE(is_foreign_to(at("azure"), "blob")) << "it may be its own";
  EXPECT_FALSE(is_foreign_to(at("openai"), "another"));
  EXPECT_FALSE(is_foreign_to(at("openai"), "blob", 'b')) << "another caller's";
}

TEST_F(RefusedReasoning, IsWhatIsNotTheTargetsOwn) {
  note('a', "own", at("openai"));
  refuse(at("openai"), {"own", "unknown"});
  EXPECT_FALSE(is_foreign_to(at("openai"), "own"));
  EXPECT_TRUE(is_foreign_to(at("openai"), "unknown"));
}

TEST_F(RefusedReasoning, IsItsOwnIfNothingElseWasSent) {
  note('a', "own", at("openai"));
  refuse(at("openai"), {"own"});
  EXPECT_TRUE(is_foreign_to(at("openai"), "own")) << "the provider's key is another account's now";
}

TEST_F(RefusedReasoning, OfAPlatformOfClaudeIsNotSentThereAgain) {
  note('a', "sig", at("anthropic", "claude-sonnet-4-5"));
  refuse(at("proxied", "claude-sonnet-4-5"), {"sig"});
  EXPECT_TRUE(is_foreign_to(at("proxied", "claude-sonnet-4-5"), "sig"));
  EXPECT_FALSE(is_foreign_to(at("vertex", "claude-sonnet-4-5"), "sig"));
}

}  // namespace
}  // namespace photofinish::gateway
