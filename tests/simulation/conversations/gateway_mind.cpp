#include "tests/simulation/conversations/gateway_mind.hpp"


#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr char route_name[] = "r";
constexpr std::chrono::hours pin_lives{1};
constexpr std::chrono::seconds pin_patience{20};
constexpr double true_mean_output = 490;

double middle_of(const value_class& range) {
  const double from = std::max(16.0, static_cast<double>(range.from));
  return std::sqrt(from * static_cast<double>(range.to.value_or(4 * range.from)));
}

compared_route route_of(const conversation_scenario& world) {
  compared_route made;
  made.name = route_name;
  for (std::size_t target = 0; target < world.providers.size(); ++target) {
    made.targets.push_back(name_of_target(target));
    made.vendors.push_back(world.providers[target].speed.vendor);
  }
  made.max_extra_cost = world.max_extra_cost;
  made.is_priced = true;
  return made;
}

}  // namespace

std::string name_of_target(std::size_t target) { return "t" + std::to_string(target); }

gateway_mind::gateway_mind(const conversation_scenario& world, conversation_racer how, std::uint64_t seed,
                           const std::vector<provider_site>& sites)
    : world_(world), how_(how), seed_(seed), sites_(sites), starts_(world.providers.size()) {
  for (std::size_t target = 0; target < world.providers.size(); ++target) {
    candidates_.push_back({name_of_target(target)});
    starts_.started(static_cast<target_number>(target), simulated_origin - std::chrono::hours{1});
  }
  keeper_.adopt({route_of(world)});
  tick(simulated_origin);
}

race_settings gateway_mind::settings() const {
  race_settings made;
  switch (how_) {
    case conversation_racer::pin: made.first_token_timeout = pin_patience; [[fallthrough]];
    case conversation_racer::fallback: made.policy = race_policy::fallback; break;
    case conversation_racer::hedge: made.policy = race_policy::hedge; break;
    case conversation_racer::all: made.policy = race_policy::all; break;
    default: made.policy = race_policy::adaptive;
  }
  made.max_extra_cost = world_.max_extra_cost;
  if (!follows_cache()) made.cache.prompt_cache = prompt_caches::ignore;
  return made;
}

planned_turn gateway_mind::plan(const agent_turn& turn, std::uint64_t number, instant now) {
  planned_turn made;
  made.race = std::get<planned_race>(make_plan(candidates_, settings(), {}, board_, now, turn.caller));
  if (how_ == conversation_racer::pin) plan_with_pin(turn, now, made.race);
  if (races_by_speed()) plan_with_forecast(turn, number, now, made);
  return made;
}

void gateway_mind::plan_with_pin(const agent_turn& turn, instant now, planned_race& planned) const {
  const auto known = pins_.find(turn.conversation);
  if (known == pins_.end() || now - known->second.at > pin_lives) return;
  const auto there = std::ranges::find(planned.chosen, known->second.target);
  if (there != planned.chosen.end()) std::rotate(planned.chosen.begin(), there, there + 1);
}

void gateway_mind::plan_with_forecast(const agent_turn& turn, std::uint64_t number, instant now, planned_turn& planned) {
  forecast_terms terms;
  terms.route = route_;
  terms.table = route_->table_for(static_cast<std::uint64_t>(turn.input_tokens()));
  terms.turns = static_cast<double>(turn.assistant_turns);
  terms.output_tokens = planned.output_tokens = learns() ? route_->lengths.expected(std::nullopt) : true_mean_output;
  terms.draw = dice{seed_, number, 6}.uniform();
  terms.caller = turn.caller;
  for (std::size_t target = 0; target < candidates_.size(); ++target) {
    terms.candidates.push_back(target);
    terms.targets.push_back(target_at(turn, target, terms.output_tokens, now));
  }
  plan_by_speed(terms, candidates_, settings(), {}, board_, now, planned.race);
  planned.targets = terms.targets;
  constexpr std::array<double, 3> silent{0.5, 0.1, 0.01};
  for (std::size_t k = 0; k < silent.size(); ++k)
    planned.predicted[k] = predicted_first_token(terms.table->rows(), terms.targets, *planned.race.choice, silent[k]);
}

