// Tests the usage records that a gateway writes into the shared store. No request may be counted twice, whatever the order of the writes.
#include "gateway/usage/usage_codec.hpp"
#include "gateway/usage/usage_sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds shared_noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;

used_share share_of(const std::string& client, const std::string& project = "_none") {
  return {{client, "search", "a/m", project}, {.requests = 1, .input_tokens = 10, .nano_usd = 7}};
}

// A store that supports only HSET.
struct small_store {
  std::map<std::string, std::map<std::string, std::string>> hashes;
  void take(const std::vector<store_command>& commands) {
    for (const store_command& each : commands)
      if (each[0] == "HSET")
        for (std::size_t at = 2; at + 1 < each.size(); at += 2) hashes[each[1]][each[at]] = each[at + 1];
  }
  // The store has a list of usage records for each day. Adds up the requests in all records on the list of this day.
  std::uint64_t requests() const {
    std::uint64_t sum = 0;
    const shared_bucket day{'d', shared_noon - 12h};
    const fleet_commands names("pf");
    const auto list = hashes.find(names.read_bucket(day)[1]);
    if (list == hashes.end()) return 0;
    store_reply reply{.kind = reply_kind::list};
    for (const auto& [book, text] : list->second)
      for (const std::string& each : {book, text}) reply.list.push_back({.kind = reply_kind::text, .text = each});
    for (const bucket_part& part : parts_in(reply))
      for (const store_command& read : names.read_rows(day, part))
        if (const auto rows = hashes.find(read[1]); rows != hashes.end())
          for (const auto& [by, amounts] : rows->second) sum += decode_share(by, amounts)->amounts.requests;
    return sum;
  }
};

struct sharing_fixture : ::testing::Test {
  sharing_fixture() { sharing.start(); }
  void add(const used_share& share) {
    sharing.note('h', book.hours.bucket_of(shared_noon), book.hours.add(share, shared_noon));
    sharing.note('d', book.days.bucket_of(shared_noon), book.days.add(share, shared_noon));
  }
  void write_all() {
    while (sharing.has_pending()) {
      store.take(sharing.next(book, fleet_commands("pf"), "one"));
      sharing.written();
    }
  }
  usage_book book{shared_noon - 1h};
  usage_sharing sharing{"0123456789abcdef"};
  small_store store;
};

TEST_F(sharing_fixture, WritesWholeSumsOfWhatHasGrown) {
  add(share_of("alice"));
  add(share_of("bob"));
  write_all();
  EXPECT_EQ(store.requests(), 2u);
  add(share_of("alice"));
  write_all();
  EXPECT_EQ(store.requests(), 3u);
}

TEST_F(sharing_fixture, AWriteThatMayHaveArrivedIsRepeatedAndCountsOnce) {
  add(share_of("alice"));
  store.take(sharing.next(book, fleet_commands("pf"), "one"));
  sharing.lost();
  add(share_of("alice"));
  write_all();
  EXPECT_EQ(store.requests(), 2u);
}

TEST_F(sharing_fixture, AnEmptiedStoreGetsEverythingAgain) {
  add(share_of("alice"));
  write_all();
  store.hashes.clear();
  sharing.note_all();
  write_all();
  EXPECT_EQ(store.requests(), 1u);
}

// The store evicts the usage records of a past day. New requests never change these records, so the gateway notices the loss only if it
// checks whether the records still exist.
TEST_F(sharing_fixture, ABucketThatTheStoreHasLostIsCheckedAndWrittenAgain) {
  EXPECT_TRUE(sharing.next_checks(2).empty());
  add(share_of("alice"));
  EXPECT_TRUE(sharing.listed().empty());
  write_all();
  const shared_bucket day{'d', shared_noon - 12h}, hour{'h', shared_noon};
  EXPECT_EQ(sharing.listed(), (std::set<shared_bucket>{day, hour}));
  std::set<shared_bucket> checked;
  for (int each = 0; each < 2; ++each) checked.insert(sharing.next_checks(1).at(0).first);
  EXPECT_EQ(checked, sharing.listed());
  store.hashes.clear();
  sharing.note_bucket(book, day);
  write_all();
  EXPECT_EQ(store.requests(), 1u);
}

TEST_F(sharing_fixture, AWriteThatWasLostListsNothing) {
  add(share_of("alice"));
  (void)sharing.next(book, fleet_commands("pf"), "one");
  sharing.lost();
  EXPECT_TRUE(sharing.listed().empty());
}

TEST(FleetCommands, ACheckFindsWhatIsAbsentOrOfAnotherType) {
  const bucket_part part{"0123456789abcdef", "one", 1};
  const auto number = [](int value) { return store_reply{.kind = reply_kind::integer, .text = {}, .integer = value}; };
  store_reply list{.kind = reply_kind::list};
  for (const char* each : {"0123456789abcdef", R"({"name":"one","parts":1})"})
    list.list.push_back({.kind = reply_kind::text, .text = each});
  const store_reply wrong{.kind = reply_kind::error, .text = "WRONGTYPE Operation against a key"};
  const auto is_whole = [&](std::vector<store_reply> replies) { return is_intact(replies, part); };
  EXPECT_TRUE(is_whole({number(1), list, number(1), number(0)}));
  EXPECT_FALSE(is_whole({number(1), list, number(0), number(0)})) << "no rows";
  EXPECT_FALSE(is_whole({number(1), list, number(1), wrong}));
  EXPECT_FALSE(is_whole({number(1), {.kind = reply_kind::list}, number(1), number(0)})) << "not listed";
  EXPECT_FALSE(is_whole({number(1), list}));
  EXPECT_TRUE(is_wrong_type(wrong));
  const auto check = fleet_commands("pf").check_bucket({'d', shared_noon - 12h}, part, shared_noon + 24h * 800);
  EXPECT_EQ(check.at(0).at(2), "3600") << "EXPIRE with a time that is over would delete";
}

