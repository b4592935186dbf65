// Tests how a worker checks the tokens of callers: which tokens are verified, which are already known, and what happens
// when the issuer's keys change.
#include "gateway/access/jwt/jwt_callers.hpp"

#include "tests/support/gateway/token_issuer.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::token_issuer;

const std::chrono::sys_seconds noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;

class JwtCallers : public ::testing::Test {
 protected:
  JwtCallers() {
    config made;
    made.access.jwt.push_back({.name = "sso", .issuer = "https://sso.example.com", .audiences = {"photofinish"},
                        .jwks = {.at = {true, "sso.example.com", 443, ""}, .path = "/keys"}});
    made.access.keys = {{"static", proxy::secret("eyJ.static.key"), {}}};
    settings_ = std::make_shared<const config>(std::move(made));
    callers_.on_unknown_key([this](const jwks_source&) { ++asked_; });
  }

  void publish(const std::string& set, std::string trouble = {}) {
    auto held = std::make_shared<held_key_set>();
    held->source = settings_->access.jwt[0].jwks;
    if (!set.empty()) held->keys = std::make_shared<const key_set>(std::get<key_set>(read_key_set(set)));
    held->tries = 1;
    held->tried_at = now_;
    held->began_at = now_;
    held->next_fetch_at = now_ + next_fetch_in_;
    held->trouble = std::move(trouble);
    held_ = held;
    callers_.adopt(std::make_shared<const jwks_board>(jwks_board{held_}));
  }
  void publish_again() {
    auto held = std::make_shared<held_key_set>(*held_);
    ++held->tries;
    callers_.adopt(std::make_shared<const jwks_board>(jwks_board{held}));
  }
  json claims(const char* subject = "alice") const {
    return {{"iss", "https://sso.example.com"}, {"aud", "photofinish"}, {"sub", subject},
            {"exp", (noon + 10min).time_since_epoch().count()}};
  }
  std::string ask(presented_keys& presented, std::chrono::sys_seconds at = noon) {
    auto verdict = callers_.identify(presented, settings_, now_, at);
    if (!verdict) return "none";
    if (const auto* refused = std::get_if<refusal>(&*verdict)) {
      last_ = *refused;
      return std::to_string(refused->status);
    }
    return std::string(std::get<caller>(*verdict).name());
  }
  std::string ask(const std::string& token, std::chrono::sys_seconds at = noon) {
    presented_keys presented{.bearer = proxy::secret(token), .access_key = {}, .by_provider = {}};
    return ask(presented, at);
  }

  token_issuer first_{"EdDSA", "k1"}, second_{"ES256", "k2"};
  std::shared_ptr<const config> settings_;
  jwt_callers callers_;
  proxy::instant now_{std::chrono::hours(100)};
  std::chrono::seconds next_fetch_in_{0};
  std::shared_ptr<const held_key_set> held_;
  int asked_ = 0;
  refusal last_;
};

TEST_F(JwtCallers, AreVerifiedOnceAndKnownUntilTheyExpire) {
  publish(first_.key_set());
  const std::string token = first_.token(claims());
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
  EXPECT_EQ(callers_.known(), 1u);
  EXPECT_EQ(ask(token, noon + 11min - 1s), "_jwt/sso//alice");
  EXPECT_EQ(ask(token, noon + 11min), "401");
  EXPECT_EQ(callers_.known(), 0u);
}

TEST_F(JwtCallers, AreKnownNoMoreOnceTheirIssuersKeyIsGoneOrTheConfigurationChanges) {
  publish(first_.key_set());
  const std::string token = first_.token(claims());
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
  publish(second_.key_set());
  EXPECT_EQ(ask(token), "503");
  publish(first_.key_set());
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
  auto other = std::make_shared<config>(*settings_);
  other->access.jwt[0].audiences = {"elsewhere"};
  settings_ = other;
  EXPECT_EQ(ask(token), "401");
}

TEST_F(JwtCallers, AreBounded) {
  publish(first_.key_set());
  for (std::size_t each = 0; each <= jwt_callers::most_known; ++each) ask(first_.token(claims(std::to_string(each).c_str())));
  EXPECT_LE(callers_.known(), jwt_callers::most_known);
  EXPECT_GE(callers_.known(), 1u);
}

