#include "gateway/cache/answer_cache.hpp"

#include "tests/support/manual_alarms.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using stage = recorded_answer::stage;

digest digest_of(unsigned char first) { return {first}; }

class answer_cache_test : public ::testing::Test {
 protected:
  std::shared_ptr<recorded_answer> new_answer(std::size_t longest = 1u << 20) {
    return std::make_shared<recorded_answer>(proxy::memory_share(memory, 1, alarms), longest);
  }
  static void add(recorded_answer& to, std::string_view json) {
    proxy::stream_event event;
    event.json = {&json, 1};
    to.add(event);
  }
  std::shared_ptr<recorded_answer> whole(std::size_t bytes = 10) {
    auto made = new_answer();
    made->begin({});
    add(*made, std::string(bytes, 'x'));
    made->complete();
    return made;
  }
  void keep(unsigned char question, std::shared_ptr<recorded_answer> answer, unsigned char owner = 9,
            std::string_view route = "fast") {
    const digest of = digest_of(owner);
    cache.keep(digest_of(question), {route, of, limits}, std::move(answer), now);
  }
  bool has(unsigned char question) { return cache.find(digest_of(question), std::nullopt, now).has_value(); }

  tests::manual_alarms alarms;
  asio::io_context loop;
  proxy::memory_budget memory{64u << 20};
  answer_cache cache{memory};
  cache_settings limits;
  proxy::instant now{1h};
};

TEST_F(answer_cache_test, AnAnswerIsThereForItsTime) {
  limits.ttl = 10s;
  keep(1, whole());
  EXPECT_EQ(cache.size(), 1u);
  now += 9999ms;
  const auto found = cache.find(digest_of(1), std::nullopt, now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->age, 9s);
  EXPECT_FALSE(cache.find(digest_of(2), std::nullopt, now));
  now += 1ms;
  EXPECT_FALSE(has(1));
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST_F(answer_cache_test, AClientsMaxAgeCountsToo) {
  keep(1, whole());
  now += 2500ms;
  EXPECT_FALSE(cache.find(digest_of(1), 2s, now));
  EXPECT_TRUE(cache.find(digest_of(1), 3s, now));
}

TEST_F(answer_cache_test, TheOldestMakesRoom) {
  limits.max_entries = 3;
  for (unsigned char each = 1; each <= 4; ++each) keep(each, whole());
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2) && has(3) && has(4));
}

TEST_F(answer_cache_test, BytesAreBoundedAndGivenBack) {
  limits.max_bytes = 300u << 10;
  for (unsigned char each = 1; each <= 20; ++each) keep(each, whole(100u << 10));
  EXPECT_LE(cache.bytes(), limits.max_bytes);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_LT(memory.used(), 400u << 10);
  keep(21, whole(301u << 10));
  EXPECT_FALSE(has(21));
  now += limits.ttl;
  cache.drop_expired(now);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(memory.used(), 0u);
}

TEST_F(answer_cache_test, AllRoutesTogetherHaveAnEighthOfTheMemory) {
  memory.set_limit(4u << 20);
  for (unsigned char each = 1; each <= 8; ++each) keep(each, whole(100u << 10), 9, each % 2 == 0 ? "fast" : "deep");
  EXPECT_LE(cache.bytes(), (4u << 20) / answer_cache::share_of_memory);
  EXPECT_TRUE(has(8));
  EXPECT_FALSE(has(1));
}

// One caller may store any number of answers in the cache, but must not displace the answers of other callers.
TEST_F(answer_cache_test, WhoHasHalfOfItMakesRoomForItself) {
  limits.max_entries = 4;
  keep(1, whole(), 7);
  for (unsigned char each = 10; each < 30; ++each) keep(each, whole(), 8);
  EXPECT_TRUE(has(1));
  EXPECT_EQ(cache.size(), 4u);
}

TEST_F(answer_cache_test, ANewerAnswerTakesTheOlderOnesPlace) {
  keep(1, whole(10));
  const std::size_t before = cache.bytes();
  keep(1, whole(1000));
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_GT(cache.bytes(), before);
  EXPECT_GT(cache.find(digest_of(1), std::nullopt, now)->answer->bytes(), 1000u);
}

