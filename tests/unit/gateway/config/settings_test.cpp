// Compares the parser, the defaults, the schema and the documentation of settings with the table of settings.
#include "gateway/config/settings.hpp"

#include "gateway/config/schema.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "proxy/find_dialect.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

// Returns a configuration that contains only this setting. If the setting belongs to a provider, the provider is Baseten, because its
// preset has only default values.
std::string with(const setting& row, const std::string& value) {
  const std::string entry = std::string(row.name) + ": " + value;
  switch (row.where) {
    case section::top:
      return entry;
    case section::tls:
      return "tls: {" + entry + "}";
    case section::access_key:
      return "access_keys: [{" + entry + "}]";
    case section::sealed_keys:
      return "sealed_keys: {" + entry + "}";
    case section::jwt:
      return "jwt: [{" + entry + "}]";
    case section::audit_log:
      return "audit_log: {" + entry + "}";
    case section::content_log:
      return "content_log: {" + entry + "}";
    case section::key_limits:
      return "key_defaults: {" + entry + "}";
    case section::team:
      return "teams: {search: {" + entry + "}}";
    case section::limits:
      return "limits: {" + entry + "}";
    case section::metrics:
      return "metrics: {" + entry + "}";
    case section::alerts:
      return "alerts: {" + entry + "}";
    case section::redis:
      return "redis: {" + entry + "}";
    case section::sentinel:
      return "redis: {sentinel: {" + entry + "}}";
    case section::tracing:
      return "tracing: {" + entry + "}";
    case section::probes:
      return "probes: {" + entry + "}";
    case section::catalogue:
      return "catalogue: {" + entry + "}";
    case section::provider:
      return "providers: {baseten: {" + entry + "}}";
    case section::race:
      return "race: {" + entry + "}";
    case section::route:
      return "routes: {fast: {" + entry + "}}";
    case section::rule:
      return "routes: {fast: {rules: [{" + entry + "}]}}";
    case section::cache:
      return "routes: {fast: {cache: {" + entry + "}}}";
    case section::guardrail:
      return "guardrails: [{" + entry + "}]";
    case section::facts:
      return "providers: {baseten: {facts: {m: {" + entry + "}}}}";
    case section::prompt_cache:
      return "providers: {baseten: {prompt_cache: {" + entry + "}}}";
    case section::require:
      return "routes: {fast: {require: {" + entry + "}}}";
  }
  return {};
}

config_result parse(const std::string& yaml) {
  return parse_config(yaml, "test.yaml",
                      tests::table_environment{.variables = {{"BASETEN_API_KEY", "k"}}}.machine());
}

bool is_map(const setting& row) {
  return row.type == setting_type::text_map || row.type == setting_type::secret_map ||
         row.type == setting_type::one || row.type == setting_type::map_of;
}

std::string label(const setting& row) {
  return std::string(to_string(row.where)) + "." + std::string(row.name);
}

TEST(Settings, ADialectIsOneOfThoseThatThereAre) {
  std::vector<std::string_view> all;
  for (const proxy::named_dialect& each : proxy::all_dialects()) all.push_back(each.name);
  const auto words = find_setting(section::provider, "dialect")->words;
  EXPECT_EQ(std::vector(words.begin(), words.end()), all);
}

TEST(Settings, EachIsThereOnceAndExplained) {
  std::set<std::string> seen;
  for (const setting& row : settings()) {
    EXPECT_TRUE(seen.insert(label(row)).second) << label(row);
    EXPECT_FALSE(row.description.empty()) << label(row);
    EXPECT_FALSE(row.description.ends_with('.')) << label(row);
    EXPECT_EQ(row.type == setting_type::choice || row.type == setting_type::choices, !row.words.empty()) << label(row);
  }
}

TEST(Settings, EachIsReadByTheParserWhichRefusesAValueOfAnotherType) {
  for (const setting& row : settings()) {
    const config_result result = parse(with(row, is_map(row) ? "[nonsense]" : "{a: b}"));
    bool is_refused = false;
    for (const config_problem& problem : result.problems)
      is_refused = is_refused || problem.message.find("must be") != std::string::npos;
    EXPECT_TRUE(is_refused) << label(row);
  }
}

