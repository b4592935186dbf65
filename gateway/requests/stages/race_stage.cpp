#include "gateway/requests/stages/race_stage.hpp"

#include "gateway/http/leave_hook.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/requests/worker/in_flight.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The time for which losing attempts may continue after the answer, so that the gateway can measure when their first
// token arrives.
constexpr std::chrono::seconds observe_grace{2};

}  // namespace

asio::awaitable<after_response> race_stage::run(load_place place) {
  std::optional<in_flight> counted(std::in_place, std::move(place), context_.worker.shard.route(context_.record.route));
  client_answer answer = others_.reply.open();
  after_response then = after_response::close;
  {
    racing::race_run run = race_builder::race(
        plan_->setup, [this](std::size_t index) { return new_attempt(index); }, context_.worker.alarms,
        context_.worker.executor, context_.memory.another());
    // When this function ends, removes the callbacks that refer to the race.
    const hook_removal no_hooks(context_.client);
    std::exception_ptr bug;                        // an exception, which is thrown again after the race has ended
    try {
      let_client_leave(run);
      then = co_await decide(run, answer);
    } catch (...) {
      bug = std::current_exception();
      others_.guardrails.cancel();
      if (run.report().winner) run.winner().close();
      run.leave();
    }
    if (answer_recorder* const recorder = others_.cache.recorder(); recorder != nullptr) recorder->end_race();
    context_.record.times.ended_at = context_.worker.alarms.now();
    context_.hold.leave();
    // Does not count the remaining attempts of the race as load, because the client already has its answer.
    if (run.is_observing()) counted.reset();
    release_losers(run, then);
    // Uses child_end() instead of ended(), because there may be no memory for the coroutine frame of ended().
    while (run.has_children()) co_await run.child_end();
    context_.record.race = run.take_report();
    context_.tokens.finish();
    if (bug) std::rethrow_exception(bug);
  }
  co_return then;
}

std::unique_ptr<proxy::upstream> race_stage::new_attempt(std::size_t index) {
  request_plan::made attempt = plan_->make(index, context_.worker.attempts, context_.settings, context_.record);
  for (auto& each : attempt.dropped) context_.notes.dropped.push_back(std::move(each));
  return std::move(attempt.upstream);
}

// Installs the callbacks that may end the race before it has an answer. One is called if the client leaves, the other
// if a guardrail refuses the request.
void race_stage::let_client_leave(racing::race_run& run) {
  watch(run);
  if (answer_recorder* const recorder = others_.cache.recorder(); recorder != nullptr) recorder->begin_race();
  others_.cache.on_leave([&run, this] {
    others_.guardrails.cancel();
    run.leave();
  });
  others_.guardrails.on_refusal([&run] { run.leave(); });
  if (context_.client.is_abandoned()) run.leave();
}

void race_stage::watch(racing::race_run& run) {
  if (context_.limits.keep_runner_up.count() > 0)
    run.ask_before_keeping([this, &run](const racing::ask_to_keep& asked) { return may_keep(run, asked); });
  if (context_.observers.is_empty()) return;
  for (const auto& each : context_.observers.all()) each->set_rules(run);
  run.watch_steps([this, &run](std::size_t index, racing::attempt_step what) {
    const race_progress race{run.report(), context_.record.planned, context_.worker.alarms.now()};
    for (const auto& each : context_.observers.all()) each->step(race, index, what);
  });
}

// Returns true if a losing attempt may continue as a possible replacement for the winner. This is allowed only if its
// provider stops billing when the attempt is cancelled. Streams have a further condition: the winner must already have
// failed. Otherwise the client gets the winner's first bytes immediately, and the answer can no longer be replaced.
bool race_stage::may_keep(const racing::race_run& run, const racing::ask_to_keep& asked) const {
  if (context_.record.planned[asked.attempt].billing != proxy::cancel_billing::stops) return false;
  if (context_.record.form != answer_form::whole && !run.is_broken(asked.winner)) return false;
  return context_.observers.may_keep(asked.attempt, context_.limits.keep_runner_up);
}

// Runs the race until its first token. If a stream waits long, the gateway sends the head of the stream and keepalive
// comments before the first token.
asio::awaitable<after_response> race_stage::decide(racing::race_run& run, client_answer& to) {
  proxy::alarms& alarms = context_.worker.alarms;
  const auto keepalive_after = context_.limits.keepalive_after;
  proxy::alarm early(alarms, [&] {
    const bool is_judged = !others_.guardrails.is_out();
    const auto next = is_judged ? winner_reader::heartbeat_interval : keepalive_after;
    early.arm(alarms.now() + next);  // set the timer first, because a failed write ends the race
    if (is_judged) others_.reply.show_life(to);
  });
  if (to.is_of_events() && keepalive_after.count() > 0) early.arm(alarms.now() + keepalive_after);
  co_await run.decide();
  early.disarm();
  std::optional<after_response> ended;
  if (others_.guardrails.is_on()) ended = co_await end_unless_passed(run, to);
  if (ended) co_return *ended;
  co_return co_await answer(run, to);
}