target_now gateway_mind::target_at(const agent_turn& turn, std::size_t target, double output_tokens, instant now) const {
  const caching_provider& truth = world_.providers[target];
  target_now made;
  made.in_flight = sites_[target].in_flight();
  made.input_tokens = turn.input_tokens();
  const double input = follows_cache() ? truth.input_cost(0, turn.input_tokens()) : truth.input * turn.input_tokens();
  made.win_cost = input + truth.output * output_tokens;
  made.loss_cost = input + truth.output * std::min(loser_tokens, output_tokens);
  made.idle_seconds = starts_.idle_seconds(static_cast<target_number>(target), now);
  made.has_headroom = sites_[target].has_headroom(second_of(now));
  if (!follows_cache()) return made;
  made.match = match_at(turn, target, now);
  made.saved_per_token = truth.write - truth.read;
  made.bills_cut_input = true;
  return made;
}

// Returns the part of the prompt that a target has probably cached. The oracle, a policy that knows the true state of the providers, knows
// what the provider has cached, but not which replica the attempt will reach.
prefix_match gateway_mind::match_at(const agent_turn& turn, std::size_t target, instant now) const {
  const caching_provider& truth = world_.providers[target];
  if (how_ == conversation_racer::follow) return prefixes_.find(turn.boundaries, target, truth.cache, second_of(now));
  prefix_match made;
  made.tokens = sites_[target].cache().held(turn.boundaries, second_of(now));
  made.prior = truth.cache.found;
  return made;
}

std::unique_ptr<race_spending> gateway_mind::spending_of(const planned_turn& planned, caller_id caller) const {
  if (!planned.race.choice) return nullptr;
  const auto& probe = planned.race.choice->probe;
  const double loss = probe ? planned.targets[*probe].loss_cost : 0;
  const purse from = planned.race.choice->is_probe_from_bucket ? purse::bucket : purse::stock;
  return std::make_unique<race_spending>(route_->budget, caller, loss, from);
}

void gateway_mind::started(std::size_t target, instant now) { starts_.started(static_cast<target_number>(target), now); }

void gateway_mind::note(const attempt_sample& sample, instant now) {
  if (cooldowns_.note(sample, now)) board_ = cooldowns_.snapshot(now);
}

void gateway_mind::tick(instant now) {
  route_ = keeper_.tick(now)->routes.at(route_name);
  if (how_ == conversation_racer::oracle) adopt_truth(now);
}

void gateway_mind::adopt_truth(instant now) {
  std::vector<target_forecast> truths;
  std::vector<table_target> rows;
  std::vector<double> factors;
  truths.reserve(world_.providers.size());
  for (const caching_provider& each : world_.providers) {
    const spell state = each.speed.at(second_of(now));
    target_forecast& known = truths.emplace_back();
    known.level = std::log(each.speed.median * state.factor);
    known.rho = each.per_uncached / each.speed.median;
    known.shape = true_shape(each.speed);
    known.error_share = state.error_share, known.hang_share = state.hang_share;
    known.first_token_load = {0, 1, 0, -1e9, 1'000};
    known.decode = {seconds_per_token, 1, 0, seconds_per_token, 1'000};
    known.samples = 1'000'000;
    rows.push_back({&known, each.speed.vendor});
    factors.insert(factors.end(), {state.factor, state.error_share, state.hang_share});
  }
  for (std::size_t input = 0; input < input_classes && factors != true_factors_; ++input)
    true_tables_[input] = std::make_shared<const choice_table>(rows, middle_of(input_class(input)), false);
  true_factors_ = factors;
  auto made = std::make_shared<route_speed>(*route_);
  made->tables = true_tables_;
  route_ = std::move(made);
}

}  // namespace photofinish::racing
