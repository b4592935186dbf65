// Who sees a race beside its client, and its winner's speed. race_endpoint.hpp, continued.
#include "gateway/attempts/race_speed.hpp"
#include "gateway/attempts/race_watch.hpp"
#include "gateway/attempts/setup/speed_setup.hpp"
#include "gateway/http/request_id.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/observers/content_observer.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "gateway/traces/request_trace.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// How long behind the answer observed losers may still run to their first token.
constexpr std::chrono::seconds observe_grace{2};

}  // namespace

std::optional<speed_source> race_endpoint::known_speed() {
  if (!worker_.speed) return std::nullopt;
  speed_source known{worker_.speed, {}, {}, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())};
  known.in_flight = [this](const target_name& each) {
    const metrics::target_series& series = worker_.shard.target(each.provider, each.model);
    return static_cast<double>(worker_.attempts.flights.at(series).load(std::memory_order_relaxed));
  };
  known.prices_of = [this](const target_name& each) { return worker_.prices.find(settings_, each); };
  const std::uint64_t tokens = tokens_of_attempt(attempts_->asked);
  known.is_full = [this, tokens](const race_candidate& each) {
    return worker_.attempts.rooms.of(each.id)->is_full(tokens, worker_.alarms.now());
  };
  known.draw = std::uniform_real_distribution<double>(0, 1)(worker_.random);
  return known;
}

void race_endpoint::limit_writes() {
  client_.set_stall_timeout(limits_.client_stall_timeout);
  client_.set_write_end(record_.received_at + limits_.total_timeout + client_connection::last_write);
}

// Speed, the live page, and the sums of sessions and projects.
void race_endpoint::add_observers() {
  race_setup& setup = attempts_->setup;
  const bool is_shown =
      worker_.sampler.is_open() && worker_.sampler.takes(worker_.alarms.now(), is_pages_own(attempts_->request));
  const bool is_summed = !marks_.session.empty() || !marks_.project.empty();
  if (!worker_.speed && !is_shown && !is_summed) return;
  const racing::caller_id caller = record_.caller;
  receipt_head head{.id = new_race_id({worker_.unguessable.next(), worker_.unguessable.next()}), .caller = caller,
                    .route = setup.route, .rule = setup.rule, .marks = marks_, .policy = setup.planned.plan.policy,
                    .wins = setup.planned.plan.wins};
  std::unique_ptr<race_watch> watch;
  if (is_shown || is_summed) watch = std::make_unique<race_watch>(worker_.steps, head, is_shown);
  if (worker_.speed)
    observers_.add(
        std::make_unique<race_speed>(*worker_.speed, worker_.steps, std::move(head), attempts_->asked, setup));
  if (watch) observers_.add(std::move(watch));  // after speed: a receipt with forecasts says more
}

// The request's own bytes may go with its race, so the log gets a copy.
void race_endpoint::add_content_log() {
  const content_log_settings& log = settings_->content_log;
  const ask& asked = attempts_->asked;
  if (!log.has(record_.route) || !asked.body) return;
  content_observer::context by{worker_.keeper.content(), worker_.index, worker_.attempts.redactors.of(settings_)};
  observers_.add(
      std::make_unique<content_observer>(std::move(by), log, asked, attempts_->keys, memory_.another()));
}

// A route without readers of its answers, whose answers are not continued, pays two comparisons.
asio::awaitable<relayed> race_endpoint::relay_kept(answer_source& from, client_answer& to) {
  if (observers_.readers().empty() && !said_)
    return relay(from, *writer_, to, tokens_, worker_.alarms, &worker_.beside);
  return relay_seen(from, to);
}

asio::awaitable<relayed> race_endpoint::relay_seen(answer_source& from, client_answer& to) {
  recording_source kept(from, usage_shown::yes, [this](const proxy::stream_event& event) {
    for (const auto& each : observers_.readers()) each->event(event);
    if (said_) said_->see(event);
  });
  relayed result = co_await relay(kept, *writer_, to, tokens_, worker_.alarms, &worker_.beside);
  co_return result;
}

