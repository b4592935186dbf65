#include "gateway/requests/chat_endpoint.hpp"

#include "gateway/access/fingerprints.hpp"
#include "gateway/api/error_response.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/attempt.hpp"
#include "gateway/requests/counted_upstream.hpp"
#include "gateway/requests/refused_upstream.hpp"
#include "gateway/requests/winner_reader.hpp"
#include "proxy/failures/network_failures.hpp"
#include "proxy/http/trace_context.hpp"
#include "proxy/json/tolerant_json.hpp"

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

// How long behind the answer observed losers may still run to their first token.
constexpr std::chrono::seconds observe_grace{2};

// A longer body is read beside the loop. Going there and back costs a tenth of what a prompt of 1 MB takes, and a
// prompt of 2 MB is longer than most contexts.
constexpr std::size_t most_read_here = 2u << 20;

// The log cuts it further; a name may be megabytes long.
constexpr std::size_t longest_noted_name = 256;

// One request in its race, counted until the race is over, however it ends. The load is counted already.
class in_flight {
 public:
  in_flight(server_load& load, metrics::route_series& route) : load_(load), route_(route) {
    route_.inflight_requests.add(1);
  }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  ~in_flight() {
    route_.inflight_requests.sub(1);
    load_.requests.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  server_load& load_;
  metrics::route_series& route_;
};

request_outcome outcome_of(const api_error& error) {
  if (error.status < 500) return request_outcome::client_error;
  return error.type == "server_error" ? request_outcome::gateway_error : request_outcome::upstream_error;
}

bool has_room(const flight_count& running, const proxy::provider& provider) {
  const auto& most = provider.limits.max_running;
  return !most || running.load(std::memory_order_relaxed) < *most;
}

proxy::failure full(const proxy::provider& provider) {
  return proxy::busy_failure("max_running of '" + provider.name + "' run already");
}

}  // namespace

chat_endpoint::chat_endpoint(services& worker, std::shared_ptr<const config> settings, client_connection& client,
                             client_request request, presented_keys keys, caller who, header_fields fields,
                             response_style style, std::string request_id,
                             const boost::asio::ip::tcp::endpoint& peer, proxy::memory_share memory)
    : worker_(worker),
      client_(client),
      who_(who),
      fields_(std::move(fields)),
      style_(style),
      settings_(std::move(settings)),
      wish_(std::make_unique<wish>(wish{std::move(request), std::move(keys), {}, {}})),
      memory_(std::move(memory)),
      account_(std::make_unique<open_account>([&worker](std::string text, std::function<void(std::uint64_t)> counted) {
        return worker.keeper.count_tokens(std::move(text), worker.executor, std::move(counted));
      })),
      tokens_(account_->tokens),
      record_(account_->record) {
  record_.id = std::move(request_id);
  record_.peer = peer;
  record_.forwarded_for = last_forwarded(wish_->request.fields).substr(0, longest_noted_name);
  record_.client = who_.name();
  record_.received_at = wish_->request.received_at;
  record_.settings = settings_;
}

asio::awaitable<after_response> chat_endpoint::serve() {
  after_response then = style_.then;
  try {
    then = co_await read_and_answer();
  } catch (...) {  // the session's to report; but it counts
    record_.outcome = request_outcome::gateway_error;
    record_.ended_at = worker_.alarms.now();
    close_account();
    throw;
  }
  if (record_.ended_at == proxy::instant{}) record_.ended_at = worker_.alarms.now();
  close_account();
  co_return then;
}

// The connection's next request does not wait for what is still counted.
void chat_endpoint::close_account() { worker_.late.close(worker_, std::move(account_)); }

asio::awaitable<after_response> chat_endpoint::read_and_answer() {
  if (wish_->request.body.size() > most_read_here) return read_beside();
  return race_or_refuse(read_chat_request(std::move(wish_->request.body), worker_.outbound.parser()));
}

// A giant body would hold the worker for as long as some hundred usual requests do.
asio::awaitable<after_response> chat_endpoint::read_beside() {
  read_request read;
  std::function<void()> work = [&read, &body = wish_->request.body] {
    proxy::tolerant_parser of_its_own;  // its memory goes with it
    read = read_chat_request(std::move(body), of_its_own);
  };
  co_await worker_.keeper.parsing().run(std::move(work), worker_.executor);
  co_return co_await race_or_refuse(std::move(read));
}

