#include "gateway/store/redis_url.hpp"

#include "gateway/config/config_secrets.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

TEST(RedisUrl, NamesHostUserAndDatabase) {
  const auto plain = parse_redis_url("redis://cache");
  ASSERT_TRUE(plain.place);
  EXPECT_EQ(plain.place->shown(), "cache:6379");
  EXPECT_FALSE(plain.place->is_tls);
  EXPECT_TRUE(plain.place->user.empty() && plain.place->password.empty());
  const auto full = parse_redis_url("rediss://pf:p%40ss%2f@[::1]:7000/3");
  ASSERT_TRUE(full.place);
  EXPECT_EQ(*full.place, (redis_place{true, "::1", 7000, "pf", proxy::secret("p@ss/"), 3}));
  EXPECT_EQ(full.place->shown(), "[::1]:7000");
  EXPECT_EQ(parse_redis_url("redis://:secret@host/").place->password.reveal(), "secret");
}

TEST(RedisUrl, WhatIsNotOneIsRefusedWithoutItsSecret) {
  for (const char* text : {"", "http://host", "host:6379", "redis://", "redis://user@host", "redis://:p%4@host",
                           "redis://:p%zz@host", "redis://:secret@", "redis://:secret@host:0", "redis://:secret@host:x",
                           "redis://:secret@host:70000", "redis://:secret@host/x", "redis://:secret@host/1/2",
                           "redis://:secret@host/99999", "redis://:secret@[::1", "redis://:secret@ho st",
                           "redis://:secret@host?tls=1"}) {
    const auto read = parse_redis_url(text);
    EXPECT_FALSE(read.place) << text;
    EXPECT_NE(read.problem, "") << text;
    EXPECT_EQ(read.problem.find("secret"), std::string::npos) << text;
  }
}

TEST(RedisUrl, ASentinelsAddressIsAHostAndAPort) {
  EXPECT_EQ(parse_sentinel_address("10.0.0.1")->shown(), "10.0.0.1:26379");
  EXPECT_EQ(parse_sentinel_address("sentinel-1:5000")->shown(), "sentinel-1:5000");
  EXPECT_EQ(parse_sentinel_address("[::1]:5000")->shown(), "[::1]:5000");
  EXPECT_EQ(parse_sentinel_address("[::1]")->shown(), "[::1]:26379");
  for (const char* text : {"", ":5000", "host:", "host:0", "host:70000", "::1", "host name", "redis://host", "[::1"})
    EXPECT_FALSE(parse_sentinel_address(text)) << text;
}

TEST(RedisUrl, ASentinelMayNameAnything) {
  EXPECT_EQ(read_redis_place("fe80::1", "6379")->shown(), "[fe80::1]:6379");
  for (const auto& [host, port] : {std::pair{"", "1"}, std::pair{"ho st", "1"}, std::pair{"h", ""}, std::pair{"h", "0"},
                                   std::pair{"h", "65536"}, std::pair{"h", "-1"}, std::pair{"h\r\n", "1"}})
    EXPECT_FALSE(read_redis_place(host, port)) << host << " " << port;
}

config_result parsed(const std::string& redis) {
  const environment machine = tests::table_environment{}.machine();
  return parse_config("providers: {a: {base_url: http://127.0.0.1:1, api_key: none, models: ['*']}}\nredis: " + redis +
                          "\n",
                      "f.yaml", machine);
}

TEST(StoreSection, IsRead) {
  const auto read = parsed("{url: 'redis://:pw@host', timeout: 50ms, prefix: pf-eu, on_failure: deny}");
  ASSERT_TRUE(read.is_usable()) << read.problems.front().message;
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.settings.store.timeout, std::chrono::milliseconds(50));
  EXPECT_EQ(read.settings.store.prefix, "pf-eu");
  EXPECT_EQ(read.settings.store.on_failure, store_failure_rule::deny);
  const auto secrets = secrets_of(read.settings);
  EXPECT_NE(std::find(secrets.begin(), secrets.end(), proxy::secret("pw")), secrets.end());
}

TEST(StoreSection, SentinelsAreRead) {
  const auto read =
      parsed("{url: 'redis://:pw@main', sentinel: {master: main, addresses: [a, 'b:1'], password: spw}}");
  ASSERT_TRUE(read.is_usable()) << read.problems.front().message;
  ASSERT_TRUE(read.settings.store.sentinel);
  EXPECT_EQ(read.settings.store.sentinel->master, "main");
  EXPECT_EQ(read.settings.store.sentinel->addresses, (std::vector<std::string>{"a", "b:1"}));
  const auto secrets = secrets_of(read.settings);
  EXPECT_NE(std::find(secrets.begin(), secrets.end(), proxy::secret("spw")), secrets.end());
}

TEST(StoreSection, WhatIsWrongIsNamed) {
  const auto problem_of = [](const std::string& redis) {
    const auto read = parsed(redis);
    return read.problems.empty() ? std::string() : read.problems.front().message;
  };
  EXPECT_NE(problem_of("{prefix: pf}").find("needs a `url`"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'http://host'}").find("redis://"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'redis://h', prefix: 'a b'}").find("prefix"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'redis://h', timeout: 6s}").find("5s"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'redis://h', on_failure: open}").find("on_failure"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'rediss://h', ca_file: /nowhere}").find("/nowhere"), std::string::npos);
  EXPECT_NE(problem_of("{url: 'redis://h', sentinel: x}").find("sentinel"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
