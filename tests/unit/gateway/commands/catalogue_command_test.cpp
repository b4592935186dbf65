// Tests the output of `photofinish catalogue`. Also tests what `check` and `doctor` report about a list of models.
#include "gateway/commands/catalogue/catalogue.hpp"
#include "gateway/commands/catalogue/make_list.hpp"
#include "gateway/commands/catalogue_notes.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/signed_catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using tests::later_list;

const std::string list = R"({"schema": 1, "as_of": ")" + tests::list_day(1) + R"(",
  "sources": [{"name": "a-list", "version": "1.2", "licence": "MIT", "date": "2026-11-27"}], "holidays": {}, "betas": {},
  "providers": {"groq": [
    {"names": ["m", "m-2"], "sources": [0], "context": 1000, "ends": "2027-01-10", "successor": "m-3",
     "prices": {"standard": [{"input": 3, "output": 7}, {"input": 4, "output": 8, "from": "2026-12-06"}], "batch": 0.5}},
    {"names": ["n"], "sources": [0]}]}})";

struct command_result {
  int exit_code = 0;
  std::string out, err;
};

command_result run(const catalogue_options& options, const std::map<std::string, std::string>& files = {}) {
  const tests::table_environment table{.files = files};
  std::ostringstream out, err;
  const int exit_code = run_catalogue(options, table.machine(), out, err);
  return {exit_code, out.str(), err.str()};
}

catalogue_options of_file(const std::string& action, const std::string& argument) {
  catalogue_options options;
  options.action = action;
  options.argument = argument;
  return options;
}

config configured(const std::string& more) {
  const tests::table_environment table{.files = {{"/list", list}}};
  config_result result = parse_config("catalogue: {file: /list, sha256: " + proxy::sha256_hex(list) +
                                          ", allow_jumps: true}\n" + more, "a.yaml", table.machine());
  EXPECT_TRUE(result.is_usable());
  return std::move(result.settings);
}

