#include "gateway/ingress/address_range.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace photofinish::gateway {
namespace {

bool holds_text(std::string_view range, std::string_view address) {
  return parse_address_range(range).range.value().holds(parse_ip(address).value());
}

TEST(AddressRange, HoldsWhatItsBitsSay) {
  EXPECT_TRUE(holds_text("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(holds_text("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(holds_text("192.0.2.128/25", "192.0.2.129"));
  EXPECT_FALSE(holds_text("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(holds_text("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(holds_text("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(holds_text("fd00::/8", "fd12::1"));
  EXPECT_FALSE(holds_text("fd00::/8", "fe80::1"));
}

TEST(AddressRange, ZeroBitsHoldOnesOwnFamilyAndOfIpv6Everything) {
  EXPECT_TRUE(holds_text("0.0.0.0/0", "198.51.100.1"));
  EXPECT_FALSE(holds_text("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds_text("::/0", "2001:db8::1"));
}

TEST(AddressRange, AnIpv4AddressThatCameBySocketsOfIpv6IsTheSame) {
  EXPECT_TRUE(holds_text("10.0.0.0/8", "::ffff:10.1.2.3"));
}

TEST(AddressRange, WhatIsNoRangeIsRefusedWithWhatToWrite) {
  for (const std::string_view text : {"", "10.0.0.0/", "10.0.0.0/33", "fd00::/129", "10.0.0.0/-1", "10.0.0.0/8x", "host",
                                      "10.0.0/8", "[fd00::]/8", "10.0.0.1:80", "010.0.0.1"})
    EXPECT_FALSE(parse_address_range(text).range.has_value()) << text;
  EXPECT_EQ(parse_address_range("10.1.2.3/8").problem, "'10.1.2.3/8' has bits after its prefix: write 10.0.0.0/8");
  EXPECT_EQ(parse_address_range("fd00::1/64").problem, "'fd00::1/64' has bits after its prefix: write fd00::/64");
}

}  // namespace
}  // namespace photofinish::gateway