TEST(Settings, WritingADefaultOutChangesNothing) {
  for (const setting& row : settings()) {
    const bool needs_more = row.where == section::access_key || row.where == section::jwt ||
                            row.where == section::route || row.where == section::rule ||
                            row.where == section::cache || row.where == section::guardrail ||
                            row.where == section::require || row.where == section::catalogue ||
                            row.where == section::tls || row.where == section::redis;
    // The documented default of `tiers` applies only to providers without a preset.
    const bool is_of_preset = row.where == section::provider && row.name == "tiers";
    if (default_text(row).empty() || needs_more || is_of_preset || row.where == section::team) continue;
    const config_result written = parse(with(row, default_text(row)));
    const bool is_of_provider = row.where == section::provider || row.where == section::prompt_cache;
    config expected = parse(is_of_provider ? "providers: {baseten: {}}" : "").settings;
    if (row.where == section::probes) expected.probes.emplace();  // probes are enabled if the section `probes` exists
    if (row.name == "listen") expected.server.is_listen_default = false;
    EXPECT_EQ(written.settings, expected) << label(row);
    EXPECT_TRUE(written.is_usable()) << label(row);
  }
}

const json& section_of(const json& schema, section where) {
  return where == section::top ? schema : schema.at("$defs").at(std::string(to_string(where)));
}

TEST(Schema, HoldsEverySettingAndNothingElse) {
  const json schema = json::parse(config_schema());
  EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  std::map<section, std::size_t> counts;
  for (const setting& row : settings()) {
    const json& entry = section_of(schema, row.where).at("properties").at(std::string(row.name));
    EXPECT_EQ(entry.at("description"), std::string(row.description)) << label(row);
    EXPECT_EQ(entry.contains("default"), !default_text(row).empty()) << label(row);
    ++counts[row.where];
  }
  for (const auto& [where, count] : counts) {
    EXPECT_EQ(section_of(schema, where).at("properties").size(), count) << to_string(where);
    EXPECT_EQ(section_of(schema, where).at("additionalProperties"), false) << to_string(where);
  }
}

TEST(Schema, ItsDefaultsFitTheirOwnTypes) {
  const json schema = json::parse(config_schema());
  for (const setting& row : settings()) {
    json entry = section_of(schema, row.where).at("properties").at(std::string(row.name));
    if (!entry.contains("default")) continue;
    const json value = entry.at("default");
    entry["$defs"] = schema.at("$defs");
    EXPECT_EQ(tests::json_schema(entry).complaint(value), "") << label(row);
  }
}

