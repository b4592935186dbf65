// One race through the driver: its scripted upstreams, its alarms, and what a session does with it.
#pragma once

#include "racing/race_run.hpp"
#include "tests/support/manual_alarms.hpp"
#include "tests/support/streams/scripted_upstream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace photofinish::racing {

using proxy::event_kind;
using tests::upstream_record;
using tests::upstream_script;

// One race: its world, its driver, and what a session does with them.
struct world {
  boost::asio::io_context io;
  const boost::asio::any_io_executor executor = io.get_executor();
  tests::manual_alarms alarms;
  std::vector<upstream_script> scripts;
  std::map<std::size_t, upstream_record> records;
  std::unique_ptr<race_run> run;
  std::map<std::size_t, std::vector<attempt_step>> steps;  // as the run has shown them
  bool is_decided = false;
  bool is_finished = false;
  bool losers_were_open_at_the_win = false;
  std::size_t events_after_the_win = 0;
  std::chrono::milliseconds grace{200};  // of observed losers, behind the answer

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

  // Lets time pass until the session is done, at most `limit`.
  void play(std::chrono::nanoseconds limit) {
    const instant until = alarms.now() + limit;
    for (settle(); !is_finished && alarms.has_alarm() && alarms.next_alarm() <= until; settle())
      alarms.advance_to(alarms.next_alarm());
    if (!is_finished) alarms.advance_to(until);
  }
};

}  // namespace photofinish::racing
