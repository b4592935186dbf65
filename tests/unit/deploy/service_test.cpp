// Tests deploy/photofinish.service: its settings and its reload commands. If systemd is installed, systemd also checks the file.
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish {
namespace {

namespace fs = std::filesystem;

std::string unit_text() {
  std::ifstream in(tests::source_root() / "deploy/photofinish.service");
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns all values of a setting, in the same order as in the file.
std::vector<std::string> values(const std::string& name) {
  std::istringstream text(unit_text());
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(name + "=")) found.push_back(line.substr(name.size() + 1));
  return found;
}

int exit_code(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string replaced(const std::string& text, const std::string& what, const std::string& by) {
  return std::regex_replace(text, std::regex(what), by);
}

class Service : public ::testing::Test {
 protected:
  Service() : folder_((fs::temp_directory_path() / "photofinish-XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  ~Service() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }

  // Runs the first reload command with this configuration, as systemd would. Returns the exit code.
  int checked(const std::string& configuration) const {
    std::ofstream(in_folder("photofinish.yaml")) << configuration;
    const std::string command = replaced(replaced(values("ExecReload").at(0), "^photofinish ", PHOTOFINISH_BINARY " "),
                                         "/etc/photofinish/photofinish.yaml", in_folder("photofinish.yaml"));
    return exit_code(command + " >" + in_folder("out") + " 2>&1");
  }

 private:
  std::string folder_;
};

TEST_F(Service, AReloadChecksTheFileThatIsServedBeforeItSignals) {
  const std::vector<std::string> commands = values("ExecReload");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(replaced(commands[0], " check ", " serve "), values("ExecStart").at(0));
  EXPECT_EQ(commands[1], "/bin/kill -HUP $MAINPID");
}

// A manual installation puts the binary in /usr/local/bin, and the package puts it in /usr/bin. systemd looks for the binary in both.
TEST_F(Service, FindsTheBinaryWhereverItIsInstalled) {
  EXPECT_TRUE(values("ExecStart").at(0).starts_with("photofinish serve ")) << values("ExecStart").at(0);
}

TEST_F(Service, ABadFileFailsTheReload) {
  EXPECT_EQ(checked("providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/x]}}\n"), 0);
  EXPECT_NE(checked("providers: {groq: {api_key: k}}\nroutes: {r: {targets: [grok/x]}}\n"), 0);
  EXPECT_NE(checked("providers: {broken"), 0);
}

TEST_F(Service, AUserThatOwnsItsFilesCanReadThemWithoutEverybodyDoingSo) {
  EXPECT_EQ(values("User"), std::vector<std::string>{"photofinish"});
  EXPECT_EQ(values("DynamicUser"), std::vector<std::string>{"yes"});
  EXPECT_NE(unit_text().find("useradd --system"), std::string::npos);
}

// ProtectSystem=strict makes /var/log read-only. Only the service's own log folder stays writable.
TEST_F(Service, HasTheFolderThatTheAuditLogIsDocumentedIn) {
  ASSERT_EQ(values("ProtectSystem"), std::vector<std::string>{"strict"});
  ASSERT_EQ(values("LogsDirectory").size(), 1u);
  EXPECT_EQ(values("LogsDirectoryMode"), std::vector<std::string>{"0700"});
  std::ifstream in(tests::source_root() / "docs/operating/audit-and-content-logs.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(page.find("audit_log: {file: /var/log/" + values("LogsDirectory")[0] + "/"), std::string::npos);
}

// By default, systemd permits five starts in ten seconds. If a gateway's port is in use for a few seconds, this limit would stop the
// gateway for good.
TEST_F(Service, IsStartedAgainWhileItMayHelpAndNeverGivenUp) {
  EXPECT_EQ(values("Restart"), std::vector<std::string>{"on-failure"});
  EXPECT_EQ(values("StartLimitIntervalSec"), std::vector<std::string>{"0"});
  EXPECT_EQ(values("RestartPreventExitStatus"), std::vector<std::string>{"2"});
  const std::string text = unit_text();
  EXPECT_LT(text.find("StartLimitIntervalSec="), text.find("[Service]")) << "in [Service] systemd ignores it";
}

TEST_F(Service, SystemdAcceptsIt) {
  if (exit_code("systemd-analyze --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "systemd-analyze is not installed";
  const std::string unit = in_folder("photofinish.service");
  std::ofstream(unit) << replaced(unit_text(), "(ExecStart|ExecReload)=photofinish ", "$1=" PHOTOFINISH_BINARY " ");
  const std::string said = in_folder("said");
  EXPECT_EQ(exit_code("systemd-analyze verify --man=no " + unit + " >" + said + " 2>&1"), 0);
  std::ifstream in(said);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "");
}

}  // namespace
}  // namespace photofinish
