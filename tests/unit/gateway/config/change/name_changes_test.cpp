// Tests which providers, routes, keys and teams are logged as added or removed.
#include "gateway/config/change/name_changes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

void add_keys(int first, int last, config& into) {
  for (int each = first; each <= last; ++each)
    into.access.keys.push_back({.name = "k" + std::to_string(each), .key = {}, .routes = {}});
}

TEST(NameChanges, AreCountedAndNamed) {
  config before, after;
  before.providers["groq"] = before.providers["xai"] = after.providers["xai"] = after.providers["lab"] = {};
  before.routes["fast"] = after.routes["fast"] = {};
  add_keys(1, 9, before), add_keys(1, 1, after);
  after.access.teams["search"] = {};
  EXPECT_EQ(counts_text(before), "2 providers, 1 route, 9 access keys, 0 teams");
  EXPECT_EQ(changes_text(changes_between(before, after)),
            "2 providers (1 came: 'lab'; 1 went: 'groq'), 1 route, 1 access key (8 went: 'k2', 'k3', 'k4' and 5 more), "
            "1 team (1 came: 'search')");
  EXPECT_EQ(changes_text(changes_between(after, after)), counts_text(after));
}

TEST(NameChanges, AKeyThatIsBlockedHasNotGone) {
  config before, after;
  add_keys(1, 3, before), add_keys(1, 3, after);
  for (std::size_t each = 0; each < 3; ++each) after.access.keys[each].is_blocked = true;
  EXPECT_TRUE(changes_between(before, after).access_keys.went.empty());
}

TEST(NameChanges, MoreThanHalfIsMostlyGone) {
  const auto is_mostly_gone = [](std::size_t before, std::size_t went, std::size_t came) {
    const std::vector<std::string> lost(went), found(came);
    return name_changes{.kind = "route", .before = before, .now = before - went + came, .came = found, .went = lost}
        .is_mostly_gone();
  };
  EXPECT_FALSE(is_mostly_gone(2, 1, 0));
  EXPECT_TRUE(is_mostly_gone(3, 2, 0));
  EXPECT_FALSE(is_mostly_gone(4, 2, 0));
  EXPECT_TRUE(is_mostly_gone(9, 9, 8));
  EXPECT_FALSE(is_mostly_gone(9, 9, 9)) << "other names for all of them";
  EXPECT_FALSE(is_mostly_gone(0, 0, 1));
}

}  // namespace
}  // namespace photofinish::gateway
