// Tests schedules of benchmark runs in virtual time: which runs are due, which runs are missed, and which runs continue after a restart.
#include "gateway/bench/schedule/schedule_player.hpp"
#include "gateway/bench/schedule/series.hpp"
#include "gateway/log/time_text.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

const sys_seconds noon{seconds(1'790'000'000 / 3600 * 3600)};

schedule_state every_three_hours() {
  schedule_state state;
  state.schedule = std::get<run_schedule>(make_schedule("3h", "24h", noon));
  state.command = "http://127.0.0.1:1/v1#m";
  state.runs.resize(state.schedule.slots);
  return state;
}

// A simulated machine whose clock advances only while the machine waits.
class virtual_machine {
 public:
  sys_seconds now = noon;
  seconds run_takes{600};
  int signal_in_wait = 0;
  int signal_in_run = 0;
  std::vector<std::size_t> ran;
  std::vector<sys_seconds> ran_at;
  std::vector<std::string> said;
  std::string kept;
  std::string cannot_keep;

  schedule_hands hands() {
    schedule_hands all;
    all.now = [this] { return now; };
    all.wait = [this](sys_seconds until) {
      if (const int signal = std::exchange(signal_in_wait, 0); signal != 0) return signal;
      now = until;
      return 0;
    };
    all.run = [this](std::size_t slot) {
      ran.push_back(slot);
      ran_at.push_back(now);
      const sys_seconds begun = now;
      now += run_takes;
      slot_result result;
      result.interrupted_by = std::exchange(signal_in_run, 0);
      result.run = {.state = slot_state::measured, .begun_at = begun, .folder = "run_" + std::to_string(slot),
                    .cost_usd = 0.5, .figures = {{.group = "by concurrency", .name = "1", .ttft_p50 = 100.0 + static_cast<double>(slot)}}};
      return result;
    };
    all.keep = [this](const schedule_state& state) {
      kept = write_state(state);
      return cannot_keep;
    };
    all.say = [this](const std::string& line) { said.push_back(line); };
    return all;
  }
};

std::size_t count(const schedule_state& state, slot_state of) {
  std::size_t found = 0;
  for (const slot_state each : state.slots()) found += each == of ? 1 : 0;
  return found;
}

TEST(Schedule, EveryThreeHoursForADayAreEightRunsTheFirstAtOnce) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  const schedule_end end = play(state, machine.hands());
  EXPECT_EQ(end.problem, "");
  EXPECT_EQ(machine.ran, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  for (std::size_t slot = 0; slot < 8; ++slot) EXPECT_EQ(machine.ran_at[slot], noon + hours(3 * static_cast<int>(slot)));
  EXPECT_EQ(count(state, slot_state::measured), 8u);
}

TEST(Schedule, ARunThatTakesTooLongMissesTheNextOneAndShiftsNone) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  machine.run_takes = hours(4);
  play(state, machine.hands());
  EXPECT_EQ(machine.ran, (std::vector<std::size_t>{0, 2, 4, 6}));
  EXPECT_EQ(count(state, slot_state::missed), 4u);
  EXPECT_EQ(machine.ran_at[1], noon + hours(6));
  EXPECT_EQ(machine.said[0], "run 2 of 8 was missed: the run was due at " + second_text(noon + hours(3)) +
                                 ", and missed runs are not repeated");
}

TEST(Schedule, ARestartGoesOnWhereItWas) {
  schedule_state state = every_three_hours();
  virtual_machine first;
  first.signal_in_wait = 2;
  EXPECT_EQ(play(state, first.hands()).interrupted_by, 2);
  EXPECT_EQ(first.said.back(), "interrupted; 7 of 8 runs are left. To continue, start the same command again; runs "
                                 "that are due in the meantime are missed");

  auto read = read_state(first.kept);
  ASSERT_TRUE(std::holds_alternative<schedule_state>(read)) << std::get<std::string>(read);
  schedule_state again = std::get<schedule_state>(std::move(read));
  EXPECT_EQ(again.runs, state.runs);
  virtual_machine second;
  second.now = noon + hours(10);  // the runs scheduled at 3, 6 and 9 hours were missed
  play(again, second.hands());
  EXPECT_EQ(second.ran, (std::vector<std::size_t>{4, 5, 6, 7}));
  EXPECT_EQ(second.ran_at[0], noon + hours(12));
  EXPECT_EQ(count(again, slot_state::missed), 3u);
  EXPECT_EQ(count(again, slot_state::measured), 5u);
}

TEST(Schedule, ALittleLateIsStillItsSlot) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  machine.now = noon + minutes(18);
  play(state, machine.hands());
  EXPECT_EQ(machine.ran.front(), 0u);
  schedule_state later = every_three_hours();
  virtual_machine slow;
  slow.now = noon + minutes(18) + seconds(1);
  play(later, slow.hands());
  EXPECT_EQ(slow.ran.front(), 1u);
}

