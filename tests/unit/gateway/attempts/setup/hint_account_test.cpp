// Tests the account names in hints for prompt caches. Each credential has a different account name, which stays the same when a token is
// renewed.
#include "gateway/attempts/setup/hint_account.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

race_candidate candidate_of(const proxy::provider& provider, key_source source, const char* key = "") {
  race_candidate target{&provider, {"cloud", "m"}, {}, "cloud/m"};
  target.key.source = source;
  target.key.key = proxy::secret(key);
  return target;
}

proxy::provider cloud_of(const char* tenant, const char* name) {
  proxy::provider provider;
  provider.name = "cloud";
  provider.key.auth = proxy::auth_style::entra;
  provider.key.credentials.emplace();
  provider.key.credentials->steps.push_back(
      {.place = proxy::credential_place::entra_secret, .tenant = tenant, .name = name, .own = proxy::secret("s")});
  return provider;
}

TEST(HintAccount, IsTheKeyThatDoesNotExpire) {
  proxy::provider provider;
  EXPECT_EQ(hint_account(candidate_of(provider, key_source::configured, "sk-1")), "sk-1");
  EXPECT_EQ(hint_account(candidate_of(provider, key_source::own, "sk-2")), "sk-2");
}

TEST(HintAccount, OfTokensIsTheAccountThatTheyAreMadeFor) {
  const auto account_of = [](const proxy::provider& provider) {
    return hint_account(candidate_of(provider, key_source::configured));
  };
  EXPECT_EQ(account_of(cloud_of("t", "a")), account_of(cloud_of("t", "a")));
  EXPECT_NE(account_of(cloud_of("t", "a")), account_of(cloud_of("t", "b")));
  EXPECT_NE(account_of(cloud_of("t", "a")), account_of(cloud_of("u", "a")));
  proxy::provider other = cloud_of("t", "a");
  other.name = "other";
  EXPECT_NE(account_of(cloud_of("t", "a")), account_of(other));
}

TEST(HintAccount, OfAwsDoesNotChangeWithTheSession) {
  proxy::provider provider;
  provider.name = "bedrock";
  provider.key.auth = proxy::auth_style::aws;
  const auto account_of = [&provider](key_source source, const char* key) {
    return hint_account(candidate_of(provider, source, key));
  };
  EXPECT_EQ(account_of(key_source::configured, "ASIA1:s:t"), account_of(key_source::configured, "ASIA2:s:t"));
  EXPECT_NE(account_of(key_source::own, "AKIA1:s"), account_of(key_source::own, "AKIA2:s"));
}

TEST(HintAccount, WithoutAKeyIsTheProvider) {
  proxy::provider provider;
  provider.name = "rack";
  provider.url.host = "10.0.0.5";
  const std::string account = hint_account(candidate_of(provider, key_source::not_needed));
  EXPECT_NE(account.find("rack"), std::string::npos);
  EXPECT_NE(account.find("10.0.0.5"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
