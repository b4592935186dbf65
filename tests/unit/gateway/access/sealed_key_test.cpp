// Tests sealed keys, which contain their own claims. Tests which keys are valid, and which caller each key identifies.
#include "gateway/access/sealed_key.hpp"

#include "gateway/access/sealed_caller.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
const proxy::secret first("0123456789abcdef0123456789abcdef"), second("abcdef0123456789abcdef0123456789");

sealed_claims alice() {
  return {.audience = "photofinish", .id = "pf-abc", .subject = "alice@example.com", .team = "search", .issued = noon,
          .expires = noon + 24h, .routes = {"fast"},
          .limits = {.requests_per_minute = 60, .tokens_per_minute = 1000, .parallel_requests = 2},
          .keys = {{"groq", {"api.groq.com", proxy::secret("gsk-1")}}}};
}

TEST(SealedKey, OpensAsItWasSealed) {
  const std::string text = seal(alice(), first);
  EXPECT_TRUE(text.starts_with("pfs1-"));
  EXPECT_EQ(text.find_first_of("=,+/ "), std::string::npos);
  EXPECT_EQ(text.find("gsk-1"), std::string::npos);
  EXPECT_EQ(open_sealed_key(text, std::vector{first}), alice());
  EXPECT_EQ(open_sealed_key(text, std::vector{second, first}), alice());
  sealed_claims least{.audience = "a", .id = "i", .subject = "s", .issued = noon, .expires = noon};
  EXPECT_EQ(open_sealed_key(seal(least, first), std::vector{first}), least);
}

TEST(SealedKey, TwoOfTheSameClaimsHaveNothingInCommon) {
  std::set<std::string> all;
  for (int each = 0; each < 100; ++each) all.insert(seal(alice(), first).substr(14, 32));
  EXPECT_EQ(all.size(), 100u);
}

TEST(SealedKey, NoChangedBitOpens) {
  const std::string text = seal(alice(), first);
  const std::vector secrets{first, second};
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      ASSERT_FALSE(open_sealed_key(changed, secrets)) << at << " " << bit;
    }
  for (std::size_t cut = 0; cut < text.size(); ++cut) ASSERT_FALSE(open_sealed_key(text.substr(0, cut), secrets)) << cut;
  for (const char* more : {"A", "AA", "=", " "}) EXPECT_FALSE(open_sealed_key(text + more, secrets));
}

TEST(SealedKey, ASecretThatHasGoneOpensNothing) {
  EXPECT_FALSE(open_sealed_key(seal(alice(), first), std::vector{second}));
  EXPECT_FALSE(open_sealed_key(seal(alice(), first), {}));
}

// The gateway copies a provider's key unchanged into a request header. Therefore the key must be a valid header value.
TEST(SealedKey, WithAKeyThatIsMoreThanAHeadersValueOpensNothing) {
  for (const char* key : {"x\r\ncontent-length: 0\r\n\r\nPOST / HTTP/1.1", "ends with a line\n", "two words"}) {
    sealed_claims wrong = alice();
    wrong.keys["groq"].key = proxy::secret(key);
    EXPECT_FALSE(open_sealed_key(seal(wrong, first), std::vector{first})) << key;
  }
}

TEST(SealedKey, ThatIsTooLongOpensNothing) {
  sealed_claims long_ones = alice();
  for (int each = 0; each < 400; ++each) long_ones.routes.push_back("route-" + std::to_string(each));
  EXPECT_FALSE(open_sealed_key(seal(long_ones, first), std::vector{first}));
}

class sealed_callers : public ::testing::Test {
 protected:
  sealed_callers() {
    settings.access.sealed_keys.secrets = {first};
    settings.access.teams["search"] = {};
    proxy::provider groq;
    groq.name = "groq";
    groq.url.host = "api.groq.com";
    settings.providers["groq"] = groq;
  }

  // Presents a sealed key with these claims. Returns the caller or the refusal.
  std::variant<caller, refusal> bring(const sealed_claims& claims, const proxy::secret& by = first) {
    presented = {};
    presented.bearer = proxy::secret(seal(claims, by));
    return *identify_sealed(presented, settings, noon);
  }
  std::string refused(const sealed_claims& claims) {
    const auto got = bring(claims);
    if (!std::holds_alternative<refusal>(got)) return "it is taken";
    EXPECT_EQ(std::get<refusal>(got).status, 401);
    return std::get<refusal>(got).message;
  }

