// Tests the class `catalogue`: which lists of models it accepts or refuses, and which entry it finds for a name.
#include "proxy/providers/catalogue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

// Returns the text of a catalogue in which the provider `lab` has these models.
std::string text_with(const std::string& rows) {
  return R"({"schema": 1, "as_of": "2026-11-28",
             "sources": [{"name": "a-list", "version": "1.2", "licence": "MIT", "date": "2026-11-27", "sha256": "00"}],
             "holidays": {"cn": ["2026-10-02", "2026-10-01"]},
             "betas": {"cloud": {"asked": "sent"}},
             "providers": {"lab": [)" + rows + "]}}";
}

const std::string one_row =
    R"({"names": ["m-1"], "sources": [0], "prices": {"standard": {"input": 2, "output": 10, "cached_input": 0.1}}})";

catalogue_result read(const std::string& rows) { return parse_catalogue(text_with(rows)); }

std::shared_ptr<const catalogue> known(const std::string& rows) {
  catalogue_result result = read(rows);
  EXPECT_EQ(result.error, "");
  return result.value;
}

std::string error_of(const std::string& rows) {
  const catalogue_result result = read(rows);
  EXPECT_EQ(result.value == nullptr, !result.error.empty());
  return result.error;
}

TEST(Catalogue, KnowsItsDateItsSourcesAndItsHash) {
  const auto made = known(one_row);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->as_of(), sys_days{2026y / 11 / 28});
  ASSERT_EQ(made->sources().size(), 1u);
  EXPECT_EQ(made->sources()[0].date, sys_days{2026y / 11 / 27});
  EXPECT_EQ(made->source_text(), "a-list 1.2 (MIT)");
  EXPECT_EQ(made->id().size(), 64u);
  EXPECT_EQ(made->id(), known(one_row)->id());
  EXPECT_NE(made->id(), known(one_row + " ")->id());
  ASSERT_TRUE(made->betas("cloud"));
  EXPECT_EQ(made->betas("cloud")->at("asked"), "sent");
  EXPECT_FALSE(made->betas("elsewhere"));
}

TEST(Catalogue, ReadsAllFactsOfAModel) {
  const auto made = known(R"({"names": ["m-1"], "sources": [0], "context": 1000, "max_output": 100,
                              "efforts": ["low", "high"], "reads": ["text", "image"], "writes": ["text"],
                              "responses_only": true, "ends": "2026-12-01", "successor": "m-2"})");
  ASSERT_TRUE(made);
  const catalogue_model* model = made->find("lab", "m-1");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->context, 1000u);
  EXPECT_EQ(model->max_output, 100u);
  EXPECT_TRUE(model->efforts.are_known);
  EXPECT_EQ(model->efforts.words, (std::vector<std::string>{"low", "high"}));
  EXPECT_EQ(model->reads.back(), "image");
  EXPECT_EQ(model->writes.front(), "text");
  EXPECT_TRUE(model->is_responses_only);
  EXPECT_EQ(model->ends, sys_days{2026y / 12 / 1});
  EXPECT_EQ(model->successor, "m-2");
  EXPECT_FALSE(made->prices("lab", "m-1", price_tier::standard)) << "a model may be listed without a price";
}

TEST(Catalogue, PricesATierByItsOwnListOrByAFactorOfTheStandardPrice) {
  const auto made = known(R"({"names": ["m-1"], "sources": [0], "prices": {
      "standard": [{"input": [2, [200000, 4]], "output": 10}, {"from": "2027-01-01", "input": 3, "output": 12}],
      "priority": 2.5, "batch": {"input": 1, "output": 6}}})");
  ASSERT_TRUE(made);
  const auto cost = [&](price_tier tier, std::uint64_t input, sys_days day) {
    return cost_usd(*made->prices("lab", "m-1", tier), {.input = input, .output = 1'000'000}, day);
  };
  const sys_days before = 2026y / 12 / 31, after = 2027y / 1 / 1;
  EXPECT_DOUBLE_EQ(cost(price_tier::standard, 100'000, before), 10.2);
  EXPECT_DOUBLE_EQ(cost(price_tier::standard, 1'000'000, before), 14);
  EXPECT_DOUBLE_EQ(cost(price_tier::standard, 1'000'000, after), 15);
  EXPECT_DOUBLE_EQ(cost(price_tier::priority, 1'000'000, before), 35);
  EXPECT_DOUBLE_EQ(cost(price_tier::priority, 1'000'000, after), 37.5);
  EXPECT_DOUBLE_EQ(cost(price_tier::batch, 1'000'000, after), 7);
  EXPECT_FALSE(made->prices("lab", "m-1", price_tier::flex)) << "no other tier's price stands for it";
  EXPECT_EQ(made->prices("lab", "m-1", price_tier::fast), made->prices("lab", "m-1", price_tier::priority));
}

TEST(Catalogue, ReadsTimesOfAPrice) {
  const auto made = known(R"({"names": ["m-1"], "sources": [0], "prices": {"standard": [
      {"input": 1, "output": 1},
      {"input": 2, "output": 2, "hours": [["01:00", "04:00"], ["22:30", "00:30"]], "weekdays": [1, 7], "not_on": "cn"}]}})");
  ASSERT_TRUE(made);
  const price_times& times = made->prices("lab", "m-1", price_tier::standard)->periods[1].times;
  EXPECT_EQ(times.hours, (std::vector<daily_hours>{{1h, 4h}, {22h + 30min, 30min}}));
  EXPECT_EQ(times.weekdays, 0b11);
  EXPECT_EQ(times.holidays, (std::vector<sys_days>{2026y / 10 / 1, 2026y / 10 / 2}));
}

