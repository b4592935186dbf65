// Tests how the access keys of the store are added to a configuration.
#include "gateway/config/access/budget_zone.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

// Returns the hash of a key in the form in which the store keeps hashes. Only the last two digits vary.
std::string hash(const std::string& last_two) { return "sha256:" + std::string(62, '0') + last_two; }

config own() {
  const config_result result = parse_config(R"(
budget_timezone: Asia/Tokyo
providers: {groq: {api_key: k}}
routes: {deep: {targets: [groq/x]}}
teams: {search: {}}
key_defaults: {rpm_limit: 120, max_budget: 10}
redis: {url: "redis://h", access_keys: true}
access_keys: [{name: own, key_hash: ")" + hash("01") + "\"}]\n", "test.yaml", tests::table_environment().machine());
  EXPECT_TRUE(result.is_usable());
  return result.settings;
}

using stored = std::shared_ptr<const stored_key>;

stored as_it_is(const std::string& id, const std::string& text, const std::string& problem = "") {
  return std::make_shared<const stored_key>(stored_key{id, text, problem});
}
stored entry(const std::string& id, const std::string& rest) { return as_it_is(id, "{" + rest + "}"); }

TEST(StoredKeysConfig, StandBehindTheConfigurationsOwn) {
  config read = own();
  EXPECT_TRUE(read.asks_for_keys());
  EXPECT_TRUE(read.is_first_reading());
  const auto left_out = add_stored_keys(
      {stored_keys_state::known,
       {entry("a", "name: alice, team: search, routes: [deep], admin: true, blocked: true, key_hash: \"" + hash("02") + "\""),
        as_it_is("b", R"({"name": "bob", "rpm_limit": 6, "max_budget": 1, "budget_duration": "1d", "key_hash": ")" + hash("03") +
                          "\"}")}},
      read);
  EXPECT_TRUE(left_out.empty());
  EXPECT_FALSE(read.awaits_stored_keys());
  ASSERT_EQ(read.access.keys.size(), 3u);
  EXPECT_EQ(read.access.keys[0].name, "own");
  const access_key &alice = read.access.keys[1], &bob = read.access.keys[2];
  EXPECT_EQ(alice.team, "search");
  EXPECT_EQ(alice.routes, std::vector<std::string>{"deep"});
  EXPECT_TRUE(alice.is_admin && alice.is_blocked);
  EXPECT_EQ(alice.limits, read.access.key_defaults);
  EXPECT_EQ(bob.limits.requests_per_minute, 6u);
  EXPECT_EQ(bob.limits.every.unit, budget_unit::day);
  EXPECT_EQ(bob.limits.every.zone, budget_zone::find("Asia/Tokyo"));
  EXPECT_EQ(read.access.keys.find(bob.hashes.at(0)), &bob);
}

TEST(StoredKeysConfig, OneThatIsWrongIsLeftOutAlone) {
  config read = own();
  const std::string new_hash = "key_hash: \"" + hash("02") + "\"";
  const stored_keys many{stored_keys_state::known,
                         {entry("team", "name: a, team: serach, " + new_hash),
                          entry("route", "name: a, routes: [slow], " + new_hash),
                          entry("name", "name: own, " + new_hash),
                          entry("taken", "name: a, key_hash: \"" + hash("01") + "\""),
                          entry("unnamed", new_hash),
                          entry("reserved", "name: _none, " + new_hash),
                          entry("variable", "name: \"${HOME}\", " + new_hash),
                          entry("plain", "name: a, key: \"file:/etc/passwd\""),
                          entry("unknown", "name: a, colour: red, " + new_hash),
                          as_it_is("list", "[a, b]"),
                          as_it_is("text", "{name: a"),
                          as_it_is("long", "", "has more than 4096 bytes"),
                          entry("good", "name: a, " + new_hash),
                          entry("again", "name: a, key_hash: \"" + hash("03") + "\"")}};
  const auto left_out = add_stored_keys(many, read);
  std::vector<std::string> said;
  for (const left_out_key& each : left_out) said.push_back(each.id + ": " + each.why);
  ASSERT_EQ(said.size(), 13u);
  EXPECT_EQ(said[0], "team: team: unknown team 'serach'; did you mean 'search'?");
  EXPECT_EQ(said[1], "route: routes: unknown route 'slow'");
  EXPECT_EQ(said[2], "name: name: 'own' is listed twice");
  EXPECT_EQ(said[3], "taken: key_hash: is also the hash of the key of 'own'");
  EXPECT_EQ(said[4], "unnamed: name: an access key needs a name");
  EXPECT_EQ(said[7], "plain: key: the store does not contain keys, only their key_hash");
  EXPECT_EQ(said[9], "list: must be an entry, for example {name: alice, key_hash: ...}");
  EXPECT_EQ(said[11], "long: has more than 4096 bytes");
  EXPECT_EQ(said[12], "again: name: 'a' is listed twice");
  ASSERT_EQ(read.access.keys.size(), 2u);
  EXPECT_EQ(read.access.keys[1].name, "a");
}

TEST(StoredKeysConfig, WhatIsNotKnownYetIsAwaitedOnlyWhereItIsAskedFor) {
  config read = own();
  add_stored_keys({stored_keys_state::away, {}}, read);
  EXPECT_TRUE(read.awaits_stored_keys());
  EXPECT_FALSE(read.is_first_reading());
  EXPECT_FALSE(config().awaits_stored_keys());
}

}  // namespace
}  // namespace photofinish::gateway
