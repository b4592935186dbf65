// Tests the audit log: the content of its lines, and its behaviour if the file is moved or cannot be written.
#include "gateway/audit/audit_file.hpp"
#include "gateway/audit/audit_line.hpp"
#include "gateway/audit/audit_trail.hpp"
#include "gateway/audit/config_differences.hpp"
#include "gateway/config/settings.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/control_characters.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/patience.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const audit_time noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h + 7ms;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(json::parse(line));
  return lines;
}

access_key key(const std::string& name) { return {.name = name, .key = proxy::secret("secret-of-" + name), .routes = {}}; }

TEST(ConfigDifferences, NameWhatChangedAndNoValue) {
  config before, after;
  before.providers["groq"].key.value = proxy::secret("one");
  after.providers["groq"].key.value = proxy::secret("two");
  before.routes["fast"] = after.routes["fast"] = {};
  after.routes["deep"] = {};
  before.access.teams["search"] = {};
  after.limits.max_inflight = 7;
  before.alerts.webhook = proxy::secret("https://hooks.example.com/secret");
  EXPECT_EQ(changed_settings(before, after),
            (std::vector<std::string>{"teams.search", "limits", "alerts", "providers.groq", "routes.deep"}));
  EXPECT_TRUE(changed_settings(before, before).empty());
}

// The settings access_keys, sealed_keys and instance have no comparison function in the table of settings. Other functions compare them:
// for example, changed_keys() compares access_keys and the ids in sealed_keys.
TEST(ConfigDifferences, CompareEverySettingOfTheTable) {
  const std::set<std::string_view> without_member{"access_keys", "sealed_keys", "instance"};
  for (const setting& row : settings(section::top))
    EXPECT_EQ(row.member.note_change == nullptr, without_member.contains(row.name)) << row.name;
  config before, after;
  after.access.sealed_keys.audience = "other";
  after.tracing.resource["service.instance.id"] = "other";
  EXPECT_EQ(changed_settings(before, after), (std::vector<std::string>{"sealed_keys", "instance", "tracing"}));
}

TEST(ConfigDifferences, NameTheRegionAndTheTimeZoneOfBudgets) {
  config before, after;
  after.region = "eu-north";
  after.access.budget_timezone = "Europe/Berlin";
  EXPECT_EQ(changed_settings(before, after), (std::vector<std::string>{"budget_timezone", "region"}));
}

config with_key(const std::string& setting) {
  const std::string yaml = "providers: {groq: {api_key: k}}\nroutes: {fast: {targets: [groq/x]}}\n"
                           "teams: {search: {rpm_limit: 1}}\ntls: {cert_file: /c, key_file: /c}\n"
                           "access_keys: [{" + std::string(setting.starts_with("name") ? "" : "name: a, ") +
                           (setting.starts_with("key:") ? "" : "key: secret-of-a, ") + setting + "}]\n";
  std::set<std::string> missing;  // names of the certificate files, which do not exist in this test
  config_result result = parse_config(yaml, "test.yaml", tests::table_environment{}.machine(), {}, &missing);
  EXPECT_EQ(result.settings.access.keys.size(), 1u) << yaml;
  return std::move(result.settings);
}

// If access keys get a new setting, add the setting to this list and report changes of the setting in the audit log.
TEST(ConfigDifferences, CompareEverySettingOfAKey) {
  const std::map<std::string, std::string> samples{{"name", "other"}, {"key", "other"},
      {"key_hash", "\"sha256:" + std::string(64, '1') + "\""}, {"cert_subject", "CN=alice"}, {"routes", "[fast]"},
      {"team", "search"}, {"expires", "2030-01-01"}, {"blocked", "true"}, {"admin", "true"},
      {"by_route", "{fast: {rpm_limit: 1}}"}, {"rpm_limit", "1"}, {"tpm_limit", "1"}, {"max_parallel_requests", "1"},
      {"max_budget", "1"}, {"soft_budget", "1"}, {"budget_duration", "1d"}, {"unpriced", "refuse"}};
  const config before = with_key("key: secret-of-a");
  for (const std::string& name : setting_names(section::access_key)) {
    const auto sample = samples.find(name);
    ASSERT_NE(sample, samples.end()) << name;
    EXPECT_FALSE(changed_keys(before, with_key(name + ": " + sample->second)).empty()) << name;
  }
}

