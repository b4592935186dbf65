#include "gateway/store/limit_scripts.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

store_reply list_of(std::int64_t one, std::int64_t other) {
  store_reply made{.kind = reply_kind::list};
  for (const std::int64_t each : {one, other}) made.list.push_back({.kind = reply_kind::integer, .integer = each});
  return made;
}

TEST(LimitScripts, ALeaseIsOneCommandInMicroseconds) {
  script_names scripts;
  scripts[static_cast<std::size_t>(store_script::lease)] = "sha";
  lease_request wanted{.charge = 1ms, .want = 2ms, .least = 1ms, .unit = 1ms, .gateways = 3};
  wanted.back[2] = {5ms, 4s};
  EXPECT_EQ(lease_command(scripts, "pf", "requests:key:alice", wanted),
            (store_command{"EVALSHA", "sha", "1", "pf:rate:requests:key:alice", "1000", "2000", "1000", "1000", "3",
                           "5000", "4000000"}));
}

TEST(LimitScripts, WhatIsAskedForIsBounded) {
  const lease_request wanted{.charge = 9000h, .want = -5ms, .gateways = 0};
  const store_command made = lease_command({}, "pf", "b", wanted);
  // The charge is limited to 25 hours of refill: one hour for a full bucket, and at most 24 hours of debt.
  EXPECT_EQ(made[4], "90000000000");
  EXPECT_EQ(made[5], "0");
  EXPECT_EQ(made[8], "1");
}

TEST(LimitScripts, WhatIsGivenIsBounded) {
  const auto lease = lease_in(list_of(INT64_MAX, INT64_MAX));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->given, 1min);
  EXPECT_EQ(lease->missing, 1h);
  EXPECT_EQ(lease_in(list_of(-1, -1))->given, 0us);
  EXPECT_FALSE(lease_in({}));
  EXPECT_FALSE(lease_in({.kind = reply_kind::list}));
}

}  // namespace
}  // namespace photofinish::gateway
