#include "gateway/requests/stages/continuation_stage.hpp"

#include "gateway/api/json_body.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/attempts/setup/continued_request.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/relay/answer_prefix.hpp"
#include "gateway/relay/continued_source.hpp"
#include "gateway/relay/winner_reader.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The maximum length of a request whose answer can be continued. The gateway would have to read longer requests on
// another thread, and few models have room for them.
constexpr std::size_t longest_continued = 2u << 20;

// The estimated number of bytes per token, for text whose tokens are not counted.
constexpr std::size_t bytes_per_token = 4;

}  // namespace

// Copies the text of an answer, so that another target may continue it.
class continuation_stage::text_observer final : public race_observer {
 public:
  // Call begin() when the race has a winner whose answer another target may continue. `memory` is for the answer's
  // text.
  void begin(proxy::memory_share memory) { text_.emplace(std::move(memory)); }
  // Returns the text of the answer so far. Returns nothing if another target cannot continue the answer.
  const std::optional<answer_prefix>& text() const { return text_; }

  bool reads_answer() const override { return true; }
  void event(const proxy::stream_event& event) override {
    if (text_) text_->see(event);
  }
  void restart() override { text_.reset(); }

 private:
  std::optional<answer_prefix> text_;
};

void continuation_stage::prepare(racing::race_run& run, request_plan& plan) {
  if (context_.limits.crawl.breaking != racing::on_break::continue_text || !may_be_continued(plan.asked)) return;
  // Events of the Messages API pass to the client unchanged. Another target's text cannot continue the blocks in these
  // events.
  const auto& held = run.held_events();
  const bool passes = std::any_of(held.begin(), held.end(), [&plan](const proxy::kept_event& each) {
    return each.spoken() == plan.asked.format;
  });
  if (passes && plan.asked.format != proxy::wire_format::openai_chat) return;
  if (text_ == nullptr) {
    auto observer = std::make_unique<text_observer>();
    text_ = observer.get();
    context_.observers.add(std::move(observer));
  }
  text_->begin(context_.memory.another());
  if (!run.is_keeping()) plan_ = std::make_shared<request_plan>(std::move(plan));
}

bool continuation_stage::may_continue(const relayed& result) const {
  return result.end == answer_end::truncated && text_ != nullptr && text_->text() && text_->text()->may_go_on() &&
         may_go_on_behind(*result.why) && !context_.client.is_abandoned();
}

asio::awaitable<void> continuation_stage::run(racing::race_run& broken, std::shared_ptr<request_plan> plan,
                                              client_answer& to, relayed& result) {
  broken.answer_began();
  if (!plan_) plan_ = std::make_shared<request_plan>(std::move(*plan));
  plan.reset();
  if (answer_recorder* const recorder = cache_.recorder(); recorder != nullptr) recorder->keep_nothing();
  request_record& record = context_.record;
  std::size_t started = broken.report().attempts.size();
  while (may_continue(result)) {
    continued_text before;
    const std::shared_ptr<request_plan> next = next_plan(broken, started, before);
    if (!next) co_return;
    last_speaker(record).winner.broken = result.why;
    record.continuation.races.push_back(new_record(*next));
    race_account& continuation = *record.continuation.races.back();
    context_.tokens.count_nothing();  // the tokens counted so far belong to the first winner
    co_await race(*next, continuation, before, to, result);
    started += continuation.race.attempts.size();
    if (!continuation.race.winner) co_return;
  }
}

// Returns the plan of the race that will continue the answer. Returns null if the answer may not be continued, or if no
// target can continue it.
std::shared_ptr<request_plan> continuation_stage::next_plan(const racing::race_run& broken, std::size_t started,
                                                            continued_text& before) {
  worker_context& worker = context_.worker;
  const request_record& record = context_.record;
  const parsed_request& asked = plan_->asked;
  const std::string& text = text_->text()->text();
  if (asked.body->json().size() + text.size() > longest_continued) return nullptr;
  const auto overrides = read_overrides(plan_->request);
  const auto* wanted = std::get_if<racing::plan_overrides>(&overrides);
  std::size_t most = context_.limits.max_attempts.value_or(std::numeric_limits<std::size_t>::max());
  if (wanted != nullptr && wanted->max_attempts) most = std::min(most, *wanted->max_attempts);
  const auto left = record.times.received_at + context_.limits.total_timeout - worker.alarms.now();
  const auto time_left = std::chrono::floor<std::chrono::milliseconds>(left);
  if (most <= started || time_left.count() <= 0) return nullptr;

  const auto counted = record.continuation.races.empty() ? context_.tokens.so_far() : std::nullopt;
  continued_request continued = continue_request(asked, text, counted.value_or(text.size() / bytes_per_token));
  before = std::move(continued.before);
  proxy::memory_share room = context_.memory.another();
  if (!room.grow_to(continued.body.size() + before.given.size(), proxy::memory_use::running)) return nullptr;
  auto read = context_.called.read(std::move(continued.body), worker.outbound.parser());
  if (!std::holds_alternative<parsed_request>(read)) return nullptr;
  auto next = std::make_shared<request_plan>();
  next->is_continuation = true;
  next->request.fields = plan_->request.fields;  // the bytes of the header fields live as long as the answer
  next->keys = plan_->keys;
  next->memory = context_.memory.another();
  next->asked = std::get<parsed_request>(std::move(read));
  next->asked.body = counted_body(std::move(next->asked.body), std::move(room));
  next->asked.is_shared = true;  // the gateway must write the events of the continuation itself
  next->setup = set_up_race({next->asked, *context_.settings, next->keys, context_.who, {}, *worker.snapshots.board,
                             worker.alarms.now(), worker.random.fingerprint_salt, worker.attempts.dialects,
                             [&worker](const proxy::provider& each) { return !has_room(worker.attempts, each); },
                             nullptr, nullptr, plan_->marks, &plan_->setup.rule, {}, context_.known_prices()});
  if (next->setup.error) return nullptr;
  plan_continuation(next->setup, targets_that_spoke(broken), most - started, time_left);
  return next->setup.planned.chosen.empty() ? nullptr : next;
}

