// Runs one race with race_run. This file contains the scripted upstreams, the alarms, the actions of the session, and the invariants that
// every race must satisfy.
#pragma once

#include "racing/race_run.hpp"
#include "tests/support/manual_alarms.hpp"
#include "tests/support/streams/scripted_upstream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace photofinish::racing {

using proxy::event_kind;
using tests::upstream_record;
using tests::upstream_script;

// Everything that one simulated race needs: its upstreams, its race_run object, and the actions of the session.
struct world {
  boost::asio::io_context io;
  const boost::asio::any_io_executor executor = io.get_executor();
  tests::manual_alarms alarms;
  std::vector<upstream_script> scripts;
  std::map<std::size_t, upstream_record> records;
  std::unique_ptr<race_run> run;
  std::map<std::size_t, std::vector<attempt_step>> steps;  // the events that the run has reported, by attempt
  bool is_decided = false;
  bool is_finished = false;
  bool losers_were_open_at_the_win = false;
  std::size_t events_after_the_win = 0;
  // After the answer, losing attempts may continue for this time, so that their speed can be measured.
  std::chrono::milliseconds grace{200};

  void make(race_plan plan, std::size_t max_held_bytes = 1 << 20) {
    auto factory = [this](std::size_t target) -> std::unique_ptr<proxy::upstream> {
      return std::make_unique<tests::scripted_upstream>(scripts[target], alarms, io.get_executor(),
                                                        records[target]);
    };
    run = std::make_unique<race_run>(plan, factory, alarms, executor,
                                     [max_held_bytes](std::size_t) { return max_held_bytes; });
    run->watch_steps([this](std::size_t attempt, attempt_step step) { steps[attempt].push_back(step); });
  }

  boost::asio::awaitable<void> serve() {
    co_await run->decide();
    is_decided = true;
    if (run->report().winner) co_await relay();
    run->request_over(grace);
    answered_at = alarms.now();
    co_await run->ended();
    ended_at = alarms.now();
    is_finished = true;
  }

  boost::asio::awaitable<void> relay() {
    const std::size_t winner = *run->report().winner;
    for (const auto& [target, record] : records)
      if (target != winner && !record.was_closed && record.calls_running > 0) losers_were_open_at_the_win = true;
    if (run->held_events().back().kind() == event_kind::end || run->held_failure()) co_return;
    while (true) {
      auto event = run->winner().poll();
      while (!event) {
        co_await run->winner().readable();
        event = run->winner().read();
      }
      if (!*event || (*event)->kind == event_kind::end) co_return;
      ++events_after_the_win;
    }
  }

  instant answered_at, ended_at;

  void start() { boost::asio::co_spawn(io, serve(), [](std::exception_ptr error) { ASSERT_FALSE(error); }); }
  void settle() { io.restart(), io.poll(); }

  // Advances the time until the session has ended, but by at most `limit`.
  void play(std::chrono::nanoseconds limit) {
    const instant until = alarms.now() + limit;
    for (settle(); !is_finished && alarms.has_alarm() && alarms.next_alarm() <= until; settle())
      alarms.advance_to(alarms.next_alarm());
    if (!is_finished) alarms.advance_to(until);
  }
};

inline proxy::failure some_failure() {
  proxy::failure why;
  why.kind = proxy::failure_kind::server_error;
  return why;
}

// Checks that the observer was notified twice for each attempt: at its start, and at the end of its silence.
inline void check_steps(const world& seen) {
  const race_report& report = seen.run->report();
  ASSERT_EQ(seen.steps.size(), report.attempts.size());
  for (const auto& [index, steps] : seen.steps) {
    const attempt_report& each = report.attempts[index];
    ASSERT_EQ(steps.front(), attempt_step::began);
    ASSERT_EQ(std::count(steps.begin(), steps.end(), attempt_step::began), 1);
    const auto has = [&](attempt_step step) { return std::find(steps.begin(), steps.end(), step) != steps.end(); };
    ASSERT_GE(steps.size(), 2u) << "its end was not shown";
    if (each.end == attempt_end::won) {
      ASSERT_TRUE(steps[1] == attempt_step::spoke || steps[1] == attempt_step::dropped);
    }
    if (each.end == attempt_end::cancelled) {
      ASSERT_TRUE(has(attempt_step::cut));
    }
    if (each.end == attempt_end::failed) {
      ASSERT_EQ(has(attempt_step::cut), each.cancel_duration.has_value());
    }
    if (each.end == attempt_end::failed) {
      ASSERT_EQ(has(attempt_step::failed), !each.cancel_duration.has_value());
    }
  }
}

inline void check(const world& seen) {
  ASSERT_TRUE(seen.is_decided) << "a race without a decision";
  ASSERT_TRUE(seen.is_finished) << "an attempt was left behind";
  const race_report& report = seen.run->report();
  ASSERT_NE(report.winner.has_value(), report.defeated.has_value());
  int winners = 0;
  for (std::size_t index = 0; index < report.attempts.size(); ++index) {
    const attempt_report& each = report.attempts[index];
    winners += each.end == attempt_end::won;
    const bool has_failed = each.end == attempt_end::failed;
    ASSERT_TRUE(each.why || !has_failed) << "a failure has its reason";
    ASSERT_TRUE(has_failed || each.was_observed || !each.why) << "a reason has its failure";
    ASSERT_EQ(seen.records.at(index).calls_running, 0);
    ASSERT_TRUE(!each.was_observed || each.end == attempt_end::lost) << "what is observed has lost";
    ASSERT_GE(each.ended_at, each.started_at);
  }
  ASSERT_EQ(winners, report.winner ? 1 : 0);
  check_steps(seen);
  ASSERT_LE(seen.ended_at - seen.answered_at, seen.grace) << "observed beyond the request's end";
}

inline race_plan duel(race_policy policy) {
  race_plan plan;
  plan.policy = policy;
  plan.target_count = plan.max_attempts = 2;
  plan.hedge_delay = std::chrono::milliseconds{100};
  return plan;
}

inline upstream_script token_after(std::chrono::nanoseconds delay) {
  upstream_script script;
  script.steps = {{delay, event_kind::token, R"({"from":"token"})"}, {std::chrono::milliseconds{1}, event_kind::end}};
  return script;
}

}  // namespace photofinish::racing