// Waits for the guardrails' verdicts before the answer. If the race has a winner during this wait, the gateway buffers
// the first token.
asio::awaitable<std::optional<after_response>> race_stage::end_unless_passed(racing::race_run& run,
                                                                             client_answer& to) {
  const stage_result result = co_await others_.guardrails.pass();
  if (is_next(result)) co_return std::nullopt;
  if (run.report().winner) run.winner().close();
  run.leave();
  plan_.reset();
  if (const auto* refused = std::get_if<api_error>(&result)) {
    context_.record.outcome = outcome_of(*refused);
    co_return co_await others_.reply.fail(*refused, to, run.report());
  }
  others_.reply.note_departure();
  if (context_.client.has_left()) co_return after_response::close;
  co_return co_await others_.reply.fail_drained(run.report(), to);
}

asio::awaitable<after_response> race_stage::answer(racing::race_run& run, client_answer& to) {
  while (run.report().winner) {
    follow_winner(run);
    relayed result = co_await others_.delivery.deliver(run, to);
    if (!may_be_replaced(run, to, result)) {
      if (others_.continuation.may_continue(result)) {
        std::shared_ptr<request_plan> plan = std::exchange(plan_, nullptr);
        co_await others_.continuation.run(run, std::move(plan), to, result);
      }
      co_return co_await end(run, to, std::move(result));
    }
    forget_winner(run);
    co_await run.go_on_without_winner(std::move(*result.why));
  }
  plan_.reset();
  co_return co_await others_.reply.fail_defeated(run.report(), to);
}

void race_stage::follow_winner(racing::race_run& run) {
  others_.delivery.prepare(run, *plan_);
  others_.continuation.prepare(run, *plan_);
  if (!run.is_keeping()) plan_.reset();
  for (const auto& each : context_.observers.all())
    each->won({run.report(), context_.record.planned, context_.worker.alarms.now()});
  others_.cache.on_leave([this, &run] {
    const proxy::instant left_at = context_.worker.alarms.now();
    run.winner().close();
    context_.record.winner.cancelled_after = context_.worker.alarms.now() - left_at;
    run.leave();
  });
}

// Returns false if another target would fail in the same way. This is the case if the answer exceeds the gateway's
// memory, or if the request has reached its total time limit.
bool race_stage::may_be_replaced(const racing::race_run& run, const client_answer& to, const relayed& result) const {
  if (result.end != answer_end::truncated || to.has_begun() || !run.is_keeping()) return false;
  if (context_.client.is_abandoned()) return false;
  if (result.why->origin != proxy::failure_origin::provider || result.why->kind == proxy::failure_kind::timeout)
    return false;
  answer_recorder* const recorder = others_.cache.recorder();
  return recorder == nullptr || recorder->may_restart();
}

void race_stage::forget_winner(racing::race_run& run) {
  others_.cache.on_leave([&run] { run.leave(); });
  others_.reply.writer().reset();
  context_.tokens.restart();
  for (const auto& each : context_.observers.readers()) each->restart();
}

asio::awaitable<after_response> race_stage::end(racing::race_run& run, client_answer& to, relayed result) {
  run.answer_began();
  plan_.reset();
  others_.continuation.drop_plan();
  others_.reply.note_end(result, to);
  if (result.end == answer_end::complete) co_return context_.style.then;
  if (result.end == answer_end::client_left) co_return after_response::close;
  if (context_.client.is_interrupted()) co_return co_await others_.reply.fail_drained(run.report(), to);
  last_speaker(context_.record).winner.broken = std::move(result.why);
  co_return co_await others_.reply.fail_broken(run.report(), to);
}

// Lets the client continue as soon as it has its answer, without waiting for losing attempts. The measurement of losing
// attempts ends when the client sends its next request, leaves, or closes the connection.
void race_stage::release_losers(racing::race_run& run, after_response then) {
  client_connection& client = context_.client;
  client.on_leave({});
  if (!run.is_observing()) return;
  if (then == after_response::close || client.has_left() || !client.unread().empty()) run.leave();
  else run.request_over(observe_grace);
  client.on_leave([&run] { run.leave(); });
  client.on_bytes([&run] { run.leave(); });
}

}  // namespace photofinish::gateway