TEST(Catalogue, AnExactNameWinsOverADatedOneAndThatOverAPrefix) {
  const auto row = [](const std::string& name, double price) {
    return R"({"names": [")" + name + R"("], "sources": [0], "prices": {"standard": {"input": )" +
           std::to_string(price) + R"(, "output": 1}}},)";
  };
  const auto made = known(row("m-5", 1) + row("m-5-20260101", 2) + row("m-5-5", 3) +
                          R"({"prefixes": ["ft:m"], "sources": [0], "prices": {"standard": {"input": 4, "output": 1}}},
                             {"prefixes": ["ft:m-5"], "sources": [0], "prices": {"standard": {"input": 5, "output": 1}}},
                             {"names": ["m-5-20260202", "ft:m-6:unpriced"], "sources": [0]})");
  ASSERT_TRUE(made);
  const auto input = [&](std::string_view name) {
    const model_prices* prices_of_it = made->prices("lab", name, price_tier::standard);
    return prices_of_it ? prices_of_it->periods[0].input.usd : -1;
  };
  EXPECT_EQ(input("m-5"), 1);
  EXPECT_EQ(input("M-5"), 1);
  EXPECT_EQ(input("m-5-20260303"), 1);
  EXPECT_EQ(input("m-5@20260303"), 1);
  EXPECT_EQ(input("m-5-2026-03-03"), 1);
  EXPECT_EQ(input("m-5-20260303-v1:0"), 1);
  EXPECT_EQ(input("m-5@default"), 1);
  EXPECT_EQ(input("m-5-20260101"), 2);
  EXPECT_EQ(input("m-5-5"), 3);
  EXPECT_EQ(input("m-5-20260202"), -1) << "a listed name without a price has none";
  EXPECT_EQ(input("m-5-6"), -1) << "another version is another model";
  EXPECT_EQ(input("m-5-turbo"), -1);
  EXPECT_EQ(input("ft:m-4:someone"), 4);
  EXPECT_EQ(input("ft:m-5:someone"), 5);
  EXPECT_EQ(input("ft:m-6:unpriced"), -1);
  EXPECT_EQ(input("x"), -1);
  EXPECT_EQ(input("-20260303"), -1);
  EXPECT_EQ(input(""), -1);
  EXPECT_EQ(input("m-5-20260101" + std::string(1'000'000, 'x')), -1);
  EXPECT_FALSE(made->find("another", "m-5"));
}

TEST(Catalogue, RefusesAFileOfAnotherSchemaOrNone) {
  EXPECT_NE(parse_catalogue("").error, "");
  EXPECT_NE(parse_catalogue("[]").error, "");
  EXPECT_NE(parse_catalogue("{}").error, "");
  std::string newer = text_with(one_row);
  newer.replace(newer.find("\"schema\": 1"), 11, "\"schema\": 2");
  EXPECT_EQ(parse_catalogue(newer).error, "the catalogue is not valid: schema is 2, but this version reads 1");
}

// The age of a list is computed in nanoseconds. This number overflows in the year 2262.
TEST(Catalogue, RefusesADateThatNoClockCanRepresent) {
  const auto dated = [](const std::string& day) {
    std::string text = text_with(one_row);
    return parse_catalogue(text.replace(text.find("\"as_of\": \"") + 10, 10, day)).error;
  };
  EXPECT_EQ(dated("2199-12-31"), "");
  EXPECT_EQ(dated("9999-12-31"), "the catalogue is not valid: as_of is outside the years 2000 to 2199");
  EXPECT_EQ(dated("1999-12-31"), "the catalogue is not valid: as_of is outside the years 2000 to 2199");
}

// An object with two members of the same name is refused, because a person might review the first member while the gateway uses the last
// one.
TEST(Catalogue, RefusesAnObjectWithTwoMembersOfOneName) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = text_with(one_row);
    return parse_catalogue(text.replace(text.find(from), from.size(), to)).error;
  };
  EXPECT_EQ(changed(R"("input": 2)", R"("input": 2, "input": 0)"), "the catalogue is not valid: 'input' occurs twice in one object");
  EXPECT_EQ(changed(R"("names")", R"("prices": {}, "names")"), "the catalogue is not valid: 'prices' occurs twice in one object");
  EXPECT_EQ(changed(R"("holidays")", R"("providers": {}, "holidays")"),
            "the catalogue is not valid: 'providers' occurs twice in one object");
  EXPECT_EQ(changed(R"("output")", R"("\u0069nput": 1, "output")"), "the catalogue is not valid: 'input' occurs twice in one object");
}

