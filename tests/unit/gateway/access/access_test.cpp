#include "gateway/access/access.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

config with_keys() {
  config configured;
  configured.access.keys = {{"search-team", proxy::secret("search-key-1"), {"fast"}},
                            {"admins", proxy::secret("admin-key-22"), {}}};
  return configured;
}

presented_keys bearer(const char* token) {
  presented_keys keys;
  keys.bearer = proxy::secret(token);
  return keys;
}

std::string name_or_status(const std::variant<caller, refusal>& verdict) {
  if (const refusal* why = std::get_if<refusal>(&verdict))
    return std::to_string(why->status) + " " + why->code;
  return std::string(std::get<caller>(verdict).name());
}

TEST(Identify, AsksNobodyWithoutAccessKeys) {
  const config open;
  EXPECT_EQ(name_or_status(identify({}, open)), "_none");
  EXPECT_EQ(name_or_status(identify(bearer("anything"), open)), "_none");
}

TEST(Identify, KnowsACallerByBearerOrByNamedKey) {
  const config configured = with_keys();
  EXPECT_EQ(name_or_status(identify(bearer("admin-key-22"), configured)), "admins");
  presented_keys named;
  named.access_key = proxy::secret("search-key-1");
  EXPECT_EQ(name_or_status(identify(named, configured)), "search-team");
}

TEST(Identify, PrefersTheNamedKeyToTheBearer) {
  presented_keys both = bearer("admin-key-22");
  both.access_key = proxy::secret("search-key-1");
  EXPECT_EQ(name_or_status(identify(both, with_keys())), "search-team");
}

TEST(Identify, TakesTheBearerWhenTheNamedKeyIsWrong) {
  presented_keys both = bearer("admin-key-22");
  both.access_key = proxy::secret("wrong");
  EXPECT_EQ(name_or_status(identify(both, with_keys())), "admins");
}

TEST(Identify, AKeyThatTheStoreMayHaveIsAskedToWaitUntilItWasRead) {
  config configured = with_keys();
  const std::string made = "pf-k3v9t2m4s6q8-" + std::string(43, 'x');
  EXPECT_EQ(name_or_status(identify(bearer(made.c_str()), configured)), "401 invalid_api_key");
  configured.store.has_access_keys = true;
  for (const auto state : {stored_keys_state::awaited, stored_keys_state::away}) {
    configured.access.stored_state = state;
    EXPECT_EQ(name_or_status(identify(bearer(made.c_str()), configured)), "503 access_keys_unavailable");
    EXPECT_EQ(name_or_status(identify(bearer("sk-of-another"), configured)), "401 invalid_api_key");
    EXPECT_EQ(name_or_status(identify(bearer("admin-key-22"), configured)), "admins");
  }
  configured.access.stored_state = stored_keys_state::known;
  EXPECT_EQ(name_or_status(identify(bearer(made.c_str()), configured)), "401 invalid_api_key");
  configured.access.keys = {};
  EXPECT_EQ(name_or_status(identify({}, configured)), "401 invalid_api_key") << "none in the store opens nothing";
}

TEST(Identify, RefusesEveryoneElse) {
  for (const char* token :
       {"", "search-key-", "search-key-12", "search-key-2", "SEARCH-KEY-1", "search-team"})
    EXPECT_EQ(name_or_status(identify(bearer(token), with_keys())), "401 invalid_api_key") << token;
  EXPECT_EQ(name_or_status(identify({}, with_keys())), "401 invalid_api_key");
  const std::vector<std::string> names{"CN=carol,O=Example", "DNS:c.example.com"};
  const std::string said = std::get<refusal>(identify({}, with_keys(), names)).message;
  EXPECT_EQ(said.find("this gateway requires an access key, and the client certificate's name, "
                      "CN=carol,O=Example, is not the `cert_subject` of any access key: send"),
            0u)
      << said;
}

TEST(Identify, NeverTakesAProvidersKeyForAccess) {
  presented_keys keys;
  keys.by_provider.emplace("groq", proxy::secret("admin-key-22"));
  EXPECT_EQ(name_or_status(identify(keys, with_keys())), "401 invalid_api_key");
}

TEST(Identify, TellsNoKeyInItsRefusal) {
  const auto verdict = identify(bearer("wrong-secret"), with_keys());
  const std::string message = std::get<refusal>(verdict).message;
  for (const char* key : {"wrong-secret", "search-key-1", "admin-key-22"})
    EXPECT_EQ(message.find(key), std::string::npos) << key;
}

TEST(MayUse, KeepsAKeyToItsRoutes) {
  const config configured = with_keys();
  const caller team{&configured.access.keys[0]};
  EXPECT_TRUE(may_use_route(team, "fast"));
  EXPECT_FALSE(may_use_route(team, "slow"));
  EXPECT_FALSE(may_use_route(team, "fas"));
  EXPECT_FALSE(may_use_targets_directly(team));
}

TEST(MayUse, OpensEverythingToAKeyWithoutRoutesAndToNobody) {
  const config configured = with_keys();
  for (const caller& who : {caller{&configured.access.keys[1]}, caller{}}) {
    EXPECT_TRUE(may_use_route(who, "slow"));
    EXPECT_TRUE(may_use_targets_directly(who));
  }
}

}  // namespace
}  // namespace photofinish::gateway
