#include "gateway/housekeeping/shared/speed_sharing.hpp"

#include "racing/statistics/stats_codec.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using racing::wall_time;

constexpr auto tick = 1s;
const wall_time start{std::chrono::hours(500'000)};

racing::target_sample sample(const std::string& target, double ttft) {
  racing::target_sample made;
  made.target = target;
  made.input_tokens = 100;
  made.ttft_seconds = ttft;
  made.tokens_per_second = 50;
  return made;
}

store_reply text_reply(std::string text) { return {.kind = reply_kind::text, .text = std::move(text)}; }

// A simulated store. It keeps the measurements that all gateways post every 15 seconds, and returns them as a reply to HGETALL.
class fake_store {
 public:
  void write(const speed_sharing::post& post, const std::string& gateway) {
    quarters_[post.quarter][gateway] = post.bytes;
  }
  store_reply read(std::int64_t quarter) {
    store_reply made{.kind = reply_kind::list};
    for (const auto& [gateway, bytes] : quarters_[quarter]) {
      made.list.push_back(text_reply(gateway));
      made.list.push_back(text_reply(bytes));
    }
    return made;
  }

 private:
  std::map<std::int64_t, std::map<std::string, std::string>> quarters_;
};

struct replica {
  explicit replica(const std::string& its_name) : name(its_name), sharing(its_name, tick) {
    sharing.adopt({"a/m", "b/m"});
  }

  // Does what a gateway's housekeeper does in each periodic tick.
  void turn(fake_store& store, wall_time now) {
    if (const auto* post = sharing.due(now)) {
      store.write(*post, name);
      sharing.written();
    }
    for (const std::int64_t quarter : sharing.to_read(now))
      for (auto& each : sharing.heard(quarter, store.read(quarter), now, refused)) heard.push_back(std::move(each));
  }
  std::uint64_t count(const std::string& target) const {
    std::uint64_t all = 0;
    for (const auto& each : heard)
      for (const auto& [key, series] : each.figures.series())
        for (const auto& slot : series.coarse) all += key.target == target ? slot.figures.ttft.seen.count() : 0;
    return all;
  }

  std::string name;
  speed_sharing sharing;
  std::vector<speed_sharing::learned> heard;
  std::uint64_t refused = 0;
};

TEST(SpeedSharing, WhatOneMeasuresTheOtherKnowsWithinHalfAMinute) {
  fake_store store;
  replica a("A"), b("B");
  a.turn(store, start);
  b.turn(store, start);
  a.sharing.note(sample("a/m", 0.25), start + 1s);
  auto now = start;
  for (; now < start + 60s && b.count("a/m") == 0; now += tick) {
    a.turn(store, now);
    b.turn(store, now);
  }
  EXPECT_EQ(b.count("a/m"), 1u);
  EXPECT_LE(now - start, 30s);
  EXPECT_EQ(a.count("a/m"), 0u) << "its own is not read again";
}

TEST(SpeedSharing, EachSampleIsCountedOnceWhateverIsRepeated) {
  fake_store store;
  replica a("A"), b("B");
  std::uint64_t noted = 0;
  for (int second = 0; second < 600; ++second) {
    const wall_time now = start + std::chrono::seconds(second);
    for (int each = 0; each < second % 7; ++each, ++noted) a.sharing.note(sample("a/m", 0.1), now);
    if (second % 3 != 0) a.turn(store, now);  // gateway "a" misses every third tick
    b.turn(store, now);
  }
  for (int second = 600; second < 660; ++second) {
    a.turn(store, start + std::chrono::seconds(second));
    b.turn(store, start + std::chrono::seconds(second));
  }
  EXPECT_EQ(b.count("a/m"), noted);
}

TEST(SpeedSharing, AFreshOneLearnsOfTheLastHalfHour) {
  fake_store store;
  replica a("A");
  for (int second = 0; second < 1200; ++second) {
    a.turn(store, start + std::chrono::seconds(second));
    if (second < 60) a.sharing.note(sample("a/m", 0.1), start + std::chrono::seconds(second));
  }
  replica fresh("C");
  auto now = start + 1200s;
  for (; now < start + 1270s; now += tick) fresh.turn(store, now);
  ASSERT_EQ(fresh.count("a/m"), 60u);
  EXPECT_TRUE(fresh.heard.front().is_old);
}

TEST(SpeedSharing, TheForecastIsGivenAFewSamplesOfWhatItDoesNotMeasureItself) {
  fake_store store;
  replica a("A"), b("B");
  a.turn(store, start);
  b.turn(store, start);
  for (int each = 0; each < 100; ++each) {
    a.sharing.note(sample("a/m", 0.25), start + 1s);
    a.sharing.note(sample("b/m", 0.25), start + 1s);
  }
  for (auto now = start; now < start + 19s; now += tick) {
    a.turn(store, now);
    for (int each = 0; each < 3; ++each) b.sharing.note(sample("b/m", 0.5), now);
    b.turn(store, now);
  }
  ASSERT_EQ(b.heard.size(), 1u);
  const racing::instant now{std::chrono::hours(1)};
  const auto steps = b.sharing.steps_of(b.heard[0], start + 19s, now);
  ASSERT_EQ(steps.size(), 8u) << "four of its first tokens, four of its speed";
  for (const auto& each : steps) {
    EXPECT_EQ(each.target, "a/m") << "the other it measures itself";
    const double seconds = racing::seconds_between(each.step.started_at, each.step.at);
    if (each.step.step == racing::attempt_step::spoke) {
      EXPECT_NEAR(seconds, 0.25, 0.01);
    } else {
      EXPECT_NEAR(each.step.output_tokens / each.step.decode_seconds, 50, 1);
    }
  }
}

TEST(SpeedSharing, AttemptsThatWereCutOffAreGivenToTheForecastToo) {
  fake_store store;
  replica a("A"), b("B");
  a.turn(store, start);
  b.turn(store, start);
  racing::target_sample cut;
  cut.target = "a/m";
  cut.ttft_at_least_seconds = 0.5;
  for (int each = 0; each < 3; ++each) a.sharing.note(cut, start + 1s);
  a.sharing.note(sample("a/m", 0.7), start + 1s);
  for (auto now = start; now < start + 19s; now += tick) {
    a.turn(store, now);
    b.turn(store, now);
  }
  ASSERT_EQ(b.heard.size(), 1u);
  int cuts = 0, came = 0;
  for (const auto& each : b.sharing.steps_of(b.heard[0], start + 19s, racing::instant{std::chrono::hours(1)})) {
    cuts += each.step.step == racing::attempt_step::cut ? 1 : 0;
    came += each.step.step == racing::attempt_step::spoke ? 1 : 0;
  }
  EXPECT_EQ(cuts, 3);
  EXPECT_EQ(came, 1);
}

TEST(SpeedSharing, WhatIsNoSuchFigureIsLeftOut) {
  replica b("B");
  (void)b.sharing.due(start);
  const std::int64_t quarter = start.time_since_epoch() / 15s;
  racing::stats_window elsewhen, unknown, many;
  elsewhen.add(sample("a/m", 0.1), start + 1h);
  unknown.add(sample("unknown/m", 0.1), start + 1s);
  racing::stats_key key{"a/m"};
  racing::stats_slot slot{.number = start.time_since_epoch() / 1min, .figures = {}};
  slot.figures.ttft.seen.add(racing::sketch::bucket_of(0.1), 4'000'000'000u);
  many.restore(key, racing::resolution::fine, slot);
  store_reply reply{.kind = reply_kind::list};
  int name = 0;
  for (const std::string& bytes :
       {std::string("garbage"), std::string(), racing::encode(elsewhen), racing::encode(unknown), racing::encode(many),
        std::string(speed_sharing::longest_post + 1, 'x')}) {
    reply.list.push_back(text_reply("liar" + std::to_string(name++)));
    reply.list.push_back(text_reply(bytes));
  }
  reply.list.push_back(text_reply("half of a pair"));
  EXPECT_TRUE(b.sharing.heard(quarter, reply, start + 20s, b.refused).empty());
  EXPECT_EQ(b.refused, 5u) << "all but the target that is none here";
  EXPECT_TRUE(b.sharing.heard(quarter, text_reply("no list"), start + 20s, b.refused).empty());
}

TEST(SpeedSharing, WhatAStoreThatIsAwayDoesNotTakeIsKeptForALittleWhile) {
  replica a("A");
  (void)a.sharing.due(start);
  a.sharing.note(sample("a/m", 0.1), start + 1s);
  const auto* post = a.sharing.due(start + 16s);
  ASSERT_NE(post, nullptr);
  const std::int64_t quarter = post->quarter;
  ASSERT_NE(a.sharing.due(start + 40s), nullptr);
  EXPECT_EQ(a.sharing.due(start + 40s)->quarter, quarter) << "the same: written twice, it counts once";
  EXPECT_EQ(a.sharing.due(start + 90s), nullptr);
}

}  // namespace
}  // namespace photofinish::gateway
