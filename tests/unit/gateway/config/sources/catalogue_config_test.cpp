// Tests the setting `catalogue`: which list of models the gateway uses, which lists it refuses, and where the list takes effect.
#include "gateway/config/change/catalogue_change.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/records/price_book.hpp"
#include "proxy/providers/known_facts.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/signed_catalogue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using tests::later_list;
using tests::list_public_key;
using tests::list_signature;
using tests::small_list;

const std::string providers = "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/m]}}\n";

config_result parsed(const std::string& setting, const std::map<std::string, std::string>& files) {
  const tests::table_environment table{.files = files};
  return parse_config(setting + providers, "a.yaml", table.machine());
}

std::string by_key(const std::string& more = "") {
  return "catalogue: {file: /list, public_key: '" + list_public_key + "'" + more + "}\n";
}

std::string by_hash(const std::string& text, const std::string& more = "") {
  return "catalogue: {file: /list, sha256: " + proxy::sha256_hex(text) + more + "}\n";
}

std::map<std::string, std::string> signed_files(const std::string& text) {
  return {{"/list", text}, {"/list.sig", list_signature(text)}};
}

// Returns the only problem of the configuration, or an empty string if the configuration has no problem.
std::string problem_of(const config_result& result) {
  EXPECT_LE(result.problems.size(), 1u);
  return result.problems.empty() ? "" : result.problems.front().message;
}

double input_price(const config& settings) {
  const proxy::model_prices* prices = prices_of(settings, {"groq", "m"});
  return prices ? prices->periods.front().input.usd : -1;
}

TEST(CatalogueConfig, WithoutItTheBuiltInListIsUsed) {
  const config_result result = parsed("", {});
  EXPECT_EQ(problem_of(result), "");
  EXPECT_EQ(result.settings.catalogue.id(), proxy::built_in_catalogue()->id());
  EXPECT_EQ(&result.settings.catalogue.list(), proxy::built_in_catalogue().get());
  EXPECT_EQ(input_price(result.settings), -1);
}

TEST(CatalogueConfig, AProvenFileIsUsedAndWatched) {
  const std::string text = small_list(1);
  const config_result hashed = parsed(by_hash(text, ", allow_jumps: true"), {{"/list", text}});
  EXPECT_EQ(problem_of(hashed), "");
  EXPECT_EQ(input_price(hashed.settings), 3);
  EXPECT_EQ(hashed.settings.source.watched_files, std::vector<std::string>{"/list"});
  const config_result with_key = parsed(by_key(", allow_jumps: true"), signed_files(text));
  EXPECT_EQ(problem_of(with_key), "");
  EXPECT_EQ(input_price(with_key.settings), 3);
  EXPECT_EQ(with_key.settings.source.watched_files, (std::vector<std::string>{"/list", "/list.sig"}));
  EXPECT_NE(with_key.hash, parsed(by_key(", allow_jumps: true"), signed_files(small_list(2))).hash);
}

