#include "tests/simulation/conversations/conversation_figures.hpp"

#include <algorithm>

namespace photofinish::racing {
namespace {

constexpr std::size_t learning = 300;  // the check of predictions skips this number of turns at the beginning

template <class Value>
double mean_of_turns(const conversation_result& run, double from, double to, Value value) {
  double sum = 0, count = 0;
  for (const run_request& each : run.races.requests)
    if (each.at >= from && each.at < to) sum += value(each), ++count;
  return sum / std::max(count, 1.0);
}

}  // namespace

conversation_figures& conversation_figures::operator+=(const conversation_figures& other) {
  mean += other.mean, p50 += other.p50, p95 += other.p95, p99 += other.p99;
  cents += other.cents, extra += other.extra, rescues += other.rescues, worst_ten_minutes += other.worst_ten_minutes;
  moves += other.moves, warm += other.warm, turns += other.turns;
  for (std::size_t k = 0; k < within.size(); ++k) within[k] += other.within[k];
  return *this;
}

conversation_figures conversation_figures::operator/(double count) const {
  conversation_figures made = *this;
  for (double* each : {&made.mean, &made.p50, &made.p95, &made.p99, &made.cents, &made.extra, &made.rescues,
                       &made.worst_ten_minutes, &made.moves, &made.warm, &made.turns})
    *each /= count;
  for (double& each : made.within) each /= count;
  return made;
}

conversation_figures measure(const conversation_scenario& world, const conversation_result& run) {
  scenario plain;
  plain.share = world.max_extra_cost;
  const run_figures races = measure(plain, run.races);
  conversation_figures made{races.mean, races.p50, races.p95, races.p99};
  made.extra = races.extra, made.rescues = races.rescues, made.worst_ten_minutes = races.worst_ten_minutes;
  made.turns = static_cast<double>(run.turns.size());
  double cost = 0, moves = 0, can_be_warm = 0, is_warm = 0;
  for (const turn_facts& each : run.turns) {
    cost += each.cost, moves += each.move_cost;
    can_be_warm += each.has_warm_target ? 1 : 0, is_warm += each.is_won_warm ? 1 : 0;
  }
  made.cents = 100 * cost / made.turns;
  made.moves = moves / cost;
  made.warm = is_warm / std::max(can_be_warm, 1.0);
  made.within = calibration(run.races, learning);
  return made;
}

double share_of_first_target(const conversation_result& run, double from, double to) {
  return mean_of_turns(run, from, to, [](const run_request& each) { return each.first == 0 ? 1 : 0; });
}

double mean_between(const conversation_result& run, double from, double to) {
  return mean_of_turns(run, from, to, [](const run_request& each) { return each.first_token; });
}

}  // namespace photofinish::racing
