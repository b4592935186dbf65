// The simulated gateway, with its clock, its races, and its actions.
#pragma once

#include "racing/adaptive/choice.hpp"
#include "racing/adaptive/choice_terms.hpp"
#include "racing/adaptive/finish_rule.hpp"
#include "racing/adaptive/speculation_budget.hpp"
#include "racing/advice/speed_history.hpp"
#include "racing/cooldowns.hpp"
#include "racing/forecast/forecaster.hpp"
#include "racing/planner.hpp"
#include "racing/race.hpp"
#include "racing/race_spending.hpp"
#include "tests/simulation/adaptive/run_result.hpp"
#include "tests/simulation/adaptive/scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::racing {

inline constexpr double answer_token_cost = 4, loser_tokens = 20;
inline constexpr instant simulated_origin{std::chrono::hours{1'000}};
inline constexpr wall_time simulated_date{std::chrono::hours{500'000}};  // the date at which the simulated time begins
inline wall_time date_of(instant at) {
  return simulated_date + std::chrono::floor<std::chrono::milliseconds>(at - simulated_origin);
}
inline double second_of(instant at) { return std::chrono::duration<double>(at - simulated_origin).count(); }

enum class happening { arrival, token, error, wake, whole, answer_end, tick };

struct event {
  instant at;
  std::uint64_t order = 0;
  happening what = happening::tick;
  std::uint64_t request = 0;
  std::size_t attempt = 0;

  bool operator>(const event& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
};

struct live_attempt {
  std::size_t target = 0;
  start_reason why = start_reason::first;
  instant started;
  double in_flight = 1;
  instant spoke{};
  double decode = 0;  // seconds
  bool is_over = false, has_failed = false, has_spoken = false;
  attempt_step end = attempt_step::began;  // the event that ended the silence of the attempt
  instant ended;
};

struct live_race {
  true_request asked;
  race rules;
  std::vector<std::size_t> chosen;
  std::vector<live_attempt> attempts;
  std::optional<instant> wake;
  instant begun;
  double expected_tokens = 0;
  std::size_t first_choice = 0;
  // The amounts that the budget paid for losing attempts. Null if the race was not planned with measured speeds.
  std::unique_ptr<race_spending> spending;
  std::size_t ended = 0;
  bool is_decided = false;
  std::optional<std::size_t> winner;

  live_race(const true_request& request, planned_race plan, instant now)
      : asked(request), rules(plan.plan), chosen(std::move(plan.chosen)), begun(now) {}
};

class simulation {
 public:
  simulation(const scenario& world, racer how, std::uint64_t seed, const run_options& options)
      : world_(world), how_(how), seed_(seed), options_(options), budget_(std::make_shared<speculation_budget>(world.share)) {
    std::vector<target_number> numbers;
    for (std::size_t target = 0; target < world.targets.size(); ++target)
      numbers.push_back(forecaster_.target("t" + std::to_string(target)));
    forecaster_.route("r", numbers);
    in_flight_.resize(world.targets.size());
    last_started_.resize(world.targets.size(), simulated_origin - std::chrono::hours{1});
    quick_used_.resize(world.targets.size());
    known_ = forecaster_.tick(simulated_origin);
  }

  run_result run();

 private:
  // Planning.
  bool learns() const { return how_ == racer::adaptive || options_.holds; }
  planned_race plan(const true_request& asked, std::uint64_t number, instant now);
  planned_race plan_adaptive(const true_request& asked, std::uint64_t number, instant now);
  std::vector<target_now> targets_now(const true_request& asked, double expected, instant now) const;
  hold_choice whom_to_hold(const live_race& each, const ask_to_hold& asked, instant now);
  const choice_table& table_for(double tokens);
  const target_forecast& known(std::size_t target);
  race_settings settings() const;
  double win_cost(std::size_t target, double input, double output) const {
    return world_.targets[target].price * (input + answer_token_cost * output);
  }
  double loss_cost(std::size_t target, double input, double output) const {
    return win_cost(target, input, world_.targets[target].bills_losers_in_full ? output : loser_tokens);
  }
  double expected_length(const true_request& asked) const {
    if (how_ == racer::oracle) return true_length(world_, asked.max_tokens);
    return known_.routes[0].expected(asked.max_tokens);
  }

  // Actions.
  void push(instant at, happening what, std::uint64_t request = 0, std::size_t attempt = 0);
  void arrive(std::uint64_t number, instant now);
  std::unique_ptr<race_spending> spending_of(const planned_race& planned, const true_request& asked) const;
  void deliver(std::uint64_t number, const race_event& what, instant now);
  void obey(std::uint64_t number, live_race& each, const race_command& command, std::vector<race_event>& inbox, instant now);
  void start(std::uint64_t number, live_race& each, const start_attempt& command, instant now);
  void stop(std::uint64_t number, live_race& each, std::size_t attempt, instant now);
  void token(std::uint64_t number, std::size_t attempt, instant now);
  void error(std::uint64_t number, std::size_t attempt, instant now);
  double decode_of(const live_race& each, const live_attempt& mine) const;
  void won(std::uint64_t number, live_race& each, std::size_t winner, instant now);
  void settle(live_race& each, std::size_t winner, run_request& record);
  void answer_end(std::uint64_t number, std::size_t attempt, instant now);
  void tick(instant now);
  void note(std::uint64_t number, live_race& each, std::size_t attempt, attempt_step step, instant now);
  void leave(std::uint64_t number, const live_race& each, instant now);  // adds the finished race to the speed history
  void forget(std::uint64_t number);
  bool is_quick(std::size_t target) const {
    const int most = world_.targets[target].quick_per_minute;
    return most == 0 || quick_used_[target] < most;
  }

  const scenario& world_;
  racer how_;
  std::uint64_t seed_;
  run_options options_;
  forecaster forecaster_;
  forecast known_;
  std::shared_ptr<speculation_budget> budget_;
  budget_reading price_;
  cooldowns cooldowns_;
  scoreboard board_;
  // The tables with which races choose their targets in this second: one table for each class of prompt sizes.
  std::map<std::size_t, choice_table> tables_;
  std::vector<target_forecast> truths_;
  std::vector<std::size_t> in_flight_;
  std::vector<instant> last_started_;
  std::vector<int> quick_used_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::vector<std::unique_ptr<live_race>> races_;
  std::size_t undecided_ = 0;
  run_result result_;
};

}  // namespace photofinish::racing
