// Tests how entries of a prefix table are encoded and decoded. The bytes may come from a file or a store, and may be damaged.
#include "racing/prefixes/prefix_codec.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>

namespace photofinish::racing {
namespace {

using std::chrono::minutes;

constexpr prefix_seconds now = 1'800'000'000;

std::vector<prefix_entry> some_entries(std::mt19937_64& random, std::size_t count) {
  std::vector<prefix_entry> all;
  for (; count > 0; --count)
    all.push_back({{{random(), random()}, static_cast<std::uint32_t>(random() % 200'000)}, static_cast<prefix_holder>(random()),
                   static_cast<prefix_caller>(random()), static_cast<prefix_seconds>(now - random() % 300), minutes(random() % 7'000)});
  return all;
}

void expect_equal(const std::vector<prefix_entry>& one, const std::vector<prefix_entry>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t at = 0; at < one.size(); ++at) {
    EXPECT_EQ(one[at].prefix.hash, other[at].prefix.hash);
    EXPECT_EQ(one[at].prefix.tokens, other[at].prefix.tokens);
    EXPECT_EQ(one[at].holder, other[at].holder);
    EXPECT_EQ(one[at].caller, other[at].caller);
    EXPECT_EQ(one[at].used, other[at].used);
    EXPECT_EQ(one[at].life, other[at].life);
  }
}

TEST(PrefixCodec, AFileHasTheKeyAndAllEntries) {
  std::mt19937_64 random(1);
  const kept_prefixes kept{{random(), random()}, some_entries(random, 100)};
  const auto decoded = decode_prefixes(encode_prefixes(kept), 1'000);
  ASSERT_TRUE(std::holds_alternative<kept_prefixes>(decoded));
  EXPECT_EQ(std::get<kept_prefixes>(decoded).key, kept.key);
  expect_equal(std::get<kept_prefixes>(decoded).entries, kept.entries);
  EXPECT_EQ(std::get<kept_prefixes>(decode_prefixes(encode_prefixes(kept), 10)).entries.size(), 10u);
}

TEST(PrefixCodec, AFileThatIsCutOrChangedIsRefused) {
  std::mt19937_64 random(1);
  const std::string file = encode_prefixes({{1, 2}, some_entries(random, 20)});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_TRUE(std::holds_alternative<std::string>(decode_prefixes(file.substr(0, size), 100))) << size;
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_TRUE(std::holds_alternative<std::string>(decode_prefixes(changed, 100))) << at;
  }
  EXPECT_EQ(std::get<std::string>(decode_prefixes("photofinish prefixes 2\n", 100)), "is from another version");
  EXPECT_EQ(std::get<std::string>(decode_prefixes("something", 100)), "is not a photofinish prefixes file");
}

TEST(PrefixCodec, APostHasAgesByTheClockOfTheReader) {
  std::mt19937_64 random(1);
  const prefix_post post{7, {some_entries(random, 3), some_entries(random, most_entries_of_batch)}};
  const auto decoded = decode_post(encode_post(post, now), now + 1'000);
  ASSERT_TRUE(std::holds_alternative<prefix_post>(decoded));
  prefix_post read = std::get<prefix_post>(decoded);
  EXPECT_EQ(read.number, 7u);
  ASSERT_EQ(read.batches.size(), 2u);
  for (std::size_t batch = 0; batch < 2; ++batch) {
    for (prefix_entry& each : read.batches[batch]) each.used -= 1'000;
    expect_equal(read.batches[batch], post.batches[batch]);
  }
}

TEST(PrefixCodec, APostWithTooMuchIsRefused) {
  std::mt19937_64 random(1);
  const auto is_refused = [](const prefix_post& post) {
    return std::holds_alternative<std::string>(decode_post(encode_post(post, now), now));
  };
  EXPECT_FALSE(is_refused({7, {some_entries(random, most_entries_of_batch)}}));
  EXPECT_TRUE(is_refused({7, {some_entries(random, most_entries_of_batch + 1)}}));
  EXPECT_TRUE(is_refused({7, {{}, {}, {}}}));
  std::vector<prefix_entry> eternal = some_entries(random, 1);
  eternal[0].life = minutes(1'000'000);
  EXPECT_TRUE(is_refused({7, {eternal}}));
  EXPECT_TRUE(std::holds_alternative<std::string>(decode_post(encode_prefixes({}), now)));
}

TEST(PrefixCodec, AFullPostIsShort) {
  std::mt19937_64 random(1);
  const prefix_post post{7, {some_entries(random, most_entries_of_batch), some_entries(random, most_entries_of_batch)}};
  EXPECT_LE(encode_post(post, now).size(), 40u << 10);
}

}  // namespace
}  // namespace photofinish::racing