TEST(ConfigDifferences, NameTheRouteWhoseAliasesChanged) {
  config before, after;
  before.routes["fast"] = after.routes["fast"] = before.routes["deep"] = after.routes["deep"] = {};
  before.names.aliases.add("gpt-4o", "fast"), after.names.aliases.add("gpt-4o", "deep");
  EXPECT_EQ(changed_settings(before, after), (std::vector<std::string>{"routes.deep", "routes.fast"}));
  before = after;
  after.names.aliases.add("claude-*", "fast");
  EXPECT_EQ(changed_settings(before, after), (std::vector<std::string>{"routes.fast"}));
}

TEST(ConfigDifferences, TellOfKeysByTheirNames) {
  config before, after;
  for (const char* name : {"alice", "bob", "carol", "dora"}) before.access.keys.push_back(key(name));
  for (const char* name : {"alice", "carol", "dora", "eve"}) after.access.keys.push_back(key(name));
  after.access.keys[0].is_blocked = true;
  after.access.keys[1].expires = std::chrono::sys_seconds(1s);
  after.access.keys[2].routes = {"fast"};
  after.access.keys[2].team = "search";
  before.access.sealed_keys.revoked = {"pf-1"};
  after.access.sealed_keys.revoked = {"pf-2"};
  EXPECT_EQ(changed_keys(before, after),
            (std::vector<key_change>{{"blocked", "alice", ""}, {"removed", "bob", ""}, {"expiry", "carol", ""},
                                     {"rights", "dora", "search"}, {"added", "eve", ""}, {"blocked", "pf-2", ""},
                                     {"unblocked", "pf-1", ""}}));
  config rotated = before;
  rotated.access.keys[0].hashes = {digest_of_key("new")};
  EXPECT_EQ(changed_keys(before, rotated), (std::vector<key_change>{{"secret", "alice", ""}}));
}

TEST(AuditLine, IsOneJsonObjectWithItsTime) {
  config settings;
  settings.source.text_hash = "sha256:00";
  EXPECT_EQ(started_line(noon, "0.2.0", settings),
            R"({"time":"2026-11-23T12:00:00.007Z","event":"start","version":"0.2.0","config_hash":"sha256:00",)"
            R"("providers":0,"routes":0,"access_keys":0,"teams":0})"
            "\n");
  const json refused = json::parse(refused_line(noon, {.status = 401, .code = "invalid_api_key", .message = "m\n\xff",
                                                       .peer = "10.0.0.1", .forwarded_for = std::string(5000, 'x'),
                                                       .request_id = "r", .client = "alice"}));
  EXPECT_EQ(refused.at("event"), "refused");
  EXPECT_EQ(refused.at("client"), "alice");
  EXPECT_LE(refused.at("forwarded_for").get<std::string>().size(), 300u);
  EXPECT_EQ(json::parse(left_out_line(noon, 7)).at("left_out"), 7);
}

TEST(AuditLine, HoldsNoCharacterThatATerminalObeys) {
  const std::string text = testing::all_control_characters();
  const std::string line = refused_line(noon, {.status = 401, .message = text, .forwarded_for = text, .client = text});
  EXPECT_FALSE(testing::holds_control_character(line)) << line;
  EXPECT_EQ(json::parse(line).at("client"), text);
}

TEST(AuditLine, OfAReloadHasALineForEachKeyAndNoSecret) {
  config before, after;
  before.source.text_hash = "sha256:00", after.source.text_hash = "sha256:11";
  for (int each = 0; each < 1500; ++each) after.access.keys.push_back(key("k" + std::to_string(each)));
  after.providers["groq"].key.value = proxy::secret("secret-of-groq");
  const std::string text = reloaded_lines(noon, before, after);
  EXPECT_EQ(text.find("secret"), std::string::npos);
  const std::vector<json> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 1001u);
  EXPECT_EQ(lines[0].at("config_hash_before"), "sha256:00");
  EXPECT_EQ(lines[0].at("config_hash"), "sha256:11");
  EXPECT_EQ(lines[0].at("changed"), json({"providers.groq"}));
  EXPECT_EQ(lines[0].at("keys_changed"), 1500);
  EXPECT_EQ(lines[1].at("change"), "added");
}

