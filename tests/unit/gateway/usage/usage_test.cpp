// Tests the record of usage: its entries, its file format, and the reports that are made from it.
#include "gateway/usage/usage_codec.hpp"
#include "gateway/usage/usage_page.hpp"
#include "tests/support/control_characters.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::sys_seconds;

const sys_seconds noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;

used_share share(const std::string& client, const std::string& model, std::uint64_t tokens = 10,
                 const std::string& project = "_none") {
  return {{client, "search", model, project}, {.requests = 1, .input_tokens = tokens, .nano_usd = tokens * 1000}};
}

usage_query query(std::string_view text, sys_seconds now = noon) {
  const auto read = read_usage_query(text, now);
  EXPECT_TRUE(std::holds_alternative<usage_query>(read)) << std::get<api_error>(read).message;
  return std::get<usage_query>(read);
}

usage_book filled() {
  usage_book book(noon - 48h);
  book.add(share("alice", "a/m"), noon - 25h);
  book.add(share("alice", "a/m"), noon - 30min);
  book.add(share("alice", "b/m"), noon - 20min);
  book.add(share("bob", "a/m", 5), noon);
  return book;
}

TEST(UsageBook, AddsUpByTheDayAndByTheHour) {
  const usage_book book = filled();
  const usage_report days = make_usage_report(book, query("group_by=client,model"));
  ASSERT_EQ(days.buckets.size(), 2u);
  EXPECT_EQ(days.buckets[0].start, noon - 36h);
  EXPECT_EQ(days.buckets[0].end, noon - 12h);
  EXPECT_EQ(days.buckets[1].rows.size(), 3u);
  const usage_report hours = make_usage_report(book, query("bucket_width=1h"));
  ASSERT_EQ(hours.buckets.size(), 2u);  // the hourly buckets of the last 24 hours
  const used_amounts total{.requests = 2, .input_tokens = 20, .nano_usd = 20'000};
  EXPECT_EQ(hours.buckets[0].rows.at({}), total);
}

TEST(UsageBook, OneClientSeesItself) {
  usage_query wanted = query("group_by=client,team");
  wanted.only_client = "bob";
  const usage_report report = make_usage_report(filled(), wanted);
  ASSERT_EQ(report.buckets.size(), 1u);
  ASSERT_EQ(report.buckets[0].rows.size(), 1u);
  EXPECT_EQ(report.buckets[0].rows.begin()->first, (used_by{"bob", "search", "", ""}));
}

TEST(UsageBook, WhatIsTooOldGoes) {
  usage_book book = filled();
  EXPECT_EQ(book.hours.complete_since(), noon - 48h);
  book.expire(noon + 71h);
  EXPECT_EQ(book.hours.buckets().size(), 2u);
  EXPECT_EQ(book.hours.complete_since(), noon - 24h);
  EXPECT_EQ(book.days.buckets().size(), 2u);
}

TEST(UsageBook, IsBoundedWhateverIsAsked) {
  usage_book book(noon, {.most_rows = 100});
  for (int hour = 0; hour < 10; ++hour)
    for (int each = 0; each < 60; ++each) book.add(share("c" + std::to_string(each), "a/m"), noon + hour * 1h);
  EXPECT_EQ(book.hours.buckets().size(), 1u);  // two hours would exceed the limit of rows, so only one hour is kept
  EXPECT_EQ(book.hours.complete_since(), noon + 9h);
  for (int each = 0; each < 1000; ++each) book.add(share("d" + std::to_string(each), "a/m"), noon + 9h);
  const usage_tier::rows& rows = book.hours.buckets().begin()->second;
  EXPECT_LE(rows.size(), 101u);
  std::uint64_t requests = 0;
  for (const auto& [by, amounts] : rows) requests += amounts.requests;
  EXPECT_EQ(requests, 1060u);  // the report leaves out some names, but its sum includes all requests
  EXPECT_EQ(rows.count({"_other", "_other", "_other", "_other"}), 1u);
}

TEST(UsageCodec, WhatIsReadIsWhatWasWritten) {
  usage_book book = filled();
  book.add(share("with space\nand % line", "a/m\t\xC3\xA9", 10, "project two"), noon);
  usage_book read(noon);
  EXPECT_EQ(decode_usage(encode(book), read), "");
  EXPECT_EQ(encode(read), encode(book));
  EXPECT_EQ(read.hours.complete_since(), noon - 48h);
  EXPECT_EQ(read.days.buckets(), book.days.buckets());
}

TEST(UsageCodec, ADamagedFileIsNotTaken) {
  const std::string whole = encode(filled());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    usage_book read(noon);
    const std::string problem = decode_usage(whole.substr(0, cut), read);
    const bool ends_a_line = cut > 0 && whole[cut - 1] == '\n';
    EXPECT_EQ(problem.empty(), ends_a_line) << cut;
  }
  for (const char* bad : {"photofinish usage 3\n", "photofinish usage 2\nh 3600 a b c 1 2 3 4 5 6 7\n",
                          "photofinish usage 1\nx since 1\n", "photofinish usage 1\nh since -1\n",
                          "photofinish usage 1\nh 3600 a b c 1 2 3 4 5 6\n",
                          "photofinish usage 1\nh 3601 a b c 1 2 3 4 5 6 7\n",
                          "photofinish usage 1\nh 3600 a b c 1 2 3 4 5 6 7\nh 3600 a b c 1 2 3 4 5 6 7\n"}) {
    usage_book read(noon);
    EXPECT_NE(decode_usage(bad, read), "") << bad;
  }
}