TEST(Schema, AgreesWithTheParserOnShapes) {
  const tests::json_schema schema(json::parse(config_schema()));
  const char* const good[] = {
      R"({})",
      R"({"providers": {"groq": null, "xai": {"api_key": "${X}"}}})",
      R"({"providers": {"groq": {"apis": ["chat", "${MORE}"]}}})",
      R"({"listen": "127.0.0.1:1"})",
      R"({"listen": ["[::1]:7777"], "workers": "${N:-2}", "open": true})",
      R"({"routes": {"a": {"targets": ["groq/x"], "race": {"policy": "all", "keepalive_after": 0}}}})",
      R"({"routes": {"a": {"targets": ["groq/x"], "rules": [{"name": "r", "class": "batch", "tools": false}]}}})",
      R"({"access_keys": [{"name": "a", "key_hash": "sha256:x"}, {"name": "b", "key_hash": ["x"]}]})",
      R"({"teams": {"a": {"max_budget": 0.5, "budget_duration": "5h"}}})",
      R"({"alerts": {"webhook": "https://h/x?k=1", "labels": {"team": "x"}}, "race": {"observe_losers": 0.25}})",
      R"({"tracing": {"endpoint": "http://c:4318", "headers": {"a": "b"}, "sample": 0.05, "keep": ["error"]}})",
      R"({"limits": {"max_body": 1024, "max_header": "64KiB"}, "drain_delay": "500us"})"};
  for (const char* text : good) EXPECT_EQ(schema.complaint(json::parse(text)), "") << text;
  const char* const bad[] = {R"([])",
                             R"({"workres": 1})",
                             R"({"workers": "2"})",
                             R"({"workers": 0})",
                             R"({"open": "true"})",
                             R"({"listen": ":7777"})",
                             R"({"drain_delay": 5})",
                             R"({"drain_delay": "5 s"})",
                             R"({"half_close": "maybe"})",
                             R"({"providers": {"groq": {"apis": []}}})",
                             R"({"providers": {"groq": {"apis": ["chat", "images/edits"]}}})",
                             R"({"routes": {"a": {}}})",
                             R"({"routes": {"a": {"targets": ["groq/x"], "rules": [{"class": "batch"}]}}})",
                             R"({"routes": {"a": {"targets": ["groq/x"], "rules": [{"name": "r", "class": "soon"}]}}})",
                             R"({"routes": {"_a": {"targets": ["x/y"]}}})",
                             R"({"providers": {"Groq": {}}})",
                             R"({"providers": {"groq": {"apikey": "x"}}})",
                             R"({"access_keys": [{"key": "a"}]})",
                             R"({"access_keys": [{"name": "a", "key_hash": 1}]})",
                             R"({"teams": {"a": {"max_budget": 0}}})",
                             R"({"race": {"observe_losers": 1.5}})",
                             R"({"race": {"observe_losers": "half"}})",
                             R"({"limits": {"max_body": -1}})"};
  for (const char* text : bad) {
    EXPECT_NE(schema.complaint(json::parse(text)), "") << text;
    EXPECT_FALSE(parse(text).is_usable()) << text;
  }
}

// Removes the Markdown syntax from a text.
std::string plain_words(std::string_view text) {
  std::string plain;
  for (const char each : text)
    if (each != '`' && each != '\\') plain += each;
  return plain;
}

// A row in the pages of docs/configuration begins with "| `name` | type | `default` | description". The row is
// under the heading of its section.
TEST(Reference, ListsEverySettingWithItsTypeAndDefault) {
  const std::string reference = tests::text_of_pages("configuration");
  std::size_t rows = 0;
  for (std::size_t at = reference.find("\n| `"); at != std::string::npos;
       at = reference.find("\n| `", at + 1))
    ++rows;
  for (const setting& row : settings()) {
    const std::string heading = "\n## " + std::string(to_string(row.where)) + "\n";
    const std::size_t begin = reference.find(heading);
    ASSERT_NE(begin, std::string::npos) << heading;
    EXPECT_EQ(reference.find(heading, begin + 1), std::string::npos) << "twice:" << heading;
    const std::size_t end = std::min(reference.find("\n## ", begin + 1), reference.find("\n# ", begin));
    const std::string chapter = reference.substr(begin, end - begin);
    std::string type(to_string(row.type));
    if (!row.words.empty()) {
      type = row.type == setting_type::choices ? "list of" : "";
      const char* separator = type.empty() ? "`" : " `";
      for (const std::string_view word : row.words)
        type += std::exchange(separator, ", `") + std::string(word) + "`";
    }
    const std::string fallback = default_text(row).empty() ? "" : "`" + default_text(row) + "` ";
    const std::string line = "\n| `" + std::string(row.name) + "` | " + type + " | " + fallback + "| ";
    const std::size_t place = chapter.find(line);
    ASSERT_NE(place, std::string::npos) << "missing in docs/configuration:" << line;
    const std::size_t text = place + line.size();
    EXPECT_TRUE(plain_words(chapter.substr(text)).starts_with(plain_words(row.description)))
        << label(row) << " has another description in docs/configuration";
  }
  EXPECT_EQ(rows, settings().size()) << "docs/configuration lists a setting that does not exist";
}

}  // namespace
}  // namespace photofinish::gateway
