// Tests the parser of command lines. A command line must either run, or be refused before any work has begun.
#include "gateway/commands/line/command_line.hpp"

#include "gateway/commands/line/command_tree.hpp"
#include "gateway/commands/line/completion.hpp"
#include "gateway/commands/line/examples.hpp"
#include "gateway/commands/line/man_page.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway::commands {
namespace {

struct outcome {
  int exit_code = 0;
  std::string out, err;
};

outcome run(std::vector<const char*> words) {
  words.insert(words.begin(), "photofinish");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run_command_line(static_cast<int>(words.size()), words.data());
  outcome seen{exit_code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
  return seen;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

command_tree tree() {
  int exit_code = 0;
  return read_commands(*make_command_line(exit_code));
}

TEST(CommandLine, TellsItsVersionInEveryWayOfAsking) {
  const std::string text = run({"version"}).out;
  ASSERT_EQ(text.find("photofinish "), 0u);
  for (const char* word : {"--version", "-V"}) {
    const outcome seen = run({word});
    EXPECT_EQ(seen.exit_code, 0) << word;
    EXPECT_EQ(seen.out.substr(0, seen.out.find('\n')), text.substr(0, text.find('\n'))) << word;
  }
}

TEST(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  for (const command& each : tree().commands) {
    const outcome seen = run({"help", each.name.c_str()});
    EXPECT_EQ(seen.exit_code, 0) << each.name;
    EXPECT_EQ(seen.out, run({each.name.c_str(), "--help"}).out) << each.name;
    EXPECT_TRUE(holds(seen.out, each.description)) << seen.out;
  }
  const outcome wrong = run({"help", "sevre"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(holds(wrong.err, "did you mean 'serve'?")) << wrong.err;
}

TEST(CommandLine, AStrayWordIsRefusedBeforeAnythingBegins) {
  struct wrong_line {
    std::vector<const char*> words;
    const char* message;
  };
  const wrong_line lines[] = {
      {{"sevre"}, "unknown command 'sevre'; did you mean 'serve'?"},
      {{"please", "serve", "--demo"}, "unknown command 'please'"},
      {{"--frobnicate", "serve", "--demo"}, "unknown option '--frobnicate' before a command"},
      {{"serve", "--demo", "now"}, "'photofinish serve' does not take the argument 'now'"},
      {{"serve", "--lisen", "127.0.0.1:0"}, "'photofinish serve' has no option '--lisen'; did you mean '--listen'?"},
      {{"check", "a.yaml", "b.yaml"}, "does not take the argument 'b.yaml'"},
      {{"completion", "tcsh"}, "tcsh"},
  };
  for (const wrong_line& each : lines) {
    const outcome seen = run(each.words);
    EXPECT_EQ(seen.exit_code, 2) << each.message;
    EXPECT_TRUE(holds(seen.err, each.message)) << seen.err;
    EXPECT_EQ(seen.out, "");
  }
}

TEST(CommandLine, TheConfigurationMayBeNamedInEachUsualWay) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"check", "/nope.yaml"}, {"check", "-c", "/nope.yaml"},
                                             {"check", "--config", "/nope.yaml"}, {"models", "/nope.yaml"},
                                             {"serve", "-c", "/nope.yaml"}}) {
    const outcome seen = run(words);
    EXPECT_EQ(seen.exit_code, 2);
    EXPECT_EQ(seen.err, "/nope.yaml: error: there is no such file\n");
  }
}

TEST(CommandLine, EveryCommandHasExamplesThatItsHelpShows) {
  for (const command& each : tree().commands) {
    EXPECT_FALSE(examples_of(each.name).empty()) << each.name;
    std::istringstream lines{std::string(examples_of(each.name))};
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find("  "), 0u) << "indented: " << line;
      EXPECT_TRUE(holds(each.notes, line)) << "shown by --help: " << line;
      EXPECT_TRUE(holds(line, "photofinish " + each.name)) << line;
    }
  }
  EXPECT_TRUE(examples_of("nope").empty());
}

TEST(CommandLine, ARaceOfWhatIsNotThereNamesACommandAndNotAServer) {
  const outcome seen = run({"race", "--demo", "nope", "hi"});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_EQ(seen.err, "error: unknown route or target 'nope'; `photofinish models` lists what the configuration serves\n");
}

