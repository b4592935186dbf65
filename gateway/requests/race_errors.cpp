// What a client gets where there is no whole answer, and what its headers say of the race: race_endpoint, continued.
#include "gateway/api/error_response.hpp"
#include "gateway/limits/reserved_tokens.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "proxy/loop/spawn.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

request_outcome race_endpoint::outcome_of(const api_error& error) {
  if (error.status < 500) return request_outcome::client_error;
  return error.type == "server_error" ? request_outcome::gateway_error : request_outcome::upstream_error;
}

limited_request race_endpoint::limited() const {
  const ask* asked = is_answered_already() ? nullptr : &attempts_->asked;  // neither tokens nor money are used then
  return {.table = own_limits_,
          .who = who_,
          .route = record_.route,
          .called = api_.label(),
          .asked = asked,
          .setup = &attempts_->setup,
          .settings = settings_};
}

bool race_endpoint::counts_tokens(std::string_view route) const {
  const limit_claims claims = own_limits_->claims_of(who_, route);
  return std::any_of(claims.begin(), claims.end(),
                     [](const limit_claim& each) { return each.limits->tokens_per_minute > 0; });
}

// The last that may refuse: what is taken is used. Without a refusal it may have to wait for the store first.
std::optional<api_error> race_endpoint::take_own_limits() {
  auto taken = take_limits(worker_, limited(), fields_);
  if (auto* refused = std::get_if<api_error>(&taken)) return std::move(*refused);
  if (auto* awaited = std::get_if<awaited_limits>(&taken)) {
    awaited_ = std::make_unique<awaited_limits>(std::move(*awaited));
    return std::nullopt;
  }
  note_limits(std::get<limit_hold>(std::move(taken)));
  return std::nullopt;
}

asio::awaitable<std::optional<api_error>> race_endpoint::wait_for_limits() {
  const limited_request request = limited();
  awaited_limits awaited = std::move(*awaited_);
  awaited_.reset();
  auto taken = co_await await_limits(worker_, request, std::move(awaited), fields_);
  if (auto* refused = std::get_if<api_error>(&taken)) co_return std::move(*refused);
  note_limits(std::get<limit_hold>(std::move(taken)));
  co_return std::nullopt;
}

void race_endpoint::note_size(const ask& asked) {
  record_.prompt_bytes = asked.prompt.size();
  record_.extent = extent_of(asked);
}

void race_endpoint::note_limits(limit_hold taken) {
  own_limits_.reset();
  account_->hold = std::move(taken);
  record_.unreported_output = background_output(attempts_->asked, api_.label());
}

void race_endpoint::begin(racing::race_run& run, client_answer& to) const {
  const race_facts facts = facts_of(run.report());
  if (to.has_begun_early()) to.comment(race_comment(facts));
  else to.begin(fields_with(facts), proxy::media_type_of(run.held_events()));
}

void race_endpoint::note_end(const relayed& result, const client_answer& to) {
  record_.status = to.has_begun() ? 200 : client_left_status;
  record_.first_written_at = result.first_written_at;
  if (result.end == answer_end::complete) record_.outcome = request_outcome::ok;
  if (result.end != answer_end::client_left) return;
  // An answer that could not be written to its end.
  record_.outcome = client_.was_cut_for_memory() ? request_outcome::gateway_error : departure();
}

// A client that leaves while its request is cut does not change why the request ended.
request_outcome race_endpoint::departure() const {
  return client_.is_interrupted() ? request_outcome::drained : request_outcome::client_cancelled;
}

// drain_timeout has passed.
asio::awaitable<after_response> race_endpoint::end_drained(client_answer& to, const racing::race_report& report) {
  const api_error error = gateway_draining();
  tell_others(error);
  record_.outcome = request_outcome::drained;
  record_.status = to.has_begun() ? 200 : error.status;
  style_.then = after_response::close;
  const race_facts facts = facts_of(report);
  co_return co_await fail(error, to, facts);
}

// Before its race, or without one.
asio::awaitable<after_response> race_endpoint::end_departed() {
  note_departure();
  if (client_.has_left() || !client_.is_interrupted()) co_return after_response::close;
  style_.then = after_response::close;
  const api_error error = gateway_draining();
  asio::awaitable<after_response> sent = refuse(error);
  record_.outcome = request_outcome::drained;
  co_return co_await std::move(sent);
}

// Apart: an open stream keeps no room for the error that it may never have.
asio::awaitable<after_response> race_endpoint::end_broken(racing::race_run& run, client_answer& to) {
  const race_facts facts = facts_of(run.report());
  const race_account& last = last_speaker();
  const api_error broken = explain_broken_winner(
      &last == &record_ ? facts.winner : last.planned[last.race.attempts[*last.race.winner].target].target.text(),
      *last.broken);
  tell_others(broken);
  const bool is_ours = !to.has_begun() && broken.type == "server_error";
  record_.outcome = is_ours ? request_outcome::gateway_error : request_outcome::truncated;
  co_return co_await fail(broken, to, facts);
}

