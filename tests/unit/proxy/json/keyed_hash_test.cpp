// Tests the hash function for texts that peers choose.
#include "proxy/json/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace photofinish::proxy {
namespace {

constexpr hash_key published_key{0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull};

// SipHash's authors published these vectors. The hashed texts are the bytes 0, 1, 2 and so on.
TEST(KeyedHash, GivesThePublishedVectors) {
  const std::string bytes("\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15);
  EXPECT_EQ(keyed_hash({}, published_key), 0x726fdb47dd0e0e31ull);
  EXPECT_EQ(keyed_hash(bytes.substr(0, 1), published_key), 0x74f839c593dc67fdull);
  EXPECT_EQ(keyed_hash(bytes.substr(0, 8), published_key), 0x93f5f5799a932462ull);
  EXPECT_EQ(keyed_hash(bytes, published_key), 0xa129ca6149be45e5ull);
}

TEST(KeyedHash, DependsOnBothWordsOfTheKey) {
  EXPECT_NE(keyed_hash("alice", {1, 2}), keyed_hash("alice", {1, 3}));
  EXPECT_NE(keyed_hash("alice", {1, 2}), keyed_hash("alice", {2, 2}));
}

}  // namespace
}  // namespace photofinish::proxy
