// `on_break: continue`: where a winner breaks off an answer of plain text, another target goes on with it. It is a race
// of its own, one target after the other, whose winner's words join those that the client has.
// race_endpoint.hpp, continued. Why and how: docs/decisions/0062.
#include "gateway/api/json_body.hpp"
#include "gateway/attempts/setup/continued_request.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/requests/race_endpoint.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// What is longer would be read beside the loop, and is not continued: few contexts have room for it.
constexpr std::size_t longest_request = 2u << 20;

}  // namespace

// The request is kept as long as its answer may break off.
void race_endpoint::keep_for_continuation(racing::race_run& run) {
  const ask& asked = attempts_->asked;
  if (!may_be_continued(asked)) return;
  // Messages' blocks that pass as they come could not be gone on with in their own words.
  const bool passes = std::any_of(run.held_events().begin(), run.held_events().end(),
                                  [&asked](const proxy::kept_event& each) { return each.spoken() == asked.format; });
  if (passes && asked.format != proxy::wire_format::openai_chat) return;
  said_ = std::make_unique<text_so_far>(memory_.another());
  if (!run.is_keeping()) rest_ = std::make_shared<request_plan>(std::move(*attempts_));
}

bool race_endpoint::may_continue(const relayed& result) const {
  return result.end == answer_end::truncated && said_ && said_->may_go_on() && may_go_on_behind(*result.why) &&
         !client_.is_abandoned();
}

// Whose words the client had last.
race_account& race_endpoint::last_speaker() {
  for (auto each = record_.continued.rbegin(); each != record_.continued.rend(); ++each)
    if ((*each)->race.winner) return **each;
  return record_;
}

asio::awaitable<void> race_endpoint::continue_answer(racing::race_run& broken, client_answer& to, relayed& result) {
  broken.answer_began();
  if (!rest_) rest_ = std::make_shared<request_plan>(std::move(*attempts_));
  attempts_.reset();
  if (shared_) shared_->may_be_kept = false;  // two targets' words are no answer to give again
  std::size_t started = broken.report().attempts.size();
  while (may_continue(result)) {
    continued_text before;
    const std::shared_ptr<request_plan> attempts = attempts_of_continuation(broken, started, before);
    if (!attempts) co_return;
    last_speaker().broken = result.why;
    record_.continued.push_back(record_of_continuation(*attempts));
    race_account& record = *record_.continued.back();
    tokens_.count_nothing();  // they are the first winner's
    co_await run_continuation(*attempts, record, before, to, result);
    started += record.race.attempts.size();
    if (!record.race.winner) co_return;
  }
}

// Null: none may, or can, go on.
std::shared_ptr<request_plan> race_endpoint::attempts_of_continuation(const racing::race_run& broken,
                                                                       std::size_t started, continued_text& before) {
  const ask& asked = rest_->asked;
  const std::string& text = said_->text();
  if (asked.body->json().size() + text.size() > longest_request) return nullptr;
  const auto overrides = read_overrides(rest_->request);
  const auto* asked_for = std::get_if<racing::plan_overrides>(&overrides);
  std::size_t most = limits_.max_attempts.value_or(std::numeric_limits<std::size_t>::max());
  if (asked_for != nullptr && asked_for->max_attempts) most = std::min(most, *asked_for->max_attempts);
  const auto left = record_.received_at + limits_.total_timeout - worker_.alarms.now();
  const auto time_left = std::chrono::floor<std::chrono::milliseconds>(left);
  if (most <= started || time_left.count() <= 0) return nullptr;

  constexpr std::size_t bytes_per_token = 4;  // where they are not counted
  const auto counted = record_.continued.empty() ? tokens_.so_far() : std::nullopt;
  continued_request wanted = continue_request(asked, text, counted.value_or(text.size() / bytes_per_token));
  before = std::move(wanted.before);
  auto made = std::make_shared<request_plan>();
  proxy::memory_share room = memory_.another();
  if (!room.grow_to(wanted.body.size() + before.given.size(), proxy::memory_use::running)) return nullptr;
  auto read = api_.read(std::move(wanted.body), worker_.outbound.parser());
  if (!std::holds_alternative<ask>(read)) return nullptr;
  made->is_continuation = true;
  made->request.fields = rest_->request.fields;  // whose bytes are there as long as the answer
  made->keys = rest_->keys;
  made->memory = memory_.another();
  made->asked = std::get<ask>(std::move(read));
  made->asked.body = counted_body(std::move(made->asked.body), std::move(room));
  made->asked.is_shared = true;  // its events are written anew
  made->setup = set_up_race({made->asked, *settings_, made->keys, who_, {}, *worker_.board, worker_.alarms.now(),
                             worker_.fingerprint_salt, worker_.attempts.dialects,
                             [this](const proxy::provider& each) { return !has_room(worker_.attempts, each); }, nullptr,
                             nullptr, marks_, &rest_->setup.rule});
  if (made->setup.error) return nullptr;
  plan_continuation(made->setup, targets_that_spoke(broken), most - started, time_left);
  return made->setup.planned.chosen.empty() ? nullptr : made;
}

