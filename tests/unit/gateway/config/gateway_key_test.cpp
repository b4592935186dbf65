#include "gateway/config/access/gateway_key.hpp"

#include "gateway/commands/keys/make_key.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace photofinish::gateway {
namespace {

TEST(GatewayKey, HasAPublicPartAndASecretOne) {
  std::set<std::string> keys, public_parts;
  for (int each = 0; each < 200; ++each) {
    const std::string key = make_gateway_key().reveal();
    const auto shown = public_part(key);
    ASSERT_TRUE(shown) << key.size();
    EXPECT_EQ(shown->size(), 15u);
    EXPECT_EQ(key.size(), 59u);
    EXPECT_EQ(key.find_first_of("=,+/ "), std::string::npos);  // the key has no character at which other programs would split it
    keys.insert(key);
    public_parts.insert(std::string(*shown));
  }
  EXPECT_EQ(keys.size(), 200u);
  EXPECT_EQ(public_parts.size(), 200u);
}

TEST(GatewayKey, NoOtherTextHasAPublicPart) {
  const std::string key = make_gateway_key().reveal();
  for (const std::string& other : {key.substr(1), key + "a", key.substr(0, 58), "PF" + key.substr(2), key.substr(0, 15) + "=" + key.substr(16),
                                   "pf-" + std::string(12, '1') + key.substr(15), std::string()})
    EXPECT_FALSE(public_part(other)) << other.size();
}

TEST(GatewayKey, ItsHashIsWhatSha256sumSays) {
  EXPECT_EQ(key_hash_of("key"), "sha256:2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683");
}

}  // namespace
}  // namespace photofinish::gateway