// Its attempts carry ids of its spans long before there are any.
void race_endpoint::begin_trace_of(const admitted_request& admitted) {
  if (!settings_->tracing.is_on()) return;
  random_bits& random = worker_.unguessable;
  const std::array bits{random.next(), random.next(), random.next(), random.next()};
  request_trace trace = begin_trace(settings_->tracing, admitted.request.fields, bits);
  trace.is_https = admitted.is_https;
  record_.trace = std::make_shared<const request_trace>(std::move(trace));
}

void race_endpoint::watch(racing::race_run& run) {
  if (limits_.keep_runner_up.count() > 0)
    run.ask_before_keeping([this, &run](const racing::ask_to_keep& asked) { return may_keep(run, asked); });
  if (observers_.is_empty()) return;
  for (const auto& each : observers_.all()) each->set_rules(run);
  run.watch_steps([this, &run](std::size_t index, racing::attempt_step what) {
    const race_progress race{run.report(), record_.planned, worker_.alarms.now()};
    for (const auto& each : observers_.all()) each->step(race, index, what);
  });
}

// Only where a provider that is left stops its bill. The first bytes of a stream go out at once: only a winner that is
// broken already can be replaced then.
bool race_endpoint::may_keep(const racing::race_run& run, const racing::ask_to_keep& asked) {
  if (record_.planned[asked.attempt].billing != proxy::cancel_billing::stops) return false;
  if (record_.form != answer_form::whole && !run.is_broken(asked.winner)) return false;
  return observers_.may_keep(asked.attempt, limits_.keep_runner_up);
}

// Not for what another target would come to, too: limits of ours on memory and on the time of the whole request.
bool race_endpoint::may_be_replaced(const racing::race_run& run, const client_answer& to,
                                    const relayed& result) const {
  if (result.end != answer_end::truncated || to.has_begun() || !run.is_keeping()) return false;
  if (client_.is_abandoned()) return false;
  if (result.why->origin != proxy::failure_origin::provider || result.why->kind == proxy::failure_kind::timeout)
    return false;
  return !shared_ || !shared_->into || shared_->into->restart();  // who shares the answer has none of it
}

// Where the answer goes on, a runner-up that has not spoken is no better: it may never speak.
metrics::crawl_end race_endpoint::end_of_crawl(const racing::race_run& run, const client_answer& to) const {
  const bool is_cut = limits_.crawl == racing::on_crawl::cut;
  const bool may_answer = run.has_ready_runner_up() || (is_cut && run.is_keeping());
  if (may_answer && !to.has_begun()) return metrics::crawl_end::replaced;
  return is_cut ? metrics::crawl_end::cut : metrics::crawl_end::reported;
}

void race_endpoint::watch_crawl(crawl_watch& watch, winner_reader& winner, racing::race_run& run, client_answer& to) {
  winner.watch_speed(watch, [this, &run, &to](const found_crawl& found) {
    const metrics::crawl_end end = end_of_crawl(run, to);
    record_.crawls.push_back({*run.report().winner, found.tokens_per_second, found.watched,
                              static_cast<double>(*limits_.min_tokens_per_second), end});
    return end != metrics::crawl_end::reported;
  });
}

// The client has its answer, and no client waits for a loser: its next request, its leaving, or the closing of its
// connection end the observation.
void race_endpoint::see_losers_off(racing::race_run& run, after_response then) {
  client_.on_leave({});
  if (!run.is_observing()) return;
  if (then == after_response::close || client_.has_left() || !client_.unread().empty()) run.leave();
  else run.request_over(observe_grace);
  client_.on_leave([&run] { run.leave(); });
  client_.on_bytes([&run] { run.leave(); });
}

}  // namespace photofinish::gateway
