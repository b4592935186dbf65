#include "tests/simulation/adaptive/world.hpp"

#include "tests/simulation/adaptive/simulation.hpp"

#include <algorithm>

namespace photofinish::racing {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

run_result simulation::run() {
  result_.requests.resize(world_.requests);
  races_.resize(world_.requests);
  undecided_ = world_.requests;
  push(simulated_origin, happening::arrival);
  push(simulated_origin + milliseconds{1}, happening::tick);
  while (!events_.empty() && undecided_ > 0) {
    const event next = events_.top();
    events_.pop();
    switch (next.what) {
      case happening::arrival: arrive(next.request, next.at); break;
      case happening::token: token(next.request, next.attempt, next.at); break;
      case happening::error: error(next.request, next.attempt, next.at); break;
      case happening::wake:
        if (races_[next.request] && races_[next.request]->wake == next.at) deliver(next.request, alarm_struck{}, next.at);
        break;
      case happening::whole:
        if (races_[next.request] && !races_[next.request]->is_decided)
          deliver(next.request, answer_ended{next.attempt}, next.at);
        break;
      case happening::answer_end: answer_end(next.request, next.attempt, next.at); break;
      case happening::tick: tick(next.at); break;
    }
  }
  for (std::size_t target = 0; target < world_.targets.size(); ++target) {
    if (!learns()) break;
    result_.jumps += known_.targets[target].jumps_up + known_.targets[target].jumps_down;
    result_.samples += known_.targets[target].samples;
  }
  return std::move(result_);
}

void simulation::push(instant at, happening what, std::uint64_t request, std::size_t attempt) {
  events_.push({at, order_++, what, request, attempt});
}

void simulation::arrive(std::uint64_t number, instant now) {
  if (number + 1 < world_.requests) {
    dice chance{seed_, number, 4};
    push(now + nanoseconds(static_cast<std::int64_t>(chance.exponential() / world_.rate_at(second_of(now)) * 1e9)),
         happening::arrival, number + 1);
  }
  true_request asked = draw_request(world_, seed_, number);
  if (options_.hog > 0) asked.caller = dice{seed_, number, 5}.uniform() * 10 < static_cast<double>(options_.hog) ? 1 : 2;
  run_request& record = result_.requests[number];
  record.at = second_of(now);
  record.caller = asked.caller;
  const planned_race planned = plan(asked, number, now);
  races_[number] = std::make_unique<live_race>(asked, planned, now);
  live_race& each = *races_[number];
  each.spending = spending_of(planned, asked);
  each.expected_tokens = expected_length(asked);
  each.first_choice = record.first = each.chosen[0];
  result_.digest = (result_.digest ^ (each.chosen[0] + each.chosen.size() * 7)) * 0x100000001b3;
  deliver(number, race_begun{}, now);
}

std::unique_ptr<race_spending> simulation::spending_of(const planned_race& planned, const true_request& asked) const {
  if (!planned.choice) return nullptr;
  const auto& probe = planned.choice->probe;
  const double loss = probe ? loss_cost(*probe, asked.input_tokens, expected_length(asked)) : 0;
  const purse from = planned.choice->is_probe_from_bucket ? purse::bucket : purse::stock;
  return std::make_unique<race_spending>(budget_, asked.caller, loss, from);
}

void simulation::deliver(std::uint64_t number, const race_event& what, instant now) {
  live_race& each = *races_[number];
  std::vector<race_event> inbox{what};
  for (std::size_t next = 0; next < inbox.size(); ++next) {
    const auto commands = each.rules.on(inbox[next], now);
    for (const race_command& command : commands) obey(number, each, command, inbox, now);
  }
}

void simulation::obey(std::uint64_t number, live_race& each, const race_command& command, std::vector<race_event>& inbox,
                      instant now) {
  if (auto* begin = std::get_if<start_attempt>(&command)) return start(number, each, *begin, now);
  if (auto* end = std::get_if<cancel_attempt>(&command)) return stop(number, each, end->attempt, now);
  if (auto* asks = std::get_if<ask_to_spend>(&command)) {
    const double loss = loss_cost(each.chosen[asks->attempt], each.asked.input_tokens, each.expected_tokens);
    const hedge_answer answer = each.spending->ask_for_hedge(loss);
    ++result_.hedges[static_cast<std::size_t>(answer)];
    inbox.push_back(spending_answered{asks->attempt, answer == hedge_answer::granted});
  } else if (auto* holds = std::get_if<ask_to_hold>(&command)) {
    const hold_choice made = whom_to_hold(each, *holds, now);
    const auto wait = std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(made.seconds));
    inbox.push_back(hold_answered{made.best, now + wait});
  } else if (std::get_if<hold_attempt>(&command)) {
    ++result_.holds;
  } else if (auto* wakes = std::get_if<wake_at>(&command)) {
    each.wake = wakes->when;
    push(wakes->when, happening::wake, number);
  } else if (auto* winner = std::get_if<name_winner>(&command)) {
    won(number, each, winner->attempt, now);
  } else if (std::get_if<give_up>(&command)) {
    run_request& record = result_.requests[number];
    record.decided = second_of(now);
    record.first_token = record.total = second_of(now) - record.at;
    each.is_decided = true;
    --undecided_;
    leave(number, each, now);
  }
}

