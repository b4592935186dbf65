// Tests how the gateway derives a caller from the claims of a token.
#include "gateway/access/jwt/jwt_claims.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const std::chrono::sys_seconds noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
const auto noon_s = noon.time_since_epoch().count();

class JwtClaims : public ::testing::Test {
 protected:
  JwtClaims() {
    settings_.access.teams["search"] = settings_.access.teams["maps/eu"] = {};
    settings_.routes["fast"] = settings_.routes["deep"] = {};
    settings_.access.key_defaults.requests_per_minute = 120;
  }

  json good() const {
    return {{"iss", "https://sso.example.com"}, {"aud", "photofinish"}, {"sub", "alice"}, {"exp", noon_s + 600}};
  }
  json with(const char* name, json value) const {
    json made = good();
    made[name] = std::move(value);
    return made;
  }
  // Returns the caller's name ("_jwt/…"). If the claims are refused, returns the status and the error text ("401 …").
  std::string judge(const json& claims) const {
    const auto judged = judge_claims(claims, by_, settings_, noon);
    if (const auto* who = std::get_if<token_caller>(&judged)) return who->key->name;
    const refusal& refused = std::get<refusal>(judged);
    return std::to_string(refused.status) + " " + refused.message;
  }
  bool is_refused(const json& claims, const std::string& with) const { return judge(claims).find(with) != std::string::npos; }

  config settings_;
  jwt_issuer by_{.name = "sso.example.com", .issuer = "https://sso.example.com", .audiences = {"photofinish", "llm"},
                 .jwks = {}};
};

TEST_F(JwtClaims, MakeACallerWithTheDefaultLimitsUntilTheyExpire) {
  const auto judged = judge_claims(good(), by_, settings_, noon);
  const auto& who = std::get<token_caller>(judged);
  EXPECT_EQ(who.key->name, "_jwt/sso.example.com//alice");
  EXPECT_EQ(who.key->team, "");
  EXPECT_TRUE(who.key->routes.empty());
  EXPECT_EQ(who.key->limits.requests_per_minute, 120u);
  EXPECT_FALSE(who.key->is_admin);
  EXPECT_EQ(who.until, noon + 660s);
}

TEST_F(JwtClaims, AreForOneOfTheAudiences) {
  EXPECT_EQ(judge(with("aud", "llm")), "_jwt/sso.example.com//alice");
  EXPECT_EQ(judge(with("aud", {"other", "photofinish"})), "_jwt/sso.example.com//alice");
  for (const json& wrong : {json("other"), json("Photofinish"), json(""), json::array(), json(7), json({{"a", "photofinish"}})})
    EXPECT_TRUE(is_refused(with("aud", wrong), "401 this token is intended for a different audience")) << wrong;
  json without = good();
  without.erase("aud");
  EXPECT_TRUE(is_refused(without, "401 this token is intended for a different audience"));
}

TEST_F(JwtClaims, HoldInTheirTimeWithAMinuteMoreForClocks) {
  EXPECT_EQ(judge(with("exp", noon_s - 59)), "_jwt/sso.example.com//alice");
  EXPECT_EQ(judge(with("exp", static_cast<double>(noon_s) + 0.5)), "_jwt/sso.example.com//alice");
  EXPECT_TRUE(is_refused(with("exp", noon_s - 60), "401 this token has expired"));
  for (const json& wrong : {json("9999999999"), json(-1), json(1e300), json(nullptr), json(true)})
    EXPECT_TRUE(is_refused(with("exp", wrong), "401 this token has no `exp`")) << wrong;
  for (const char* name : {"nbf", "iat"}) {
    EXPECT_EQ(judge(with(name, noon_s + 60)), "_jwt/sso.example.com//alice");
    EXPECT_TRUE(is_refused(with(name, noon_s + 61), "401 this token is not valid yet"));
    EXPECT_TRUE(is_refused(with(name, "soon"), "not a time"));
  }
}

TEST_F(JwtClaims, NameTheCallerByTheConfiguredClaim) {
  by_.name_claim = "profile.id";
  EXPECT_TRUE(is_refused(good(), "401 this token has no `profile.id`"));
  EXPECT_EQ(judge(with("profile", {{"id", "a/b"}})), "_jwt/sso.example.com//a/b");
  EXPECT_EQ(judge(with("profile.id", "whole")), "_jwt/sso.example.com//whole");
  for (const json& wrong : {json(""), json("a\nb"), json("a\x7f"), json(std::string(257, 'a')), json(7), json::array()})
    EXPECT_TRUE(is_refused(with("profile.id", wrong), "401 this token has no `profile.id`")) << wrong;
}

TEST_F(JwtClaims, AnUncheckedAddressNamesNoOne) {
  by_.name_claim = "email";
  json claims = with("email", "a@example.com");
  EXPECT_EQ(judge(claims), "_jwt/sso.example.com//a@example.com");
  claims["email_verified"] = true;
  EXPECT_EQ(judge(claims), "_jwt/sso.example.com//a@example.com");
  claims["email_verified"] = false;
  EXPECT_TRUE(is_refused(claims, "401 this token has an email address (`email`)"));
}

TEST_F(JwtClaims, TheFirstConfiguredTeamCounts) {
  by_.team_claim = "groups";
  EXPECT_EQ(judge(with("groups", "search")), "_jwt/sso.example.com/search/alice");
  EXPECT_EQ(judge(with("groups", {"all", 7, "maps/eu", "search"})), "_jwt/sso.example.com/maps%2Feu/alice");
  for (const json& wrong : {json("sales"), json::array(), json({"a", "b"}), json(7), json({{"search", 1}})})
    EXPECT_TRUE(is_refused(with("groups", wrong), "403 this token names none of this gateway's teams")) << wrong;
  EXPECT_TRUE(is_refused(good(), "403 this token names none"));
  by_.team = "search";
  EXPECT_EQ(judge(with("groups", "sales")), "_jwt/sso.example.com/search/alice");
  by_.team_claim = "";
  EXPECT_EQ(judge(with("groups", "maps/eu")), "_jwt/sso.example.com/search/alice");
}

// Two callers must never have the same name. Callers with tokens have names with a prefix that no configured key has. These names also
// contain the issuer, the team and the subject.
TEST_F(JwtClaims, NoTwoCallersHaveOneName) {
  settings_.access.teams["a"] = settings_.access.teams["a/b"] = settings_.access.teams["a%2Fb"] = {};
  by_.team_claim = "groups";
  const auto named = [this](const char* team, const char* subject) {
    json claims = with("groups", team);
    claims["sub"] = subject;
    return judge(claims);
  };
  EXPECT_NE(named("a", "b/c"), named("a/b", "c"));
  EXPECT_NE(named("a/b", "c"), named("a%2Fb", "c"));
}

TEST_F(JwtClaims, RoutesAreThoseThatItNamesAndThatThereAre) {
  by_.routes_claim = "scope";
  const auto routes_of = [this](const json& claims) {
    const auto judged = judge_claims(claims, by_, settings_, noon);
    return std::get<token_caller>(judged).key->routes;
  };
  EXPECT_EQ(routes_of(with("scope", "openid fast  deep")), (std::vector<std::string>{"fast", "deep"}));
  EXPECT_EQ(routes_of(with("scope", {"fast"})), std::vector<std::string>{"fast"});
  for (const json& wrong : {json("openid"), json(""), json::array(), json(7)})
    EXPECT_TRUE(is_refused(with("scope", wrong), "403 this token names none of this gateway's routes")) << wrong;
  EXPECT_TRUE(is_refused(good(), "403"));
}

}  // namespace
}  // namespace photofinish::gateway