// Where the head has left, the stream ends with an error, and its connection without a last chunk.
asio::awaitable<after_response> race_endpoint::fail(const api_error& error, client_answer& to,
                                                    const race_facts& facts) {
  note_error(error);
  if (!to.has_begun()) {
    record_.status = error.status;
    co_return co_await send(error_response(error, api_.error_json(error), fields_with(facts), style_));
  }
  to.out().begin_batch();
  if (!writer_) writer_ = api_.writer({.form = answer_form::stream}, {});
  writer_->fail(error, to.out());
  to.start(false);
  co_await to.finish();
  if (!to.shows_its_end()) client_.abort();
  co_return after_response::close;
}

asio::awaitable<after_response> race_endpoint::answer_defeat(racing::race_run& run, client_answer& to) {
  const racing::race_report& report = run.report();
  if (client_.is_interrupted() && !client_.has_left()) {
    const after_response then = co_await end_drained(to, report);
    co_return then;
  }
  if (report.defeated == racing::defeat::client_left) {
    record_.outcome = departure();
    record_.status = client_left_status;
    co_return after_response::close;
  }
  const api_error error = explain(report);
  tell_others(error);
  record_.status = error.status;
  record_.outcome = outcome_of(error);
  if (error.status == 429) record_.outcome = request_outcome::upstream_error;
  co_return co_await fail(error, to, facts_of(report));
}

asio::awaitable<after_response> race_endpoint::refuse(const api_error& error) {
  record_.status = error.status;
  note_error(error);
  record_.outcome = outcome_of(error);
  race_facts facts;
  if (!record_.race.attempts.empty()) facts.id = observers_.race_id();
  facts.skipped = skipped_;
  return send(error_response(error, api_.error_json(error), fields_with(facts), style_));
}

// A client that has no byte of an answer gets an error. A stream that has begun ends as broken.
asio::awaitable<after_response> race_endpoint::answer_bug(std::exception_ptr bug) {
  const api_error error = explain_bug(bug);
  proxy::report_bug("a request", bug);
  record_.outcome = request_outcome::gateway_error;
  record_.ended_at = worker_.alarms.now();
  note_error(error);
  style_.then = after_response::close;
  if (!client_.has_written() && !client_.has_left()) co_return co_await refuse(error);
  client_.abort();
  co_return after_response::close;
}

void race_endpoint::note_error(const api_error& error) {
  record_.code = error.code;
  record_.limit = error.limit;
  record_.overload = error.overload;
}

asio::awaitable<after_response> race_endpoint::send(std::string response) {
  const std::string_view piece = response;
  const bool is_sent = co_await client_.write(std::span(&piece, 1));
  co_return is_sent ? style_.then : after_response::close;
}

race_facts race_endpoint::facts_of(const racing::race_report& report) const {
  race_facts facts;
  facts.is_lowered_by_store = is_lowered_by_store_;
  facts.id = observers_.race_id();
  for (const auto& each : observers_.all()) each->add_facts(facts);
  facts.skipped = skipped_;
  facts.dropped = dropped_;
  note_left_out(facts);
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!was_turned_away(attempt)) ++facts.attempts;
    else
      facts.skipped.emplace_back(record_.planned[attempt.target].target.text(), to_string(racing::skip_reason::busy));
  }
  if (!report.winner) return facts;
  facts.winner = record_.planned[*report.winner].target.text();
  const racing::attempt_report& winner = report.attempts[*report.winner];
  facts.ttft = report.decided_at - record_.received_at;
  facts.own = facts.ttft - (report.decided_at - winner.started_at);
  return facts;
}

// What was left out of an attempt after it had begun.
void race_endpoint::note_left_out(race_facts& facts) const {
  for (const planned_attempt& each : record_.planned) {
    if (!each.repeated[metrics::repeat_reason::reasoning]) continue;
    std::pair<std::string, std::string> dropped(each.target.text(), "reasoning");
    const bool is_listed = std::find(facts.dropped.begin(), facts.dropped.end(), dropped) != facts.dropped.end();
    if (!is_listed) facts.dropped.push_back(std::move(dropped));
  }
}

api_error race_endpoint::explain(const racing::race_report& report) const {
  std::vector<attempt_failure> failures;
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!attempt.why) continue;
    const planned_attempt& planned = record_.planned[attempt.target];
    failures.push_back({planned.target.text(), *attempt.why, planned.is_callers_key});
  }
  return explain_defeat(failures, *report.defeated);
}

// The head of a stream that begins before its race has a winner.
header_fields race_endpoint::early_fields() const {
  header_fields fields = fields_;
  if (const std::string id = observers_.race_id(); !id.empty()) fields.add("x-race-id", id);
  return fields;
}

header_fields race_endpoint::fields_with(const race_facts& facts) const {
  header_fields fields = fields_;
  append_race_fields(fields, facts);
  return fields;
}

}  // namespace photofinish::gateway