void simulation::start(std::uint64_t number, live_race& each, const start_attempt& command, instant now) {
  live_attempt made;
  made.target = each.chosen[command.attempt];
  made.why = command.why;
  made.started = now;
  made.in_flight = static_cast<double>(++in_flight_[made.target]);
  last_started_[made.target] = now;
  const double loss = loss_cost(made.target, each.asked.input_tokens, each.expected_tokens);
  if (each.spending) each.spending->started(command.why, loss);
  const auto turn = static_cast<std::size_t>(std::count_if(
      each.attempts.begin(), each.attempts.end(), [&](const live_attempt& other) { return other.target == made.target; }));
  const bool quick = is_quick(made.target);
  ++quick_used_[made.target];
  true_outcome comes = draw_outcome(world_, seed_, number, made.target, turn, second_of(now), each.asked.input_tokens,
                                    made.in_flight, quick);
  if (options_.hog_fails_at == made.target && each.asked.caller == 1) comes = {true_end::error, 0.05};
  each.attempts.push_back(made);
  result_.digest = (result_.digest ^ (command.attempt * 31 + static_cast<std::uint64_t>(command.why))) * 0x100000001b3;
  note(number, each, command.attempt, attempt_step::began, now);
  const instant when = now + nanoseconds(static_cast<std::int64_t>(comes.seconds * 1e9));
  if (comes.end == true_end::answer) push(when, happening::token, number, command.attempt);
  if (comes.end == true_end::error) push(when, happening::error, number, command.attempt);
}

void simulation::stop(std::uint64_t number, live_race& each, std::size_t attempt, instant now) {
  live_attempt& mine = each.attempts[attempt];
  if (mine.is_over) return;
  mine.is_over = true;
  --in_flight_[mine.target];
  if (mine.has_spoken) return;
  const double silent = seconds_between(mine.started, now);
  const bool is_early = options_.holds && how_ == racer::all &&
                        says_nothing(table_for(each.asked.input_tokens).rows()[mine.target], 1, silent);
  note(number, each, attempt, is_early ? attempt_step::dropped : attempt_step::cut, now);
}

void simulation::token(std::uint64_t number, std::size_t attempt, instant now) {
  if (!races_[number]) return;
  live_race& each = *races_[number];
  live_attempt& mine = each.attempts[attempt];
  if (mine.is_over) return;
  mine.has_spoken = true;
  note(number, each, attempt, attempt_step::spoke, now);
  if (cooldowns_.note({"t" + std::to_string(mine.target)}, now)) board_ = cooldowns_.snapshot(now);
  mine.spoke = now;
  mine.decode = decode_of(each, mine);
  const instant whole = now + nanoseconds(static_cast<std::int64_t>(mine.decode * 1e9));
  deliver(number, token_came{attempt}, now);
  if (options_.holds && !each.is_decided) push(whole, happening::whole, number, attempt);
}

double simulation::decode_of(const live_race& each, const live_attempt& mine) const {
  const double in_flight = static_cast<double>(in_flight_[mine.target]);
  return each.asked.output_tokens * true_decode(world_.targets[mine.target], in_flight, second_of(mine.spoke));
}

void simulation::error(std::uint64_t number, std::size_t attempt, instant now) {
  if (!races_[number] || races_[number]->attempts[attempt].is_over) return;
  live_race& each = *races_[number];
  live_attempt& mine = each.attempts[attempt];
  mine.is_over = mine.has_failed = true;
  --in_flight_[mine.target];
  note(number, each, attempt, attempt_step::failed, now);
  attempt_sample sample;
  sample.id = "t" + std::to_string(mine.target);
  sample.failed = proxy::failure_kind::connect;
  if (options_.hog_fails_at) {  // the caller's own request may have caused this failure
    sample.failed = proxy::failure_kind::server_error;
    sample.caller = each.asked.caller;
    sample.prompt = number;
  }
  if (cooldowns_.note(sample, now)) board_ = cooldowns_.snapshot(now);
  if (each.spending) each.spending->failed(attempt);
  deliver(number, attempt_failed{attempt}, now);
}

void simulation::won(std::uint64_t number, live_race& each, std::size_t winner, instant now) {
  run_request& record = result_.requests[number];
  live_attempt& mine = each.attempts[winner];
  record.decided = second_of(now);
  record.first_token = second_of(now) - record.at;
  const instant ends = mine.spoke + nanoseconds(static_cast<std::int64_t>(mine.decode * 1e9));
  record.total = std::max(second_of(ends), record.decided) - record.at;
  record.is_answered = true;
  record.winner = mine.target;
  for (const live_attempt& other : each.attempts)
    if (&other != &mine && other.has_spoken && !other.is_over)
      record.lost_tokens += std::min(1.0, seconds_between(other.spoke, now) / other.decode) * each.asked.output_tokens;
  record.won_cost = win_cost(mine.target, each.asked.input_tokens, each.asked.output_tokens);
  each.is_decided = true;
  each.winner = winner;
  --undecided_;
  const double expected_decode = decode_seconds_per_token(known(mine.target), mine.in_flight) * each.expected_tokens;
  const double objective = record.first_token + (world_.sort == target_sort::finish ? expected_decode : 0);
  if (how_ == racer::adaptive || how_ == racer::oracle) {
    budget_->won(win_cost(mine.target, each.asked.input_tokens, each.expected_tokens), objective, each.asked.caller);
  }
  settle(each, winner, record);
  push(std::max(ends, now), happening::answer_end, number, winner);
}

