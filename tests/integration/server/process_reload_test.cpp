// Tests how the gateway's process reloads its files. A truncated file must not remove keys or settings. The log, the audit log and the
// metrics report the reload.
#include "tests/integration/server/asked_process.hpp"
#include "tests/support/signed_catalogue.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

class ProcessReload : public ::testing::Test {
 protected:
  ProcessReload() {
    std::string pattern = std::filesystem::temp_directory_path() / "photofinish_reload_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ProcessReload() override { std::filesystem::remove_all(folder_); }

  // Writes a file with keys for the first `count` names.
  void write_keys(int count) const {
    std::ofstream out(key_file() + ".new");
    for (int each = 1; each <= count; ++each)
      out << "- {name: k" << each << ", key: door-0123456789-" << each << "}\n";
    out.close();
    std::filesystem::rename(key_file() + ".new", key_file());
  }
  std::string key_file() const { return folder_ + "/keys.yaml"; }
  std::string audit_file() const { return folder_ + "/audit.jsonl"; }
  std::string config(const std::string& more = "") const {
    return one_provider(provider_, "access_keys: \"file:" + key_file() + "\"\naudit_log: {file: " + audit_file() +
                                       "}\nopen_metrics: true\n" + more);
  }
  static int status_with(const gateway_process& gateway, int key) {
    return ask(gateway.port(), "authorization: Bearer door-0123456789-" + std::to_string(key) + "\r\n").status;
  }
  static bool says(const gateway_process& gateway, const std::string& text, std::size_t from = 0) {
    return comes_true([&] { return gateway.output().find(text, from) != std::string::npos; });
  }
  static std::string hash_in(const gateway_process& gateway) {
    const std::string page = fetch(gateway.port(), "/metrics").body, name = "\nphotofinish_config_info{hash=\"";
    const std::size_t at = page.find(name);
    return at == std::string::npos ? "" : page.substr(at + name.size(), 16);
  }
  std::vector<nlohmann::json> audit_lines(const std::string& event) const {
    std::vector<nlohmann::json> found;
    std::ifstream in(audit_file());
    for (std::string line; std::getline(in, line);) {
      auto read = nlohmann::json::parse(line, nullptr, false);
      if (!read.is_discarded() && read.value("event", "") == event) found.push_back(std::move(read));
    }
    return found;
  }

  const std::string& folder() const { return folder_; }

  scripted_provider provider_{streams({"hi"})};

 private:
  std::string folder_;
};

// The gateway watches the key file, so no signal is needed. The truncated file lacks the keys of eight callers, but they must not get a
// 401.
TEST_F(ProcessReload, AKeyFileThatWasCutAtALineEndChangesNothing) {
  write_keys(9);
  gateway_process gateway({.config = config()});
  const std::string before = hash_in(gateway);
  EXPECT_EQ(before.size(), 16u);
  EXPECT_TRUE(says(gateway, "1 provider, 1 route, 9 access keys, 0 teams; hash " + before));
  write_keys(1);
  EXPECT_TRUE(says(gateway, "must not remove the following: 8 of 9 access keys ('k2', 'k3', 'k4' and 5 more: requests with these keys"));
  EXPECT_TRUE(says(gateway, "allow_emptying: true"));
  EXPECT_EQ(status_with(gateway, 9), 200);
  EXPECT_EQ(hash_in(gateway), before);
  EXPECT_TRUE(comes_true([&] { return audit_lines("reload").size() == 1; }));
  const nlohmann::json refused = audit_lines("reload").at(0);
  EXPECT_EQ(refused.at("result"), "refused");
  EXPECT_NE(refused.at("reasons").at(0).get<std::string>().find("8 of 9 access keys"), std::string::npos);

  gateway.write_config(config("allow_emptying: true\n"));
  gateway.signal(SIGHUP);
  EXPECT_TRUE(says(gateway, "1 access key (8 went: 'k2', 'k3', 'k4' and 5 more), 0 teams; hash "));
  EXPECT_EQ(status_with(gateway, 9), 401);
  EXPECT_EQ(status_with(gateway, 1), 200);
  EXPECT_TRUE(comes_true([&] { return audit_lines("reload").size() == 2; }));
  EXPECT_EQ(audit_lines("reload").at(1).at("access_keys").at("went"), 8);
  EXPECT_NE(hash_in(gateway), before);
}

TEST_F(ProcessReload, TheHintOfARestartNamesWhatDiffersFromWhatRuns) {
  write_keys(1);
  gateway_process gateway({.config = config()});
  std::size_t from = gateway.output().size();
  const auto reload = [&](const std::string& more) {
    from = gateway.output().size();
    gateway.write_config(config(more));
    gateway.signal(SIGHUP);
    return says(gateway, "configuration reloaded", from);
  };
  EXPECT_TRUE(reload("log_format: json\n"));
  EXPECT_TRUE(says(gateway, "changes of log_format need a restart", from));
  for (const std::string& more : {std::string("log_format: json\nshare_keys: true\n"), std::string()}) {
    EXPECT_TRUE(reload(more));
    const std::string before_next = gateway.output().substr(from);
    EXPECT_TRUE(reload(more)) << "what the first reload said is out by now";
    EXPECT_EQ(before_next.find("need a restart"), std::string::npos) << before_next;
    EXPECT_EQ(gateway.output().find("need a restart", from), std::string::npos);
  }
}

class CatalogueReload : public ProcessReload {
 protected:
  void write_list(const std::string& text, const std::string& signature) const {
    write(list_file() + ".sig", signature);
    write(list_file(), text);
  }
  std::string list_file() const { return folder() + "/catalogue.json"; }
  std::string with_list() const {
    return one_provider(provider_, "catalogue: {file: " + list_file() + ", public_key: '" + tests::list_public_key +
                                       "'}\nopen_metrics: true\n");
  }
  static bool is_last_accepted(const gateway_process& gateway) {
    const std::string page = fetch(gateway.port(), "/metrics").body;
    return page.find("\nphotofinish_config_last_reload_successful 1\n") != std::string::npos;
  }

