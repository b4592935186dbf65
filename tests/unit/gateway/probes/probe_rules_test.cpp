#include "gateway/probes/probe_rules.hpp"

#include "gateway/probes/probe_ledger.hpp"
#include "gateway/probes/probe_schedule.hpp"
#include "gateway/probes/prompt.hpp"
#include "proxy/failures/network_failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using instant = probe_schedule::instant;

std::vector<probe_pair> pairs_of(std::size_t targets) {
  std::vector<probe_pair> made;
  for (std::size_t at = 0; at < targets; ++at)
    for (const std::size_t size : {100, 1'000, 10'000}) made.push_back({{"p", "m" + std::to_string(at)}, size});
  return made;
}

// Returns the times at which each target was probed within this period. Each answer takes two seconds.
std::vector<std::pair<instant, probe_pair>> asked_in(probe_schedule& schedule, instant from, std::chrono::hours time) {
  std::vector<std::pair<instant, probe_pair>> asked;
  for (instant now = from; now < from + time; now = std::max(now + 2s, schedule.next().value())) {
    const auto pair = schedule.due(now);
    if (!pair) continue;
    asked.emplace_back(now, *pair);
    schedule.done(*pair, now + 2s);
  }
  return asked;
}

TEST(ProbeSchedule, EachPairIsAskedOnceInEveryAndNotTogether) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    probe_schedule schedule(seed);
    const instant begin{1'000h};
    schedule.adopt(pairs_of(4), 3h, begin);
    const auto asked = asked_in(schedule, begin, 72h);
    std::map<std::string, std::vector<instant>> times;
    for (const auto& [at, pair] : asked) times[pair.target.model + std::to_string(pair.input_tokens)].push_back(at);
    EXPECT_EQ(times.size(), 12u);
    for (const auto& [name, all] : times) {
      EXPECT_GE(all.size(), 22u) << "seed " << seed;
      EXPECT_LE(all.size(), 27u) << "seed " << seed;
      for (std::size_t at = 1; at < all.size(); ++at) {
        EXPECT_GE(all[at] - all[at - 1], 160min) << "seed " << seed;
        EXPECT_LE(all[at] - all[at - 1], 200min) << "seed " << seed;
      }
    }
    std::map<std::int64_t, int> by_quarter;
    for (const auto& [at, pair] : asked) ++by_quarter[(at - begin) / 15min];
    const auto fullest = std::max_element(by_quarter.begin(), by_quarter.end(),
                                          [](const auto& one, const auto& other) { return one.second < other.second; });
    EXPECT_LE(fullest->second, 7) << "seed " << seed << ": of 288 in 288 quarters of an hour";
  }
}

TEST(ProbeSchedule, RestartingOftenSendsNoMoreThanRunningOn) {
  std::size_t asked = 0;
  for (std::uint64_t run = 0; run < 72 * 6; ++run) {  // the process restarts every ten minutes
    probe_schedule schedule(run);
    const instant begin{10min * static_cast<std::int64_t>(run)};
    schedule.adopt(pairs_of(4), 3h, begin);
    for (instant now = begin; now < begin + 10min; now += 2s)
      if (const auto pair = schedule.due(now)) ++asked, schedule.done(*pair, now);
  }
  EXPECT_NEAR(static_cast<double>(asked), 288, 60);
}

TEST(ProbeSchedule, AReloadLeavesTimesAloneAndWhatIsPutOffComesSoon) {
  probe_schedule schedule(7);
  const instant begin{1h};
  schedule.adopt(pairs_of(2), 3h, begin);
  const instant first = schedule.next().value();
  const probe_pair pair = schedule.due(first).value();
  schedule.adopt(pairs_of(3), 3h, begin + 1min);
  EXPECT_EQ(schedule.due(first), pair);
  schedule.put_off(pair, first);
  EXPECT_FALSE(schedule.due(first).has_value() && *schedule.due(first) == pair);
  schedule.adopt({pair}, 3h, first);
  EXPECT_LE(schedule.next().value() - first, 90s);
  EXPECT_GE(schedule.next().value() - first, 30s);
  schedule.adopt({}, 3h, first);
  EXPECT_FALSE(schedule.next());
  EXPECT_FALSE(schedule.due(first + 100h));
}

TEST(ProbeRules, OnlyQuietTargetsOfAQuietGatewayAreAsked) {
  const probe_surroundings quiet{.clients_samples = enough_samples - 1, .requests = 16, .workers = 2,
                                 .at_provider = most_beside};
  EXPECT_EQ(judge(quiet), probe_verdict::send);
  probe_surroundings changed = quiet;
  changed.clients_samples = enough_samples;
  changed.requests = 1'000;
  EXPECT_EQ(judge(changed), probe_verdict::not_needed);
  changed = quiet;
  changed.requests = 17;
  EXPECT_EQ(judge(changed), probe_verdict::later);
  changed = quiet;
  changed.at_target = 1;
  EXPECT_EQ(judge(changed), probe_verdict::later);
  changed = quiet;
  changed.at_provider = most_beside + 1;
  EXPECT_EQ(judge(changed), probe_verdict::later);
  changed = quiet;
  changed.is_limited = true;
  EXPECT_EQ(judge(changed), probe_verdict::later);
}