// Adds up the costs of the losers. Hedges, probes and rescues have separate sums.
void simulation::settle(live_race& each, std::size_t winner, run_request& record) {
  double hedges = 0, trials = 0;
  const auto charge = [&](start_reason why, double cost) {
    if (why == start_reason::rescue) record.rescue_cost += cost;
    else if (why == start_reason::probe) trials += cost;
    else if (why == start_reason::hedge || how_ != racer::adaptive) hedges += cost;
  };
  for (std::size_t index = 0; index < each.attempts.size(); ++index) {
    const live_attempt& other = each.attempts[index];
    if (index == winner || other.has_failed) continue;
    const bool is_extra = other.why == start_reason::hedge || other.why == start_reason::probe || other.why == start_reason::rescue;
    charge(is_extra || how_ == racer::all ? other.why : each.attempts[winner].why,
           loss_cost(other.target, each.asked.input_tokens, each.asked.output_tokens));
  }
  if (world_.sort == target_sort::cost && each.spending && each.spending->has_taken(winner))
    hedges += std::max(0.0, record.won_cost - win_cost(each.first_choice, each.asked.input_tokens, each.asked.output_tokens));
  record.hedge_cost = hedges + trials;
  if (each.spending) each.spending->settle(hedges, trials);
}

void simulation::answer_end(std::uint64_t number, std::size_t attempt, instant now) {
  live_race& each = *races_[number];
  stop(number, each, attempt, now);
  note(number, each, attempt, attempt_step::answered, now);
  const double difference = (each.asked.output_tokens - each.expected_tokens) * answer_token_cost *
                            world_.targets[each.attempts[attempt].target].price;
  if (how_ == racer::adaptive || how_ == racer::oracle) budget_->correct(difference);
  deliver(number, request_ended{std::chrono::seconds{2}}, now);
  leave(number, each, now);
}

void simulation::leave(std::uint64_t number, const live_race& each, instant now) {
  if (options_.history == nullptr) return;
  const run_request& record = result_.requests[number];
  raced_request made{"r", each.asked.caller, each.begun, each.asked.input_tokens, each.asked.output_tokens};
  if (record.is_answered) made.first_token = record.first_token, made.finish = record.total;
  else made.at_least = record.first_token;
  made.winner = each.winner;
  for (std::size_t index = 0; index < each.attempts.size(); ++index) {
    const live_attempt& mine = each.attempts[index];
    raced_attempt& left = made.attempts.emplace_back();
    left = {"t" + std::to_string(mine.target), mine.end, mine.started, mine.ended, mine.in_flight};
    left.is_lost_and_paid = index != each.winner && !mine.has_failed;
    if (index == each.winner && record.total > record.first_token)
      left.tokens_per_second = each.asked.output_tokens / (record.total - record.first_token);
  }
  options_.history->take(made, now, date_of(now));
}

void simulation::note(std::uint64_t number, live_race& each, std::size_t attempt, attempt_step step, instant now) {
  live_attempt& mine = each.attempts[attempt];
  if (step != attempt_step::answered && step != attempt_step::began) mine.end = step, mine.ended = now;
  if (!learns()) return;
  attempt_event made;
  made.step = step;
  made.attempt = number * 64 + attempt;
  made.target = static_cast<target_number>(mine.target);
  made.caller = each.asked.caller;
  made.started_at = mine.started;
  made.at = now;
  made.input_tokens = each.asked.input_tokens;
  made.in_flight = mine.in_flight;
  if (step == attempt_step::answered) {
    made.output_tokens = each.asked.output_tokens;
    made.max_tokens = each.asked.max_tokens;
    made.decode_seconds = mine.decode;
  }
  forecaster_.take(made);
}

void simulation::tick(instant now) {
  if (options_.history) options_.history->tick(now);
  if (learns()) known_ = forecaster_.tick(now);
  else known_.at = now;
  if (how_ == racer::adaptive || how_ == racer::oracle) price_ = budget_->tick(1);
  tables_.clear();
  const auto seconds = static_cast<std::int64_t>(second_of(now));
  if (seconds % 60 == 0) std::fill(quick_used_.begin(), quick_used_.end(), 0);
  push(now + std::chrono::seconds{1}, happening::tick);
}

run_result run_world(const scenario& world, racer how, std::uint64_t seed, const run_options& options) {
  return simulation(world, how, seed, options).run();
}

}  // namespace photofinish::racing
