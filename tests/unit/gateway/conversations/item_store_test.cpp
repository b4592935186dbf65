// Tests the store of items to which clients refer in later requests. Its size is limited, it keeps items for a limited time, and it returns
// an item only to the caller that received the item.
#include "gateway/conversations/item_store.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mib = 1u << 20;
const proxy::instant t0{};

digest owner(char name) {
  digest made{};
  made.fill(static_cast<unsigned char>(name));
  return made;
}

class KeptItems : public ::testing::Test {
 protected:
  void put(char who, const std::string& id, std::size_t bytes = 10, proxy::instant now = t0) {
    items.put(owner(who), static_cast<proxy::memory_budget::account>(who), id, std::string(bytes, who), now);
  }
  bool has(char who, const std::string& id, proxy::instant now = t0) { return items.find(owner(who), id, now).has_value(); }

  proxy::memory_budget memory{160 * mib};
  item_store items{memory, {.bytes = 8 * mib, .items = 1000, .longest = mib, .lifetime = 60s}};
};

TEST_F(KeptItems, AreFoundByTheirCallerAlone) {
  put('a', "msg_1");
  put('b', "msg_2");
  EXPECT_EQ(items.find(owner('a'), "msg_1", t0), std::string(10, 'a'));
  EXPECT_FALSE(has('b', "msg_1"));
  EXPECT_FALSE(has('a', "msg_2"));
  EXPECT_FALSE(has('a', "msg_"));
  EXPECT_TRUE(items.find(owner('a'), "msg_1", t0, 10));
  EXPECT_FALSE(items.find(owner('a'), "msg_1", t0, 9)) << "longer than was asked for";
}

TEST_F(KeptItems, ANewerOneTakesThePlaceOfTheOlder) {
  put('a', "msg_1", 10);
  put('a', "msg_1", 20);
  EXPECT_EQ(items.find(owner('a'), "msg_1", t0)->size(), 20u);
  EXPECT_EQ(items.size(), 1u);
}

TEST_F(KeptItems, GoWhenTheirTimeIsOver) {
  put('a', "msg_1");
  EXPECT_TRUE(has('a', "msg_1", t0 + 59s));
  EXPECT_FALSE(has('a', "msg_1", t0 + 60s));
  put('a', "msg_2", 10, t0 + 61s);
  EXPECT_EQ(items.size(), 1u);
}

TEST_F(KeptItems, ACallerThatFillsTheStoreLosesItsOwn) {
  put('b', "theirs");
  for (int at = 0; at < 100; ++at) put('a', "msg_" + std::to_string(at), mib / 2);
  EXPECT_TRUE(has('b', "theirs"));
  EXPECT_LE(items.bytes(), 2 * mib + 1000);
  EXPECT_TRUE(has('a', "msg_99"));
  EXPECT_FALSE(has('a', "msg_0"));
  for (int at = 0; at < 10'000; ++at) put('c', std::to_string(at));
  EXPECT_TRUE(has('b', "theirs"));
  EXPECT_LE(items.size(), 1000u);
}

TEST_F(KeptItems, WhatIsTooLongIsNotKept) {
  put('a', "long", mib + 1);
  put('a', std::string(300, 'i'));
  put('a', "");
  EXPECT_EQ(items.size(), 0u);
}

TEST_F(KeptItems, CountInTheMemoryOfAllRequestsAndAreGivenBack) {
  {
    item_store some(memory, {});
    some.put(owner('a'), 1, "id", std::string(1000, 'x'), t0);
    EXPECT_GT(memory.used(), 1000u);
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST_F(KeptItems, AreNotKeptWhereMemoryIsShort) {
  constexpr std::size_t most = 160 * mib / 16 * 15;
  std::size_t taken = 0;  // bytes that other accounts use, one megabyte each; they leave little memory for new items
  for (proxy::memory_budget::account other = 200; taken < most - mib; ++other, taken += mib)
    ASSERT_TRUE(memory.take(other, mib, proxy::memory_use::running, t0));
  put('a', "msg_1", 400'000);
  EXPECT_EQ(items.size(), 1u);
  put('a', "msg_2", 400'000);
  EXPECT_EQ(items.size(), 1u) << "a caller may have as much as is left";
  EXPECT_LE(memory.used(), most);
  for (proxy::memory_budget::account other = 200; taken > 0; ++other, taken -= mib) memory.give_back(other, mib);
}

TEST_F(KeptItems, StayWithinTheirBoundsWhateverComes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 chance(seed);
  const auto below = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(chance); };
  for (int step = 0; step < 5000; ++step) {
    const proxy::instant now = t0 + step * 20ms;
    put(static_cast<char>('a' + below(9)), std::to_string(below(300)), below(mib / 4), now);
    (void)has('a', std::to_string(below(300)), now);
    ASSERT_LE(items.bytes(), 8 * mib);
    ASSERT_EQ(items.bytes(), memory.used());
  }
}

}  // namespace
}  // namespace photofinish::gateway
