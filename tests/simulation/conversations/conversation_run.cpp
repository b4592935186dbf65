#include "tests/simulation/conversations/conversation_run.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double warm_share = 0.5;  // a winner counts as warm if its cached prefix is at least this share of the longest cached prefix

std::vector<provider_site> sites_of(const conversation_scenario& world, std::uint64_t seed) {
  std::vector<provider_site> made;
  for (const caching_provider& each : world.providers) made.emplace_back(each, seed * 100 + made.size());
  return made;
}

bool is_speculative(start_reason why) {
  return why != start_reason::first && why != start_reason::failure;
}

}  // namespace

conversation_run::conversation_run(const conversation_scenario& world, conversation_racer how, std::uint64_t seed)
    : world_(world),
      how_(how),
      seed_(seed),
      sites_(sites_of(world, seed)),
      mind_(world, how, seed, sites_),
      traffic_(world, seed, clock_, [this](const agent_turn& turn, instant now) { arrive(turn, now); }) {}

conversation_result conversation_run::run() {
  constexpr double longest_race = 300;  // after this number of seconds, even the last race is decided
  clock_.at(simulated_origin + std::chrono::milliseconds{1}, [this](instant now) { tick(now); });
  traffic_.begin(simulated_origin);
  clock_.run_until(simulated_origin + std::chrono::seconds(static_cast<int>(world_.seconds + longest_race)));
  return std::move(result_);
}

void conversation_run::arrive(const agent_turn& turn, instant now) {
  if (second_of(now) >= world_.seconds) return;
  const std::uint64_t number = result_.turns.size();
  const auto each = std::make_shared<running_turn>(number, turn, mind_.plan(turn, number, now));
  run_request& record = result_.races.requests.emplace_back();
  record.at = second_of(now);
  record.caller = turn.caller;
  record.first = each->planned.race.chosen[0];
  record.predicted = each->planned.predicted;
  result_.turns.emplace_back();
  look_for_warm_targets(*each, now);
  each->spending = mind_.spending_of(each->planned, turn.caller);
  deliver(each, race_begun{}, now);
}

void conversation_run::look_for_warm_targets(running_turn& each, instant now) {
  turn_facts& facts = result_.turns[each.number];
  facts.is_short = each.asked.boundaries.size() == 1;
  double most = 0;
  for (const provider_site& site : sites_) most = std::max(most, site.cache().held(each.asked.boundaries, second_of(now)));
  for (const provider_site& site : sites_) {
    const double lacking = most - site.cache().held(each.asked.boundaries, second_of(now));
    each.cold_costs.push_back(lacking * (site.truth().write - site.truth().read));
  }
  if (!each.asked.is_continued() || most <= each.asked.boundaries.front().tokens) return;
  facts.has_warm_target = true;
  each.warm_tokens = most;
}

void conversation_run::deliver(const turn_pointer& each, const race_event& what, instant now) {
  std::vector<race_event> inbox{what};
  for (std::size_t next = 0; next < inbox.size(); ++next)
    for (const race_command& command : each->rules.on(inbox[next], now)) obey(each, command, inbox, now);
}

void conversation_run::obey(const turn_pointer& each, const race_command& command, std::vector<race_event>& inbox,
                            instant now) {
  if (const auto* begin = std::get_if<start_attempt>(&command)) {
    start(each, *begin, now);
  } else if (const auto* end = std::get_if<cancel_attempt>(&command)) {
    stop(*each, *end, now);
  } else if (const auto* question = std::get_if<ask_to_spend>(&command)) {
    const double loss = mind_.loss_of(each->planned, each->planned.race.chosen[question->target]);
    const bool is_granted = each->spending->ask_for_hedge(loss) == hedge_answer::granted;
    inbox.push_back(spending_answered{question->attempt, is_granted});
  } else if (const auto* alarm = std::get_if<wake_at>(&command)) {
    each->wake = alarm->when;
    clock_.at(alarm->when, [this, each, when = alarm->when](instant) {
      if (each->wake == when) deliver(each, alarm_struck{}, when);
    });
  } else if (const auto* decision = std::get_if<name_winner>(&command)) {
    decide(each, decision->attempt, now);
  } else if (std::holds_alternative<give_up>(command)) {
    give_up_turn(*each, now);
  }
}

