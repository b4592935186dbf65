// Tests which facts about models must not disappear in a newer catalogue.
#include "proxy/providers/catalogue_fact_jumps.hpp"

#include "proxy/providers/catalogue_update.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace photofinish::proxy {
namespace {

using facts_of_row = std::function<std::string(int row)>;

std::string text_of(int count, const facts_of_row& facts, const std::string& betas) {
  std::string rows;
  for (int row = 0; row < count; ++row)
    rows += (row == 0 ? "" : ",") + (R"({"names": ["m-)" + std::to_string(row) + R"("], "sources": [0])") + facts(row) + "}";
  return R"({"schema": 1, "as_of": "2026-11-28", "sources": [{"name": "a-list", "date": "2026-11-27"}],
             "holidays": {}, "betas": )" + betas + R"(, "providers": {"lab": [)" + rows + "]}}";
}

std::shared_ptr<const catalogue> list_of(int count, const facts_of_row& facts, const std::string& betas = "{}") {
  catalogue_result read = parse_catalogue(text_of(count, facts, betas));
  EXPECT_EQ(read.error, "");
  return read.value;
}

facts_of_row always(const std::string& facts) {
  return [facts](int) { return facts; };
}

// Returns a function that assigns facts to the models of a list. The first `count` models get `facts`, and all other models get `rest`.
facts_of_row first(int count, const std::string& facts, const std::string& rest) {
  return [count, facts, rest](int row) { return row < count ? facts : rest; };
}

std::string jump(int rows, const facts_of_row& before, const facts_of_row& next) {
  return fact_jump(*list_of(rows, before), *list_of(rows, next));
}

TEST(CatalogueFactJumps, ALimitMustNotFallMoreThanTenfold) {
  for (const std::string what : {"context", "max_output"}) {
    const auto limit = [&what](const std::string& tokens) { return always(", \"" + what + "\": " + tokens); };
    EXPECT_EQ(jump(1, limit("400000"), limit("40000")), "");
    EXPECT_EQ(jump(1, limit("400009"), limit("40001")), "");
    EXPECT_EQ(jump(1, limit("400000"), limit("39999")),
              "the " + what + " of lab/m-0 falls from 400000 to 39999, by more than a factor of ten");
    EXPECT_EQ(jump(1, limit("10"), limit("18446744073709551615")), "") << "it may rise";
    EXPECT_EQ(jump(1, limit("10"), limit("1")), "");
    EXPECT_EQ(jump(2, limit("400000"), always("")), "") << "two may become unknown";
    EXPECT_EQ(jump(3, limit("400000"), always("")), "3 of 3 model names of provider 'lab' lose their " + what);
  }
}

TEST(CatalogueFactJumps, HalfOfTheNamesMayLoseEfforts) {
  const std::string efforts = R"(, "efforts": ["low", "high"])";
  EXPECT_EQ(jump(10, always(efforts), first(5, "", efforts)), "");
  EXPECT_EQ(jump(10, always(efforts), first(6, "", efforts)), "6 of 10 model names of provider 'lab' lose efforts");
  EXPECT_EQ(jump(10, first(3, efforts, ""), always("")), "3 of 3 model names of provider 'lab' lose efforts");
  EXPECT_EQ(jump(10, always(""), always(efforts)), "");
  const std::string fewer = R"(, "efforts": ["low"])", others = R"(, "efforts": ["low", "max"])";
  EXPECT_EQ(jump(10, always(efforts), first(5, fewer, efforts)), "");
  EXPECT_EQ(jump(10, always(efforts), first(6, fewer, efforts)), "6 of 10 model names of provider 'lab' lose efforts");
  EXPECT_EQ(jump(10, always(efforts), first(6, others, efforts)), "6 of 10 model names of provider 'lab' lose efforts");
  EXPECT_EQ(jump(10, always(fewer), always(efforts)), "");
}

TEST(CatalogueFactJumps, TheApiOfFiveNamesMayChange) {
  const std::string responses = R"(, "responses_only": true)";
  EXPECT_EQ(jump(100, always(""), first(5, responses, "")), "");
  EXPECT_EQ(jump(100, always(""), first(6, responses, "")), "responses_only changes for 6 model names of provider 'lab'");
  EXPECT_EQ(jump(100, first(6, responses, ""), always("")), "responses_only changes for 6 model names of provider 'lab'");
}

TEST(CatalogueFactJumps, ATenthOfTheNamesMayHaveEnded) {
  const std::string past = R"(, "ends": "2026-11-27")", later = R"(, "ends": "2026-11-28")";
  EXPECT_EQ(jump(10, always(later), always(past)), "");
  EXPECT_EQ(jump(11, always(later), always(past)), "the end date of 11 model names of provider 'lab' moves into the past");
  EXPECT_EQ(jump(200, always(""), first(20, past, "")), "");
  EXPECT_EQ(jump(200, always(""), first(21, past, "")), "the end date of 21 model names of provider 'lab' moves into the past");
  EXPECT_EQ(jump(200, always(past), always(past)), "") << "time passes";
  EXPECT_EQ(jump(200, always(""), always(later)), "");
}

TEST(CatalogueFactJumps, ACloudKeepsHalfOfItsBetas) {
  const auto with = [](const std::string& betas) { return list_of(1, always(""), betas); };
  const auto four = with(R"({"vertex": {"a": "a", "b": "b", "c": "c", "d": "d"}})");
  EXPECT_EQ(fact_jump(*four, *with(R"({"vertex": {"a": "a", "b": "new", "e": "e"}, "azure": {"a": "a"}})")), "");
  EXPECT_EQ(fact_jump(*four, *with(R"({"vertex": {"a": "a", "e": "e", "f": "f"}})")), "3 of 4 betas of 'vertex' were removed");
  EXPECT_EQ(fact_jump(*four, *with("{}")), "4 of 4 betas of 'vertex' were removed");
  EXPECT_EQ(fact_jump(*with("{}"), *four), "");
}

TEST(CatalogueFactJumps, AnUpdateComparesFacts) {
  EXPECT_EQ(jump_problem(*list_of(1, always(R"(, "context": 1000)")), *list_of(1, always(R"(, "context": 9)"))),
            "the context of lab/m-0 falls from 1000 to 9, by more than a factor of ten");
}

}  // namespace
}  // namespace photofinish::proxy
