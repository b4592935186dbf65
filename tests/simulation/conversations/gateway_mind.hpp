// The knowledge and the decisions of the simulated gateway. They come either from the product's own forecast, planner, budget and
// cooldowns, or from another policy for comparison.
#pragma once

#include "racing/adaptive/forecast_keeper.hpp"
#include "racing/cooldowns.hpp"
#include "racing/planner.hpp"
#include "racing/race_spending.hpp"
#include "racing/speed_planner.hpp"
#include "tests/simulation/adaptive/simulation.hpp"
#include "tests/simulation/conversations/conversation_scenario.hpp"
#include "tests/simulation/conversations/known_prefixes.hpp"
#include "tests/simulation/conversations/provider_site.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish::racing {

enum class conversation_racer { fallback, hedge, all, pin, today, follow, oracle };

struct planned_turn {
  planned_race race;
  std::vector<target_now> targets;  // predicted p50, p90 and p99 of the time to the first token; 0 without a forecast
  double output_tokens = 0;         // expected number
  std::array<double, 3> predicted{};  // predicted p50, p90, p99 of the time to the first token; 0 if the policy has no forecast
};

class gateway_mind {
 public:
  gateway_mind(const conversation_scenario& world, conversation_racer how, std::uint64_t seed,
               const std::vector<provider_site>& sites);

  planned_turn plan(const agent_turn& turn, std::uint64_t number, instant now);

  bool races_by_speed() const { return how_ >= conversation_racer::today; }
  bool learns() const { return how_ == conversation_racer::today || how_ == conversation_racer::follow; }
  bool follows_cache() const { return how_ >= conversation_racer::follow; }

  double loss_of(const planned_turn& planned, std::size_t target) const {
    return races_by_speed() ? planned.targets[target].loss_cost : 0;
  }
  std::unique_ptr<race_spending> spending_of(const planned_turn& planned, caller_id caller) const;
  const std::shared_ptr<speculation_budget>& budget() const { return route_->budget; }

  void take(const attempt_event& event) { if (learns()) keeper_.take(event); }
  void started(std::size_t target, instant now);
  void note(const attempt_sample& sample, instant now);
  // Call this function after the first token of an attempt, because the target has then read the whole prompt.
  void note_prefix(const agent_turn& turn, std::size_t target, instant now) {
    if (follows_cache()) prefixes_.note(turn.boundaries, target, second_of(now));
  }
  void pin(std::uint64_t conversation, std::size_t target, instant now) { pins_[conversation] = {target, now}; }
  void tick(instant now);

 private:
  struct pinned { std::size_t target; instant at; };

  race_settings settings() const;
  void plan_with_pin(const agent_turn& turn, instant now, planned_race& planned) const;
  void plan_with_forecast(const agent_turn& turn, std::uint64_t number, instant now, planned_turn& planned);
  target_now target_at(const agent_turn& turn, std::size_t target, double output_tokens, instant now) const;
  prefix_match match_at(const agent_turn& turn, std::size_t target, instant now) const;
  void adopt_truth(instant now);

  const conversation_scenario& world_;
  conversation_racer how_;
  std::uint64_t seed_;
  const std::vector<provider_site>& sites_;
  std::vector<candidate> candidates_;
  forecast_keeper keeper_;
  std::shared_ptr<const route_speed> route_;
  known_prefixes prefixes_;
  std::array<std::shared_ptr<const choice_table>, input_classes> true_tables_;  // tables of the oracle, which knows the true speeds
  std::vector<double> true_factors_;  // the true speed factors of the targets, from which the oracle's tables were computed
  cooldowns cooldowns_;
  scoreboard board_;
  start_times starts_;
  std::unordered_map<std::uint64_t, pinned> pins_;  // the target to which each conversation is pinned
};

std::string name_of_target(std::size_t target);

}  // namespace photofinish::racing
