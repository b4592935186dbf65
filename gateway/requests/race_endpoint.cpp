#include "gateway/requests/race_endpoint.hpp"

#include "gateway/access/fingerprints.hpp"
#include "gateway/attempts/setup/rule_match.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/guardrails/judging.hpp"
#include "gateway/http/date_of_now.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/requests/in_flight.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <random>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

// A longer body is read beside the loop. Going there and back costs a tenth of what a prompt of 1 MB takes, and a
// prompt of 2 MB is longer than most contexts.
constexpr std::size_t most_read_here = 2u << 20;

// The log cuts it further; a name may be megabytes long.
constexpr std::size_t longest_noted_name = 256;

// The last event may be an end alone, which is in no format.
proxy::wire_format spoken_by(const std::vector<proxy::kept_event>& events) {
  const bool is_ended = events.back().kind() == proxy::event_kind::end;
  return is_ended && events.size() > 1 ? events[events.size() - 2].spoken() : events.back().spoken();
}

}  // namespace

race_endpoint::race_endpoint(services& worker, client_connection& client, admitted_request admitted)
    : worker_(worker),
      client_(client),
      api_(admitted.by),
      settings_(std::move(admitted.settings)),
      own_limits_(std::move(admitted.limits)),
      who_(admitted.who),
      fields_(std::move(admitted.fields)),
      style_(admitted.style),
      memory_(std::move(admitted.memory)),
      attempts_(std::make_shared<request_plan>()),
      account_(std::make_unique<open_account>([&worker](std::string text, std::function<void(std::uint64_t)> counted) {
        return worker.keeper.counting().count(std::move(text), worker.executor, std::move(counted));
      })),
      tokens_(account_->tokens),
      record_(account_->record) {
  record_.endpoint = api_.label();
  record_.id = std::move(admitted.id);
  record_.peer = admitted.peer;
  record_.forwarded_for = last_forwarded(admitted.request.fields).substr(0, longest_noted_name);
  record_.client = who_.label();
  record_.caller = caller_print(who_.name(), worker_.fingerprint_salt);
  if (who_.sealed) record_.subject = who_.sealed;
  record_.team = who_.team();
  record_.received_at = admitted.request.received_at;
  record_.settings = settings_;
  begin_trace_of(admitted);
  attempts_->request = std::move(admitted.request);
  attempts_->path_model = std::move(admitted.model);
  attempts_->keys = std::move(admitted.keys);
  attempts_->memory = memory_.another();
}

race_endpoint::~race_endpoint() = default;

asio::awaitable<after_response> race_endpoint::serve() {
  after_response then = style_.then;
  std::exception_ptr bug, second_bug;
  try {
    const std::optional<after_response> ended = co_await prepare_or_refuse();
    if (ended) then = *ended;
    else if (is_answered_already()) then = co_await replay();
    else then = co_await race();
  } catch (...) {
    bug = std::current_exception();
  }
  place_ = {};
  if (guard_) guard_->cancel();
  while (guard_ && guard_->is_out()) co_await guard_->change();  // awaits a signal alone: it cannot fail
  guard_.reset();
  try {
    if (bug) then = co_await answer_bug(bug);
  } catch (...) {
    second_bug = std::current_exception();  // the session's to report
  }
  record();
  if (second_bug) std::rethrow_exception(second_bug);
  co_return then;
}

// The connection's next request does not wait for what is still counted. What fails here loses no account.
void race_endpoint::record() {
  if (record_.ended_at == proxy::instant{}) record_.ended_at = worker_.alarms.now();
  account_->hold.leave();  // where it came to no race
  try {
    worker_.late.cut_usage(record_);
    observers_.ended(record_);
  } catch (const std::exception& bug) {
    spdlog::error("what was learned of a race, or kept of it, is lost: {}", bug.what());
  }
  worker_.late.close(std::move(account_));
}

