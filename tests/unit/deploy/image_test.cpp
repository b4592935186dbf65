// Tests deploy/Dockerfile, and the list of files that its build may read. This test builds no image.
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace photofinish {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(tests::source_root() / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> lines_of(const fs::path& file) {
  std::istringstream text(text_of(file));
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) return {};
  std::string text;
  std::array<char, 4096> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe.get())) text.append(piece.data(), got);
  return text;
}

TEST(Image, IsCheckedByTheBinaryItself) {
  const std::string file = text_of("deploy/Dockerfile");
  EXPECT_NE(file.find("\nHEALTHCHECK "), std::string::npos);
  EXPECT_NE(file.find("CMD [\"photofinish\", \"health\"]\n"), std::string::npos);
  EXPECT_NE(output_of(std::string(PHOTOFINISH_BINARY) + " health --help").find("--url"), std::string::npos);
}

TEST(Image, ItsBaseMayBePinned) {
  std::istringstream file(text_of("deploy/Dockerfile"));
  int stages = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("FROM ")) continue;
    EXPECT_TRUE(line.starts_with("FROM ${BASE}")) << line;
    ++stages;
  }
  EXPECT_EQ(stages, 2);
}

TEST(Image, ItsBuildIsGivenNeitherGitNorSecrets) {
  const std::set<std::string> left_out = lines_of("deploy/Dockerfile.dockerignore");
  for (const char* each : {".git", "build", "deploy/gateway.env", "deploy/config", "deploy/photofinish.yaml"})
    EXPECT_TRUE(left_out.contains(each)) << each;
}

// Returns the commit that a build outside of a repository reports. The image is built in a folder without a repository.
std::string commit_found_in(const fs::path& folder, const std::string& variable) {
  const fs::path script = folder / "print.cmake";
  std::ofstream(script) << "include(\"" << (tests::source_root() / "gateway/commit.cmake").string()
                        << "\")\nfind_commit(\"${CMAKE_CURRENT_LIST_DIR}\" found)\nmessage(\"${found}\")\n";
  return output_of("PHOTOFINISH_COMMIT='" + variable + "' GIT_CEILING_DIRECTORIES=/ '" CMAKE_PROGRAM "' -P " +
                   script.string() + " 2>&1");
}

TEST(Image, ItsVersionNamesTheCommitOfTheBuildArgument) {
  const std::string file = text_of("deploy/Dockerfile");
  const std::size_t argument = file.find("\nARG COMMIT=unknown\nENV PHOTOFINISH_COMMIT=$COMMIT\n");
  ASSERT_NE(argument, std::string::npos);
  EXPECT_GT(argument, file.find("RUN deploy/install.sh")) << "a new commit keeps the layer with the packages";

  std::string folder = (fs::temp_directory_path() / "photofinish-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(commit_found_in(folder, "0123456789ab"), "0123456789ab\n");
  EXPECT_EQ(commit_found_in(folder, ""), "unknown\n");
  EXPECT_EQ(commit_found_in(folder, "\"; evil()"), "unknown\n");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace photofinish
