// Tests the two sources of facts about models. model_facts.yaml must contain only facts that are missing in the built-in list.
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/known_facts.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/model_rows.hpp"
#include "proxy/providers/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using words = std::vector<std::string>;
using shared_list = std::shared_ptr<const catalogue>;

shared_list list_with(const std::string& preset, const std::string& rows) {
  catalogue_result read = parse_catalogue(
      R"({"schema": 1, "as_of": "2026-12-05", "sources": [{"name": "a-list", "date": "2026-12-04"}], "holidays": {},
          "betas": {"bedrock": {"asked": "sent"}, "azure": {"asked": "sent"}},
          "providers": {")" + preset + R"(": [)" + rows + "]}}");
  EXPECT_EQ(read.error, "");
  return read.value;
}

provider reading_from(const std::string& preset, shared_list list) {
  provider made = presets().at(preset).defaults;
  made.listed = listed_models(std::move(list));
  made.listed.provider = preset;
  return made;
}

const openai_facts& facts_at(const provider& at, const std::string& model) { return openai_facts_of(model_at(at, model)); }

const std::string full_row = R"({"names": ["m-1"], "sources": [0], "context": 90000, "max_output": 40000,
                                 "efforts": ["low", "high"], "responses_only": true})";

TEST(FoundFacts, AListedNameHasTheFactsOfItsRow) {
  const provider groq = reading_from("groq", list_with("groq", full_row));
  const openai_facts& facts = facts_at(groq, "m-1");
  EXPECT_EQ(facts.thinking.efforts.words, (words{"low", "high"}));
  EXPECT_EQ(facts.max_output, 40'000u);
  EXPECT_FALSE(facts.serves_chat);
  EXPECT_EQ(known_facts(groq, "m-1"), (target_facts{.context = 90'000, .max_output = 40'000}));
  EXPECT_EQ(&facts_at(groq, "M-1"), &facts) << "equal facts are one object";
}

TEST(FoundFacts, AFactThatTheListDoesNotKnowStaysUnknown) {
  const provider groq = reading_from("groq", list_with("groq", R"({"names": ["m-1"], "sources": [0], "context": 90000})"));
  EXPECT_FALSE(facts_at(groq, "m-1").thinking.efforts.are_known);
  EXPECT_TRUE(facts_at(groq, "m-1").serves_chat);
  EXPECT_EQ(known_facts(groq, "m-1"), target_facts{.context = 90'000});
  EXPECT_EQ(known_facts(groq, "m-2"), target_facts{});
  EXPECT_EQ(exceeded_fact(known_facts(groq, "m-2"), 1'000'000, 1'000'000), "");
}

TEST(FoundFacts, AnotherUrlThanThePresetsHasNoListedFacts) {
  provider elsewhere = reading_from("groq", list_with("groq", full_row));
  elsewhere.listed.provider.clear();
  EXPECT_EQ(known_facts(elsewhere, "m-1"), target_facts{});
  EXPECT_TRUE(facts_at(elsewhere, "m-1").serves_chat);
}

TEST(FoundFacts, ARowWithAReasonCountsBeforeTheList) {
  const provider xai =
      reading_from("xai", list_with("xai", R"({"names": ["grok-4.6"], "sources": [0], "efforts": ["low", "xhigh"], "context": 7000})"));
  EXPECT_EQ(facts_at(xai, "grok-4.6").thinking.efforts.words, (words{"low", "medium", "high"}));
  EXPECT_EQ(known_facts(xai, "grok-4.6").context, 7000u) << "each fact by itself";
  const provider gemini = reading_from(
      "gemini", list_with("gemini", R"({"names": ["gemini-4-argon"], "sources": [0], "max_output": 32768})"));
  EXPECT_EQ(known_facts(gemini, "gemini-4-argon").max_output, 65'536u);
}

TEST(FoundFacts, AReasonMayBeThatTheListsDisagree) {
  const provider mistral = reading_from(
      "mistral", list_with("mistral", R"({"names": ["mistral-large-4"], "sources": [0], "efforts": ["low"], "context": 9000})"));
  EXPECT_FALSE(facts_at(mistral, "mistral-large-4").thinking.efforts.are_known);
  EXPECT_EQ(known_facts(mistral, "mistral-large-4").context, 9000u);
}

TEST(FoundFacts, APlaceMayHaveTheEffortsOfAnother) {
  const shared_list list = list_with("openai", R"({"names": ["gpt-5.4"], "sources": [0], "efforts": ["none", "low"]})");
  EXPECT_EQ(facts_at(reading_from("azure", list), "gpt-5.4").thinking.efforts.words, (words{"none", "low"}));
}

TEST(FoundFacts, TheListCountsBeforeAPatternWhichFollowsTheList) {
  const shared_list list =
      list_with("openai", R"({"names": ["gpt-6.1-sol"], "sources": [0], "efforts": ["low", "medium"], "max_output": 99999})");
  const provider openai = reading_from("openai", list);
  EXPECT_EQ(facts_at(openai, "gpt-6.1-sol").thinking.efforts.words, (words{"low", "medium"}));
  const openai_facts& tuned = facts_at(openai, "gpt-6.1-sol-of-acme");
  EXPECT_EQ(tuned.thinking.efforts.words, (words{"low", "medium"})) << "a name that no list has";
  EXPECT_EQ(tuned.max_output, 99'999u);
  EXPECT_EQ(facts_at(openai, "gpt-6-sol").max_output, 128'000u) << "the built-in list has what this one lacks";
}

TEST(FoundFacts, TheUsersOwnFactsCountFirst) {
  provider groq = reading_from("groq", list_with("groq", full_row));
  groq.facts["m-1"] = {.context = 20'000, .max_output = 10'000};
  EXPECT_EQ(known_facts(groq, "m-1"), (target_facts{.context = 20'000, .max_output = 10'000}));
  EXPECT_EQ(facts_at(groq, "m-1").max_output, 10'000u);
  groq.facts["m-2"] = {.max_output = 10'000};
  EXPECT_EQ(facts_at(groq, "m-2").max_output, 0u) << "the provider's own error is exact";
}

TEST(FoundFacts, ASmallFigureOfAListCutsNoRequest) {
  const provider groq = reading_from("groq", list_with("groq", R"({"names": ["m-1"], "sources": [0], "max_output": 8192})"));
  EXPECT_EQ(facts_at(groq, "m-1").max_output, 0u);
  EXPECT_EQ(known_facts(groq, "m-1").max_output, 8192u) << "a route may require more";
}

TEST(FoundFacts, ANewerListChangesTheFactsAndTheOlderOneKeepsIts) {
  const auto with = [](const std::string& tokens) {
    return reading_from("groq", list_with("groq", R"({"names": ["m-1"], "sources": [0], "max_output": )" + tokens + "}"));
  };
  const provider before = with("40000"), after = with("50000");
  EXPECT_FALSE(before == after);
  EXPECT_TRUE(after == with("50000")) << "another reading of the same list";
  for (int request = 0; request < 3; ++request) {
    EXPECT_EQ(facts_at(before, "m-1").max_output, 40'000u);
    EXPECT_EQ(facts_at(after, "m-1").max_output, 50'000u);
  }
}

TEST(FoundFacts, ACloudAcceptsTheBetasOfTheList) {
  const provider bedrock = reading_from("bedrock", list_with("bedrock", ""));
  EXPECT_EQ(cloud_facts_of("bedrock", &bedrock).betas, (beta_names{{"asked", "sent"}}));
  EXPECT_FALSE(cloud_facts_of("bedrock", &bedrock).takes_all_betas);
  EXPECT_FALSE(cloud_facts_of("bedrock", &bedrock).hosted_tools.empty()) << "rules stay";
  EXPECT_TRUE(cloud_facts_of("azure", &bedrock).takes_all_betas) << "its refused betas are named";
  EXPECT_TRUE(cloud_facts_of("vertex", &bedrock).takes_all_betas) << "the list has none for it";
  for (const char* cloud : {"bedrock", "bedrock-mantle", "vertex"})
    EXPECT_EQ(cloud_facts_of(cloud).betas, *built_in_catalogue()->betas(cloud)) << cloud;
}

// The following tests compare model_facts.yaml with the built-in list.

std::string dashed(std::string text) {
  for (char& each : text) each = each == '.' ? '-' : each;
  return text;
}

// Returns the group whose facts apply to this model: claude, gemini, openai or converse. `preset` is the model's provider.
std::string kind_of(const std::string& preset, const std::string& name) {
  const std::string& dialect = presets().at(preset).defaults.dialect;
  if (dialect == "anthropic") return "claude";
  if (dialect == "bedrock") return name.find("anthropic.") != name.npos ? "claude" : "converse";
  return dialect == "gemini" ? "gemini" : "openai";
}

using listed_name = std::function<void(const std::string& preset, const std::string& name, const catalogue_model&)>;

void for_each_listed(const std::string& kind, const listed_name& see) {
  for (const auto& [preset, models] : built_in_catalogue()->models()) {
    if (preset.find('/') != preset.npos) continue;
    for (const catalogue_model& model : models)
      for (const std::string& name : model.names)
        if (kind_of(preset, name) == kind) see(preset, name, model);
  }
}

bool is_of(const fact_row& row, const std::string& preset, const std::string& name) {
  words patterns;
  for (const std::string& each : row.match) patterns.push_back(dashed(each));
  return holds_at(row.at, preset) && matches_any(patterns, dashed(name));
}

constexpr const char* kinds[] = {"claude", "gemini", "openai", "converse"};

// Compares the facts about one model in model_facts.yaml and in the built-in list. Counts the facts that both contain, and the differences
// among them.
struct compared_facts {
  int efforts = 0, other_efforts = 0;
  int context = 0, other_context = 0;
  int max_output = 0, other_max_output = 0;

  void compare(const known_efforts& ours, const token_limits& limits, const catalogue_model& listed) {
    const auto count = [](bool is_known, bool is_other, int& all, int& others) {
      all += is_known ? 1 : 0;
      others += is_known && is_other ? 1 : 0;
    };
    count(ours.are_known && listed.efforts.are_known, ours != listed.efforts, efforts, other_efforts);
    count(limits.context > 0 && listed.context > 0, limits.context != listed.context, context, other_context);
    count(limits.max_output > 0 && listed.max_output > 0, limits.max_output != listed.max_output, max_output, other_max_output);
  }
};

known_efforts efforts_of(const fact_row& row, const std::string& name) {
  if (row.are_efforts_unsure) return {true, {"unsure"}};
  if (row.efforts_at.empty()) return row.efforts;
  const catalogue_model* there = built_in_catalogue()->find(row.efforts_at, name.substr(name.rfind('/') + 1));
  return there ? there->efforts : known_efforts{};
}

TEST(ModelFactsFile, ARowWithAReasonContradictsTheList) {
  for (const char* kind : kinds)
    for (const fact_row& row : read_fact_rows(kind)) {
      if (row.reason.empty()) continue;
      compared_facts compared;
      for_each_listed(kind, [&](const auto& preset, const auto& name, const catalogue_model& model) {
        if (is_of(row, preset, name)) compared.compare(efforts_of(row, name), row.limits, model);
      });
      const bool has_efforts = row.efforts.are_known || row.are_efforts_unsure || !row.efforts_at.empty();
      const std::string what = " of " + row.match.front() + ": the list says the same now: take it out of the row";
      EXPECT_EQ(compared.other_efforts > 0, has_efforts) << "efforts" << what;
      EXPECT_EQ(compared.other_context > 0, row.limits.context > 0) << "context" << what;
      EXPECT_EQ(compared.other_max_output > 0, row.limits.max_output > 0) << "max_output" << what;
    }
}

TEST(ModelFactsFile, APatternDoesNotRepeatTheList) {
  const words vendors{"anthropic", "gemini", "openai", "xai", "deepseek", "moonshot", "zai", "alibaba", "meta", "xiaomi",
                      "mistral", "minimax", "bedrock"};
  for (const char* kind : kinds) {
    std::vector<fact_row> rows = read_fact_rows(kind);
    std::erase_if(rows, [](const fact_row& row) { return !row.reason.empty(); });
    std::vector<compared_facts> compared(rows.size());
    for_each_listed(kind, [&](const auto& preset, const auto& name, const catalogue_model& model) {
      if (std::find(vendors.begin(), vendors.end(), preset) == vendors.end()) return;
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return is_of(each, preset, name); });
      if (row != rows.end()) compared[row - rows.begin()].compare(row->efforts, row->limits, model);
    });
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const compared_facts& each = compared[place];
      const std::string what = " of " + rows[place].match.front() + ": the list says the same: name its model by `like`";
      EXPECT_TRUE(each.efforts == 0 || each.other_efforts > 0) << "efforts" << what;
      EXPECT_TRUE(each.context == 0 || each.other_context > 0) << "context" << what;
      EXPECT_TRUE(each.max_output == 0 || each.other_max_output > 0) << "max_output" << what;
    }
  }
}

TEST(ModelFactsFile, APatternNamesModelsThatAreListedWithFacts) {
  for (const char* kind : kinds)
    for (const fact_row& row : read_fact_rows(kind)) {
      for (const auto& [name, is_of_efforts] : {std::pair(row.like, false), std::pair(row.efforts_like, true)}) {
        if (name.empty()) continue;
        const std::size_t slash = name.find('/');
        const std::string model = name.substr(slash + 1);
        const catalogue_model* listed = built_in_catalogue()->find(name.substr(0, slash), model);
        ASSERT_TRUE(listed) << name;
        EXPECT_NE(std::find(listed->names.begin(), listed->names.end(), model), listed->names.end()) << name;
        const bool has_facts = is_of_efforts ? listed->efforts.are_known
                                             : listed->efforts.are_known || listed->context > 0 || listed->max_output > 0;
        EXPECT_TRUE(has_facts) << name;
      }
      EXPECT_TRUE(row.efforts_at.empty() || presets().contains(row.efforts_at)) << row.efforts_at;
    }
}

}  // namespace
}  // namespace photofinish::proxy
