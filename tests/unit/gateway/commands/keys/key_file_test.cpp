#include "gateway/commands/keys/key_file.hpp"
#include "gateway/commands/keys/keys.hpp"
#include "gateway/config/access/gateway_key.hpp"
#include "tests/support/control_characters.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

const new_key_entry alice{"alice", "sha256:ab", "search", "2027-03-31", {"fast", "deep"}};

TEST(KeyFile, ANewEntryStandsAtTheEnd) {
  const std::string line = "- {name: \"alice\", key_hash: \"sha256:ab\", team: \"search\", expires: \"2027-03-31\", "
                           "routes: [\"fast\", \"deep\"]}\n";
  EXPECT_EQ(with_entry("", alice).text, line);
  EXPECT_EQ(with_entry("[]\n", alice).text, line);
  EXPECT_EQ(with_entry("# ours\n- {name: bob, key: k}", alice).text, "# ours\n- {name: bob, key: k}\n" + line);
  EXPECT_EQ(with_entry("  - name: bob\n    key: k\n", alice).text, "  - name: bob\n    key: k\n  " + line);
}

TEST(KeyFile, FurtherSettingsStandBehindTheOthersAndAreShown) {
  const new_key_entry bob{"bob", "sha256:ab", "", "", {}, {{"rpm_limit", "60"}, {"by_route", "{deep: {rpm_limit: 5}}"}}};
  EXPECT_EQ(entry_text(bob),
            "- {name: \"bob\", key_hash: \"sha256:ab\", rpm_limit: 60, by_route: {deep: {rpm_limit: 5}}}\n");
  EXPECT_EQ(shown_entry(parse_yaml(entry_text(bob)).root.items.at(0)), "name: bob\nrpm_limit: 60\nby_route: deep: rpm_limit: 5\n");
}

TEST(KeyFile, AnEntryIsChangedAsAWhole) {
  const yaml_result tree = parse_yaml(R"({"name": "a \"b\"", key_hash: [h1, h2], rpm_limit: 60, by_route: {deep: {rpm_limit: 5}}})");
  ASSERT_TRUE(tree.problems.empty());
  EXPECT_EQ(changed_entry(tree.root, {{"rpm_limit", "70"}, {"by_route", ""}, {"team", "\"search\""}}),
            R"({name: "a \"b\"", key_hash: [h1, h2], rpm_limit: 70, team: "search"})");
  EXPECT_EQ(changed_entry(parse_yaml("name: smith, alice\nrpm_limit: 60\n").root, {{"blocked", "true"}}),
            R"({name: "smith, alice", rpm_limit: 60, blocked: true})");
  const std::string same = changed_entry(tree.root, {});
  EXPECT_EQ(changed_entry(parse_yaml(same).root, {}), same);
  EXPECT_EQ(parse_yaml(same).root.members.at(3).value.members.at(0).key, "deep");
}

TEST(KeyFile, WhatCannotBeAddedToStaysAsItIs) {
  for (const char* file : {"- {name: alice, key: k}\n", "{a: b}\n", "- {name: bob\n", "[{name: bob, key: k}]\n"}) {
    const edited_keys edited = with_entry(file, alice);
    EXPECT_NE(edited.problem, "") << file;
    EXPECT_EQ(edited.text, "") << file;
  }
}

TEST(KeyFile, OneEntryIsBlockedAndTheRestStays) {
  EXPECT_EQ(with_blocked("- {name: bob, key: k}  # his\n- {key: l, name: \"j\xC3\xBCrg\"}\n", "j\xC3\xBCrg").text,
            "- {name: bob, key: k}  # his\n- {blocked: true, key: l, name: \"j\xC3\xBCrg\"}\n");
  EXPECT_EQ(with_blocked("# all\n- name: bob\n  key_hash: [h1, h2]\n- name: eve\n", "h2").text,
            "# all\n- blocked: true\n  name: bob\n  key_hash: [h1, h2]\n- name: eve\n");
  EXPECT_EQ(with_blocked("- {name: bob, blocked: false}\n", "bob").text, "- {name: bob, blocked: true}\n");
  EXPECT_EQ(with_blocked("- {name: bob, blocked: true}\n", "bob").text, "- {name: bob, blocked: true}\n");
  EXPECT_EQ(with_blocked("- {name: bob}\n", "eve").problem, "has no key with this name");
}

TEST(KeyFile, AnEntryIsBlockedByTheKeyThatOpensIt) {
  const std::string of_hash = "- {name: bob, key_hash: \"" + key_hash_of("his") + "\"}\n";
  EXPECT_EQ(with_key_blocked(of_hash, "his").text, "- {blocked: true, " + of_hash.substr(3));
  EXPECT_EQ(with_key_blocked("- {name: eve, key: hers}\n", "hers").text, "- {blocked: true, name: eve, key: hers}\n");
  EXPECT_EQ(with_key_blocked(of_hash, "hers").problem,
            "has no entry with this key or with the key's hash; if `key` of the entry is file:PATH, revoke the key by its name");
  EXPECT_NE(with_key_blocked("- {name: bob\n", "his").problem, "");
}

TEST(UsageTable, ShowsWhatThePageSays) {
  std::ostringstream out, err;
  EXPECT_EQ(print_usage(R"({"object":"page","data":[{"start_time":1795392000,"end_time":1795478400,"results":[
    {"client":"alice","team":null,"model":null,"project":"p1","num_model_requests":2,"input_tokens":30,"output_tokens":4,
     "lost_input_tokens":0,"lost_output_tokens":0,"cost_usd":0.25,"lost_cost_usd":0}]}],"complete_since":1795392000})",
                        out, err),
            0);
  EXPECT_NE(out.str().find("2026-11-23  alice   -     -      p1       2         30            4              0.2500"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("complete since 2026-11-23 00:00"), std::string::npos);
  EXPECT_EQ(print_usage("<html>", out, err), 1);
}

TEST(UsageTable, HoldsNoCharacterThatATerminalObeys) {
  std::ostringstream out, err;
  const nlohmann::json name = testing::all_control_characters();
  const std::string page = R"({"data":[{"start_time":1795392000,"end_time":1795478400,"results":[{"client":)" +
                           name.dump() + R"(,"team":null,"model":)" + name.dump() +
                           R"(,"project":null,"num_model_requests":2,"input_tokens":30,"output_tokens":4,
                           "cost_usd":0.25,"lost_cost_usd":0}]}],"complete_since":1795392000})";
  ASSERT_EQ(print_usage(page, out, err), 0) << err.str();
  EXPECT_FALSE(testing::holds_control_character(out.str())) << out.str();
}

}  // namespace
}  // namespace photofinish::gateway
