// Tests the hash with which replicas compare their settings. Equal files have equal hashes. The hash does not depend on secrets or on the
// machine.
#include "gateway/config/change/settings_hash.hpp"

#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

const std::string all_text = R"(providers:
  groq: {api_key: "${GROQ}", headers: {x-team: one}}
  lab: {base_url: "http://127.0.0.1:1/v1", api_key: "file:/lab"}
routes:
  fast: {targets: [groq/x, lab/y], race: {policy: all, max_attempts: 2}}
access_keys: "file:/keys.yaml"
sealed_keys: {secrets: [0123456789abcdef0123456789abcdef]}
)";
const std::string keys = "- {name: a, key: secret-of-a, rpm_limit: 5}\n- {name: b, key_hash: \"sha256:" +
                         std::string(64, '0') + "\"}\n";

std::string hash_of(const std::string& yaml, const std::string& key_file = keys, const std::string& lab = "lab-secret",
                    const std::string& groq = "groq-secret") {
  tests::table_environment table;
  table.variables = {{"GROQ", groq}, {"HOST", lab}};
  table.files = {{"/lab", lab}, {"/other", lab}, {"/keys.yaml", key_file}};
  const config_result result = parse_config(yaml, "test.yaml", table.machine());
  EXPECT_TRUE(result.is_usable()) << (result.problems.empty() ? yaml : to_string(result.problems.back()));
  return result.hash;
}

std::string with(std::string what, std::string by, std::string text = all_text) {
  EXPECT_NE(text.find(what), std::string::npos) << what;
  return text.replace(text.find(what), what.size(), by);
}

TEST(SettingsHash, IsSixteenHexDigits) {
  EXPECT_EQ(hash_of(all_text).size(), 16u);
  EXPECT_EQ(hash_of(all_text).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(SettingsHash, DependsOnNoSecret) {
  const std::string before = hash_of(all_text);
  EXPECT_EQ(hash_of(all_text, keys, "another", "others"), before) << "the content of a file, the value of a variable";
  EXPECT_EQ(hash_of(all_text, with("secret-of-a", "other-of-a", keys)), before) << "a key in the file of keys";
  EXPECT_EQ(hash_of(with("x-team: one", "x-team: two")), before) << "a header may hold a key";
  EXPECT_EQ(hash_of(with("[0123456789abcdef", "[abcdef0123456789")), before);
  EXPECT_EQ(hash_of(with("\"${GROQ}\"", "one")), hash_of(with("\"${GROQ}\"", "two")));
  EXPECT_EQ(hash_of(with("\"${GROQ}\"", "\"${GROQ:-one}\"")), hash_of(with("\"${GROQ}\"", "\"${GROQ:-two}\"")))
      << "a default is a secret, too";
}

TEST(SettingsHash, ChangesWithEverythingElse) {
  std::map<std::string, std::string> seen{{hash_of(all_text), "all_text"}};
  const auto is_new = [&](const std::string& name, const std::string& hash) {
    EXPECT_TRUE(seen.emplace(hash, name).second) << name << " has the hash of " << seen[hash];
  };
  is_new("a target", hash_of(with("lab/y", "lab/z")));
  is_new("the order of targets", hash_of(with("[groq/x, lab/y]", "[lab/y, groq/x]")));
  is_new("a number", hash_of(with("max_attempts: 2", "max_attempts: 1")));
  is_new("another file of a secret", hash_of(with("file:/lab", "file:/other")));
  is_new("another variable of a secret", hash_of(with("${GROQ}", "${HOST}")));
  is_new("a secret instead of a variable", hash_of(with("\"${GROQ}\"", "plain")));
  is_new("a name of a header", hash_of(with("x-team", "x-group")));
  is_new("a further sealed secret", hash_of(with("cdef]", "cdef, abcdef0123456789abcdef0123456789]")));
  is_new("a key that is gone", hash_of(all_text, "- {name: a, key: secret-of-a, rpm_limit: 5}\n"));
  is_new("a limit of a key", hash_of(all_text, with("rpm_limit: 5", "rpm_limit: 6", keys)));
  is_new("a key that is blocked", hash_of(all_text, with("rpm_limit: 5", "rpm_limit: 5, blocked: true", keys)));
  is_new("a hash of a key", hash_of(all_text, with(std::string(64, '0'), std::string(64, '1'), keys)));
  is_new("a setting of the top", hash_of(all_text + "open_metrics: true\n"));
}

TEST(SettingsHash, DependsOnNoMachineAndNoSpelling) {
  const std::string before = hash_of(all_text);
  const std::string more = "listen: 10.0.0.1:80\nadmin: 10.0.0.1:81\nworkers: 7\nstate_dir: /x\nregion: eu\n";
  EXPECT_EQ(hash_of(all_text + more), before);
  EXPECT_EQ(hash_of("# a comment\n" + with("targets: [groq/x, lab/y]", "targets: [ 'groq/x', \"lab/y\" ]")), before);
  const std::string routes = "routes:\n  fast: {targets: [groq/x, lab/y], race: {policy: all, max_attempts: 2}}\n";
  EXPECT_EQ(hash_of(routes + with(routes, "")), before) << "the order of names";
  const std::string named = all_text + "budget_timezone: \"${ZONE:-UTC}\"\nprojects: [\"${HOST}\"]\n";
  EXPECT_EQ(hash_of(named, keys, "one"), hash_of(named, keys, "two")) << "a variable is compared as it is written";
}

}  // namespace
}  // namespace photofinish::gateway
