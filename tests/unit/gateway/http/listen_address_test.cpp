#include "gateway/http/listen_address.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(ListenAddress, HostAndPortAreRead) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:7777"), (listen_address{"127.0.0.1", 7777}));
  EXPECT_EQ(parse_listen_address("[::1]:0"), (listen_address{"::1", 0}));
  EXPECT_EQ(parse_listen_address("my-host.example:80"), (listen_address{"my-host.example", 80}));
}

TEST(ListenAddress, AnythingElseIsRefused) {
  for (const std::string_view text :
       {"", ":7777", "7777", "localhost", "localhost:", "localhost:x", "localhost:65536", "localhost:-1",
        "::1:7777", "[::1]", "[::1]7777", "[localhost]:1", "[::1:7777", "1.2.3:80", "300.1.1.1:80", "a b:80",
        "*:80", "http://localhost:80"})
    EXPECT_FALSE(parse_listen_address(text)) << text;
}

TEST(ListenAddress, TextPutsTheBracketsBack) {
  EXPECT_EQ(to_string(listen_address{"::1", 7777}), "[::1]:7777");
  EXPECT_EQ(to_string(listen_address{"0.0.0.0", 1}), "0.0.0.0:1");
}

}  // namespace
}  // namespace photofinish::gateway
