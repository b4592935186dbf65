// Tests the detection of several gateways that run with the same name.
#include "gateway/housekeeping/shared/name_watch.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds watch_start{std::chrono::seconds(1'769'860'800)};

TEST(NameWatch, ANameThatTwoGatewaysKeepIsReportedOnce) {
  const std::vector<fleet_entry> two{{"run1", "host", "b1"}, {"run2", "host", "b2"}, {"run3", "other", "b3"}};
  name_watch watch;
  EXPECT_TRUE(watch.note(two, watch_start).empty());
  EXPECT_EQ(watch.note_for(""), "");
  const auto shared = watch.note(two, watch_start + name_watch::patience);
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_EQ(shared.at("host"), (std::vector<std::string>{"run1", "run2"}));
  EXPECT_TRUE(watch.note(two, watch_start + 60s).empty()) << "once";
  EXPECT_EQ(watch.note_for(""), "several gateways have the name host: give each gateway its own `instance`");
  EXPECT_EQ(watch.note_for("host"), watch.note_for(""));
  EXPECT_EQ(watch.note_for("other"), "");
}

TEST(NameWatch, ARunThatFollowsAKilledRunIsNoSecondGateway) {
  name_watch watch;
  watch.note({{"run1", "host", "b1"}, {"run2", "host", "b1"}}, watch_start);
  watch.note({{"run2", "host", "b1"}}, watch_start + 12s);
  EXPECT_TRUE(watch.note({{"run2", "host", "b1"}, {"run4", "host", "b1"}}, watch_start + 40s).empty());
  EXPECT_TRUE(watch.shared().empty());
}

}  // namespace
}  // namespace photofinish::gateway
