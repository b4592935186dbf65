// Compares the pages of docs/http with the sources. Every path, header, status and error code in the code must have a row in these pages.
// The test searches the source text, so it also covers codes and headers that are added later.
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;
using words = std::set<std::string>;

// Returns a source text without comments. Line breaks are replaced by spaces, because an expression may span several lines.
std::string code_of(const std::string& path) {
  std::istringstream text(tests::source_file(path));
  std::string code;
  for (std::string line; std::getline(text, line);) {
    const std::size_t comment = line.find("//");
    const bool is_url = comment != std::string::npos && comment > 0 && line[comment - 1] == ':';
    code += (is_url ? line : line.substr(0, comment)) + " ";
  }
  return std::regex_replace(code, std::regex(" +"), " ");
}

// Returns the sources that communicate with clients. Excludes the code for commands, configuration and the simulator, and the code that
// fetches credentials. Also excludes header_names.cpp, which lists headers that providers must not get.
const std::string& client_side() {
  static const std::string all = [] {
    const std::set<std::string> others{"bench", "commands", "config", "config_sections", "credentials", "simulator"};
    std::string text;
    for (fs::recursive_directory_iterator at(tests::source_root() / "gateway"), end; at != end; ++at) {
      const fs::path& path = at->path();
      if (at->is_directory() && others.contains(path.filename().string())) at.disable_recursion_pending();
      if (path.extension() == ".cpp" && path.stem() != "header_names")
        text += code_of(fs::relative(path, tests::source_root()).string());
    }
    return text;
  }();
  return all;
}

// Returns the first capture group of each match of `pattern`.
words found_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  words found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) found.insert((*at)[1].str());
  return found;
}

words operator+(words left, words right) {
  left.merge(right);
  return left;
}

const std::string& document() {
  static const std::string text = tests::text_of_pages("http");
  return text;
}

// Finds the tables under a heading. Returns the names in backticks in the first cell of each row.
words rows_under(const std::string& heading) {
  const std::size_t begin = document().find("\n" + heading + "\n");
  if (begin == std::string::npos) return {};
  const std::string section = document().substr(begin, document().find("\n#", begin + heading.size()) - begin);
  words rows;
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ")) rows.merge(found_in(line.substr(0, line.find(" |", 2)), "`([^`]+)`"));
  return rows;
}

void expect_rows(const words& spoken, const words& rows, const char* what) {
  EXPECT_FALSE(spoken.empty()) << what;
  for (const std::string& each : spoken) EXPECT_TRUE(rows.contains(each)) << "docs/http lacks the " << what << " " << each;
}

const std::string third_argument = ", (?:\"[a-z_.]*\"|[{][}]|[a-z_:]+|[a-z_:]+\\([a-z_]*\\)), ";
const std::string code_word = "\"([a-z]+(?:_[a-z]+)+)\"";

TEST(HttpDocument, HasEveryErrorCode) {
  const std::string& code = client_side();
  const words spoken = found_in(code, "[.]code = [^;\"]*" + code_word) +               // error.code = a ? "x" : …
                       found_in(code, "[.]code = [^;\"]*\"[a-z_]+\" : " + code_word) +  // … "y"
                       found_in(code, third_argument + code_word + "\\)") +            // a call such as bad_request(…, "param", "x")
                       found_in(code, "\\{ ?[0-9]{3}, [^{}]*, " + code_word + "\\}") +  // refusal{403, …, "x"}
                       found_in(code, "code\":" + code_word);                          // written as JSON
  expect_rows(spoken, rows_under("# Errors"), "error code");
  for (const char* each : {"model_not_found", "upstream_stalled", "upstream_broken", "gateway_overloaded", "invalid_api_key"})
    EXPECT_TRUE(spoken.contains(each)) << each << " is not found in the sources any more";
}

TEST(HttpDocument, HasNoErrorCodeThatIsNotSpoken) {
  const std::string& code = client_side();
  for (const std::string& each : rows_under("# Errors"))
    EXPECT_NE(code.find("\"" + each + "\""), std::string::npos) << each;
}

TEST(HttpDocument, HasEveryStatus) {
  const words spoken = found_in(code_of("gateway/http/response.cpp"), "case ([0-9]{3}):");
  words rows;
  for (const std::string& each : found_in(document(), "\\| ([0-9]{3}) \\| ")) rows.insert(each);
  expect_rows(spoken, rows, "status");
}

TEST(HttpDocument, HasEveryRequestHeader) {
  const std::string& code = client_side();
  const words spoken = found_in(code, "[^a-z_]field\\(\"([a-z-]+)\"\\)") +
                       found_in(code, "(?:find|count)_field[s]?\\([^()\"]*, \"([a-z-]+)\"") +
                       found_in(code, "equals_ignoring_case\\(name, \"([a-z-]+)\"\\)");
  expect_rows(spoken, rows_under("# Request headers"), "request header");
}

TEST(HttpDocument, HasEveryResponseHeader) {
  const std::string& code = client_side();
  words spoken = found_in(code, "[.]add\\(\"([a-z-]+)\",") + found_in(code, "append_field\\(out, \"([a-z-]+)\",") +
                 found_in(code, "[({]+\"(access-control-[a-z-]+|timing-allow-origin|vary)\", ") +
                 found_in(code, "\\\\r\\\\n([a-z-]+): ") + found_in(code, "\"([a-z-]+): [^\"]*\\\\r\\\\n");
  expect_rows(spoken, rows_under("# Response headers"), "response header");
  EXPECT_TRUE(spoken.contains("server-timing"));
}

TEST(HttpDocument, HasEveryHeaderOfOurOwn) {
  const words rows = rows_under("# Request headers") + rows_under("# Response headers");
  for (const std::string& each : found_in(client_side(), "[\"`, ](x-[a-z]+(?:-[a-z]+)*)")) {
    const bool is_known = std::any_of(rows.begin(), rows.end(), [&](const std::string& row) { return row.starts_with(each); });
    EXPECT_TRUE(is_known) << "docs/http lacks the header " << each;
  }
}

TEST(HttpDocument, HasEveryPath) {
  const words spoken = found_in(code_of("gateway/api/routes.cpp"), "\"(?:GET|POST)\", \"(/[a-z/]+)\"");
  EXPECT_GE(spoken.size(), 7u);
  for (const std::string& path : spoken) {
    const bool is_there = document().find("GET " + path + "`") != std::string::npos ||
                          document().find(" /v1" + path + "`") != std::string::npos;
    EXPECT_TRUE(is_there) << path;
  }
}

}  // namespace
}  // namespace photofinish::gateway