void conversation_run::start(const turn_pointer& each, const start_attempt& command, instant now) {
  running_attempt made;
  made.target = each->planned.race.chosen[command.target];
  made.why = command.why;
  made.started = now;
  provider_site& site = sites_[made.target];
  const auto earlier = static_cast<std::size_t>(
      std::ranges::count(each->attempts, made.target, [](const running_attempt& other) { return other.target; }));
  const attempt_luck luck{seed_, each->asked.conversation, each->asked.number, made.target, earlier};
  made.prompt = site.send(each->asked, luck, second_of(now));
  made.prompt_cost = site.truth().input_cost(made.prompt.cached, made.prompt.uncached);
  made.in_flight = site.in_flight();
  if (made.why == start_reason::twin) ++result_.twins;
  mind_.started(made.target, now);
  if (each->spending) each->spending->started(command.why, mind_.loss_of(each->planned, made.target));
  const true_outcome comes = draw_first_token(site.truth(), luck, second_of(now), made.prompt.cached, made.prompt.uncached);
  const bool is_refused = made.prompt.is_refused;
  each->attempts.push_back(made);
  learn(*each, command.attempt, attempt_step::began, now);
  const std::size_t attempt = command.attempt;
  constexpr double refused_after = 0.05;
  if (is_refused || comes.end == true_end::error)
    clock_.after(now, refused_after, [this, each, attempt](instant when) { fail(each, attempt, when); });
  else if (comes.end == true_end::answer)
    clock_.after(now, comes.seconds, [this, each, attempt](instant when) { speak(each, attempt, when); });
}

void conversation_run::stop(running_turn& each, const cancel_attempt& command, instant now) {
  running_attempt& mine = each.attempts[command.attempt];
  if (mine.is_over) return;
  mine.is_over = true;
  sites_[mine.target].end_attempt();
  if (mine.has_spoken) return;
  learn(each, command.attempt, attempt_step::cut, now);
  if (command.cause != cancel_cause::timed_out) return;
  attempt_sample sample;
  sample.id = name_of_target(mine.target);
  sample.failed = proxy::failure_kind::timeout;
  mind_.note(sample, now);
}

void conversation_run::speak(const turn_pointer& each, std::size_t attempt, instant now) {
  running_attempt& mine = each->attempts[attempt];
  if (mine.is_over) return;
  mine.has_spoken = true;
  mine.spoke = now;
  mine.decode_seconds = each->asked.output_tokens * seconds_per_token;
  sites_[mine.target].first_token(each->asked, second_of(mine.started));
  mind_.note_prefix(each->asked, mine.target, now);
  if (each->is_decided) ++result_.observed;
  learn(*each, attempt, attempt_step::spoke, now);
  mind_.note({name_of_target(mine.target)}, now);
  deliver(each, token_came{attempt}, now);
}

void conversation_run::fail(const turn_pointer& each, std::size_t attempt, instant now) {
  running_attempt& mine = each->attempts[attempt];
  if (mine.is_over) return;
  mine.is_over = mine.has_failed = true;
  sites_[mine.target].end_attempt();
  learn(*each, attempt, mine.prompt.is_refused ? attempt_step::dropped : attempt_step::failed, now);
  attempt_sample sample;
  sample.id = name_of_target(mine.target);
  sample.failed = mine.prompt.is_refused ? proxy::failure_kind::rate_limited : proxy::failure_kind::connect;
  mind_.note(sample, now);
  if (each->spending) each->spending->failed(attempt);
  deliver(each, attempt_failed{attempt}, now);
}

void conversation_run::decide(const turn_pointer& each, std::size_t winner, instant now) {
  run_request& record = record_of(*each);
  running_attempt& mine = each->attempts[winner];
  each->is_decided = true;
  each->winner = winner;
  record.decided = second_of(now);
  record.first_token = record.decided - record.at;
  record.total = record.first_token + mine.decode_seconds;
  record.is_answered = true;
  record.winner = mine.target;
  turn_facts& facts = result_.turns[each->number];
  facts.is_won_warm = facts.has_warm_target && mine.prompt.cached >= warm_share * each->warm_tokens;
  mind_.pin(each->asked.conversation, mine.target, now);
  if (mind_.races_by_speed())
    mind_.budget()->won(each->planned.targets[mine.target].win_cost, record.first_token, each->asked.caller);
  pay(*each, winner);
  clock_.after(now, mine.decode_seconds, [this, each](instant when) { end_answer(each, when); });
}

void conversation_run::give_up_turn(running_turn& each, instant now) {
  run_request& record = record_of(each);
  record.decided = second_of(now);
  record.first_token = record.total = record.decided - record.at;
  each.is_decided = true;
  pay(each, std::nullopt);
  const agent_turn turn = each.asked;
  clock_.at(now, [this, turn](instant when) { traffic_.answered(turn, when); });
}

