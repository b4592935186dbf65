#include "gateway/commands/keys/entry_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

const std::string hash = "key_hash: \"sha256:" + std::string(64, 'a') + "\"";
std::string with(const std::string& more) { return "{name: alice, " + hash + more + "}"; }

TEST(EntryCheck, WhatAnEntryNamesIsThereWithoutAConfiguration) {
  EXPECT_EQ(entry_problem(with(", team: search, routes: [fast], by_route: {fast: {rpm_limit: 5}}, rpm_limit: 60"), nullptr), "");
  EXPECT_EQ(entry_problem(with(", cert_subject: \"CN=alice\", expires: 2027-03-31"), nullptr), "");
}

TEST(EntryCheck, WhatAGatewayWouldNotTakeIsFound) {
  for (const char* wrong : {"rpm_limit: x", "rpm_limit: 0", "max_budget: -1", "blocked: maybe", "expires: never", "admin: maybe",
                            "team: [a]", "speed: 3"})
    EXPECT_NE(entry_problem(with(", " + std::string(wrong)), nullptr), "") << wrong;
}

TEST(EntryCheck, AConfigurationSaysWhichTeamsAndRoutesThereAre) {
  config settings;
  settings.access.teams["search"];
  EXPECT_EQ(entry_problem(with(", team: search"), &settings), "");
  EXPECT_EQ(entry_problem(with(", team: serach"), &settings), "team: unknown team 'serach'; did you mean 'search'?");
  EXPECT_NE(entry_problem(with(", routes: [fast]"), &settings), "");
}

TEST(EntryCheck, TheFirstWrongEntryOfAFileIsNamedByItsLine) {
  EXPECT_EQ(entries_problem(""), "");
  EXPECT_EQ(entries_problem("- {name: boss, key: \"file:/run/secrets/boss\"}\n- " + with(", team: search") + "\n"), "");
  EXPECT_EQ(entries_problem("- {name: bob, key: plain, rpm_limit: \"${LIMIT}\"}\n"), "");
  EXPECT_EQ(entries_problem("- {name: bob, key: k}\n- {name: eve, key: l, rpm_limit: x}\n").substr(0, 18), "line 2: rpm_limit:");
  EXPECT_EQ(entries_problem("- bob\n"), "line 1: must be an entry, for example {name: alice, key_hash: ...}");
}

}  // namespace
}  // namespace photofinish::gateway
