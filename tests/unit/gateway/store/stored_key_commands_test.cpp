// What is asked of the store for access keys, and what it may answer.
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

TEST(StoredKeyCommands, ChangesAreReadInTheirOrder) {
  const auto read = changes_in(list_of({"pf-abc", "1780000000000001", "pf-def", "1780000000000002"}));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->all.size(), 2u);
  EXPECT_EQ(read->all[0].id, "pf-abc");
  EXPECT_EQ(read->all[1].revision, 1'780'000'000'000'002);
  EXPECT_FALSE(read->is_full);
}

TEST(StoredKeyCommands, WhatIsNoneIsLeftOut) {
  const auto read = changes_in(list_of({"a b", "1", "pf:x", "2", std::string(65, 'a'), "3", "ok", "inf", "", "5", "yes", "6",
                                        "no", "-7", "half", "1.5"}));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->all.size(), 1u);
  EXPECT_EQ(read->all[0].id, "yes");
  EXPECT_FALSE(changes_in(list_of({"odd"})));
  EXPECT_FALSE(changes_in({.kind = reply_kind::integer, .integer = 3}));
}

TEST(StoredKeyCommands, AFullPageHasMoreBehindIt) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < stored_key_commands::most_in_a_page; ++at) {
    texts.push_back("k" + std::to_string(at));
    texts.push_back(std::to_string(at));
  }
  EXPECT_TRUE(changes_in(list_of(texts))->is_full);
  texts.resize(texts.size() - 2);
  EXPECT_FALSE(changes_in(list_of(texts))->is_full);
}

TEST(StoredKeyCommands, NamesHaveThePrefix) {
  const stored_key_commands commands("pf-prod");
  EXPECT_EQ(commands.read_entry("pf-abc"), (store_command{"GETRANGE", "pf-prod:key:pf-abc", "0", "4096"}));
  EXPECT_EQ(commands.changes_after(-1).at(2), "(-1");
  const store_command put = commands.put({"pf-abc", "alice", "old", "new"});
  EXPECT_EQ(put.at(3), "pf-prod:key:pf-abc");
  EXPECT_EQ(std::vector<std::string>(put.begin() + 6, put.end()), (std::vector<std::string>{"pf-abc", "alice", "old", "new"}));
}

}  // namespace
}  // namespace photofinish::gateway