// From the body to a plan; an error is the client's.
std::optional<api_error> chat_endpoint::prepare(read_request read) {
  chat_request& chat = wish_->chat;
  if (auto* error = std::get_if<api_error>(&read)) return *error;
  chat = std::get<chat_request>(std::move(read));
  chat.body = counted_body(std::move(chat.body), std::move(wish_->request.memory));
  record_.form = chat.form;
  record_.model = chat.model.substr(0, longest_noted_name);
  record_.prompt_bytes = chat.prompt_bytes;
  record_.prompt_print = prompt_print(chat.body->value_of("messages"));
  auto overrides = read_overrides(wish_->request);
  if (auto* error = std::get_if<api_error>(&overrides)) return *error;
  race_setup& setup = wish_->setup;
  setup = set_up_race({chat, *settings_, wish_->keys, who_, std::get<racing::plan_overrides>(overrides), *worker_.board,
                       worker_.alarms.now(), worker_.fingerprint_salt, [this](const proxy::provider& provider) {
                         return !has_room(worker_.flights.at_provider(provider.name), provider);
                       }});
  limits_ = setup.settings;
  is_lowered_by_store_ = setup.is_lowered_by_store;
  const double chance = std::uniform_real_distribution<double>(0, 1)(worker_.random);
  if (chance < limits_.observe_losers) setup.planned.plan.fate = racing::losers::observed;
  record_.route = setup.route;
  for (const auto& [index, reason, detail] : setup.planned.skipped) {
    const target_name& target = setup.entrants[index].target;
    record_.skipped.emplace_back(target, reason);
    skipped_.emplace_back(target.text(), std::string(to_string(reason)) + (detail.empty() ? "" : ":" + detail));
  }
  for (const std::size_t index : setup.planned.runners) {
    const entrant& each = setup.entrants[index];
    record_.runners.push_back(
        {each.target, each.runner, each.key.source == key_source::own, each.provider->behaves.billing});
  }
  return setup.error;
}

asio::awaitable<after_response> chat_endpoint::race_or_refuse(read_request read) {
  if (const auto error = prepare(std::move(read))) return refuse(*error, outcome_of(*error));
  if (worker_.load.requests.fetch_add(1, std::memory_order_relaxed) < settings_->limits.max_inflight) return race();
  worker_.load.requests.fetch_sub(1, std::memory_order_relaxed);
  return refuse(overloaded("the gateway is at max_inflight requests"), request_outcome::gateway_error);
}

asio::awaitable<after_response> chat_endpoint::race() {
  std::optional<in_flight> counted(std::in_place, worker_.load, worker_.shard.route(record_.route));
  client_.set_stall_timeout(limits_.client_stall_timeout);
  // A stream of HTTP/1.0 ends with its connection, and its head says so.
  if (style_.is_http_1_0 && record_.form == answer_form::stream) style_.then = after_response::close;
  const stream_framing framing = style_.is_http_1_0 ? stream_framing::until_close : stream_framing::chunked;
  answer_stream stream(client_, worker_.alarms, worker_.batch, framing);
  after_response then = after_response::close;
  {
    racing::race_run run(
        wish_->setup.planned.plan, [this](std::size_t runner) { return make_upstream(runner); }, worker_.alarms,
        worker_.executor,
        [this](std::size_t runner) { return wish_->setup.runner(runner).provider->limits.max_buffered_bytes; },
        memory_.another());
    client_.on_leave([&run] { run.leave(); });
    if (client_.has_left()) run.leave();
    proxy::alarm early(worker_.alarms, [&] {
      early.arm(worker_.alarms.now() + winner_reader::heartbeat_interval);  // first: a write that breaks ends the race
      if (!stream.has_begun_early()) stream.begin_early(stream_head(fields_, style_));
      else stream.comment_aside("waiting");
    });
    const bool may_begin_early = record_.form == answer_form::stream && limits_.keepalive_after.count() > 0;
    if (may_begin_early) early.arm(worker_.alarms.now() + limits_.keepalive_after);
    std::exception_ptr bug;  // the session's to report; but what was begun ends first
    try {
      co_await run.decide();
      early.disarm();
      then = co_await answer(run, stream);
    } catch (...) {
      bug = std::current_exception();
      early.disarm();
      if (run.report().winner) run.winner().close();
      run.leave();
    }
    record_.ended_at = worker_.alarms.now();
    if (run.is_observing()) counted.reset();  // its client has its answer: what follows is no load
    see_losers_off(run, then);
    co_await run.ended();
    client_.on_leave({});
    client_.on_bytes({});
    record_.race = run.report();
    if (record_.race.winner) record_.race.attempts[*record_.race.winner].summary = run.winner().summary();
    tokens_.finish();
    if (bug) std::rethrow_exception(bug);
  }
  co_return then;
}