TEST_F(JwtCallers, BeforeTheFirstKeysTheyMayComeAgainSoon) {
  EXPECT_EQ(ask(first_.token(claims())), "503");
  EXPECT_TRUE(last_.retry_after);
  EXPECT_FALSE(callers_.is_ready(*settings_));
  publish("", "connect: connection refused");
  EXPECT_TRUE(callers_.is_ready(*settings_)) << "those with access keys need not wait for it";
  EXPECT_EQ(ask(first_.token(claims())), "503");
  EXPECT_EQ(last_.message.find("connection refused"), std::string::npos) << "the log says it, not the answer";
  EXPECT_EQ(asked_, 0);
}

TEST_F(JwtCallers, AKeyThatRotatedRightAfterAFetchIsFetchedBeforeItsTokensAreRefused) {
  publish(first_.key_set());
  const std::string token = second_.token(claims());
  EXPECT_EQ(ask(token), "503") << "the keys came just now, but before this key";
  EXPECT_EQ(last_.code, "identity_key_unknown");
  EXPECT_EQ(last_.retry_after, 1s);
  EXPECT_EQ(ask(token), "503");
  EXPECT_EQ(asked_, 1) << "and not for each";
  EXPECT_EQ(ask(first_.token(claims())), "_jwt/sso//alice") << "others go on";
  now_ += 1s;
  publish(second_.key_set());
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
}

TEST_F(JwtCallers, AKeyThatAFetchDidNotBringIsRefusedForAMinute) {
  publish(first_.key_set());
  const std::string token = second_.token(claims());
  EXPECT_EQ(ask(token), "503");
  publish(first_.key_set());
  EXPECT_EQ(ask(token), "503") << "this fetch began before the key was first seen";
  now_ += 1s;
  publish(first_.key_set());
  EXPECT_EQ(ask(token), "401");
  EXPECT_EQ(asked_, 1);
  now_ += 58s;
  EXPECT_EQ(ask(token), "401");
  now_ += 1s;
  EXPECT_EQ(ask(token), "503");
  EXPECT_EQ(asked_, 2);
  publish(first_.key_set(), "status 500");
  now_ += 61s;
  EXPECT_EQ(ask(token), "503");
  EXPECT_EQ(asked_, 2) << "it is asked again anyway";
}

TEST_F(JwtCallers, WaitAsLongAsTheNextFetchIsAway) {
  next_fetch_in_ = 7s;
  publish(first_.key_set());
  EXPECT_EQ(ask(second_.token(claims())), "503");
  EXPECT_EQ(last_.retry_after, 8s);
}

TEST_F(JwtCallers, InventedKeyIdsNeverRefuseANewKeyAndAreBounded) {
  publish(first_.key_set());
  const std::string valid = second_.token(claims());
  EXPECT_EQ(ask(valid), "503");
  for (std::size_t each = 0; each < 3 * jwt_callers::most_unknown_keys; ++each) {
    const token_issuer invented{"EdDSA", "invented" + std::to_string(each)};
    EXPECT_EQ(ask(invented.token(claims())), "503");
    ASSERT_LE(callers_.unknown_keys(), jwt_callers::most_unknown_keys);
  }
  EXPECT_EQ(asked_, 1) << "in this second";
  EXPECT_EQ(ask(valid), "503") << "never 401 before a fetch that could have brought its key";
  now_ += 1s;
  publish(second_.key_set());
  EXPECT_EQ(ask(valid), "_jwt/sso//alice");
}

TEST_F(JwtCallers, AnImplausibleTokenCausesNoFetch) {
  publish(first_.key_set());
  json expired = claims(), elsewhere = claims();
  expired["exp"] = (noon - 10min).time_since_epoch().count();
  elsewhere["aud"] = "payroll";
  EXPECT_EQ(ask(second_.token(expired)), "401");
  EXPECT_EQ(ask(second_.token(elsewhere)), "401");
  EXPECT_EQ(ask(token_issuer("EdDSA", std::string(300, 'k')).token(claims())), "401");
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(callers_.unknown_keys(), 0u);
}