TEST(Schedule, AnInterruptedRunStaysOpenForARestartWithinItsGrace) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  machine.signal_in_run = 15;
  EXPECT_EQ(play(state, machine.hands()).interrupted_by, 15);
  EXPECT_EQ(state.runs[0].state, slot_state::open);
  play(state, machine.hands());
  EXPECT_EQ(machine.ran[1], 0u);
}

TEST(Schedule, WhatCannotBeKeptEndsIt) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  machine.cannot_keep = "No space left on device";
  EXPECT_EQ(play(state, machine.hands()).problem, "No space left on device");
  EXPECT_EQ(machine.ran.size(), 1u);
}

TEST(Schedule, WhatIsNoScheduleIsExplained) {
  const auto problem = [](const char* every, const char* total) {
    const auto made = make_schedule(every, total, noon);
    const auto* text = std::get_if<std::string>(&made);
    return text ? *text : "";
  };
  EXPECT_EQ(problem("3h", "24h"), "");
  EXPECT_EQ(problem("1s", "24h").find("--every:"), 0u);
  EXPECT_EQ(problem("soon", "24h").find("--every:"), 0u);
  EXPECT_EQ(problem("3h", "2h").find("--for:"), 0u);
  EXPECT_EQ(problem("10s", "9000h").find("--every: a schedule has at most 10000 runs"), 0u);
}

TEST(ScheduleState, WhatIsNoStateIsRefused) {
  const auto problem = [](const std::string& text) {
    const auto read = read_state(text);
    const auto* found = std::get_if<std::string>(&read);
    return found ? *found : "";
  };
  EXPECT_EQ(problem("hello"), "does not contain the state of a schedule");
  EXPECT_EQ(problem("[]"), "does not contain the state of a schedule");
  EXPECT_EQ(problem(R"({"schedule_version":99})"), "was written by an incompatible version of photofinish");
  EXPECT_EQ(problem(R"({"schedule_version":1})"), "is damaged");
  EXPECT_EQ(problem(R"({"schedule_version":1,"first_at":1,"every_s":0,"command":"","runs":[]})"), "is damaged");
  const std::string good = write_state(every_three_hours());
  EXPECT_EQ(problem(good), "");
  for (std::size_t cut = 0; cut + 2 < good.size(); cut += 7) EXPECT_NE(problem(good.substr(0, cut)), "") << cut;
}

TEST(Series, ShowsRunsOverTimeAndNeedsNothingButItself) {
  schedule_state state = every_three_hours();
  virtual_machine machine;
  machine.run_takes = hours(4);
  play(state, machine.hands());
  const std::string page = write_series_page(state);
  for (const char* other : {"<script", "src=", "<link", "url("}) EXPECT_EQ(page.find(other), std::string::npos) << other;
  EXPECT_NE(page.find("4 of 8 runs measured, 4 missed, 0 without a report"), std::string::npos);
  EXPECT_NE(page.find("href=\"run_2/bench.html\""), std::string::npos);
  EXPECT_NE(page.find("Time to first token, p50"), std::string::npos);
  EXPECT_EQ(page.find("(log scale)"), std::string::npos) << "time is not drawn by its ratio";
  const auto series = nlohmann::json::parse(write_series_json(state));
  EXPECT_EQ(series["runs"][1]["state"], "missed");
  EXPECT_EQ(series["runs"][2]["figures"][0]["ttft_p50_ms"], 102);
  EXPECT_EQ(series["runs"][2]["due"], second_text(noon + hours(6)));
}

}  // namespace
}  // namespace photofinish::gateway::bench