// The client has its answer, and nobody waits for a loser: its next request, its leaving, or the closing of its
// connection end the observation.
void chat_endpoint::see_losers_off(racing::race_run& run, after_response then) {
  client_.on_leave({});
  if (!run.is_observing()) return;
  if (then == after_response::close || client_.has_left() || !client_.unread().empty()) run.leave();
  else run.request_over(observe_grace);
  client_.on_leave([&run] { run.leave(); });
  client_.on_bytes([&run] { run.leave(); });
}

std::unique_ptr<proxy::upstream> chat_endpoint::make_upstream(std::size_t runner) {
  const entrant& each = wish_->setup.runner(runner);
  made_attempt made = make_attempt(worker_.outbound, wish_->chat, each, forwarded_to(*each.provider), record_.id,
                                   worker_.redactors.of(settings_), memory_.another());
  flight_count& at_provider = worker_.flights.at_provider(each.provider->name);
  if (!take_place(at_provider, each.provider->limits.max_running.value_or(SIZE_MAX)))
    return std::make_unique<refused_upstream>(full(*each.provider));
  for (std::string& parameter : made.dropped) dropped_.emplace_back(each.target.text(), std::move(parameter));
  metrics::target_series& series = worker_.shard.target(each.target.provider, each.target.model);
  flight_count& at_target = worker_.flights.at(series);
  record_.runners[runner].concurrency = at_target.fetch_add(1, std::memory_order_relaxed) + 1;
  return std::make_unique<counted_upstream>(std::move(made.upstream), series.provider.inflight_attempts, at_target,
                                            at_provider);
}

std::vector<std::pair<std::string, std::string>> chat_endpoint::forwarded_to(const proxy::provider& provider) const {
  std::vector<std::pair<std::string, std::string>> forwarded;
  for (const std::string& name : provider.forward_headers)
    if (const auto value = wish_->request.field(name); !value.empty()) forwarded.emplace_back(name, std::string(value));
  const auto parent = wish_->request.field("traceparent");
  if (!provider.trace_context || !proxy::is_traceparent(parent)) return forwarded;
  forwarded.emplace_back("traceparent", std::string(parent));
  const auto state = wish_->request.field("tracestate");
  if (proxy::is_tracestate(state)) forwarded.emplace_back("tracestate", std::string(state));
  return forwarded;
}

asio::awaitable<after_response> chat_endpoint::answer(racing::race_run& run, answer_stream& stream) {
  wish_.reset();
  if (!run.report().winner) return answer_defeat(run, stream);
  proxy::upstream& winner = run.winner();
  client_.on_leave([this, &run, &winner] {
    const proxy::instant left_at = worker_.alarms.now();
    winner.close();
    record_.winner_cancelled = worker_.alarms.now() - left_at;
    run.leave();
  });
  if (record_.form == answer_form::stream) return answer_streamed(run, stream);
  return answer_whole(run);
}

void chat_endpoint::begin_stream(const racing::race_report& report, answer_stream& stream) const {
  const race_facts facts = facts_of(report);
  if (stream.has_begun_early()) stream.comment(race_comment(facts));
  else stream.begin(stream_head(fields_with(facts), style_));
}