  config settings;
  presented_keys presented;
};

TEST_F(sealed_callers, OfTwoTeamsAreNeverTheSame) {
  const auto name_of = [this](const std::string& team, const std::string& subject) {
    settings.access.teams[team] = {};
    sealed_claims claims = alice();
    claims.team = team;
    claims.subject = subject;
    const auto got = bring(claims);
    return std::holds_alternative<caller>(got) ? std::string(std::get<caller>(got).name()) : "";
  };
  EXPECT_EQ(name_of("search", "a/b"), "_sealed/search/a/b");
  EXPECT_EQ(name_of("search/a", "b"), "_sealed/search%2Fa/b");
  EXPECT_EQ(name_of("search%2Fa", "b"), "_sealed/search%252Fa/b");
}

TEST_F(sealed_callers, AreWhoTheirKeySays) {
  const auto got = bring(alice());
  ASSERT_TRUE(std::holds_alternative<caller>(got)) << std::get<refusal>(got).message;
  const caller who = std::get<caller>(got);
  EXPECT_EQ(who.name(), "_sealed/search/alice@example.com");
  EXPECT_EQ(who.label(), "_sealed");
  EXPECT_EQ(who.team(), "search");
  EXPECT_TRUE(may_use_route(who, "fast"));
  EXPECT_FALSE(may_use_route(who, "deep"));
  EXPECT_FALSE(may_use_targets_directly(who));
  EXPECT_FALSE(presented.bearer);  // the sealed key is not sent to any provider
  EXPECT_EQ(presented.by_provider.at("groq").reveal(), "gsk-1");
}

TEST_F(sealed_callers, AreRefusedForEachClaimThatDoesNotHold) {
  sealed_claims foreign = alice(), old = alice(), moved = alice();
  foreign.audience = "another";
  EXPECT_NE(refused(foreign).find("for another gateway"), std::string::npos);
  old.expires = noon;
  EXPECT_NE(refused(old).find("has expired"), std::string::npos);
  moved.keys["groq"].host = "evil.example.com";
  EXPECT_NE(refused(moved).find("for a host that is not the configured host"), std::string::npos);
  sealed_claims stray = alice();
  stray.team = "gone";
  EXPECT_NE(refused(stray).find("names a team"), std::string::npos);
  settings.access.sealed_keys.revoked = {"pf-abc"};
  EXPECT_NE(refused(alice()).find("is revoked"), std::string::npos);
}

TEST_F(sealed_callers, AreTakenWithBothSecretsOfARotation) {
  settings.access.sealed_keys.secrets = {second, first};
  EXPECT_TRUE(std::holds_alternative<caller>(bring(alice(), first)));
  EXPECT_TRUE(std::holds_alternative<caller>(bring(alice(), second)));
  settings.access.sealed_keys.secrets = {second};
  EXPECT_TRUE(std::holds_alternative<refusal>(bring(alice(), first)));
}

TEST_F(sealed_callers, BringTheirOwnProviderKeysFirst) {
  presented.bearer = proxy::secret(seal(alice(), first));
  presented.by_provider.emplace("groq", proxy::secret("mine"));
  ASSERT_TRUE(identify_sealed(presented, settings, noon));
  EXPECT_EQ(presented.by_provider.at("groq").reveal(), "mine");
}

// identify_sealed() ignores keys that are not sealed, because other functions check them.
TEST_F(sealed_callers, OtherKeysAreNotLookedAt) {
  presented.bearer = proxy::secret("sk-1");
  EXPECT_FALSE(identify_sealed(presented, settings, noon));
  EXPECT_TRUE(std::holds_alternative<refusal>(identify(presented, settings)));  // identify() also refuses callers without a valid key
  settings.access.sealed_keys.secrets = {};
  EXPECT_TRUE(std::holds_alternative<caller>(identify(presented, settings)));
}

}  // namespace
}  // namespace photofinish::gateway