TEST(FleetCommands, RangesNameBuckets) {
  const auto day = [](int number) { return shared_bucket{'d', std::chrono::sys_days(std::chrono::days(number))}; };
  const shared_bucket hour{'h', shared_noon};
  const auto ranges = ranges_of({day(5), day(6), day(7), day(9), hour});
  EXPECT_EQ(ranges.size(), 3u);
  for (const int each : {5, 6, 7, 9}) EXPECT_TRUE(has_bucket(ranges, day(each)));
  EXPECT_FALSE(has_bucket(ranges, day(8)));
  EXPECT_TRUE(has_bucket(ranges, hour));
  const std::vector<std::string> heard{"q.1"};
  const fleet_entry entry{"run", "one", "0123456789abcdef", shared_noon, true, heard, shared_noon - 1h, ranges};
  const auto written = fleet_commands("pf").enter(entry).at(0);
  store_reply reply{.kind = reply_kind::list};
  for (std::size_t each : {2u, 3u}) reply.list.push_back({.kind = reply_kind::text, .text = written.at(each)});
  const auto read = entries_in(reply);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].heard, entry.heard);
  EXPECT_EQ(read[0].filled, entry.filled);
  for (const bucket_range& each : ranges)
    EXPECT_EQ(std::count(read[0].listed.begin(), read[0].listed.end(), each), 1) << each.width;
}

TEST_F(sharing_fixture, WithoutAStoreNothingIsKeptForIt) {
  sharing.end();
  add(share_of("alice"));
  EXPECT_FALSE(sharing.has_pending());
  sharing.start();
  write_all();
  EXPECT_EQ(store.requests(), 1u);
}

TEST_F(sharing_fixture, ABucketThatNeedsMorePartsCountsEachRowOnce) {
  for (int each = 0; each < 2'500; ++each) {
    add(share_of("client" + std::to_string(each)));
    if (each % 700 == 0) write_all();
  }
  write_all();
  EXPECT_EQ(store.requests(), 2'500u);
}

TEST(UsageBookRows, AClientWithTooManyNamesKeepsItsSum) {
  usage_book book(shared_noon - 1h, {.most_of_a_client = 10});
  for (int each = 0; each < 100; ++each) book.add(share_of("greedy", "p" + std::to_string(each)), shared_noon);
  book.add(share_of("alice"), shared_noon);
  std::uint64_t sum = 0;
  const auto& rows = book.days.buckets().begin()->second;
  for (const auto& [by, amounts] : rows) sum += by.client == "greedy" ? amounts.requests : 0;
  EXPECT_EQ(sum, 100u);
  EXPECT_LE(rows.size(), 12u);
}

TEST(UsageBookRows, WhatAKilledRunWroteIsRaisedAndNeverLowered) {
  usage_book book(shared_noon - 1h);
  book.add(share_of("alice"), shared_noon);  // usage that was saved on the disk
  book.add(share_of("alice"), shared_noon);  // usage since the start of the process
  const used_amounts since = share_of("alice").amounts;
  used_share written = share_of("alice");
  written.amounts.requests = 5;  // four of these five requests arrived after the usage was saved to the disk
  EXPECT_TRUE(book.days.raise(shared_noon - 12h, written, since));
  EXPECT_EQ(book.days.find(shared_noon - 12h, written.by)->requests, 6u);
  written.amounts.requests = 1;
  EXPECT_TRUE(book.days.raise(shared_noon - 12h, written, since));
  EXPECT_EQ(book.days.find(shared_noon - 12h, written.by)->requests, 6u);
}

TEST(FleetCommands, WhatDoesNotFitIsLeftOut) {
  const auto pair = [](const std::string& name, const std::string& text) {
    store_reply reply{.kind = reply_kind::list};
    for (const std::string& each : {name, text}) reply.list.push_back({.kind = reply_kind::text, .text = each});
    return reply;
  };
  EXPECT_EQ(parts_in(pair("book", R"({"name":"one","parts":2})")).size(), 1u);
  for (const char* bad : {"", "[]", "{", R"({"name":1,"parts":1})", R"({"name":"one","parts":0})",
                          R"({"name":"one","parts":9999})", R"({"name":"one","parts":-1})"})
    EXPECT_TRUE(parts_in(pair("book", bad)).empty()) << bad;
  EXPECT_TRUE(entries_in(pair("run", R"({"name":"one"})")).empty());
  EXPECT_TRUE(questions_in(pair("id", R"({"receipt":"race_1"})")).empty());
  EXPECT_TRUE(entries_in({.kind = reply_kind::error, .text = "NOPERM"}).empty());
}

}  // namespace
}  // namespace photofinish::gateway
