// Tests how a gateway chooses the name that distinguishes it from other gateways.
#include "gateway/process/instance_name.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <string>

namespace photofinish::gateway {
namespace {

TEST(InstanceName, IsTheHostName) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
  const std::string name = default_instance_name();
  EXPECT_FALSE(name.empty());
  if (host[0] != '\0') { EXPECT_EQ(name, std::string(host.data())); }
}

}  // namespace
}  // namespace photofinish::gateway