TEST_F(answer_cache_test, OneRaceLeadsAndOthersFollowUntilItLands) {
  auto answer = new_answer();
  {
    const led_answer led(cache, digest_of(1), answer);
    ASSERT_TRUE(led.leads());
    EXPECT_FALSE(led_answer(cache, digest_of(1), new_answer()).leads());
    EXPECT_FALSE(cache.follow(digest_of(2), loop.get_executor()));
    const auto reader = cache.follow(digest_of(1), loop.get_executor());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->look(), stage::waiting);
    answer->begin({});
    add(*answer, "one");
    answer->complete();
    EXPECT_EQ(reader->look(), stage::complete);
    EXPECT_EQ(reader->next()->json[0], "one");
    EXPECT_FALSE(reader->next());
  }
  EXPECT_FALSE(cache.follow(digest_of(1), loop.get_executor()));
  EXPECT_TRUE(cache.lead(digest_of(1), new_answer()));
}

TEST_F(answer_cache_test, FollowersOfARaceThatVanishesAreTold) {
  auto answer = new_answer();
  auto led = std::make_unique<led_answer>(cache, digest_of(1), answer);
  const auto reader = cache.follow(digest_of(1), loop.get_executor());
  led.reset();
  EXPECT_EQ(reader->look(), stage::failed);
  EXPECT_EQ(reader->error().status, 503);
}

TEST_F(answer_cache_test, ARaceOutlivesItsClientWhileItIsRead) {
  auto answer = new_answer();
  cache.lead(digest_of(1), answer);
  auto reader = cache.follow(digest_of(1), loop.get_executor());
  bool is_unread = false;
  const auto when_unread = std::make_shared<const std::function<void()>>([&] { is_unread = true; });
  EXPECT_TRUE(answer->outlive_client(loop.get_executor(), when_unread));
  loop.poll();
  EXPECT_FALSE(is_unread);
  reader.reset();
  loop.restart(), loop.poll();
  EXPECT_TRUE(is_unread);
  EXPECT_TRUE(answer->abandon_unless_read());
  EXPECT_FALSE(cache.follow(digest_of(1), loop.get_executor()));  // a new reader cannot join an answer that was abandoned
}

TEST_F(answer_cache_test, AReaderIsToldOnceUntilItLooks) {
  auto answer = new_answer();
  const auto reader = recorded_answer::read(answer, loop.get_executor());
  answer->begin({});
  for (int each = 0; each < 100; ++each) add(*answer, "{}");
  EXPECT_EQ(loop.poll(), 1u);
}

TEST_F(answer_cache_test, WhatWasReadIsNotBegunAgain) {
  auto answer = new_answer();
  const auto reader = recorded_answer::read(answer, loop.get_executor());
  EXPECT_EQ(reader->look(), stage::waiting);
  answer->begin({});
  add(*answer, "first");
  EXPECT_TRUE(answer->restart());
  EXPECT_EQ(reader->look(), stage::waiting);
  EXPECT_FALSE(reader->next());
  answer->begin({});
  add(*answer, "second");
  EXPECT_EQ(reader->look(), stage::begun);
  EXPECT_EQ(reader->next()->json[0], "second");
  EXPECT_FALSE(answer->restart());
}

TEST_F(answer_cache_test, AnAnswerThatIsTooLongIsNotKeptAndItsReadersAreTold) {
  auto alone = new_answer(1000);
  alone->begin({});
  add(*alone, std::string(2000, 'x'));
  EXPECT_FALSE(recorded_answer::read(alone, loop.get_executor()));
  alone->complete();
  EXPECT_FALSE(alone->is_complete());

  auto shared = new_answer(1000);
  const auto reader = recorded_answer::read(shared, loop.get_executor());
  shared->begin({});
  add(*shared, "short");
  add(*shared, std::string(2000, 'x'));
  EXPECT_EQ(reader->look(), stage::failed);
  EXPECT_EQ(reader->next()->json[0], "short");
}

}  // namespace
}  // namespace photofinish::gateway