TEST(CatalogueConfig, ANewerListChangesWhatIsKnownOfModels) {
  const auto with_context = [](int days, const std::string& tokens) {
    std::string text = small_list(days);
    const std::string before = R"("sources": [0])";
    text.replace(text.find(before), before.size(), before + R"(, "max_output": 40000, "context": )" + tokens);
    return parsed(by_key(", allow_jumps: true"), signed_files(text)).settings;
  };
  const auto known_of = [](const config& settings, const char* model) {
    return proxy::known_facts(settings.providers.at("groq"), model);
  };
  const config without = parsed("", {}).settings, first = with_context(1, "50000"), second = with_context(2, "60000");
  EXPECT_EQ(known_of(without, "m"), proxy::target_facts{});
  EXPECT_EQ(known_of(first, "m"), (proxy::target_facts{.context = 50'000, .max_output = 40'000}));
  EXPECT_EQ(known_of(second, "m"), (proxy::target_facts{.context = 60'000, .max_output = 40'000}));
  EXPECT_EQ(known_of(first, "m").context, 50'000u) << "a race that began before the reload";
  EXPECT_EQ(known_of(second, "n"), proxy::target_facts{}) << "unknown";
  EXPECT_TRUE(parsed("", {}).settings.providers == without.providers) << "the same list again is no change";
}

TEST(CatalogueConfig, ARouteMayRequireWhatTheListKnows) {
  const tests::table_environment table{};
  const auto result = [&table](const std::string& tokens) {
    return parse_config("providers: {groq: {api_key: k}}\n"
                        "routes: {r: {targets: [groq/openai/gpt-oss-120b], require: {min_context: " + tokens + "}}}\n",
                        "a.yaml", table.machine());
  };
  EXPECT_TRUE(result("100000").is_usable());
  EXPECT_FALSE(result("200000").is_usable());
}

TEST(CatalogueConfig, OwnPricesWin) {
  const std::string text = small_list(1);
  const tests::table_environment table{.files = {{"/list", text}}};
  const config_result result = parse_config(by_hash(text, ", allow_jumps: true") +
                                                "providers: {groq: {api_key: k, prices: {m: 5/6}}}\n"
                                                "routes: {r: {targets: [groq/m]}}\n", "a.yaml",
                                            table.machine());
  EXPECT_EQ(problem_of(result), "");
  EXPECT_EQ(input_price(result.settings), 5);
}

TEST(CatalogueConfig, WrongFilesAreErrors) {
  const std::string good = later_list(1), cut = good.substr(0, good.size() / 2);
  const auto error_of = [](const std::string& setting, const std::map<std::string, std::string>& files) {
    const config_result result = parsed(setting, files);
    EXPECT_FALSE(result.is_usable());
    EXPECT_FALSE(result.settings.catalogue.from_file);
    return problem_of(result);
  };
  EXPECT_EQ(error_of(by_hash(good), {}), "file: /list: there is no such file");
  EXPECT_EQ(error_of(by_hash(good), {{"/list", good + " "}}).find("file: /list has the SHA-256 "), 0u);
  EXPECT_EQ(error_of(by_key(), {{"/list", good}}), "file: /list.sig: there is no such file");
  EXPECT_EQ(error_of(by_key(), {{"/list", good + " "}, {"/list.sig", list_signature(good)}}),
            "file: /list has a signature that does not match the file and the public key");
  EXPECT_EQ(error_of("catalogue: {file: /list, public_key: '" + tests::other_public_key + "'}\n", signed_files(good)),
            "file: /list has a signature that does not match the file and the public key");
  EXPECT_EQ(error_of(by_key(), signed_files(cut)).find("file: /list cannot be used: the catalogue is not valid JSON"), 0u);
  EXPECT_EQ(error_of(by_key(), signed_files(small_list(1)))
                .find("file: /list differs too much from photofinish's built-in list: provider '"), 0u);
}

TEST(CatalogueConfig, WrongSettingsAreErrors) {
  const auto error_of = [](const std::string& entries) {
    return problem_of(parsed("catalogue: {" + entries + "}\n", {{"/list", later_list(1)}}));
  };
  EXPECT_EQ(error_of("file: /list"), "catalogue: `sha256` or `public_key` is needed to verify the file");
  EXPECT_EQ(error_of("sha256: '" + std::string(64, 'a') + "'"), "catalogue: `file`, the list of models to use, is missing");
  EXPECT_EQ(error_of("file: /list, sha256: abc"), "sha256: must be 64 hex digits, as sha256sum prints them");
  EXPECT_EQ(error_of("file: /list, public_key: abc").find("public_key: must be an Ed25519 key"), 0u);
  EXPECT_EQ(error_of("file: /list, sha256: '" + std::string(64, 'a') + "', public_key: '" + list_public_key + "'"),
            "sha256: give either `sha256` or `public_key`, not both");
}

TEST(CatalogueConfig, AFileThatIsOlderThanTheBuiltInListIsAWarning) {
  const config_result result = parsed(by_key(), signed_files(later_list(-1)));
  EXPECT_TRUE(result.is_usable());
  EXPECT_NE(problem_of(result).find("older than photofinish's built-in list"), std::string::npos);
  EXPECT_EQ(result.settings.catalogue.id(), proxy::built_in_catalogue()->id());
}

// A list that is dated in the future must be refused. Otherwise the correctly dated lists of the following days would be refused because
// they are older.
TEST(CatalogueConfig, AFileThatIsDatedAheadIsAnError) {
  const auto problem_on = [](int today, int day) {
    const tests::table_environment table{.files = signed_files(later_list(day)),
                                         .today = proxy::built_in_catalogue_date() + std::chrono::days(today)};
    const config_result result = parse_config(by_key() + providers, "a.yaml", table.machine());
    EXPECT_EQ(result.is_usable(), result.settings.catalogue.from_file != nullptr);
    return problem_of(result);
  };
  EXPECT_EQ(problem_on(10, 12), "");
  EXPECT_EQ(problem_on(10, 13), "file: /list is dated " + tests::list_day(13) + ", more than two days after today (" +
                                    tests::list_day(10) + ")");
  EXPECT_EQ(problem_on(-9000, 2), "") << "a clock that has not been set";
  EXPECT_NE(problem_on(-9000, 3), "");
}

TEST(CatalogueConfig, AReloadComparesWithTheListInUse) {
  const auto with = [](const std::string& text, const std::string& more = "") {
    return parsed(by_key(more), signed_files(text)).settings;
  };
  const config running = with(later_list(2));
  EXPECT_FALSE(catalogue_problem(running, running));
  EXPECT_FALSE(catalogue_problem(running, with(later_list(3))));
  EXPECT_FALSE(catalogue_problem(running, parsed("", {}).settings)) << "the setting may be taken away";
  const auto older = catalogue_problem(running, with(later_list(1)));
  ASSERT_TRUE(older);
  EXPECT_EQ(*older, "catalogue: /list contains a list dated " + tests::list_day(1) +
                        ", which is older than the current list, dated " + tests::list_day(2));
  EXPECT_EQ(catalogue_problem(running, with(later_list(-1))).value_or(""),
            "catalogue: /list contains a list dated " + tests::list_day(-1) + ", which is older than the current list, dated " +
                tests::list_day(2));
  EXPECT_FALSE(catalogue_problem(running, with(small_list(3), ", allow_jumps: true")));
  config shrunken = with(small_list(3), ", allow_jumps: true");
  shrunken.catalogue.allow_jumps = false;
  const auto jump = catalogue_problem(running, shrunken);
  ASSERT_TRUE(jump);
  EXPECT_EQ(jump->find("catalogue: /list differs too much from the current list: provider '"), 0u) << *jump;
}

// A reload is refused if the new list of models lacks a configured target that the present list contains.
TEST(CatalogueConfig, AReloadKeepsTheRowsOfConfiguredTargets) {
  const auto with_name = [](int days, const std::string& name, bool allows_jumps = false) {
    std::string text = small_list(days);
    text.replace(text.find(R"("m")"), 3, '"' + name + '"');
    config settings = parsed(by_key(", allow_jumps: true"), signed_files(text)).settings;
    settings.catalogue.allow_jumps = allows_jumps;
    return settings;
  };
  const config running = with_name(1, "m");
  EXPECT_FALSE(catalogue_problem(running, with_name(2, "m")));
  EXPECT_FALSE(catalogue_problem(with_name(1, "n"), with_name(2, "o"))) << "the configuration does not name them";
  EXPECT_EQ(catalogue_problem(running, with_name(2, "n")).value_or(""),
            "catalogue: /list lacks groq/m, which the configuration names and the current list contains; `allow_jumps: true` "
            "permits such changes");
  EXPECT_FALSE(catalogue_problem(running, with_name(2, "n", true)));
  std::string text = small_list(2);
  const std::size_t prices = text.find(R"(, "prices")");
  text = text.substr(0, prices) + R"(}, {"names": ["n"], "sources": [0])" + text.substr(prices);
  config unpriced = parsed(by_key(", allow_jumps: true"), signed_files(text)).settings;
  unpriced.catalogue.allow_jumps = false;
  EXPECT_NE(catalogue_problem(running, unpriced).value_or("").find("the standard price of groq/m vanishes"),
            std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