TEST(UsageCodec, AFileFromBeforeProjectsIsRead) {
  usage_book read(noon);
  ASSERT_EQ(decode_usage("photofinish usage 1\nh since 3600\nh 3600 a b c 1 2 3 4 5 6 7\n", read), "");
  ASSERT_EQ(read.hours.buckets().size(), 1u);
  const auto& [by, amounts] = *read.hours.buckets().begin()->second.begin();
  EXPECT_EQ(by, (used_by{"a", "b", "c", "_none"}));
  EXPECT_EQ(amounts.lost_nano_usd, 7u);
  usage_book again(noon);
  EXPECT_EQ(decode_usage(encode(read), again), "");
  EXPECT_EQ(encode(again), encode(read));
}

TEST(UsageBook, ALongNameIsCut) {
  usage_book book(noon);
  book.add(share("alice", std::string(longest_used_name + 50, 'm')), noon);
  book.add(share("alice", std::string(longest_used_name, 'm')), noon);
  const usage_tier::rows& rows = book.hours.buckets().begin()->second;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.begin()->first.model, std::string(longest_used_name, 'm'));
  EXPECT_EQ(rows.begin()->second.requests, 2u);
}

TEST(UsageBook, ProjectsAreToldApart) {
  usage_book book(noon - 1h);
  book.add(share("alice", "a/m", 10, "web"), noon);
  book.add(share("bob", "a/m", 5, "web"), noon);
  book.add(share("bob", "a/m", 3, "search"), noon);
  const usage_report report = make_usage_report(book, query("group_by=project"));
  ASSERT_EQ(report.buckets.size(), 1u);
  EXPECT_EQ(report.buckets[0].rows.at({"", "", "", "web"}).input_tokens, 15u);
  EXPECT_EQ(report.buckets[0].rows.at({"", "", "", "search"}).input_tokens, 3u);
}

TEST(UsageQuery, SaysWhatItCannotRead) {
  for (const char* bad : {"bucket_width=1m", "start_time=soon", "end_time=-5", "group_by=client,key",
                          "start_time=2026-11-02&end_time=2026-11-01"})
    EXPECT_TRUE(std::holds_alternative<api_error>(read_usage_query(bad, noon))) << bad;
  EXPECT_EQ(query("start_time=2026-11-01&end_time=1795435200").start, noon - 22 * 24h - 12h);
  EXPECT_EQ(query("start_time=2026-11-01&end_time=1795435200").end, noon);
  EXPECT_TRUE(query("group_by[]=model").by_model);
}

TEST(UsagePage, IsOpenAIsPageOfBuckets) {
  const json page = json::parse(usage_json(make_usage_report(filled(), query("group_by=client"))));
  EXPECT_EQ(page.at("object"), "page");
  EXPECT_EQ(page.at("has_more"), false);
  ASSERT_EQ(page.at("data").size(), 2u);
  const json& row = page.at("data")[1].at("results")[0];
  EXPECT_EQ(row.at("client"), "alice");
  EXPECT_TRUE(row.at("model").is_null());
  EXPECT_EQ(row.at("num_model_requests"), 2);
  EXPECT_DOUBLE_EQ(row.at("cost_usd"), 20e-6);
}

TEST(UsagePage, AsCsvQuotesNamesAndMakesNoFormulas) {
  usage_book book(noon);
  book.add(share("a,\"b\"", "=1+1/m"), noon);
  EXPECT_EQ(usage_csv(make_usage_report(book, query("group_by=client,model"))),
            "start_time,end_time,client,team,model,num_model_requests,input_tokens,output_tokens,"
            "lost_input_tokens,lost_output_tokens,cost_usd,lost_cost_usd,project\r\n"
            "1795392000,1795478400,\"a,\"\"b\"\"\",\"\",\"'=1+1/m\",1,10,0,0,0,0.000010000,0.000000000,\"\"\r\n");
}

TEST(UsagePage, HoldsNoCharacterThatATerminalObeys) {
  const std::string name = testing::all_control_characters();
  usage_book book(noon);
  book.add({{name, name, name, name}, {.requests = 1}}, noon);
  const usage_report report = make_usage_report(book, query("group_by=client,team,model,project"));
  EXPECT_FALSE(testing::holds_control_character(usage_csv(report))) << usage_csv(report);
  EXPECT_FALSE(testing::holds_control_character(usage_json(report))) << usage_json(report);
  EXPECT_EQ(json::parse(usage_json(report)).at("data")[0].at("results")[0].at("model"), name);
}

}  // namespace
}  // namespace photofinish::gateway