bool has(const std::vector<std::string>& notes, const std::string& note) {
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

TEST(CatalogueNotes, NameAgeChangesEndsAndTargetsWithoutAPrice) {
  const config settings = configured("providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/m, groq/n], race: {policy: fallback}}}\n");
  const std::chrono::sys_days today = 2026y / 12 / 1;
  const auto notes = catalogue_notes(settings, today);
  ASSERT_EQ(notes.size(), 5u);
  const auto days = (today - settings.catalogue.as_of()).count();
  EXPECT_EQ(notes[0], proxy::sha256_hex(list).substr(0, 12) + " of " + tests::list_day(1) + ", " +
                          std::to_string(std::max<std::chrono::days::rep>(days, 0)) +
                          (days == 1 ? " day old" : " days old") + ", from /list");
  const std::string change = "price changes on 2026-12-06 from ";
  EXPECT_TRUE(has(notes, "groq/m: the " + change + "3/7 to 4/8 USD per million tokens (input/output)"));
  EXPECT_TRUE(has(notes, "groq/m: the batch " + change + "1.5/3.5 to 2/4 USD per million tokens (input/output)"));
  EXPECT_TRUE(has(notes, "groq/m: the provider will retire this model on 2027-01-10; the provider recommends m-3"));
  EXPECT_TRUE(has(notes, "no budget counts the costs of these targets, because their prices are unknown: groq/n. "
                         "Set `prices` for their providers"));
}

TEST(CatalogueNotes, SayNothingOfOtherModelsAndLaterDays) {
  const config settings = configured("providers: {groq: {api_key: k, prices: {m: 1/2}}}\nroutes: {r: {targets: [groq/m]}}\n");
  EXPECT_EQ(catalogue_notes(settings, 2026y / 11 / 1).size(), 1u);
  EXPECT_EQ(catalogue_notes(settings, 2026y / 12 / 1).size(), 2u) << "the end; its own price does not change";
  EXPECT_NE(catalogue_notes(settings, 2027y / 2 / 1)[1].find("the provider retired this model on 2027-01-10"), std::string::npos);
}

TEST(CatalogueCommand, ShowsAListAProviderAndAModel) {
  catalogue_options options = of_file("show", "");
  options.file = "/list";
  EXPECT_NE(run(options, {{"/list", list}}).out.find("groq      3      2\n"), std::string::npos)
      << run(options, {{"/list", list}}).out;
  options.argument = "groq";
  EXPECT_NE(run(options, {{"/list", list}}).out.find("m-2    1000     2027-01-10  input 3, output 7; input 4, output 8, "
                                                     "from 2026-12-06\n"), std::string::npos)
      << run(options, {{"/list", list}}).out;
  for (const char* name : {"m", "groq/m", "groq/m@batch", "Groq/M"}) {
    options.argument = name;
    const std::string text = run(options, {{"/list", list}}).out;
    EXPECT_EQ(text.find("groq/m\n"), 0u) << text;
    EXPECT_NE(text.find("  price batch     input 1.5, output 3.5; "), std::string::npos) << text;
    EXPECT_NE(text.find("  ends            2027-01-10, successor m-3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  sources         a-list 1.2\n"), std::string::npos) << text;
  }
  for (const char* name : {"unknown", "groq/unknown@batch", "groq/m@unknown"}) {
    options.argument = name;
    EXPECT_EQ(run(options, {{"/list", list}}).exit_code, 1) << name;
  }
  const command_result absent = run(options);
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_EQ(absent.err, "error: /list: there is no such file\n");
  EXPECT_EQ(run(of_file("show", "")).exit_code, 0);
}

TEST(CatalogueCommand, ShowsDifferencesOfAllOrOfConfiguredTargets) {
  std::string next = list;
  next.replace(next.find("\"m-2\""), 5, "\"m-9\"");
  next.replace(next.find("\"n\"]"), 4, "\"n\"], \"context\": 500");
  catalogue_options options = of_file("diff", "/next");
  options.config_file = "a.yaml";
  const std::string setting = "catalogue: {file: /list, sha256: " + proxy::sha256_hex(list) + ", allow_jumps: true}\n";
  const auto with = [&](const std::string& targets) {
    return run(options, {{"/list", list}, {"/next", next},
                         {"a.yaml", setting + "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [" + targets +
                                       "], race: {policy: fallback}}}\n"}});
  };
  EXPECT_EQ(with("groq/n").out, "~ groq/n: context: unknown -> 500\n0 new, 0 removed, 1 changed\n");
  EXPECT_EQ(with("groq/m-2, groq/m-9").out, "- groq/m-2\n+ groq/m-9\n1 new, 1 removed, 0 changed\n");
  const command_result all = run(of_file("diff", "/next"), {{"/next", later_list(1)}});
  EXPECT_EQ(all.out, "0 new, 0 removed, 0 changed\n") << all.err;
  EXPECT_EQ(run(of_file("diff", "")).exit_code, 2);
}

std::string list_with(const std::string& holidays, const std::string& betas) {
  std::string made = list;
  made.replace(made.find(R"("holidays": {}, "betas": {})"), 27, R"("holidays": {"cn": )" + holidays + R"(}, "betas": )" + betas);
  made.replace(made.find(R"("output": 7})"), 12, R"("output": 7, "not_on": "cn"})");
  return made;
}

TEST(CatalogueCommand, ShowsDifferencesOfHolidaysAndBetas) {
  const std::string before = list_with(R"(["2027-01-01", "2027-02-05"])", R"({"azure": {"a": "a"}, "bedrock": {"a": "a", "b": "b"}})");
  const std::string next = list_with(R"(["2027-01-01", "2027-02-06"])", R"({"azure": {}, "bedrock": {"b": "sent", "c": "c"}})");
  catalogue_options options = of_file("diff", "/next");
  options.config_file = "a.yaml";
  const auto with = [&](const std::string& targets) {
    const command_result result = run(options, {{"/list", before}, {"/next", next}, {"a.yaml",
        "catalogue: {file: /list, sha256: " + proxy::sha256_hex(before) + ", allow_jumps: true}\n"
        "providers:\n  groq: {api_key: k}\n  bedrock: {auth: bearer, api_key: k, params: {region: eu-west-1}}\n"
        "routes: {r: {targets: [" + targets + "], race: {policy: fallback}}}\n"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string holidays = "~ groq/m: holidays: -2027-02-05 +2027-02-06\n";
  EXPECT_EQ(with("groq/m"), holidays + "0 new, 0 removed, 1 changed\n") << "no target is at a cloud with betas";
  EXPECT_EQ(with("groq/m, bedrock/x"), holidays + "- betas of bedrock: a\n~ betas of bedrock: b: b -> sent\n"
                                                  "+ betas of bedrock: c\n1 new, 1 removed, 2 changed\n");
  EXPECT_EQ(with("groq/n"), "0 new, 0 removed, 0 changed\n");
}

TEST(CatalogueCommand, VerifyRefusesAListThatIsDatedAhead) {
  const auto result_on = [](int day) {
    const tests::table_environment table{.files = {{"/list", later_list(day)}},
                                         .today = proxy::built_in_catalogue_date()};
    std::ostringstream out, err;
    EXPECT_EQ(run_catalogue(of_file("verify", "/list"), table.machine(), out, err), day > 2 ? 1 : 0);
    return err.str();
  };
  EXPECT_EQ(result_on(2), "");
  EXPECT_EQ(result_on(3), "error: /list is dated " + tests::list_day(3) + ", which is more than two days after today (" +
                              tests::list_day(0) + ")\n");
}

TEST(CatalogueCommand, VerifiesWhatAStartWouldUse) {
  const std::string good = later_list(1);
  catalogue_options options = of_file("verify", "/list");
  const command_result unproven = run(options, {{"/list", good}});
  EXPECT_EQ(unproven.exit_code, 0) << unproven.err;
  EXPECT_NE(unproven.out.find("not verified"), std::string::npos);
  options.sha256 = proxy::sha256_hex(good);
  EXPECT_EQ(run(options, {{"/list", good}}).out,
            "ok: /list of " + tests::list_day(1) + "\nsha256: " + options.sha256 + "\n");
  EXPECT_EQ(run(options, {{"/list", good + " "}}).exit_code, 1);
  options.sha256.clear();
  options.public_key = "/list.pub";
  std::map<std::string, std::string> files{
      {"/list", good}, {"/list.sig", tests::list_signature(good)}, {"/list.pub", tests::list_public_key}};
  EXPECT_EQ(run(options, files).exit_code, 0);
  files["/list.sig"] = tests::list_signature(good + " ");
  EXPECT_EQ(run(options, files).exit_code, 1);
  EXPECT_EQ(run(of_file("verify", "/list"), {{"/list", later_list(-1)}}).exit_code, 1);
  catalogue_options small = of_file("verify", "/list");
  EXPECT_EQ(run(small, {{"/list", list}}).exit_code, 1);
  small.allow_jumps = true;
  EXPECT_EQ(run(small, {{"/list", list}}).exit_code, 0);
}

TEST(MakeList, ChangesAddsAndRemovesNames) {
  const made_list made = make_list(list, R"(as_of: 2026-12-05
source: {name: our contract, version: "7"}
models:
  groq/m: {prices: 1.6/0.16/8, context: null}
  groq/own: {prices: {standard: {input: 0.5, output: 1}, batch: 0.5}, max_output: 100}
remove: [groq/n]
)", "2026-12-01");
  ASSERT_EQ(made.problem, "");
  const auto read = proxy::parse_catalogue(made.text).value;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->as_of(), std::chrono::sys_days{2026y / 12 / 5});
  EXPECT_EQ(read->sources().at(1).name, "our contract");
  const auto* own_price = read->find("groq", "m");
  ASSERT_TRUE(own_price);
  EXPECT_EQ(own_price->prices.at(proxy::price_tier::standard).periods.front().cached_input->usd, 0.16);
  ASSERT_TRUE(own_price->prices_of(proxy::price_tier::batch)) << "other tiers keep their factors";
  EXPECT_EQ(own_price->prices.at(proxy::price_tier::batch).periods.front().output.usd, 4);
  EXPECT_EQ(own_price->context, 0u);
  EXPECT_EQ(own_price->successor, "m-3") << "other facts stay";
  EXPECT_EQ(read->find("groq", "m-2")->prices.at(proxy::price_tier::standard).periods.front().input.usd, 3);
  EXPECT_EQ(read->find("groq", "own")->prices.at(proxy::price_tier::batch).periods.front().output.usd, 0.5);
  EXPECT_FALSE(read->find("groq", "n"));
  EXPECT_EQ(make_list(made.text, "{}", "2026-12-06").problem, "") << "a list may be made of one that was made";
}

// This list of models is the example from docs/catalogue.md.
TEST(MakeList, AStartUsesAListWithOneOtherStandardPrice) {
  const std::string changes = "models: {openai/gpt-6.1-sol: {prices: 1.6/0.16/8}}";
  const made_list made = make_list(proxy::built_in_catalogue_text(), changes, tests::list_day(1));
  ASSERT_EQ(made.problem, "");
  const command_result verified = run(of_file("verify", "/list"), {{"/list", made.text}});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
}

TEST(MakeList, NamesThePlaceOfAProblem) {
  const auto problem = [](const std::string& changes) { return make_list(list, changes, "2026-12-01").problem; };
  EXPECT_EQ(problem("models:\n  m: {}\n"), "2:3: 'm' is not provider/model");
  EXPECT_EQ(problem("models:\n  lab/m: {}\n"), "2:3: the list has no provider 'lab'");
  EXPECT_EQ(problem("remove: [groq/x]\n"), "1:10: the list has no model 'groq/x'");
  EXPECT_EQ(problem("models: {groq/m: {prices: cheap}}\n"),
            "1:27: 'cheap' is not a price such as 2/10 or 2/0.2/10");
  EXPECT_EQ(problem("model: {}\n").find("1:1: 'model' is not supported"), 0u);
  EXPECT_NE(problem("models: {groq/m: {contxt: 5}}\n").find("contxt"), std::string::npos);
  EXPECT_NE(problem("as_of: tomorrow\n"), "");
}

TEST(CatalogueCommand, PrintsAMadeListAndRefusesWrongUses) {
  const std::map<std::string, std::string> files{{"/changes", "models: {groq/m: {prices: 1/2}}\n"}, {"/list", list}};
  catalogue_options options = of_file("make", "/changes");
  options.file = "/list";
  const command_result made = run(options, files);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(proxy::parse_catalogue(made.out).value);
  EXPECT_EQ(made.err.find("note: a gateway refuses this list without allow_jumps: true, because "), 0u) << made.err;
  const catalogue_options of_built_in = of_file("make", "/changes");
  EXPECT_EQ(run(of_built_in, {{"/changes", "as_of: " + tests::list_day(1) + "\n"}}).err, "") << "nothing has changed";
  options.signing_key = "/key";
  EXPECT_EQ(run(options, files).exit_code, 2) << "--sign needs --out";
  EXPECT_EQ(run(of_file("make", "")).exit_code, 2);
}

}  // namespace
}  // namespace photofinish::gateway