// Adds up the cost of a turn's attempts. A losing attempt costs its prompt and a few tokens, which count as extra cost of the turn.
void conversation_run::pay(running_turn& each, std::optional<std::size_t> winner) {
  run_request& record = record_of(each);
  double trials = 0;
  for (std::size_t index = 0; index < each.attempts.size(); ++index) {
    const running_attempt& mine = each.attempts[index];
    const double said = index == winner ? each.asked.output_tokens : std::min(loser_tokens, each.asked.output_tokens);
    const double cost = mine.prompt_cost + said * sites_[mine.target].truth().output;
    if (mine.has_failed) continue;
    result_.turns[each.number].cost += cost;
    const start_reason cause = is_speculative(mine.why) || !winner ? mine.why : each.attempts[*winner].why;
    if (index == winner) record.won_cost = cost;
    else if (cause == start_reason::rescue) record.rescue_cost += cost;
    else if (cause == start_reason::probe) trials += cost;
    else if (cause == start_reason::hedge || cause == start_reason::twin || !mind_.races_by_speed()) record.hedge_cost += cost;
  }
  const auto first = std::ranges::find(each.attempts, false, &running_attempt::has_failed);
  if (first != each.attempts.end())
    result_.turns[each.number].move_cost = each.cold_costs[first->target] - *std::ranges::min_element(each.cold_costs);
  if (each.spending) each.spending->settle(record.hedge_cost, trials);
  record.hedge_cost += trials;
}

void conversation_run::end_answer(const turn_pointer& each, instant now) {
  const std::size_t winner = *each->winner;
  running_attempt& mine = each->attempts[winner];
  mine.is_over = true;
  sites_[mine.target].end_attempt();
  learn(*each, winner, attempt_step::answered, now);
  if (mind_.follows_cache() && sites_[mine.target].truth().reported == cache_report::late)
    learn(*each, winner, attempt_step::usage, now);
  if (mind_.races_by_speed())
    mind_.budget()->correct(record_of(*each).won_cost - each->planned.targets[mine.target].win_cost);
  deliver(each, request_ended{std::chrono::seconds{2}}, now);
  traffic_.answered(each->asked, now);
}

void conversation_run::learn(const running_turn& each, std::size_t attempt, attempt_step step, instant now) {
  if (!mind_.learns()) return;
  const running_attempt& mine = each.attempts[attempt];
  attempt_event made;
  made.step = step;
  made.attempt = each.number * 64 + attempt;
  made.target = static_cast<target_number>(mine.target);
  made.caller = each.asked.caller;
  made.started_at = mine.started;
  made.at = now;
  made.input_tokens = each.asked.input_tokens();
  made.in_flight = mine.in_flight;
  if (mind_.follows_cache()) add_cache_facts(each, attempt, made);
  else if (step == attempt_step::spoke && is_reported_early(mine)) made.input_tokens = mine.prompt.uncached;
  if (step == attempt_step::answered) {
    made.output_tokens = each.asked.output_tokens;
    made.decode_seconds = mine.decode_seconds;
  }
  mind_.take(made);
}

bool conversation_run::is_reported_early(const running_attempt& mine) const {
  return sites_[mine.target].truth().reported == cache_report::early;
}

void conversation_run::add_cache_facts(const running_turn& each, std::size_t attempt, attempt_event& made) const {
  const running_attempt& mine = each.attempts[attempt];
  made.match = each.planned.targets[mine.target].match;
  const bool is_first_token = made.step == attempt_step::spoke;
  if (made.step == attempt_step::usage || (is_first_token && is_reported_early(mine))) made.cached_tokens = mine.prompt.cached;
  made.is_usage_expected =
      is_first_token && !each.is_decided && sites_[mine.target].truth().reported == cache_report::late;
  for (std::size_t other = 0; other < each.attempts.size(); ++other) {
    const running_attempt& twin = each.attempts[other];
    if (other == attempt || twin.target != mine.target) continue;
    const bool is_heard = twin.has_spoken || (twin.is_over && !twin.has_failed);
    made.is_twin |= made.step == attempt_step::began ? !twin.is_over : is_heard;
  }
}

void conversation_run::tick(instant now) {
  mind_.tick(now);
  clock_.after(now, 1, [this](instant when) { tick(when); });
}

conversation_result run_conversations(const conversation_scenario& world, conversation_racer how, std::uint64_t seed) {
  return conversation_run(world, how, seed).run();
}

}  // namespace photofinish::racing