 private:
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  }
};

// No signal is needed, because the gateway watches its files.
TEST_F(CatalogueReload, AWrongListNeverReplacesAGoodOne) {
  const std::string good = tests::later_list(1);
  write_list(good, tests::list_signature(good));
  gateway_process gateway({.config = with_list()});
  const std::string before = hash_in(gateway);
  EXPECT_EQ(before.size(), 16u);
  EXPECT_NE(fetch(gateway.port(), "/metrics").body.find("\nphotofinish_catalogue_age_seconds "), std::string::npos);
  const auto is_refused = [&](const std::string& text, const std::string& signature, const std::string& why) {
    const std::size_t from = gateway.output().size();
    write_list(text, signature);
    EXPECT_TRUE(says(gateway, why, from)) << gateway.output().substr(from);
    EXPECT_EQ(hash_in(gateway), before);
    EXPECT_TRUE(comes_true([&] { return !is_last_accepted(gateway); }));
  };
  const std::string newer = tests::later_list(2), cut = newer.substr(0, newer.size() / 2);
  is_refused(newer + " ", tests::list_signature(newer), "has a signature that does not match the file");
  is_refused(cut, tests::list_signature(cut), "the catalogue is not valid JSON");
  const std::string older = tests::later_list(0), shrunken = tests::small_list(2);
  is_refused(older, tests::list_signature(older), "older than the current list, dated " + tests::list_day(1));
  is_refused(shrunken, tests::list_signature(shrunken), "differs too much from photofinish's built-in list");
  const std::string ahead = tests::later_list(36'500);
  is_refused(ahead, tests::list_signature(ahead), "more than two days after today");

  const std::size_t from = gateway.output().size();
  write_list(newer, tests::list_signature(newer));
  EXPECT_TRUE(says(gateway, "configuration reloaded", from));
  EXPECT_TRUE(comes_true([&] { return is_last_accepted(gateway); }));
  EXPECT_NE(hash_in(gateway), before);
}

}  // namespace
}  // namespace photofinish::testing
