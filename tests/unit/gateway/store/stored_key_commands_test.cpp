// Tests the store's commands for access keys, and which replies to them are valid.
#include "gateway/store/stored_key_commands.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

store_reply list_of(std::vector<std::string> texts) {
  store_reply list{.kind = reply_kind::list};
  for (std::string& each : texts) list.list.push_back({.kind = reply_kind::text, .text = std::move(each)});
  return list;
}

constexpr std::int64_t latest = 2'000'000'000'000'000;

TEST(StoredKeyCommands, ChangesAreReadInTheirOrder) {
  const auto read = changes_in(list_of({"pf-abc", "1780000000000001", "pf-def", "1780000000000002"}), latest);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->all.size(), 2u);
  EXPECT_EQ(read->all[0].id, "pf-abc");
  EXPECT_EQ(read->all[1].revision, 1'780'000'000'000'002);
  EXPECT_EQ(read->members, 2u);
}

TEST(StoredKeyCommands, WhatIsNoneIsLeftOut) {
  const auto read = changes_in(list_of({"a b", "1", "pf:x", "2", std::string(65, 'a'), "3", "ok", "inf", "", "5", "yes", "6",
                                        "no", "-7", "half", "1.5", "nanoseconds", "1780000000000000001", "digits",
                                        "1.7957652505098762e+18"}),
                               latest);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->all.size(), 1u);
  EXPECT_EQ(read->all[0].id, "yes");
  EXPECT_EQ(read->members, 10u) << "a page counts them";
  EXPECT_EQ(read->first, "a b") << "and may begin or end with one";
  EXPECT_EQ(read->last, "digits");
  EXPECT_FALSE(changes_in(list_of({"odd"}), latest));
  EXPECT_FALSE(changes_in({.kind = reply_kind::integer, .integer = 3}, latest));
}

TEST(StoredKeyCommands, NamesHaveThePrefix) {
  const stored_key_commands commands("pf-prod");
  EXPECT_EQ(commands.read_entry("pf-abc"), (store_command{"GETRANGE", "pf-prod:key:pf-abc", "0", "4096"}));
  EXPECT_EQ(commands.page(7, 500), (store_command{"ZRANGEBYSCORE", "pf-prod:keys", "7", "+inf", "WITHSCORES", "LIMIT", "500", "500"}));
  const store_command put = commands.put({"pf-abc", "alice", "old", "new"});
  EXPECT_EQ(put.at(3), "pf-prod:key:pf-abc");
  EXPECT_EQ(std::vector<std::string>(put.begin() + 6, put.end()), (std::vector<std::string>{"pf-abc", "alice", "old", "new"}));
}

}  // namespace
}  // namespace photofinish::gateway