// None where the race may begin, which is counted then: an open stream does not keep room for the errors that it never
// had.
asio::awaitable<std::optional<after_response>> race_endpoint::prepare_or_refuse() {
  const bool is_giant = attempts_->request.body.size() > most_read_here || attempts_->may_grow(api_);
  read_ask asked;
  if (is_giant) asked = co_await read_aside();
  else asked = read_body(worker_.outbound.parser());
  if (const auto error = prepare(std::move(asked))) co_return co_await refuse(*error);
  place_ = load_place(worker_.load.requests);
  std::optional<api_error> refused;
  if (place_.number() > settings_->limits.max_inflight) refused = requests_overloaded();
  else refused = take_own_limits();
  if (!refused && awaited_) refused = co_await wait_for_limits();
  if (!refused && guard_) refused = co_await judge();
  if (!refused && !(guard_ && guard_->is_cancelled())) {
    join_cache();
    co_return std::nullopt;
  }
  place_ = {};
  if (refused) co_return co_await refuse(*refused);
  co_return co_await end_departed();  // while it was judged
}

// An error is the client's.
std::optional<api_error> race_endpoint::prepare(read_ask read) {
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  ask& asked = attempts_->asked;
  asked = std::get<ask>(std::move(read));
  asked.body = counted_body(std::move(asked.body), std::move(attempts_->request.memory));
  record_.form = asked.form;
  record_.model = asked.model.substr(0, longest_noted_name);
  note_size(asked);
  record_.prompt_print = prompt_print(asked.longest_field.empty() ? asked.prompt : asked.longest_field);
  auto not_kept = attempts_->open_state(ids_of(worker_, *settings_), who_);
  auto overrides = read_overrides(attempts_->request);
  if (auto* error = std::get_if<api_error>(&overrides)) return std::move(*error);
  auto marks = read_marks(attempts_->request, *settings_);
  if (auto* error = std::get_if<api_error>(&marks)) return std::move(*error);
  marks_ = std::get<request_marks>(std::move(marks));
  record_.project = marks_.project;
  record_.session = marks_.session;
  marks_.task = task_of(asked, marks_, *settings_);
  const std::optional<speed_source> speed = known_speed();
  attempts_->setup = set_up_race({asked, *settings_, attempts_->keys, who_, std::get<racing::plan_overrides>(overrides),
                                  *worker_.board, worker_.alarms.now(), worker_.fingerprint_salt,
                                  worker_.attempts.dialects,
                                  [this](const proxy::provider& each) { return !has_room(worker_.attempts, each); },
                                  attempts_->only ? &*attempts_->only : nullptr, speed ? &*speed : nullptr, marks_,
                                  nullptr, [this](std::string_view route) { return counts_tokens(route); }});
  attempts_->note_unsaid_store();
  if (!not_kept && !attempts_->setup.error) look_into_cache();
  note_plan();
  if (settings_->content_log.is_on()) add_content_log();
  if (not_kept && !attempts_->setup.error) return not_kept;  // where no target has state at all, that is the reason
  if (!settings_->guardrails.empty()) find_guardrails();
  if (asked.others && !attempts_->setup.error && !count_forms()) return memory_overloaded();
  return attempts_->setup.error;
}

bool race_endpoint::count_forms() {
  attempts_->forms = memory_.another();
  return attempts_->forms.grow_to(attempts_->asked.others->held_bytes(), proxy::memory_use::arriving);
}

void race_endpoint::note_plan() {
  race_setup& setup = attempts_->setup;
  limits_ = setup.settings;
  is_lowered_by_store_ = setup.is_lowered_by_store;
  const double chance = std::uniform_real_distribution<double>(0, 1)(worker_.random);
  const bool has_trials = setup.planned.plan.policy == racing::race_policy::adaptive;
  const bool is_finish = setup.planned.plan.wins == racing::win_on::finish && setup.speed && !has_trials;
  const double observed = std::max(limits_.observe_losers, is_finish ? racing::observed_share : 0.0);
  if (chance < observed) setup.planned.plan.disposition = racing::losers::observed;
  record_.route = setup.route;
  record_.has_rule = !setup.rule.empty();
  record_.policy = setup.planned.plan.policy;
  if (is_answered_already()) return;
  for (const auto& [index, reason, detail] : setup.planned.skipped) {
    const target_name& target = setup.candidates[index].target;
    record_.skipped.push_back({target, reason, detail});
    skipped_.emplace_back(target.text(), std::string(to_string(reason)) + (detail.empty() ? "" : ":" + detail));
  }
  record_.planned = race_builder::planned(setup);
  if (!setup.error) add_observers();
}