TEST(CommandLine, StatsOfNothingSaysWhereItAskedAndWhatToDo) {
  const outcome seen = run({"stats", "http://127.0.0.1:1"});
  EXPECT_EQ(seen.exit_code, 1);
  EXPECT_TRUE(holds(seen.err, "http://127.0.0.1:1: no answer from this address")) << seen.err;
  EXPECT_TRUE(holds(seen.err, "is the gateway running?")) << seen.err;
  const outcome keyless = run({"stats", "--key-env", "PHOTOFINISH_TEST_NOT_SET"});
  EXPECT_EQ(keyless.exit_code, 2);
  EXPECT_TRUE(holds(keyless.err, "the variable PHOTOFINISH_TEST_NOT_SET is not set")) << keyless.err;
}

// Runs the completion script and then the commands in `asked` in a shell. Returns the words of the output.
std::string in_shell(const std::string& shell, const std::string& script, const std::string& asked) {
  std::string pattern = (std::filesystem::temp_directory_path() / "photofinish_shell_XXXXXX").string();
  const std::string folder = ::mkdtemp(pattern.data());
  std::ofstream(folder + "/completion") << script;
  std::ofstream(folder + "/asked") << asked;
  const std::string line = "cd " + folder + " && " + shell + " asked 2>&1";
  std::string text;
  if (FILE* pipe = ::popen(line.c_str(), "r")) {
    char some[4096];
    while (const std::size_t count = std::fread(some, 1, sizeof some, pipe)) text.append(some, count);
    ::pclose(pipe);
  }
  std::filesystem::remove_all(folder);
  return text;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

TEST(Completion, OfBashCompletesCommandsOptionsAndChoices) {
  if (!is_installed("bash")) GTEST_SKIP() << "no bash";
  const auto completed = [script = bash_completion(tree())](const std::string& words, int at) {
    return in_shell("bash", script, "source ./completion\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" +
                                        std::to_string(at) + "\n_photofinish\necho \"${COMPREPLY[@]}\"\n");
  };
  EXPECT_EQ(completed("photofinish se", 1), "serve\n");
  EXPECT_EQ(completed("photofinish serve --li", 2), "--listen\n");
  EXPECT_EQ(completed("photofinish race --policy he", 3), "hedge\n");
  EXPECT_EQ(completed("photofinish completion z", 2), "zsh\n");
  EXPECT_EQ(completed("photofinish help mod", 2), "models\n");
  EXPECT_EQ(completed("photofinish check -c comp", 3), "completion\n") << "a file";
  EXPECT_EQ(completed("photofinish check nothing", 2), "\n");
}

TEST(Completion, OfZshIsReadAndKnowsTheCommands) {
  if (!is_installed("zsh")) GTEST_SKIP() << "no zsh";
  const std::string text = in_shell("zsh -f", zsh_completion(tree()),
                                    "autoload -Uz compinit && compinit -D\nsource ./completion\n"
                                    "print -r -- ${_comps[photofinish]}\n");
  EXPECT_EQ(text, "_photofinish\n");
}

TEST(Completion, OfFishCompletesCommandsOptionsAndChoices) {
  if (!is_installed("fish")) GTEST_SKIP() << "no fish";
  const auto completed = [script = fish_completion(tree())](const std::string& line) {
    return in_shell("fish --no-config", script, "source ./completion\ncomplete -C '" + line + "' | string split -f1 \\t\n");
  };
  EXPECT_EQ(completed("photofinish se"), "serve\n");
  EXPECT_EQ(completed("photofinish serve --li"), "--listen\n");
  EXPECT_EQ(completed("photofinish completion z"), "zsh\n");
}

TEST(ManPage, NamesEveryCommandAndOptionAndIsCleanRoff) {
  const std::string page = man_page(tree(), "1.2.3");
  for (const command& each : tree().commands) {
    EXPECT_TRUE(holds(page, ".SS " + each.name + "\n")) << each.name;
    for (const argument& option : each.arguments)
      for (std::string name : option.names) {
        for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, "\\");
        EXPECT_TRUE(holds(page, name)) << each.name << " " << name;
      }
  }
  if (!is_installed("groff")) GTEST_SKIP() << "no groff to read it";
  EXPECT_EQ(in_shell("sh", page, "groff -man -ww -Tutf8 completion > /dev/null\n"), "");
}

}  // namespace
}  // namespace photofinish::gateway::commands
