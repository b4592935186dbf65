// Tests the section `jwt` of a configuration: valid settings are accepted, and invalid settings are reported.
#include "gateway/config/change/emptying.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/network/certificates.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

config_result read(const std::string& list, const std::string& more = "") {
  static const testing::test_authority authority;
  return parse_config("providers: {groq: {api_key: k, models: ['*']}}\nteams: {search: {rpm_limit: 5}}\njwt: " + list +
                          "\n" + more,
                      "test.yaml", tests::table_environment{.files = {{"/ca.pem", authority.pem()}, {"/key.pem", "x"}}}.machine());
}
std::string problems(const config_result& result) {
  std::string all;
  for (const config_problem& each : result.problems) all += to_string(each) + "\n";
  return all;
}
bool complains(const std::string& list, const std::string& of) { return problems(read(list)).find(of) != std::string::npos; }

constexpr const char* least = "{issuer: https://sso.example.com/realms/a, audience: photofinish, jwks_url: "
                              "'https://sso.example.com/keys?p=1'";

TEST(JwtSection, ReadsAnIssuer) {
  const config_result plain = read("[" + std::string(least) + "}]", "listen: 0.0.0.0:80\nkey_defaults: {rpm_limit: 9}\n");
  ASSERT_TRUE(plain.is_usable()) << problems(plain);
  const jwt_issuer& by = plain.settings.access.jwt.at(0);
  EXPECT_EQ(by.name, "sso.example.com");
  EXPECT_EQ(by.issuer, "https://sso.example.com/realms/a");
  EXPECT_EQ(by.audiences, std::vector<std::string>{"photofinish"});
  EXPECT_EQ(by.jwks.at.host, "sso.example.com");
  EXPECT_EQ(by.jwks.path, "/keys?p=1");
  EXPECT_EQ(by.name_claim, "sub");
  EXPECT_TRUE(plain.settings.asks_for_keys()) << "or it might not listen there";
  EXPECT_EQ(plain.settings.access.key_defaults.requests_per_minute, 9u);

  const config_result all = read("[" + std::string(least) + ", name: a, audience: [x, y], ca_file: /ca.pem, name_claim: "
                                 "email, team_claim: groups, team: search, routes_claim: scope}]");
  EXPECT_FALSE(all.is_usable()) << "audience stands there twice";
  const config_result right = read("[{issuer: i, jwks_url: 'http://127.0.0.1:9/k', audience: [x, y], name: a, ca_file: "
                                   "/ca.pem, name_claim: email, team_claim: groups, team: search, routes_claim: scope}]");
  ASSERT_TRUE(right.is_usable()) << problems(right);
  EXPECT_EQ(right.settings.access.jwt.at(0).team, "search");
  EXPECT_EQ(right.settings.access.jwt.at(0).audiences.size(), 2u);
}

TEST(JwtSection, SaysWhatIsWrong) {
  EXPECT_TRUE(complains("{a: b}", "jwt: must be a list"));
  EXPECT_TRUE(complains("[{issuer: i, audience: a}]", "jwks_url: an identity provider needs this setting"));
  EXPECT_TRUE(complains("[{issuer: i, jwks_url: 'https://x/k'}]", "audience: an identity provider needs this setting"));
  EXPECT_TRUE(complains("[{issuer: i, audience: [], jwks_url: 'https://x/k'}]", "must name at least one"));
  EXPECT_TRUE(complains("[{issuer: i, audience: a, jwks_url: 'http://sso.example.com/k'}]", "must be an https URL"));
  EXPECT_TRUE(complains("[{issuer: i, audience: a, jwks_url: nonsense}]", "must be a URL"));
  EXPECT_TRUE(complains("[" + std::string(least) + ", team: serach}]", "unknown team 'serach'; did you mean 'search'?"));
  EXPECT_TRUE(complains("[" + std::string(least) + ", name: a/b}]", "the names of callers contain this name"));
  EXPECT_TRUE(complains("[" + std::string(least) + ", ca_file: /no.pem}]", "/no.pem"));
  EXPECT_TRUE(complains("[" + std::string(least) + ", ca_file: /key.pem}]", "ca_file: /key.pem: contains no certificate in PEM"));
  EXPECT_TRUE(complains("[" + std::string(least) + "}, " + least + "}]", "is listed twice"));
  EXPECT_TRUE(complains("[" + std::string(least) + "}, {issuer: 'https://sso.example.com/b', audience: a, jwks_url: "
                        "'https://x/k'}]", "is also the name of another issuer"));
}

TEST(JwtSection, AReloadMayNotLoseItByAccident) {
  const config running = read("[" + std::string(least) + ", routes_claim: scope}]").settings;
  config fresh = running;
  EXPECT_FALSE(emptying_problem(running, fresh));
  fresh.access.jwt[0].routes_claim.clear();
  EXPECT_NE(emptying_problem(running, fresh)->find("routes_claim"), std::string::npos);
  fresh.access.jwt.clear();
  EXPECT_NE(emptying_problem(running, fresh)->find("the only issuer of jwt"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