asio::awaitable<after_response> race_endpoint::race() {
  std::optional<in_flight> counted(std::in_place, std::move(place_), worker_.shard.route(record_.route));
  limit_writes();
  // A stream of HTTP/1.0 ends with its connection, and its head says so.
  if (style_.is_http_1_0 && record_.form != answer_form::whole) style_.then = after_response::close;
  client_answer answer(client_, worker_.batch, record_.form, style_, memory_.another());
  after_response then = after_response::close;
  {
    racing::race_run run = race_builder::race(
        attempts_->setup, [this](std::size_t index) {
          request_plan::made made = attempts_->make(index, worker_.attempts, settings_, record_);
          for (auto& each : made.dropped) dropped_.push_back(std::move(each));
          return std::move(made.upstream);
        },
        worker_.alarms, worker_.executor, memory_.another());
    const hook_removal no_hooks(client_);  // of those that refer to the run
    std::exception_ptr bug;                // what was begun ends first
    try {
      let_client_leave(run);
      then = co_await decide(run, answer);
    } catch (...) {
      bug = std::current_exception();
      if (guard_) guard_->cancel();
      if (run.report().winner) run.winner().close();
      run.leave();
    }
    if (shared_) shared_->is_running.reset();
    record_.ended_at = worker_.alarms.now();
    account_->hold.leave();
    if (run.is_observing()) counted.reset();  // its client has its answer: what follows is no load
    see_losers_off(run, then);
    while (run.has_children()) co_await run.child_end();  // not ended(), whose frame may find no memory
    record_.race = run.take_report();
    tokens_.finish();
    if (bug) std::rethrow_exception(bug);
  }
  co_return then;
}

// Sets everything that may end the race before its answer.
void race_endpoint::let_client_leave(racing::race_run& run) {
  watch(run);
  if (shared_) note_running();
  when_client_leaves([&run, this] {
    if (guard_) guard_->cancel();
    run.leave();
  });
  if (guard_) guard_->on_refusal([&run] { run.leave(); });
  if (client_.is_abandoned()) run.leave();
}

// Until the first token: a stream that waits long begins before it, and shows that it lives.
asio::awaitable<after_response> race_endpoint::decide(racing::race_run& run, client_answer& to) {
  proxy::alarm early(worker_.alarms, [&] {
    const bool is_judged = !guard_ || !guard_->is_out();
    const auto next = is_judged ? winner_reader::heartbeat_interval : limits_.keepalive_after;
    early.arm(worker_.alarms.now() + next);  // first: a write that breaks ends the race
    if (!is_judged) return;
    if (!to.has_begun_early()) to.begin_early(early_fields());
    else to.say_aside(api_.sign_of_life());
  });
  const bool may_begin_early = to.is_of_events() && limits_.keepalive_after.count() > 0;
  if (may_begin_early) early.arm(worker_.alarms.now() + limits_.keepalive_after);
  co_await run.decide();
  early.disarm();
  std::optional<after_response> ended;
  if (guard_) ended = co_await end_unless_passed(run, to);
  if (ended) co_return *ended;
  co_return co_await answer(run, to);
}