std::vector<target_name> continuation_stage::targets_that_spoke(const racing::race_run& broken) const {
  const request_record& record = context_.record;
  std::vector<target_name> all{record.planned[*broken.report().winner].target};
  for (const auto& each : record.continuation.races)
    for (const racing::attempt_report& attempt : each->race.attempts)
      all.push_back(each->planned[attempt.target].target);
  return all;
}

std::unique_ptr<race_account> continuation_stage::new_record(const request_plan& plan) const {
  const request_record& whole = context_.record;
  auto record = std::make_unique<race_account>();
  record->terms.is_continuation = true;
  record->terms.policy = racing::race_policy::fallback;
  record->id = whole.id;
  record->endpoint = whole.endpoint;
  record->form = whole.form;
  record->route = whole.route;
  record->caller = whole.caller;
  record->settings = whole.settings;
  record->times.received_at = whole.times.received_at;
  record->notes.trace = whole.notes.trace;
  record->prompt.bytes = plan.asked.prompt.size();
  record->prompt.extent = extent_of(plan.asked);
  record->continuation.first_span = whole.planned.size();
  for (const auto& each : whole.continuation.races) record->continuation.first_span += each->planned.size();
  record->planned = race_builder::planned(plan.setup);
  return record;
}

asio::awaitable<void> continuation_stage::race(request_plan& plan, race_account& record, continued_text& before,
                                               client_answer& to, relayed& result) {
  worker_context& worker = context_.worker;
  const auto start = [&plan, &record, this](std::size_t index) {
    return plan.make(index, context_.worker.attempts, context_.settings, record).upstream;
  };
  racing::race_run run =
      race_builder::race(plan.setup, start, worker.alarms, worker.executor, context_.memory.another());
  // When this function ends, removes the callbacks that refer to the race.
  const hook_removal no_hooks(context_.client);
  // An exception, which is thrown again after the race has ended, so that the session reports it.
  std::exception_ptr bug;
  try {
    cache_.on_leave([&run] { run.leave(); });
    proxy::alarm alive(worker.alarms, [&] {
      alive.arm(worker.alarms.now() + winner_reader::heartbeat_interval);
      to.send_keepalive(context_.called.sign_of_life());
    });
    if (to.is_of_events()) alive.arm(worker.alarms.now() + winner_reader::heartbeat_interval);
    co_await run.decide();
    alive.disarm();
    if (run.report().winner) co_await relay(run, record, before, to, result);
  } catch (...) {
    bug = std::current_exception();
    if (run.report().winner) run.winner().close();
    run.leave();
  }
  cache_.on_leave([] {});
  while (run.has_children()) co_await run.child_end();
  record.times.ended_at = worker.alarms.now();
  record.race = run.take_report();
  if (context_.client.is_abandoned()) record.outcome = reply_.departure();
  if (context_.client.has_left()) result.end = answer_end::client_left;
  if (bug) std::rethrow_exception(bug);
}

asio::awaitable<void> continuation_stage::relay(racing::race_run& run, race_account& record, continued_text& before,
                                                client_answer& to, relayed& result) {
  cache_.on_leave([&run] {
    run.winner().close();
    run.leave();
  });
  to.continued_by(header_safe(record.planned[*run.report().winner].target.text()));
  std::function<void()> on_silence;
  if (to.is_of_events()) on_silence = [this, &to] { to.send_keepalive(context_.called.sign_of_life()); };
  winner_reader reader(run.winner(), run.held_events(), run.held_failure(), context_.worker.alarms, context_.limits,
                       context_.record.times.received_at + context_.limits.total_timeout, std::move(on_silence));
  const parsed_request& asked = plan_->asked;
  const auto* const members = text_->text()->chunks();
  std::optional<continued_chunks> chunks;
  if (asked.format == proxy::wire_format::openai_chat && members != nullptr)
    chunks = {*members, asked.form == answer_form::whole || asked.is_shared ||
                            asked.usage != proxy::usage_chunk::unwanted};
  continued_source from(reader, std::move(before), chunks ? &*chunks : nullptr);
  const std::optional<proxy::instant> first_written_at = result.first_written_at;
  result = co_await reply_.relay(from, to, cache_.recorder());
  if (first_written_at) result.first_written_at = first_written_at;
  run.winner().close();
}

}  // namespace photofinish::gateway