TEST(AuditLine, OfAReloadSaysWhatCameAndWent) {
  config before, after;
  for (int each = 0; each < 9; ++each) before.access.keys.push_back(key("k" + std::to_string(each)));
  after.access.keys.push_back(key("k0"));
  for (int each = 0; each < 12; ++each) after.routes["r" + std::to_string(each)] = {};
  before.providers["groq"] = {};
  const json line = lines_of(reloaded_lines(noon, before, after)).at(0);
  EXPECT_EQ(line.at("access_keys"),
            json::parse(R"({"now":1,"came":0,"went":8,"went_names":["k1","k2","k3","k4","k5","k6","k7","k8"]})"));
  EXPECT_EQ(line.at("providers"), json::parse(R"({"now":0,"came":0,"went":1,"went_names":["groq"]})"));
  EXPECT_EQ(line.at("routes").at("came"), 12);
  EXPECT_EQ(line.at("routes").at("came_names").size(), 10u) << "a line stays short";
  EXPECT_EQ(line.at("teams"), json::parse(R"({"now":0,"came":0,"went":0})"));
}

TEST(AuditLine, OfARefusedReloadSaysWhy) {
  std::vector<std::string> reasons(12, std::string(3'000, 'x'));
  reasons[0] = "configuration: error: a reload must not remove 8 of 9 access keys";
  const json line = json::parse(reload_refused_line(noon, config(), reasons));
  EXPECT_EQ(line.at("reasons").size(), 10u);
  EXPECT_EQ(line.at("reasons").at(0), reasons[0]);
  EXPECT_EQ(line.at("reasons").at(1).get<std::string>().size(), 1'000u);
  EXPECT_EQ(line.at("reasons_more"), 2);
}

TEST(AuditLine, OfTheStoresKeysSaysOnceThatTheyWereRead) {
  config before, after;
  before.store.has_access_keys = after.store.has_access_keys = true;
  after.access.stored_state = stored_keys_state::known;
  for (const char* name : {"alice", "bob"}) after.access.keys.push_back(key(name));
  const std::vector<json> first = lines_of(reloaded_lines(noon, before, after));
  ASSERT_EQ(first.size(), 1u) << "they are no news, with each start";
  EXPECT_EQ(first[0].at("keys_read"), 2);
  EXPECT_EQ(first[0].at("keys_changed"), 0);
  before = after;
  after.access.keys.push_back(key("carol"));
  const std::vector<json> later = lines_of(reloaded_lines(noon, before, after));
  ASSERT_EQ(later.size(), 2u);
  EXPECT_EQ(later[1].at("key"), "carol");
}

class AuditFile : public ::testing::Test {
 protected:
  AuditFile() : folder_(std::filesystem::temp_directory_path() / ("audit-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~AuditFile() override { std::filesystem::remove_all(folder_); }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream from(path);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  template <class Condition>
  static bool becomes(const Condition& condition) {
    for (const auto end = std::chrono::steady_clock::now() + testing::patience; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(2ms))
      if (condition()) return true;
    return false;
  }

  const std::filesystem::path folder_;
  const std::filesystem::path path_ = folder_ / "audit.jsonl";
};

TEST_F(AuditFile, IsAppendedToAndMadeAgainWhereItWasMovedAway) {
  { audit_file(path_).append("1\n"); }
  audit_file file(path_);
  file.append("2\n3\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().written == 2; }));
  EXPECT_EQ(text_of(path_), "1\n2\n3\n");
  struct stat made{};
  ASSERT_EQ(::stat(path_.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0007, 0u) << "for others to read";
  std::filesystem::rename(path_, folder_ / "audit.jsonl.1");
  file.append("4\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().written == 3; }));
  EXPECT_EQ(text_of(path_), "4\n");
  EXPECT_EQ(text_of(folder_ / "audit.jsonl.1"), "1\n2\n3\n");
}

TEST_F(AuditFile, ThatCannotBeWrittenCostsLinesAndNoTime) {
  audit_file nowhere(folder_ / "missing" / "audit.jsonl");
  nowhere.append("1\n");
  ASSERT_TRUE(becomes([&] { return nowhere.so_far().dropped == 1; }));
  EXPECT_NE(nowhere.so_far().trouble, "");
  std::filesystem::create_directories(folder_ / "missing");
  nowhere.append("2\n");
  ASSERT_TRUE(becomes([&] { return nowhere.so_far().written == 1; })) << "it is tried again";
  EXPECT_EQ(nowhere.so_far().trouble, "");

  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  audit_file pipe(folder_ / "pipe");
  pipe.append("1\n");
  EXPECT_TRUE(becomes([&] { return pipe.so_far().dropped == 1; })) << "to open a pipe could wait for ever";
}

TEST_F(AuditFile, ALinkIsNotFollowed) {
  const std::filesystem::path other = folder_ / "other";
  std::ofstream(other) << "mine\n";
  std::filesystem::create_symlink(other, path_);
  audit_file file(path_);
  file.append("1\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().written + file.so_far().dropped == 1; }));
  EXPECT_EQ(file.so_far().dropped, 1u);
  EXPECT_EQ(text_of(other), "mine\n");
  EXPECT_NE(file.so_far().trouble, "");
  std::filesystem::remove(other);
  file.append("2\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().written + file.so_far().dropped == 2; }));
  EXPECT_FALSE(std::filesystem::exists(other)) << "and its file is not made";
}

TEST_F(AuditFile, AFullDiskCostsLinesAndNoTime) {
  testing::full_disk full(2);
  audit_file file(path_);
  file.append("12345\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().dropped == 1; }));
  full.lift();
  file.append("6\n");
  ASSERT_TRUE(becomes([&] { return file.so_far().written == 1; }));
  EXPECT_EQ(text_of(path_), "12\n6\n") << "what was cut has an end in front of the next";
}

TEST_F(AuditFile, MoreThanMayWaitIsDroppedAndCounted) {
  audit_file file(path_);
  const std::string giant(audit_file::max_waiting_bytes, 'x');
  file.append(giant + "\n");
  EXPECT_EQ(file.so_far().dropped, 1u);
}

TEST_F(AuditFile, ATrailFollowsItsConfiguration) {
  audit_trail trail("0.2.0");
  auto first = std::make_shared<config>();
  trail.adopt(first, noon);
  trail.refused({}, noon);
  EXPECT_EQ(trail.written() + trail.dropped(), 0u) << "there is no audit log";
  auto second = std::make_shared<config>();
  second->log.audit_file = path_;
  trail.adopt(second, noon);
  trail.refused(refused_caller(), noon);
  trail.left_out(3, noon);
  trail.reload_refused({"a.yaml:1:1: error: it is broken"}, noon);
  auto third = std::make_shared<config>(*second);
  third->log.audit_file = folder_ / "other.jsonl";
  trail.adopt(third, noon);
  trail.stopped(noon);
  const std::vector<json> was = lines_of(text_of(path_)), is = lines_of(text_of(folder_ / "other.jsonl"));
  ASSERT_EQ(was.size(), 5u);
  EXPECT_EQ(was[0].at("changed"), json({"audit_log"}));
  EXPECT_EQ(was[1].at("event"), "refused");
  EXPECT_EQ(was[3].at("result"), "refused");
  EXPECT_EQ(was[3].at("reasons"), json({"a.yaml:1:1: error: it is broken"}));
  EXPECT_EQ(was[4].at("changed"), json({"audit_log"}));
  ASSERT_EQ(is.size(), 2u);
  EXPECT_EQ(is[1].at("event"), "stop");
}

}  // namespace
}  // namespace photofinish::gateway