TEST_F(JwtCallers, AnUnverifiedTokenDoesNotRevealTeams) {
  auto other = std::make_shared<config>(*settings_);
  other->access.jwt[0].team_claim = "team";
  other->access.teams["search"] = {};
  settings_ = other;
  publish(first_.key_set());
  json known = claims(), unknown = claims();
  known["team"] = "search", unknown["team"] = "sales";
  EXPECT_EQ(ask(second_.token(known)), "503");
  EXPECT_EQ(ask(second_.token(unknown)), "503");
}

TEST_F(JwtCallers, StayKnownIfAFetchBringsTheSameKeys) {
  publish(first_.key_set());
  EXPECT_EQ(ask(first_.token(claims())), "_jwt/sso//alice");
  publish_again();
  EXPECT_EQ(callers_.known(), 1u);
  publish(first_.key_set());
  EXPECT_EQ(callers_.known(), 0u);
}

// Some identity providers replace a key without changing the key's id.
TEST_F(JwtCallers, AKeyThatChangedUnderItsIdIsFetchedAgain) {
  publish(first_.key_set());
  const token_issuer changed{"EdDSA", "k1"};
  const std::string token = changed.token(claims());
  EXPECT_EQ(ask(token), "401");
  EXPECT_EQ(asked_, 0) << "the keys came just now";
  now_ += 61s;
  EXPECT_EQ(ask(token), "401");
  EXPECT_EQ(ask(token), "401");
  EXPECT_EQ(asked_, 1);
  publish(changed.key_set());
  EXPECT_EQ(ask(token), "_jwt/sso//alice");
  EXPECT_EQ(ask(first_.token(claims())), "401");
}

TEST_F(JwtCallers, OfOtherIssuersAreRefused) {
  publish(first_.key_set());
  json other = claims();
  for (const json& wrong : {json("https://sso.example.com/"), json("https://evil.example.com"), json(7), json(nullptr)}) {
    other["iss"] = wrong;
    EXPECT_EQ(ask(first_.token(other)), "401") << wrong;
    EXPECT_NE(last_.message.find("issuer"), std::string::npos);
    EXPECT_EQ(last_.message.find("evil"), std::string::npos);
  }
}

// The token that identifies a caller to the gateway never reaches a provider. A provider's key in the same request is kept, and can be sent
// to the provider.
TEST_F(JwtCallers, TheTokenIsTakenOutOfTheRequestsKeys) {
  publish(first_.key_set());
  const proxy::secret token(first_.token(claims()));
  presented_keys bearer{.bearer = token, .access_key = {}, .by_provider = {}};
  EXPECT_EQ(ask(bearer), "_jwt/sso//alice");
  EXPECT_FALSE(bearer.bearer);
  presented_keys twice{.bearer = token, .access_key = token, .by_provider = {}};
  EXPECT_EQ(ask(twice), "_jwt/sso//alice");
  EXPECT_FALSE(twice.bearer || twice.access_key);
  presented_keys beside{.bearer = proxy::secret("eyJhIjoxfQ.eyJhIjoxfQ.AA"), .access_key = token, .by_provider = {}};
  EXPECT_EQ(ask(beside), "_jwt/sso//alice");
  EXPECT_TRUE(beside.bearer);
  presented_keys configured{.bearer = token, .access_key = proxy::secret("eyJ.static.key"), .by_provider = {}};
  EXPECT_EQ(ask(configured), "none");
  EXPECT_TRUE(configured.bearer && configured.access_key);
  presented_keys wrong{.bearer = proxy::secret("eyJhIjoxfQ.eyJhIjoxfQ.AA"), .access_key = {}, .by_provider = {}};
  EXPECT_EQ(ask(wrong), "401");
  EXPECT_FALSE(wrong.bearer) << "recognized, whether it holds or not";
}

TEST_F(JwtCallers, WithoutAnIssuerATokenIsAnyBearer) {
  settings_ = std::make_shared<const config>();
  presented_keys bearer{.bearer = proxy::secret(first_.token(claims())), .access_key = {}, .by_provider = {}};
  EXPECT_EQ(ask(bearer), "none");
  EXPECT_TRUE(bearer.bearer);
  EXPECT_TRUE(callers_.is_ready(*settings_));
}

}  // namespace
}  // namespace photofinish::gateway
