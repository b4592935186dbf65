// Tests ids of stored responses. Only the caller that received a response can use its id, and a changed id is always refused.
#include "gateway/access/response_ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

const response_ids ids(proxy::secret("0123456789abcdef0123456789abcdef"));
const stored_response kept{{"lab", "org/model:8b"}, "resp_05500b38c2cd9bfc00691c7c9d222481a3b595421266dab424"};

digest owner(const std::string& bearer, const access_key* key = nullptr) {
  presented_keys keys;
  if (!bearer.empty()) keys.bearer = proxy::secret(bearer);
  return caller_digest({key}, keys);
}

TEST(ResponseIds, OpenForTheCallerThatTheyWereMadeFor) {
  const std::string id = ids.sealed(kept, owner("a"));
  EXPECT_TRUE(id.starts_with("resp_"));
  EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"), std::string::npos) << id;
  EXPECT_EQ(ids.opened(id, owner("a")), kept);
  EXPECT_EQ(ids.opened(id, owner("b")), std::nullopt);
  EXPECT_EQ(ids.opened(id, owner("")), std::nullopt);
}

TEST(ResponseIds, OpenWithTheSecretThatTheyWereMadeWithAlone) {
  const std::string id = ids.sealed(kept, owner("a"));
  EXPECT_EQ(response_ids(proxy::secret("0123456789abcdef0123456789abcdeF")).opened(id, owner("a")), std::nullopt);
  EXPECT_EQ(response_ids(proxy::secret("0123456789abcdef0123456789abcdef")).opened(id, owner("a")), kept);
}

TEST(ResponseIds, AreWorthNothingOnceAnyCharacterIsAnother) {
  const std::string id = ids.sealed(kept, owner("a"));
  for (std::size_t at = 0; at < id.size(); ++at)
    for (const char other : {'A', 'B', '_', '-', '=', '+', '\n'}) {
      if (id[at] == other) continue;
      std::string forged = id;
      forged[at] = other;
      EXPECT_EQ(ids.opened(forged, owner("a")), std::nullopt) << at << other;
    }
  for (std::size_t size = 0; size < id.size(); ++size)
    EXPECT_EQ(ids.opened(id.substr(0, size), owner("a")), std::nullopt) << size;
  EXPECT_EQ(ids.opened(id + "A", owner("a")), std::nullopt);
  EXPECT_EQ(ids.opened(id + "=", owner("a")), std::nullopt);
}

TEST(ResponseIds, AForeignOneIsNone) {
  for (const std::string& id : {std::string("resp_1"), kept.id, std::string("resp_"), std::string(), std::string("conv_1"),
                                "resp_" + std::string(100'000, 'A')})
    EXPECT_EQ(ids.opened(id, owner("a")), std::nullopt);
}

TEST(ResponseIds, ACallerIsItsAccessKeysNameAndTheKeysThatItBrings) {
  const access_key team{.name = "team", .key = proxy::secret("sk-1")}, renewed{.name = "team", .key = proxy::secret("sk-2")};
  const access_key other{.name = "other", .key = proxy::secret("sk-3")};
  EXPECT_EQ(owner("sk-1", &team), owner("sk-2", &renewed)) << "a new value under the same name";
  EXPECT_EQ(owner("sk-1", &team), owner("", &team)) << "wherever the key stood";
  EXPECT_NE(owner("sk-1", &team), owner("sk-3", &other));
  EXPECT_NE(owner("theirs", &team), owner("sk-1", &team));
  presented_keys own, swapped;
  own.by_provider = {{"a", proxy::secret("1")}, {"b", proxy::secret("2")}};
  swapped.by_provider = {{"a", proxy::secret("2")}, {"b", proxy::secret("1")}};
  EXPECT_NE(caller_digest({}, own), caller_digest({}, swapped));
}

}  // namespace
}  // namespace photofinish::gateway
