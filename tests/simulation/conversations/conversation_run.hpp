// Simulates a gateway, agents and providers in virtual time. Turns arrive, and the product's own rules run races for them. The gateway
// evaluates the results of the attempts once a second.
#pragma once

#include "tests/simulation/adaptive/run_result.hpp"
#include "tests/simulation/conversations/agent_traffic.hpp"
#include "tests/simulation/conversations/gateway_mind.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace photofinish::racing {

// Facts about a turn, in addition to those in run_request. Costs are in dollars.
struct turn_facts {
  double cost = 0;       // cost of all attempts of the turn
  double move_cost = 0;  // cost of prompt tokens that the first target had to read, although another target had them in its cache
  bool has_warm_target = false, is_won_warm = false;
  bool is_short = false;
};

struct conversation_result {
  run_result races;
  std::vector<turn_facts> turns;  // facts about the turns, one entry per race
  // `observed` is the number of losers that continued to their first token. `twins` is the number of second attempts at the first target.
  std::size_t observed = 0, twins = 0;
};

conversation_result run_conversations(const conversation_scenario& world, conversation_racer how, std::uint64_t seed);

struct running_attempt {
  std::size_t target = 0;
  start_reason why = start_reason::first;
  instant started;
  double in_flight = 1;
  sent_prompt prompt;
  double prompt_cost = 0;
  instant spoke{};
  double decode_seconds = 0;
  bool is_over = false, has_failed = false, has_spoken = false;
};

struct running_turn {
  std::uint64_t number;
  agent_turn asked;
  planned_turn planned;
  race rules;
  std::vector<running_attempt> attempts;
  std::unique_ptr<race_spending> spending;
  std::optional<instant> wake;
  std::optional<std::size_t> winner;
  std::vector<double> cold_costs;  // for each target, the cost of the prompt tokens that only other targets have cached
  double warm_tokens = 0;  // tokens of the prompt that at least one target had cached
  bool is_decided = false;

  running_turn(std::uint64_t turn_number, const agent_turn& turn, planned_turn plan)
      : number(turn_number), asked(turn), planned(std::move(plan)), rules(planned.race.plan) {}
};

class conversation_run {
 public:
  conversation_run(const conversation_scenario& world, conversation_racer how, std::uint64_t seed);
  conversation_result run();

 private:
  using turn_pointer = std::shared_ptr<running_turn>;

  void arrive(const agent_turn& turn, instant now);
  void look_for_warm_targets(running_turn& each, instant now);
  void deliver(const turn_pointer& each, const race_event& what, instant now);
  void obey(const turn_pointer& each, const race_command& command, std::vector<race_event>& inbox, instant now);
  void start(const turn_pointer& each, const start_attempt& command, instant now);
  void stop(running_turn& each, const cancel_attempt& command, instant now);
  void speak(const turn_pointer& each, std::size_t attempt, instant now);
  void fail(const turn_pointer& each, std::size_t attempt, instant now);
  void decide(const turn_pointer& each, std::size_t winner, instant now);
  void give_up_turn(running_turn& each, instant now);
  void pay(running_turn& each, std::optional<std::size_t> winner);
  void end_answer(const turn_pointer& each, instant now);
  void learn(const running_turn& each, std::size_t attempt, attempt_step step, instant now);
  bool is_reported_early(const running_attempt& mine) const;
  void add_cache_facts(const running_turn& each, std::size_t attempt, attempt_event& made) const;
  void tick(instant now);
  run_request& record_of(const running_turn& each) { return result_.races.requests[each.number]; }

  const conversation_scenario& world_;
  conversation_racer how_;
  std::uint64_t seed_;
  std::vector<provider_site> sites_;
  gateway_mind mind_;
  virtual_clock clock_;
  agent_traffic traffic_;
  conversation_result result_;
};

}  // namespace photofinish::racing
