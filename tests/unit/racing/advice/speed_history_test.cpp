// Tests the records from which route advice is computed. The records count the results of races per minute. Their size is limited, and
// saving and loading does not change them.
#include "racing/advice/records_codec.hpp"
#include "racing/advice/route_advice.hpp"
#include "racing/advice/speed_history.hpp"
#include "racing/statistics/byte_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};
const instant start{1'000h};
wall_time date_of(instant at) { return noon + std::chrono::floor<std::chrono::milliseconds>(at - start); }
instant after(double seconds) { return start + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)); }

// A race with two attempts. The first attempt answered after `seconds`, and the second was then cancelled.
raced_request race(double at, double seconds) {
  raced_request made;
  made.route = "fast";
  made.begun_at = after(at);
  made.input_tokens = 1'000;
  made.output_tokens = 100;
  made.first_token = seconds;
  made.finish = seconds + 1;
  made.winner = 0;
  made.attempts.push_back({"a/m", attempt_step::spoke, made.begun_at, after(at + seconds)});
  made.attempts[0].tokens_per_second = 100;
  made.attempts.push_back({"b/m", attempt_step::cut, made.begun_at, after(at + seconds)});
  made.attempts[1].is_lost_and_paid = true;
  return made;
}

void feed(speed_history& history, double from, double to, double median, int every = 1) {
  std::mt19937 engine(7);
  std::lognormal_distribution<double> draw(std::log(median), 0.3);
  for (double at = from; at < to; at += every) {
    const raced_request each = race(at, draw(engine));
    history.take(each, after(at + 30), date_of(after(at + 30)));
    history.tick(after(at + 30));
  }
  history.tick(after(to + 60), speed_history::learning::all);
}

advised_route fast() {
  advised_route made{.name = "fast", .targets = {"a/m", "b/m"}, .vendors = {0, 1}, .settings = {}, .cost = {}};
  made.settings.policy = race_policy::all;
  made.cost = [](std::size_t, double input, double output) { return attempt_cost{input + 4 * output, input + 80}; };
  return made;
}

TEST(SpeedHistory, FollowsALevelByTheMinute) {
  speed_history history;
  feed(history, 0, 600, 0.5);
  feed(history, 600, 1'200, 2);
  const target_record& record = history.records().targets.at("a/m");
  ASSERT_GE(record.minutes.size(), 20u);
  EXPECT_NEAR(std::exp(record.minutes[5].level), 0.5, 0.1);
  EXPECT_NEAR(std::exp(record.minutes[15].level), 2, 0.4);
  EXPECT_EQ(record.minutes[5].minute, minute_of(noon) + 5);
  EXPECT_NEAR(record.minutes[5].attempts, 60, 2);
}

TEST(SpeedHistory, CountsWhatThePolicyGave) {
  speed_history history;
  feed(history, 0, 600, 0.5);
  const auto advice = advise(history.records(), fast());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->requests, 600u);
  EXPECT_EQ(advice->present.answered, 600u);
  EXPECT_NEAR(advice->present.first_token[0]->seconds, 0.5, 0.05);
  EXPECT_NEAR(advice->present.attempts, 2, 1e-9);
  EXPECT_NEAR(*advice->present.extra_cost, 1'080.0 / 1'400, 0.02);
}

TEST(SpeedHistory, WhereATargetWasNeverSeenToAnswerNothingIsSaidOfHedges) {
  speed_history history;
  feed(history, 0, 600, 0.5);
  const auto advice = advise(history.records(), fast());
  ASSERT_EQ(advice->targets.size(), 2u);
  EXPECT_TRUE(advice->targets[0].is_known);
  EXPECT_FALSE(advice->targets[1].is_known);
  EXPECT_EQ(advice->targets[1].cut_off, 595u) << "without those before its level was known";
  ASSERT_EQ(advice->policies.size(), 1u);
  EXPECT_EQ(advice->policies[0].policy, race_policy::fallback);
  EXPECT_NEAR(advice->policies[0].first_token[0].seconds, 0.5, 0.05);
  ASSERT_TRUE(advice->policies[0].finish);
  EXPECT_NEAR((*advice->policies[0].finish)[0].seconds, 1.5, 0.15);
}

TEST(SpeedHistory, WhatWasNeverWatchedForLongIsABound) {
  speed_history history;
  for (int at = 0; at < 600; ++at) {
    raced_request each = race(at, 0.4);
    if (at % 5 == 0) {  // every fifth race ends after 0.6 s without a token
      each.attempts[0] = {"a/m", attempt_step::cut, each.begun_at, after(at + 0.6)};
      each.first_token.reset();
      each.winner.reset();
    }
    history.take(each, after(at + 5), date_of(after(at + 5)));
  }
  history.tick(after(700), speed_history::learning::all);
  const auto advice = advise(history.records(), fast());
  ASSERT_EQ(advice->policies.size(), 1u);
  const advised_figures& given = advice->policies[0].first_token;
  EXPECT_FALSE(given[0].is_bound);
  EXPECT_NEAR(given[0].seconds, 0.4, 0.05);
  EXPECT_TRUE(given[1].is_bound);
  EXPECT_LE(given[1].seconds, 0.75);
  EXPECT_FALSE(given[1].high);
}

