#include "gateway/page/next_race.hpp"

#include "gateway/records/cost.hpp"
#include "proxy/words/contains.hpp"
#include "racing/adaptive/choice.hpp"
#include "racing/speed_planner.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::uint64_t usual_prompt = 500;  // the number of prompt tokens that a forecast assumes for a request

using racing::target_state;

// Returns the state of each target of the route. A target in a cooldown is started only if no other target is ready.
std::vector<target_state> states_of(const route& each, const next_race_source& from) {
  std::vector<target_state> states;
  for (const target_name& target : each.targets) {
    const std::string id = target.text();
    states.push_back(!from.board.is_cooling(id, from.now)     ? target_state::ready
                     : from.board.is_limited(id, from.now) ? target_state::limited
                                                           : target_state::cooling);
  }
  return states;
}

bool is_left_out(target_state state, const std::vector<target_state>& all) {
  return state != target_state::ready && proxy::contains(all, target_state::ready);
}

std::shared_ptr<const racing::route_speed> speed_of(const route& each, const next_race_source& from) {
  if (from.speed == nullptr || each.targets.size() < 2 || !racing::needs_speed(each.race)) return nullptr;
  const auto found = from.speed->routes.find(each.name);
  if (found == from.speed->routes.end() || found->second->table_for(usual_prompt) == nullptr) return nullptr;
  const auto& known = found->second;
  const bool is_same = known->is->targets.size() == each.targets.size() &&
                       std::equal(each.targets.begin(), each.targets.end(), known->is->targets.begin(),
                                  [](const target_name& one, const std::string& other) { return one.text() == other; });
  return is_same ? known : nullptr;  // null if the measured speeds belong to a previous configuration
}

racing::target_now now_at(const route& each, std::size_t row, const racing::route_speed& known,
                          const next_race_source& from, std::uint64_t input, double output) {
  const target_name& target = each.targets[row];
  racing::target_now made;
  if (const auto found = from.flights.find(target.text()); found != from.flights.end()) made.in_flight = found->second;
  made.idle_seconds = from.speed->starts->idle_seconds(known.targets[row], from.now);
  made.input_tokens = static_cast<double>(input);
  const auto provider = from.settings.providers.find(target.provider);
  const auto billing = provider == from.settings.providers.end() ? proxy::cancel_billing::unknown
                                                                 : provider->second.behaves.billing;
  const cost_rule rule{known.is->is_priced, from.when};
  const expected_cost costs = cost_of_attempt(rule, rule.is_money ? from.prices_of(target) : nullptr, billing, input,
                                              static_cast<std::uint64_t>(std::llround(std::max(output, 0.0))));
  made.win_cost = costs.win;
  made.loss_cost = costs.loss;
  return made;
}

racing::forecast_terms terms_of(const route& each, const std::shared_ptr<const racing::route_speed>& known,
                                const std::vector<target_state>& states, const next_race_source& from) {
  racing::forecast_terms terms;
  terms.route = known;
  terms.table = known->table_for(usual_prompt);
  terms.output_tokens = known->lengths.expected(std::nullopt);
  const auto input = static_cast<std::uint64_t>(std::llround(terms.table->tokens()));
  const std::size_t rows = std::min({terms.table->rows().size(), known->targets.size(), each.targets.size()});
  for (std::size_t row = 0; row < rows; ++row) {
    terms.candidates.push_back(row);
    terms.targets.push_back(now_at(each, row, *known, from, input, terms.output_tokens));
    if (is_left_out(states[row], states)) terms.targets.back().state = states[row];
  }
  return terms;
}

next_start::speed known_at(const racing::forecast_terms& terms, std::size_t row) {
  const racing::table_row& known = terms.table->rows()[row];
  const double flight = terms.targets[row].in_flight;
  const double token = racing::decode_seconds_per_token(known.known, flight);
  return {known.usual, known.late, token > 0 ? 1 / token : 0, terms.targets[row].win_cost, known.known.samples};
}

class next_race_maker {
 public:
  next_race_maker(const route& each, const next_race_source& from)
      : route_(each), from_(from), states_(states_of(each, from)) {}

  next_race make() {
    if (const auto known = speed_of(route_, from_)) by_speed(known);
    else as_listed(), append_left_out();
    return std::move(made_);
  }

 private:
  void by_speed(const std::shared_ptr<const racing::route_speed>& known) {
    const racing::forecast_terms terms = terms_of(route_, known, states_, from_);
    const racing::adaptive_choice choice = racing::foresee(terms, route_.race);
    made_.is_by_speed = route_.race.policy == racing::race_policy::adaptive ||
                        racing::sort_of(route_.race) != racing::target_sort::listed;
    made_.is_money = known->is->is_priced;
    made_.input_tokens = terms.table->tokens();
    made_.output_tokens = terms.output_tokens;
    for (std::size_t place = 0; made_.is_by_speed && place < choice.count; ++place) add(choice.order[place]);
    if (!made_.is_by_speed) as_listed();
    if (is_adaptive()) apply(choice);
    else set_automatic_delay(terms);
    // Adds the targets whose speed is unknown. They are started last.
    for (std::size_t row = terms.targets.size(); made_.is_by_speed && row < route_.targets.size(); ++row) add(row);
    append_left_out();
    for (next_start& each : made_.starts)
      if (const std::size_t row = row_of(each.target); row < terms.targets.size()) each.known = known_at(terms, row);
  }

