// Tests that the base URLs of presets equal the URLs in public lists (addresses.json, which make_catalogue.py writes). All date checks use
// the date of these lists, never today.
#include "proxy/providers/presets.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

// A URL in a public list that differs from the URL of the preset, with the reason for the difference.
struct other_url {
  const char* preset;
  const char* url;
  const char* reason;
  const char* date;  // the day on which a person checked the difference
};

const std::vector<other_url>& exceptions() {
  static const std::vector<other_url> all{
      {"moonshot", "https://api.moonshot.ai/anthropic/v1",
       "models.dev has the Messages API; the preset speaks chat, as pi-ai does", "2026-11-29"},
      {"zai", "https://api.z.ai/api/coding/paas/v4",
       "pi-ai has the API of the coding plan; the preset is billed by use", "2026-11-29"},
      {"vertex-gemini", "https://{location}-aiplatform.googleapis.com",
       "pi-ai's client appends the project and the publisher", "2026-11-29"},
  };
  return all;
}

constexpr std::chrono::days lifetime{60};

std::chrono::sys_days date_of(const std::string& text) {
  return std::chrono::year(std::stoi(text.substr(0, 4))) / std::stoi(text.substr(5, 2)) / std::stoi(text.substr(8, 2));
}

// Converts a URL with {placeholders} to a pattern. A /v1 at the end of the URL is optional, because in some lists the client appends it.
std::regex pattern_of(const std::string& url) {
  static const std::regex special(R"([.+?()\[\]^|\\$*])"), placeholder(R"(\{[A-Za-z_]+\})");
  const std::string escaped = std::regex_replace(url, special, R"(\$&)");
  std::string pattern = std::regex_replace(escaped, placeholder, "[^/]+");
  if (pattern.ends_with("/v1")) pattern = pattern.substr(0, pattern.size() - 3) + "(/v1)?";
  return std::regex(pattern);
}

bool is_base_url_of(const preset& known, const std::string& url) {
  const auto is_it = [&url](const preset& each) { return std::regex_match(url, pattern_of(each.base_url)); };
  return is_it(known) || std::any_of(known.compatible.begin(), known.compatible.end(), is_it);
}

const json& lists() {
  static const json read = json::parse(tests::source_file("proxy/providers/data/addresses.json"));
  return read;
}

TEST(PresetAddresses, AreThoseOfTheLists) {
  ASSERT_GE(lists().at("addresses").size(), 40u);
  std::set<const other_url*> used;
  for (const auto& [name, by_package] : lists().at("addresses").items()) {
    ASSERT_TRUE(presets().contains(name)) << name;
    for (const auto& [package, urls] : by_package.items())
      for (const std::string url : urls) {
        if (is_base_url_of(presets().at(name), url)) continue;
        const auto allowed = std::find_if(exceptions().begin(), exceptions().end(),
                                          [&](const other_url& each) { return name == each.preset && url == each.url; });
        ASSERT_NE(allowed, exceptions().end()) << name << ": " << package << " has " << url << ", presets.yaml "
                                               << presets().at(name).base_url << ": mend it, or write the reason here";
        used.insert(&*allowed);
      }
  }
  for (const other_url& each : exceptions()) {
    EXPECT_TRUE(used.contains(&each)) << each.preset << " needs no exception for " << each.url;
    EXPECT_GT(std::string(each.reason).size(), 10u) << each.preset;
  }
}

TEST(PresetAddresses, AnExceptionIsLookedAtAgain) {
  for (const other_url& each : exceptions())
    EXPECT_LE(date_of(lists().at("as_of")), date_of(each.date) + lifetime) << each.preset << ": " << each.reason;
}

TEST(PresetAddresses, APatternIsTheWholeUrl) {
  EXPECT_TRUE(std::regex_match("https://a.b/v1", pattern_of("https://a.b/v1")));
  EXPECT_TRUE(std::regex_match("https://a.b", pattern_of("https://a.b/v1"))) << "a client that appends it";
  EXPECT_TRUE(std::regex_match("https://a.${X}.b/${ID}/v1", pattern_of("https://a.{region}.b/{id}/v1")));
  EXPECT_FALSE(std::regex_match("https://axb/v1", pattern_of("https://a.b/v1")));
  EXPECT_FALSE(std::regex_match("https://a.b/v2", pattern_of("https://a.b/v1")));
  EXPECT_FALSE(std::regex_match("https://a.b/v1/more", pattern_of("https://a.b/v1")));
  EXPECT_FALSE(std::regex_match("https://a./v1", pattern_of("https://a.{region}/v1")));
}

}  // namespace
}  // namespace photofinish::proxy