TEST(Catalogue, RefusesATextThatWasCutAnywhere) {
  const std::string whole = text_with(one_row);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const catalogue_result result = parse_catalogue(whole.substr(0, length));
    EXPECT_FALSE(result.value) << length;
    EXPECT_FALSE(result.error.empty()) << length;
  }
}

TEST(Catalogue, NamesTheRowThatIsWrong) {
  EXPECT_EQ(error_of(one_row + R"(, {"names": ["m-2"], "sources": [0], "prices": {"standard": {"input": -1, "output": 1}}})"),
            "the catalogue is not valid: provider 'lab', row 2: input is not a number from 0 to 1000000");
}

TEST(Catalogue, RefusesARowThatIsWrong) {
  const auto priced = [](const std::string& price) {
    return R"({"names": ["m"], "sources": [0], "prices": {"standard": )" + price + "}}";
  };
  for (const std::string& row : {
           std::string(R"({"sources": [0]})"), std::string(R"({"names": ["m"]})"),
           std::string(R"({"names": ["m"], "sources": [1]})"), std::string(R"({"names": ["M"], "sources": [0]})"),
           std::string(R"({"names": ["m"], "sources": [0], "unknown": 1})"),
           std::string(R"({"names": ["m"], "sources": [0], "context": 0})"),
           std::string(R"({"names": ["m"], "sources": [0], "efforts": []})"),
           std::string(R"({"names": ["m"], "sources": [0], "ends": "2026-13-01"})"),
           std::string(R"({"names": ["m"], "sources": [0], "prices": {"priority": 2}})"),
           std::string(R"({"names": ["m"], "sources": [0], "prices": {"standard": 2}})"), one_row + "," + one_row,
           priced(R"({"input": 1})"), priced("[]"), priced(R"({"input": "1", "output": 1})"),
           priced(R"({"input": 1e7, "output": 1})"), priced(R"({"input": 1, "output": 1, "cached": 1})"),
           priced(R"({"input": [1, [5, 1], [5, 2]], "output": 1})"), priced(R"({"input": [], "output": 1})"),
           priced(R"({"input": 1, "output": 1, "from": "soon"})"), priced(R"({"input": 1, "output": 1, "weekdays": [8]})"),
           priced(R"({"input": 1, "output": 1, "hours": [["1:00", "04:00"]]})"),
           priced(R"({"input": 1, "output": 1, "hours": [["23:00", "24:01"]]})"),
           priced(R"({"input": 1, "output": 1, "not_on": "de"})"),
           std::string(R"({"names": ["m\u001b[31m"], "sources": [0]})"),
           std::string(R"({"names": ["m"], "sources": [0], "successor": "n\nm"})"),
           std::string(R"({"names": ["m"], "sources": [0], "ends": "9999-12-31"})"),
           priced(R"({"input": 1, "output": 1}, "gold": 2)")})
    EXPECT_NE(error_of(row), "") << row;
  EXPECT_EQ(error_of(priced(R"({"input": 1, "output": 1, "hours": [["23:00", "24:00"]]})")), "");
}

TEST(Catalogue, RowsWithTheSamePricesShareThem) {
  const auto made = known(R"({"names": ["m-1"], "sources": [0], "prices": {"standard": {"input": 1, "output": 2}}},
                             {"names": ["m-2"], "sources": [0], "prices": {"standard": {"input":1,"output":2}}},
                             {"names": ["m-3"], "sources": [0], "prices": {"standard": {"input": 1, "output": 3}}})");
  ASSERT_TRUE(made);
  const auto prices = [&](std::string_view name) { return made->prices("lab", name, price_tier::standard); };
  EXPECT_EQ(prices("m-1"), prices("m-2"));
  EXPECT_NE(prices("m-1"), prices("m-3"));
}

TEST(PriceTiers, AreReadFromTheWordsOfProviders) {
  for (const char* word : {"default", "auto", "on_demand", "standard", "standard_only", "performance", "scale",
                           "reserved"})
    EXPECT_EQ(parse_price_tier(word), price_tier::standard) << word;
  EXPECT_EQ(parse_price_tier("flex"), price_tier::flex);
  EXPECT_EQ(parse_price_tier("priority"), price_tier::priority);
  EXPECT_EQ(parse_price_tier("fast"), price_tier::fast);
  EXPECT_EQ(parse_price_tier("ultrafast"), price_tier::ultrafast);
  EXPECT_EQ(parse_price_tier("batch"), price_tier::batch);
  EXPECT_FALSE(parse_price_tier("unheard-of"));
  EXPECT_FALSE(parse_price_tier(""));
  EXPECT_EQ(to_string(price_tier::ultrafast), "ultrafast");
}

}  // namespace
}  // namespace photofinish::proxy