asio::awaitable<after_response> chat_endpoint::answer_streamed(racing::race_run& run, answer_stream& stream) {
  begin_stream(run.report(), stream);
  const std::chrono::nanoseconds stalled_before = client_.time_stalled();
  winner_reader winner(run.winner(), run.held_failure(), worker_.alarms, limits_,
                       record_.received_at + limits_.total_timeout,
                       [&stream] { stream.comment_aside("waiting"); });
  record_.decided_by_read_at = run.held_events().back().read_at();
  answer_result result = co_await stream.relay(run.held_events(), winner, tokens_);
  record_.status = result.has_begun || stream.has_begun_early() ? 200 : client_left_status;
  record_.first_written_at = result.first_written_at;
  record_.client_stalled = client_.time_stalled() - stalled_before;
  run.winner().close();
  if (result.end == answer_end::complete) {
    record_.outcome = request_outcome::ok;
    co_return style_.then;
  }
  if (result.end == answer_end::client_left) {
    record_.outcome = left_outcome();
    co_return after_response::close;
  }
  record_.broken = result.why;
  co_return co_await end_broken(run, stream);
}

asio::awaitable<after_response> chat_endpoint::end_broken(racing::race_run& run, answer_stream& stream) {
  record_.outcome = request_outcome::truncated;
  const api_error broken = explain_broken_winner(facts_of(run.report()).winner, *record_.broken);
  record_.code = broken.code;
  const std::string error = to_json(broken);
  co_await stream.fail(error);
  co_return after_response::close;
}

asio::awaitable<after_response> chat_endpoint::answer_defeat(racing::race_run& run, answer_stream& stream) {
  const racing::race_report& report = run.report();
  if (report.defeated == racing::defeat::client_left) {
    record_.outcome = request_outcome::client_cancelled;
    record_.status = client_left_status;
    co_return after_response::close;
  }
  const api_error error = explain(report);
  record_.status = error.status;
  record_.code = error.code;
  record_.outcome = outcome_of(error);
  if (error.status == 429) record_.outcome = request_outcome::upstream_error;
  if (stream.has_begun_early()) {
    co_await stream.fail(to_json(error));
    co_return after_response::close;
  }
  co_return co_await send(error_response(error, fields_with(facts_of(report)), style_));
}

asio::awaitable<after_response> chat_endpoint::refuse(const api_error& error, request_outcome outcome) {
  record_.status = error.status;
  record_.code = error.code;
  record_.outcome = outcome;
  race_facts facts;
  for (const auto& [target, reason] : record_.skipped) facts.skipped.emplace_back(target.text(), to_string(reason));
  return send(error_response(error, fields_with(facts), style_));
}

asio::awaitable<after_response> chat_endpoint::send(std::string response) {
  const std::string_view piece = response;
  const bool is_sent = co_await client_.write(std::span(&piece, 1));
  co_return is_sent ? style_.then : after_response::close;
}

// Of an answer that could not be written to its end.
request_outcome chat_endpoint::left_outcome() const {
  return client_.was_cut_for_memory() ? request_outcome::gateway_error : request_outcome::client_cancelled;
}

race_facts chat_endpoint::facts_of(const racing::race_report& report) const {
  race_facts facts;
  facts.is_lowered_by_store = is_lowered_by_store_;
  facts.skipped = skipped_;
  facts.dropped = dropped_;
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!was_turned_away(attempt)) ++facts.attempts;
    else
      facts.skipped.emplace_back(record_.runners[attempt.target].target.text(), to_string(racing::skip_reason::busy));
  }
  if (!report.winner) return facts;
  facts.winner = record_.runners[*report.winner].target.text();
  const racing::attempt_report& winner = report.attempts[*report.winner];
  facts.ttft = report.decided_at - record_.received_at;
  facts.own = facts.ttft - (report.decided_at - winner.started_at);
  return facts;
}

api_error chat_endpoint::explain(const racing::race_report& report) const {
  std::vector<attempt_failure> failures;
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!attempt.why) continue;
    const race_runner& runner = record_.runners[attempt.target];
    failures.push_back({runner.target.text(), *attempt.why, runner.is_callers_key});
  }
  return explain_defeat(failures, *report.defeated);
}

header_fields chat_endpoint::fields_with(const race_facts& facts) const {
  header_fields fields = fields_;
  append_race_fields(fields, facts);
  return fields;
}

}  // namespace photofinish::gateway