proxy::provider provider_at(const std::string& name, const std::string& host) {
  proxy::provider made;
  made.name = name;
  made.url.host = host;
  made.key.value = proxy::secret("k");
  made.prices["priced"] = proxy::parse_prices("1/2").value();
  return made;
}

TEST(ProbeRules, TargetsWithoutAKeyOrAPriceAreLeftOut) {
  config settings;
  settings.providers["a"] = provider_at("a", "api.example.com");
  settings.providers["b"] = provider_at("b", "127.0.0.1");
  settings.providers["c"] = provider_at("c", "api.example.com");
  settings.providers["c"].key.value = {};
  settings.routes["r"] = {"r", {{"a", "priced"}, {"a", "unpriced"}, {"b", "any"}, {"c", "priced"}}, {}};
  settings.routes["s"] = {"s", {{"a", "priced"}}, {}};
  EXPECT_TRUE(plan_probes(settings).pairs.empty()) << "without `probes`";
  settings.probes.emplace().input_tokens = {100, 1'000};
  const probe_plan plan = plan_probes(settings);
  EXPECT_EQ(plan.pairs, (std::vector<probe_pair>{{{"a", "priced"}, 100}, {{"a", "priced"}, 1'000},
                                                 {{"b", "any"}, 100}, {{"b", "any"}, 1'000}}));
  EXPECT_EQ(plan.unpriced, std::vector<std::string>{"a/unpriced"});
}

TEST(ProbeRules, ACostIsExpectedWithATenthMore) {
  const auto prices = proxy::parse_prices("1/2").value();
  EXPECT_NEAR(static_cast<double>(expected_nano_usd(&prices, 1'000, 300, {})), 1.1 * 1.6e-3 * 1e9, 2);
  EXPECT_EQ(expected_nano_usd(nullptr, 1'000, 300, {}), 0);
}

TEST(ProbeRules, WhatWasRefusedCostsNothingAndWhatWasCutMay) {
  proxy::failure refused = proxy::network_failure(proxy::failure_kind::rate_limited, "");
  refused.status = 429;
  EXPECT_FALSE(may_be_billed(refused));
  EXPECT_FALSE(may_be_billed(proxy::network_failure(proxy::failure_kind::connect, "")));
  EXPECT_TRUE(may_be_billed(proxy::network_failure(proxy::failure_kind::timeout, "")));
  EXPECT_TRUE(may_be_billed(proxy::bad_stream("")));
}

constexpr sys_days monday{std::chrono::days(20'000)}, tuesday{std::chrono::days(20'001)};

TEST(ProbeLedger, ADaysMoneyIsNotExceededAndBeginsAnewAtMidnight) {
  probe_ledger ledger;
  EXPECT_TRUE(ledger.reserve(60, 100, monday));
  EXPECT_FALSE(ledger.reserve(41, 100, monday));
  EXPECT_TRUE(ledger.reserve(40, 100, monday));
  ledger.settle(40, 10);
  EXPECT_EQ(ledger.spent(monday), 70);
  EXPECT_EQ(ledger.spent(tuesday), 0);
  EXPECT_TRUE(ledger.reserve(100, 100, tuesday));
  EXPECT_FALSE(ledger.reserve(1, 100, monday)) << "the clock was set back";
  EXPECT_FALSE(ledger.reserve(101, 100, tuesday)) << "one alone is more than the day's";
}

TEST(ProbeLedger, WhatAProviderMadeUpEndsTheDaysMoney) {
  for (const double usd : {1e3, 1e12, 1e300, std::numeric_limits<double>::infinity()}) {
    probe_ledger ledger;
    ASSERT_TRUE(ledger.reserve(60, 100, monday));
    ledger.settle(60, nano_usd_of(usd));
    EXPECT_FALSE(ledger.reserve(1, 100, monday)) << usd;
  }
  EXPECT_EQ(nano_usd_of(-1), 0);
}

TEST(ProbeLedger, ARestartGoesOnWithTheSameDay) {
  probe_ledger ledger;
  ledger.reserve(70, 100, monday);
  auto read = probe_ledger::read(ledger.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, ledger);
  EXPECT_FALSE(read->reserve(31, 100, monday));
  EXPECT_TRUE(read->reserve(31, 100, tuesday));
}

TEST(ProbeLedger, WhatCannotBeReadSpendsNothingToday) {
  for (const char* text : {"", "photofinish probes 1\n", "photofinish probes 1\n5", "photofinish probes 1\n5 -1\n",
                           "photofinish probes 2\n5 1\n", "photofinish probes 1\n-5 1\n", "photofinish probes 1\n5 x\n",
                           "photofinish probes 1\n99999999999 1\n", "photofinish probes 1\n5 99999999999999999999\n"})
    EXPECT_FALSE(probe_ledger::read(text)) << text;
  probe_ledger ledger;
  ledger.close_day(monday);
  EXPECT_FALSE(ledger.reserve(0, 1'000'000'000, monday));
  EXPECT_TRUE(ledger.reserve(0, 1, tuesday));
}

TEST(ProbePrompts, NoneIsLikeAnother) {
  std::set<std::string> beginnings;
  for (std::uint64_t number = 0; number < 500; ++number) beginnings.insert(make_prompt(100, 11, number).substr(0, 120));
  EXPECT_EQ(beginnings.size(), 500u);
}

}  // namespace
}  // namespace photofinish::gateway