  void set_automatic_delay(const racing::forecast_terms& terms) {
    if (!route_.race.is_hedge_delay_auto || made_.starts.empty()) return;
    const std::size_t first = row_of(made_.starts.front().target);
    if (policy() != racing::race_policy::hedge || first >= terms.targets.size()) return;
    if (terms.table->rows()[first].known.samples > 0)
      set_delays(racing::automatic_delay(*terms.table, first, terms.targets[first]));
  }

  void as_listed() {
    for (std::size_t row = 0; row < route_.targets.size(); ++row)
      if (!is_left_out(states_[row], states_)) add(row);
    if (policy() == racing::race_policy::hedge)
      set_delays(std::chrono::duration<double>(route_.race.hedge_delay).count());
  }

  // Adds a target to the list of starts, unless the list already contains it.
  void add(std::size_t row) {
    const std::string name = route_.targets[row].text();
    if (is_left_out(states_[row], states_) && !is_adaptive()) return;
    const auto is_it = [&name](const next_start& each) { return each.target == name; };
    if (std::any_of(made_.starts.begin(), made_.starts.end(), is_it)) return;
    next_start start{name, next_start_when::after_failure, {}, states_[row], {}};
    const std::size_t place = made_.starts.size();
    const bool is_with_first = policy() == racing::race_policy::all && place < route_.race.max_parallel;
    if (place == 0 || is_with_first) start.when = next_start_when::at_once;
    made_.starts.push_back(std::move(start));
  }

  void apply(const racing::adaptive_choice& choice) {
    set_hedge(1, choice.hedge_after);
    set_hedge(2, choice.third_after);
    if (choice.hedge_after) {
      made_.silent_share = choice.hedge_share;
      made_.saved_seconds = std::max(0.0, choice.value_unhedged - choice.value);
    }
    made_.rescue_seconds = choice.rescue_after;
    if (!choice.probe) return;
    made_.why_trial = choice.why_probe;
    add(*choice.probe);
    const std::string name = route_.targets[*choice.probe].text();
    for (next_start& each : made_.starts)
      if (each.target == name) each.when = next_start_when::trial, each.after_seconds.reset();
  }

  void set_hedge(std::size_t place, std::optional<double> after) {
    if (!after || place >= made_.starts.size()) return;
    next_start& start = made_.starts[place];
    start.after_seconds = *after;
    start.when = *after > 0 ? next_start_when::hedge : next_start_when::at_once;
  }

  void set_delays(double seconds) {
    for (std::size_t place = 1; place < std::min(made_.starts.size(), route_.race.max_parallel); ++place)
      set_hedge(place, seconds * static_cast<double>(place));
  }

  void append_left_out() {
    for (std::size_t row = 0; row < route_.targets.size(); ++row) {
      const std::string name = route_.targets[row].text();
      const auto is_it = [&name](const next_start& each) { return each.target == name; };
      if (std::any_of(made_.starts.begin(), made_.starts.end(), is_it)) continue;
      made_.starts.push_back({name, next_start_when::left_out, {}, states_[row], {}});
    }
  }

  std::size_t row_of(const std::string& name) const {
    const auto is_it = [&name](const target_name& each) { return each.text() == name; };
    return static_cast<std::size_t>(std::find_if(route_.targets.begin(), route_.targets.end(), is_it) -
                                    route_.targets.begin());
  }

  racing::race_policy policy() const {
    const auto own = route_.race.policy.value_or(racing::race_policy::all);
    const bool is_one = own == racing::race_policy::adaptive && route_.race.max_parallel < 2;
    return is_one ? racing::race_policy::fallback : own;
  }
  bool is_adaptive() const { return policy() == racing::race_policy::adaptive; }

  const route& route_;
  const next_race_source& from_;
  const std::vector<target_state> states_;  // the state of each target, in the order in which the route lists the
                                            // targets
  next_race made_;
};

}  // namespace

std::string_view to_string(next_start_when when) {
  switch (when) {
    case next_start_when::at_once: return "at_once";
    case next_start_when::trial: return "trial";
    case next_start_when::hedge: return "hedge";
    case next_start_when::after_failure: return "after_failure";
    case next_start_when::left_out: return "left_out";
  }
  return "left_out";
}

next_race next_race_of(const route& each, const next_race_source& from) { return next_race_maker(each, from).make(); }

}  // namespace photofinish::gateway