// Behind a winner that failed before a byte of it was sent, the runner-up's answer.
asio::awaitable<after_response> race_endpoint::answer(racing::race_run& run, client_answer& to) {
  while (run.report().winner) {
    follow_winner(run);
    relayed result = co_await pass_on(run, to);
    if (!may_be_replaced(run, to, result)) {
      if (may_continue(result)) co_await continue_answer(run, to, result);
      const after_response then = co_await end(run, to, std::move(result));
      co_return then;
    }
    when_client_leaves([&run] { run.leave(); });
    writer_.reset();
    said_.reset();
    tokens_.restart();
    for (const auto& each : observers_.readers()) each->restart();
    co_await run.go_on_without_winner(std::move(*result.why));
  }
  attempts_.reset();
  const after_response then = co_await answer_defeat(run, to);
  co_return then;
}

void race_endpoint::follow_winner(racing::race_run& run) {
  writer_ = writer_for(run);
  if (limits_.breaking == racing::on_break::continue_text) keep_for_continuation(run);
  if (!run.is_keeping()) attempts_.reset();
  for (const auto& each : observers_.all()) each->won({run.report(), record_.planned, worker_.alarms.now()});
  when_client_leaves([this, &run] {
    const proxy::instant left_at = worker_.alarms.now();
    run.winner().close();
    record_.winner_cancelled = worker_.alarms.now() - left_at;
    run.leave();
  });
}

std::unique_ptr<answer_writer> race_endpoint::writer_for(racing::race_run& run) {
  const target_name& winner = record_.planned[*run.report().winner].target;
  const proxy::wire_format spoken = spoken_by(run.held_events());
  answer_identity answer{record_.id, unix_seconds(), winner.model, spoken};
  begin_recording(answer, winner, proxy::media_type_of(run.held_events()));
  make_known(answer, winner);
  if (record_.unreported_output > 0 && answer.shown_id)
    answer.shown_id = [this, shown = std::move(answer.shown_id)](std::string_view id) {
      if (record_.background_id.empty()) record_.background_id = id;  // its own comes first
      return shown(id);
    };
  return attempts_->remembering(api_.writer(attempts_->asked, std::move(answer)),
                                {*run.report().winner, spoken, record_.id}, worker_.load.conversations, who_,
                                worker_.alarms);
}

asio::awaitable<relayed> race_endpoint::pass_on(racing::race_run& run, client_answer& to) {
  if (run.held_failure() && run.is_keeping()) {
    relayed broken{answer_end::truncated, run.held_failure(), {}};
    co_return broken;
  }
  begin(run, to);
  show_costs(run, to);
  if (to.is_streamed()) run.answer_began();
  if (!to.is_streamed() || run.report().hold) to.take_room(run.take_memory());
  const std::chrono::nanoseconds stalled_before = client_.time_stalled();
  std::function<void()> on_silence;
  if (to.is_of_events()) on_silence = [this, &to] { to.say_aside(api_.sign_of_life()); };
  record_.decided_by_read_at = run.held_events().back().read_at();
  if (run.report().hold || run.report().replaced)  // what decided came later, or was a limit of time
    record_.decided_by_read_at = std::max(*record_.decided_by_read_at, run.report().decided_at);
  winner_reader winner(run.winner(), run.held_events(), run.held_failure(), worker_.alarms, limits_,
                       record_.received_at + limits_.total_timeout, std::move(on_silence));
  const auto speed = limits_.min_tokens_per_second ? std::make_unique<crawl_watch>(limits_, tokens_) : nullptr;
  if (speed) watch_crawl(*speed, winner, run, to);
  relayed result = co_await relay_winner(winner, to);
  run.winner().close();
  if (to.is_streamed()) record_.client_stalled = client_.time_stalled() - stalled_before;
  co_return result;
}

asio::awaitable<after_response> race_endpoint::end(racing::race_run& run, client_answer& to, relayed result) {
  run.answer_began();
  attempts_.reset();
  rest_.reset();
  note_end(result, to);
  if (result.end == answer_end::complete) co_return style_.then;
  if (result.end == answer_end::client_left) co_return after_response::close;
  if (client_.is_interrupted()) {
    const after_response then = co_await end_drained(to, run.report());
    co_return then;
  }
  last_speaker().broken = std::move(result.why);
  const after_response then = co_await end_broken(run, to);
  co_return then;
}

}  // namespace photofinish::gateway