TEST(SpeedHistory, SumsConversationsByWhereTheirPromptWas) {
  speed_history history;
  auto take = [&history, at = 0](raced_prompt prompt) mutable {
    raced_request each = race(++at, 0.4);
    each.prompt = prompt;
    history.take(each, after(at + 5), date_of(after(at + 5)));
  };
  take({prompt_cause::first, false, 0.25});
  take({prompt_cause::found, true, 0.03});
  take({prompt_cause::found, true, 0.05});
  take({prompt_cause::missed, true, std::nan("")});
  const auto advice = advise(history.records(), fast());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conversations[prompt_cause::first], (prompt_sum{1, 0, 250'000'000}));
  EXPECT_EQ(advice->conversations[prompt_cause::found].requests, 2u);
  EXPECT_EQ(advice->conversations[prompt_cause::found].continued, 2u);
  EXPECT_NEAR(static_cast<double>(advice->conversations[prompt_cause::found].nano_usd), 80e6, 10);
  EXPECT_EQ(advice->conversations[prompt_cause::missed], (prompt_sum{1, 1, 0}));
  EXPECT_EQ(advice->conversations[prompt_cause::moved], prompt_sum{});
  const auto decoded = decode_advice(encode(history.records()));
  ASSERT_TRUE(std::holds_alternative<speed_records>(decoded));
  EXPECT_EQ(std::get<speed_records>(decoded).routes, history.records().routes);
}

TEST(SpeedHistory, ForgetsWhatIsOlderThanTheWindowAndMovesWithTheClock) {
  speed_history history;
  feed(history, 0, 120, 0.5);
  history.shift(3h);
  EXPECT_EQ(history.records().targets.at("a/m").minutes.front().minute, minute_of(noon) + 180);
  EXPECT_EQ(history.records().routes.at("fast").minutes.front().minute, minute_of(noon) + 180);
  history.expire(noon + 3h + 71h);
  EXPECT_FALSE(history.records().routes.empty());
  history.expire(noon + 3h + 79h);
  EXPECT_TRUE(history.records().routes.empty());
  EXPECT_TRUE(history.records().targets.empty());
  feed(history, 200, 300, 0.5);
  EXPECT_EQ(history.records().routes.size(), 1u);
}

TEST(SpeedHistory, IsBoundedWhateverNamesCome) {
  speed_history history;
  for (int each = 0; each < 2'000; ++each) {
    raced_request made = race(each, 0.5);
    made.route = "r" + std::to_string(each);
    made.attempts[0].target = "a/" + std::to_string(each);
    made.attempts[1].target = "b/" + std::to_string(each);
    made.input_tokens = each % 2 == 0 ? std::nan("") : -1e300;
    history.take(made, after(each + 1), date_of(after(each + 1)));
  }
  history.tick(after(3'000), speed_history::learning::all);
  EXPECT_EQ(history.records().routes.size(), speed_history::max_routes);
  EXPECT_EQ(history.records().targets.size(), speed_history::max_targets);
  EXPECT_LT(history.records().memory_bytes(), 2u << 20);
}

TEST(SpeedHistory, FullRecordsStayWithinTheirBounds) {
  speed_history history;
  for (int at = 0; at < 72 * 60; ++at) {
    const raced_request each = race(60.0 * at, 0.3 + 0.001 * (at % 700));
    history.take(each, after(60.0 * at + 10), date_of(after(60.0 * at + 10)));
    history.tick(after(60.0 * at + 10));
  }
  history.tick(after(72 * 3'600 + 60), speed_history::learning::all);
  EXPECT_LT(history.records().memory_bytes(), 2u * (150u << 10) + (150u << 10));
  EXPECT_LT(encode(history.records()).size(), 200u << 10);
}

std::string problem_of(std::string_view bytes) {
  const auto decoded = decode_advice(bytes);
  const auto* problem = std::get_if<std::string>(&decoded);
  return problem ? *problem : "";
}

TEST(AdviceCodec, WhatWasKeptComesBackAsItWas) {
  speed_history history;
  feed(history, 0, 1'200, 0.5);
  const auto decoded = decode_advice(encode(history.records()));
  ASSERT_TRUE(std::holds_alternative<speed_records>(decoded)) << std::get<std::string>(decoded);
  EXPECT_EQ(std::get<speed_records>(decoded), history.records());
  EXPECT_EQ(problem_of(encode(speed_records())), "");
}

// Version 1 of the format does not contain totals about conversations. To create a record of version 1, the test removes the 18 bytes of
// these totals from the end of the record's only slot.
TEST(AdviceCodec, RecordsOfTheFirstVersionAreRead) {
  speed_records records;
  route_slot slot;
  slot.number = 7;
  slot.runs["a/m"] = {2, 1, 1, 100, 50};
  records.routes["fast"].slots = {slot};
  constexpr std::size_t checksum_bytes = 8, sum_bytes = 18;
  std::string bytes = encode(records);
  bytes.resize(bytes.size() - checksum_bytes - sum_bytes);
  bytes[bytes.find('2')] = '1';
  byte_writer out;
  out.text(bytes);
  const auto decoded = decode_advice(std::move(out).finish());
  ASSERT_TRUE(std::holds_alternative<speed_records>(decoded)) << std::get<std::string>(decoded);
  EXPECT_EQ(std::get<speed_records>(decoded), records);
}

TEST(AdviceCodec, DamageIsRefused) {
  speed_history history;
  feed(history, 0, 300, 0.5);
  const std::string bytes = encode(history.records());
  for (std::size_t size = 0; size < bytes.size(); size += 97) EXPECT_NE(problem_of(bytes.substr(0, size)), "") << size;
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    EXPECT_NE(problem_of(broken), "") << at;
  }
  EXPECT_EQ(problem_of(""), "is not a photofinish advice file");
  EXPECT_EQ(problem_of("photofinish advice 3\n"), "is from another version");
}

}  // namespace
}  // namespace photofinish::racing
