// Tests how a process remembers cached prefixes: which prefixes it stores, which survive a restart, the key of the hashes, and the data for
// other gateways.
#include "gateway/prefixes/prefix_memory.hpp"

#include "gateway/prefixes/cached_prefixes.hpp"
#include "gateway/prefixes/prefix_sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway {
namespace {

using racing::prefix_boundary;
using racing::prefix_entry;
using racing::prefix_holder;
using racing::prefix_seconds;
using std::chrono::minutes;

constexpr prefix_seconds now = 1'800'000'000;
constexpr proxy::hash_key key{1, 2}, other_key{3, 4};

prompt_chain chain_of(std::initializer_list<std::uint32_t> tokens) {
  std::mt19937_64 random(5);
  prompt_chain chain;
  for (const std::uint32_t each : tokens) chain.boundaries.push_back({{random(), random()}, each});
  return chain;
}

std::uint32_t warm_tokens(const prefix_memory& memory, const prompt_chain& chain, prefix_holder holder, prefix_seconds when) {
  std::array<racing::prefix_finding, 1> findings;
  const std::array<prefix_holder, 1> asked{holder};
  memory.table().find(chain.boundaries, asked, when, findings);
  return findings[0].warm.tokens;
}

void note(prefix_memory& memory, const prompt_chain& chain, prefix_holder holder, prefix_seconds when = now) {
  for (const prefix_entry& each : cached_prefixes(chain, {}, holder, 1, when)) memory.note(each, when);
}

TEST(CachedPrefixes, AreTheRootAndTheEnd) {
  const prompt_chain chain = chain_of({5'000, 6'000, 7'000});
  const auto all = cached_prefixes(chain, {.life = minutes(10)}, 11, 3, now);
  EXPECT_EQ(all[0].prefix.hash, chain.root().hash);
  EXPECT_EQ(all[1].prefix.hash, chain.end().hash);
  for (const prefix_entry& each : all) {
    EXPECT_EQ(each.holder, 11u);
    EXPECT_EQ(each.caller, 3u);
    EXPECT_EQ(each.used, now);
    EXPECT_EQ(each.life, minutes(10));
  }
}

TEST(CachedPrefixes, ShortOnesAreNotKept) {
  const auto all = cached_prefixes(chain_of({1'000, 6'000}), {.minimum = 2'048}, 11, 3, now);
  EXPECT_EQ(all[0].holder, 0u);
  EXPECT_EQ(all[1].holder, 11u);
  EXPECT_EQ(cached_prefixes(chain_of({1'000, 2'000}), {.minimum = 2'048}, 11, 3, now)[1].holder, 0u);
  EXPECT_EQ(cached_prefixes({}, {}, 11, 3, now)[0].holder, 0u);
}

TEST(CachedPrefixes, AProviderThatNeedsMarksKeepsMarkedOnes) {
  prompt_chain chain = chain_of({5'000, 6'000, 7'000});
  const cache_habits habits{.needs_marks = true};
  EXPECT_FALSE(can_be_warm(chain, habits));
  EXPECT_EQ(cached_prefixes(chain, habits, 11, 3, now)[1].holder, 0u);
  chain.marks.of_last = minutes(60);
  chain.marks.last = chain.boundaries[1];
  EXPECT_TRUE(can_be_warm(chain, habits));
  auto all = cached_prefixes(chain, habits, 11, 3, now);
  EXPECT_EQ(all[0].holder, 0u);
  EXPECT_EQ(all[1].prefix.hash, chain.boundaries[1].hash);
  EXPECT_EQ(all[1].life, minutes(60));
  chain.marks.of_root = minutes(5);
  all = cached_prefixes(chain, habits, 11, 3, now);
  EXPECT_EQ(all[0].life, minutes(5));
  chain.marks.of_last = minutes(0);  // the cache mark does not state a lifetime
  EXPECT_EQ(cached_prefixes(chain, {.life = minutes(30), .needs_marks = true}, 11, 3, now)[1].life, minutes(30));
}

TEST(CachedPrefixes, ARetentionOfTheBodyIsTheirLife) {
  prompt_chain chain = chain_of({5'000, 6'000});
  chain.retention = minutes(24 * 60);
  EXPECT_EQ(cached_prefixes(chain, {}, 11, 3, now)[1].life, minutes(24 * 60));
}

TEST(PrefixMemory, KnowsTargetsByTheirCredential) {
  prefix_memory memory(1'024, key);
  EXPECT_NE(memory.holder_of("a/m", "one"), memory.holder_of("a/m", "two"));
  EXPECT_NE(memory.holder_of("a/m", "one"), memory.holder_of("b/m", "one"));
  EXPECT_EQ(memory.holder_of("a/m", "one"), memory.holder_of("a/m", "one"));
  EXPECT_EQ(memory.scope_of("route", "one"), memory.scope_of("route", "one"));
  EXPECT_NE(memory.scope_of("route", "one"), memory.scope_of("route", "two"));
  EXPECT_NE(memory.scope_of("route", "one"), memory.scope_of("other", "one"));
  const prompt_chain chain = chain_of({5'000, 6'000});
  note(memory, chain, memory.holder_of("a/m", "one"));
  EXPECT_EQ(warm_tokens(memory, chain, memory.holder_of("a/m", "one"), now), 6'000u);
  EXPECT_EQ(warm_tokens(memory, chain, memory.holder_of("a/m", "two"), now), 0u);
}

TEST(PrefixMemory, ARestartWithItsFileIsWarm) {
  prefix_memory before(1'024, key), after(4'096, other_key);
  const prompt_chain chain = chain_of({5'000, 6'000});
  const prefix_holder holder = before.holder_of("a/m", "one");
  note(before, chain, holder);
  EXPECT_EQ(after.restore(before.saved(now + 60), now + 120), "");
  EXPECT_EQ(after.key(), key);
  EXPECT_EQ(after.holder_of("a/m", "one"), holder);
  EXPECT_EQ(warm_tokens(after, chain, holder, now + 120), 6'000u);
  EXPECT_EQ(warm_tokens(after, chain, holder, now + 310), 0u);
}

TEST(PrefixMemory, ADamagedFileChangesNothing) {
  prefix_memory memory(1'024, key);
  const prompt_chain chain = chain_of({5'000, 6'000});
  note(memory, chain, 11);
  std::string file = prefix_memory(8, other_key).saved(now);
  file.back() = static_cast<char>(file.back() ^ 1);
  EXPECT_NE(memory.restore(file, now), "");
  EXPECT_EQ(memory.key(), key);
  EXPECT_EQ(warm_tokens(memory, chain, 11, now), 6'000u);
}

TEST(PrefixMemory, AnotherKeyEmptiesTheTable) {
  prefix_memory memory(1'024, key);
  const prompt_chain chain = chain_of({5'000, 6'000});
  note(memory, chain, 11);
  memory.adopt(key);
  EXPECT_EQ(warm_tokens(memory, chain, 11, now), 6'000u);
  memory.adopt(other_key);
  EXPECT_EQ(warm_tokens(memory, chain, 11, now), 0u);
  EXPECT_EQ(memory.key(), other_key);
}

TEST(PrefixMemory, WithoutSlotsItIsNotUsed) {
  prefix_memory none(0, key);
  EXPECT_FALSE(none.is_used());
  note(none, chain_of({5'000, 6'000}), 11);
  EXPECT_EQ(none.restore(none.saved(now), now), "");
}

TEST(PrefixMemory, GivesEachWrittenEntryOnceIfItIsShared) {
  prefix_memory memory(1'024, key);
  const prompt_chain chain = chain_of({5'000, 6'000});
  note(memory, chain, 11);
  EXPECT_TRUE(memory.take_written(100).empty());
  memory.share(true);
  note(memory, chain, 11), note(memory, chain, 11, now + 2), note(memory, chain, 12, now + 4);
  const auto all = memory.take_written(100);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].used, now + 4);
  EXPECT_EQ(all[3].used, now + 2);
  EXPECT_TRUE(memory.take_written(100).empty());
  note(memory, chain, 11), note(memory, chain, 12, now + 2);
  const auto newest = memory.take_written(2);
  ASSERT_EQ(newest.size(), 2u);
  for (const prefix_entry& each : newest) EXPECT_EQ(each.holder, 12u);
}

TEST(PrefixLog, GivesAllThatItTookFromSeveralThreads) {
  prefix_log log;
  std::atomic<std::size_t> taken = 0, ended = 0;
  const auto push = [&](std::uint64_t first) {
    for (std::uint64_t each = 0; each < 20'000; ++each) {
      prefix_entry entry;
      entry.prefix.hash = {first + each, ~(first + each)};
      taken += log.push(entry);
    }
    ++ended;
  };
  std::thread one(push, 1'000'000), two(push, 2'000'000);
  std::set<std::uint64_t> seen;
  for (bool is_last = false; !is_last;) {
    is_last = ended == 2;
    while (const auto entry = log.pop()) {
      EXPECT_EQ(entry->prefix.hash.high, ~entry->prefix.hash.low);
      EXPECT_TRUE(seen.insert(entry->prefix.hash.low).second);
    }
  }
  one.join(), two.join();
  EXPECT_EQ(seen.size(), taken);
  EXPECT_GE(taken, prefix_log::capacity);
}

TEST(PrefixLog, AFullOneRefuses) {
  prefix_log log;
  for (std::size_t each = 0; each < prefix_log::capacity; ++each) EXPECT_TRUE(log.push({}));
  EXPECT_FALSE(log.push({}));
  EXPECT_TRUE(log.pop());
  EXPECT_TRUE(log.push({}));
}

// A simulated store that supports only the commands needed to share prefixes.
class small_store {
 public:
  std::vector<store_reply> ask(const std::vector<store_command>& commands) {
    std::vector<store_reply> all;
    for (const store_command& each : commands) all.push_back(answer(each));
    return all;
  }

  std::map<std::string, std::string> texts;
  std::map<std::string, std::map<std::string, std::string>> hashes;

 private:
  static store_reply text_of(const std::string& text) { return {.kind = reply_kind::text, .text = text}; }

  store_reply answer(const store_command& asked) {
    if (asked[0] == "SET") return texts.emplace(asked[1], asked[2]).second ? store_reply{reply_kind::status, "OK"} : store_reply{};
    if (asked[0] == "GET") return texts.contains(asked[1]) ? text_of(texts[asked[1]]) : store_reply{};
    if (asked[0] == "HSET") hashes[asked[1]][asked[2]] = asked[3];
    if (asked[0] == "HDEL") hashes[asked[1]].erase(asked[2]);
    if (asked[0] != "HGETALL") return {.kind = reply_kind::integer, .integer = 1};
    store_reply list{.kind = reply_kind::list};
    for (const auto& [name, value] : hashes[asked[1]]) list.list.push_back(text_of(name)), list.list.push_back(text_of(value));
    return list;
  }
};

class replica {
 public:
  replica(const std::string& run, const proxy::hash_key& its_key) : memory(1'024, its_key), sharing(run, "pf") {
    memory.share(true);
  }

  prefix_sharing::news round(small_store& store, prefix_seconds when) {
    const auto said = store.ask(sharing.round(memory.key(), memory.take_written(1'000), when));
    auto heard = sharing.heard(said, when);
    if (heard.key) memory.adopt(*heard.key);
    for (const prefix_entry& each : heard.entries) memory.note_of_replica(each, when);
    return heard;
  }

  prefix_memory memory;
  prefix_sharing sharing;
};

class PrefixSharing : public testing::Test {
 protected:
  small_store store;
  replica one{"run-1", key}, two{"run-2", other_key};
  const prompt_chain chain = chain_of({5'000, 6'000});
  const std::string posts = "pf:stats:prefixes";
};

TEST_F(PrefixSharing, TheFirstReplicaMakesTheKey) {
  one.round(store, now), two.round(store, now);
  EXPECT_EQ(one.memory.key(), key);
  EXPECT_EQ(two.memory.key(), key);
  EXPECT_EQ(one.memory.holder_of("a/m", "k"), two.memory.holder_of("a/m", "k"));
}

TEST_F(PrefixSharing, WhatOneHasWrittenIsWarmAtTheOther) {
  one.round(store, now), two.round(store, now);
  note(one.memory, chain, 11);
  for (prefix_seconds second = 1; second <= 3; ++second) one.round(store, now + second), two.round(store, now + 5'000 + second);
  EXPECT_EQ(warm_tokens(two.memory, chain, 11, now + 5'003), 6'000u);  // the clock of the second gateway is ahead
  EXPECT_EQ(warm_tokens(two.memory, chain, 11, now + 5'310), 0u);
}

TEST_F(PrefixSharing, EachEntryIsReadOnceThoughItIsPostedTwice) {
  std::size_t read = 0;
  for (prefix_seconds second = 0; second < 20; ++second) {
    if (second == 5) note(one.memory, chain, 11);
    one.round(store, now + second);
    read += two.round(store, now + second).entries.size();
  }
  EXPECT_EQ(read, 2u);
}

TEST_F(PrefixSharing, AReplicaMayMissARound) {
  std::size_t read = 0;
  for (prefix_seconds second = 0; second < 20; ++second) {
    if (second > 3) note(one.memory, chain_of({second * 1'000, second * 2'000}), second);
    one.round(store, now + second);
    if (second % 2 == 0) read += two.round(store, now + second).entries.size();
  }
  // The second gateway reads the first gateway's field in the store only after the field has changed once. By then, the field contains the
  // second and the third batch of prefixes, so the second gateway misses the first batch.
  EXPECT_EQ(read, 2u * 14);
}

TEST_F(PrefixSharing, AnIdleReplicaPostsNothing) {
  for (prefix_seconds second = 0; second < 10; ++second) one.round(store, now + second);
  EXPECT_FALSE(store.hashes[posts].contains("run-1"));
}

TEST_F(PrefixSharing, TheFieldOfAReplicaThatHasEndedIsNotReadAndIsRemoved) {
  one.round(store, now);
  note(one.memory, chain, 11);
  one.round(store, now + 1);
  for (prefix_seconds second = 500; second < 700; ++second) two.round(store, now + second);
  EXPECT_EQ(warm_tokens(two.memory, chain, 11, now + 500), 0u);
  EXPECT_FALSE(store.hashes[posts].contains("run-1"));
  store.ask(two.sharing.leave());
  EXPECT_TRUE(store.hashes[posts].empty());
}

TEST_F(PrefixSharing, AFleetAgreesAgainAfterTheStoreWasEmptied) {
  one.round(store, now), two.round(store, now);
  store = {};
  two.round(store, now + 1), one.round(store, now + 1);
  EXPECT_EQ(one.memory.key(), key);
  EXPECT_EQ(store.texts["pf:stats:prefixes:key"], "00000000000000010000000000000002");
}

TEST_F(PrefixSharing, TheStoreHasNothingButHashes) {
  one.round(store, now);
  note(one.memory, chain, one.memory.holder_of("provider/model", "secret-key"));
  one.round(store, now + 1);
  for (const auto& [run, bytes] : store.hashes[posts]) {
    EXPECT_EQ(bytes.find("secret"), std::string::npos);
    EXPECT_EQ(bytes.find("model"), std::string::npos);
    EXPECT_LE(bytes.size(), 130u);  // the size of two entries in bytes
  }
}

TEST_F(PrefixSharing, WhateverTheStoreSaysIsBounded) {
  two.round(store, now);
  EXPECT_EQ(two.sharing.heard({}, now).entries.size(), 0u);
  store.hashes[posts]["x"] = "anything";
  store.hashes[posts][std::string(100, 'x')] = "a name that is too long";
  store.hashes[posts]["y"] = std::string(prefix_sharing::longest_post + 1, 'y');
  store.hashes[posts]["z"] = racing::encode_post({0, {{}, {}}}, now);
  EXPECT_EQ(two.round(store, now + 1).refused, 4u);
  store.texts["pf:stats:prefixes:key"] = "not hex";
  const auto without_key = two.round(store, now + 2);
  EXPECT_EQ(without_key.key, std::nullopt);
  EXPECT_TRUE(without_key.entries.empty());
  store.texts["pf:stats:prefixes:key"] = std::string(32, 'f');
  EXPECT_TRUE(two.round(store, now + 3).key);
}

TEST_F(PrefixSharing, ManyLyingGatewaysCannotFillTheMemory) {
  std::mt19937_64 random(1);
  std::size_t most = 0, refused = 0;
  for (std::uint64_t number = 2; number < 6; ++number) {
    for (std::size_t gateway = 0; gateway < 150; ++gateway) {
      std::vector<prefix_entry> batch(racing::most_entries_of_batch);
      for (prefix_entry& each : batch) {
        const auto caller = static_cast<racing::prefix_caller>(random());
        each = {{{random(), random()}, 1'000}, 1, caller, now, minutes(60)};
      }
      store.hashes[posts]["g" + std::to_string(gateway)] = racing::encode_post({number, {batch}}, now);
    }
    const auto heard = two.round(store, now);
    most = std::max(most, heard.entries.size());
    refused += heard.refused;
  }
  EXPECT_LE(most, prefix_sharing::most_heard);
  EXPECT_GT(most, 0u);
  EXPECT_EQ(refused, 4u * 50);
}

}  // namespace
}  // namespace photofinish::gateway
