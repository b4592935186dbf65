// Tests the age of recorded facts about providers and models. Each kind of fact has a maximum age. If a fact is older, its line must state
// a reason. Ages are measured on the day of the release, not today.
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

// The date of the last review of the facts. Ages are measured on this date if the newest version in the changelog has no date yet.
constexpr sys_days last_review = std::chrono::year(2026) / 11 / 28;

struct facts {
  const char* file;
  const char* dated;  // regular expression that finds the date in a line
  days limit;
};

// Facts about models have a lower maximum age than providers' addresses, because models' restrictions change faster. tests/run.sh --long
// reports the catalogue's age.
constexpr facts kinds[] = {
    {"proxy/providers/data/presets.yaml", R"(^ *as_of: ([0-9-]{10}))", days(180)},
    {"proxy/providers/data/models.yaml", R"(^ *as_of: ([0-9-]{10}))", days(150)},
    {"proxy/providers/data/model_facts.yaml", R"(^ *as_of: ([0-9-]{10}))", days(150)},
};

std::optional<sys_days> read_date(const std::string& text) {
  static const std::regex form("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  const auto number = [&parts](std::size_t at) { return std::stoi(parts[at]); };
  const std::chrono::year_month_day date(std::chrono::year(number(1)), std::chrono::month(static_cast<unsigned>(number(2))),
                                         std::chrono::day(static_cast<unsigned>(number(3))));
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

// Returns the date of the changelog's newest version, for example from "## 0.3.0 (2027-01-31)".
sys_days judged_on(const std::string& changelog) {
  static const std::regex heading("(^|\n)## [0-9.]+ \\(([0-9-]{10})\\)");
  static const std::regex newest("(^|\n)## ");
  std::smatch first, dated;
  const bool has_heading = std::regex_search(changelog, first, newest);
  const bool has_date = std::regex_search(changelog, dated, heading);
  if (!has_heading || !has_date || dated.position() != first.position()) return last_review;
  return read_date(dated[2]).value_or(last_review);
}

struct aged {
  std::size_t found = 0;
  std::vector<std::string> too_old;  // line numbers of the facts that are too old
};

// Finds facts that are too old. The line of a fact may state the reason for its age after `# old:`.
aged read_ages(const std::string& text, const facts& kind, sys_days on) {
  const std::regex dated(kind.dated);
  aged all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_search(line, parts, dated)) continue;
    ++all.found;
    const auto date = read_date(parts[1]);
    const bool is_explained = line.find("# old: ") != std::string::npos;
    if (!date || *date > on || (on - *date > kind.limit && !is_explained)) all.too_old.push_back(line);
  }
  return all;
}

TEST(FactsAge, NoneIsOlderThanItsKindMayBe) {
  const sys_days on = judged_on(tests::source_file("CHANGELOG.md"));
  for (const facts& kind : kinds) {
    const aged read = read_ages(tests::source_file(kind.file), kind, on);
    EXPECT_GT(read.found, 0u) << kind.file;
    for (const std::string& line : read.too_old)
      ADD_FAILURE() << kind.file << ": " << line << ": check it against its sources and give their date, or say why it still holds: # old: …";
  }
}

TEST(FactsAge, EachPresetAndEachFamilyOfModelsIsDated) {
  const std::string presets = tests::source_file("proxy/providers/data/presets.yaml"), models = tests::source_file("proxy/providers/data/models.yaml");
  const auto count = [](const std::string& text, const char* what) {
    const std::regex form(what);
    std::size_t found = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) found += std::regex_search(line, form) ? 1u : 0u;
    return found;
  };
  EXPECT_EQ(read_ages(presets, kinds[0], last_review).found, count(presets, "^    base_url:"));
  EXPECT_EQ(read_ages(models, kinds[1], last_review).found, count(models, "^  - match:"));
  const std::string found = tests::source_file("proxy/providers/data/model_facts.yaml");
  EXPECT_EQ(read_ages(found, kinds[2], last_review).found, count(found, "^  - match:|^  [a-z-]+:$"));
}

TEST(FactsAge, AnOldOneIsSeenAndAWordExcusesIt) {
  const facts kind{"", R"(^ *as_of: ([0-9-]{10}))", days(10)};
  const sys_days on = std::chrono::year(2027) / 1 / 11;
  EXPECT_TRUE(read_ages("  as_of: 2027-01-01\n", kind, on).too_old.empty());
  EXPECT_EQ(read_ages("  as_of: 2026-12-31\n", kind, on).too_old.size(), 1u);
  EXPECT_TRUE(read_ages("  as_of: 2026-12-31  # old: its engine has not changed\n", kind, on).too_old.empty());
  EXPECT_EQ(read_ages("  as_of: 2027-01-12\n", kind, on).too_old.size(), 1u) << "of the future";
  EXPECT_EQ(read_ages("  as_of: 2027-13-01\n", kind, on).too_old.size(), 1u) << "no date";
}

TEST(FactsAge, AReleaseIsJudgedOnItsOwnDay) {
  EXPECT_EQ(judged_on("# Changelog\n\n## 0.3.0 (2027-01-31)\n## 0.2.0 (2026-12-01)\n"), sys_days(std::chrono::year(2027) / 1 / 31));
  EXPECT_EQ(judged_on("# Changelog\n\n## 0.3.0 (unreleased)\n## 0.2.0 (2026-12-01)\n"), last_review);
}

}  // namespace
}  // namespace photofinish::proxy