std::vector<target_name> race_endpoint::targets_that_spoke(const racing::race_run& broken) const {
  std::vector<target_name> all{record_.planned[*broken.report().winner].target};
  for (const auto& each : record_.continued)
    for (const racing::attempt_report& attempt : each->race.attempts)
      all.push_back(each->planned[attempt.target].target);
  return all;
}

std::unique_ptr<race_account> race_endpoint::record_of_continuation(const request_plan& attempts) const {
  auto made = std::make_unique<race_account>();
  made->is_continuation = true;
  made->policy = racing::race_policy::fallback;
  made->id = record_.id;
  made->endpoint = record_.endpoint;
  made->form = record_.form;
  made->route = record_.route;
  made->client = record_.client;
  made->caller = record_.caller;
  made->team = record_.team;
  made->subject = record_.subject;
  made->settings = record_.settings;
  made->received_at = record_.received_at;
  made->trace = record_.trace;
  made->prompt_bytes = attempts.asked.prompt.size();
  made->extent = extent_of(attempts.asked);
  made->first_span = record_.planned.size();
  for (const auto& each : record_.continued) made->first_span += each->planned.size();
  made->planned = race_builder::planned(attempts.setup);
  return made;
}

// `result` stays as it is where no target speaks.
asio::awaitable<void> race_endpoint::run_continuation(request_plan& attempts, race_account& record,
                                                      continued_text& before, client_answer& to, relayed& result) {
  const auto start = [&attempts, &record, this](std::size_t index) {
    return attempts.make(index, worker_.attempts, settings_, record).upstream;
  };
  racing::race_run run =
      race_builder::race(attempts.setup, start, worker_.alarms, worker_.executor, memory_.another());
  const hook_removal no_hooks(client_);  // of those that refer to the run
  std::exception_ptr bug;                // the session's to report; but what was begun ends first
  try {
    when_client_leaves([&run] { run.leave(); });
    proxy::alarm alive(worker_.alarms, [&] {
      alive.arm(worker_.alarms.now() + winner_reader::heartbeat_interval);
      to.say_aside(api_.sign_of_life());
    });
    if (to.is_of_events()) alive.arm(worker_.alarms.now() + winner_reader::heartbeat_interval);
    co_await run.decide();
    alive.disarm();
    if (run.report().winner) co_await pass_continuation_on(run, record, before, to, result);
  } catch (...) {
    bug = std::current_exception();
    if (run.report().winner) run.winner().close();
    run.leave();
  }
  when_client_leaves([] {});
  while (run.has_children()) co_await run.child_end();
  record.ended_at = worker_.alarms.now();
  record.race = run.take_report();
  if (client_.is_abandoned()) record.outcome = departure();
  if (client_.has_left()) result.end = answer_end::client_left;
  if (bug) std::rethrow_exception(bug);
}

asio::awaitable<void> race_endpoint::pass_continuation_on(racing::race_run& run, race_account& record,
                                                          continued_text& before, client_answer& to,
                                                          relayed& result) {
  when_client_leaves([&run] {
    run.winner().close();
    run.leave();
  });
  to.continued_by(header_safe(record.planned[*run.report().winner].target.text()));
  std::function<void()> on_silence;
  if (to.is_of_events()) on_silence = [this, &to] { to.say_aside(api_.sign_of_life()); };
  winner_reader reader(run.winner(), run.held_events(), run.held_failure(), worker_.alarms, limits_,
                       record_.received_at + limits_.total_timeout, std::move(on_silence));
  const ask& asked = rest_->asked;
  std::optional<continued_chunks> chunks;
  if (asked.format == proxy::wire_format::openai_chat && said_->chunks() != nullptr)
    chunks = {*said_->chunks(), asked.form == answer_form::whole || asked.is_shared ||
                                    asked.usage != proxy::usage_chunk::unwanted};
  continued_source from(reader, std::move(before), chunks ? &*chunks : nullptr);
  const std::optional<proxy::instant> first_written_at = result.first_written_at;
  result = co_await relay_winner(from, to);
  if (first_written_at) result.first_written_at = first_written_at;
  run.winner().close();
}

}  // namespace photofinish::gateway
