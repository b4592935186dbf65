#include "gateway/requests/stages/client_reply.hpp"

#include "gateway/api/error_response.hpp"
#include "gateway/records/request_log.hpp"
#include "proxy/loop/spawn.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

using metrics::request_outcome;

request_outcome outcome_of(const api_error& error) {
  if (error.status < 500) return request_outcome::client_error;
  return error.type == "server_error" ? request_outcome::gateway_error : request_outcome::upstream_error;
}

race_account& last_speaker(request_record& record) {
  for (auto each = record.continuation.races.rbegin(); each != record.continuation.races.rend(); ++each)
    if ((*each)->race.winner) return **each;
  return record;
}

// Opens the client's answer. A stream to an HTTP/1.0 client ends when the connection closes, and the head of the answer
// announces this.
client_answer client_reply::open() {
  const request_record& record = context_.record;
  context_.client.set_stall_timeout(context_.limits.client_stall_timeout);
  context_.client.set_write_end(record.times.received_at + context_.limits.total_timeout +
                                client_connection::last_write);
  if (context_.style.is_http_1_0 && record.form != answer_form::whole) context_.style.then = after_response::close;
  return client_answer(context_.client, context_.worker.batch, record.form, context_.style, context_.memory.another());
}

void client_reply::begin(const racing::race_report& report, std::string_view media_type, client_answer& to) const {
  const race_facts facts = facts_of(report);
  if (to.has_begun_early()) to.comment(race_comment(facts));
  else to.begin(fields_with(facts), media_type);
}

void client_reply::show_life(client_answer& to) const {
  if (to.has_begun_early()) return to.send_keepalive(context_.called.sign_of_life());
  header_fields fields = context_.fields;
  if (const std::string id = context_.observers.race_id(); !id.empty()) fields.add("x-race-id", id);
  to.begin_early(fields);
}

// Relays the answer to the client. If no observer reads answers, the only additional cost is one comparison.
boost::asio::awaitable<relayed> client_reply::relay(answer_source& from, client_answer& to, answer_recorder* recorder) {
  if (!context_.observers.readers().empty()) return relay_observed(from, to, recorder);
  return gateway::relay(from, *writer_, to, context_.tokens, context_.worker.alarms, &context_.worker.beside);
}

boost::asio::awaitable<relayed> client_reply::relay_observed(answer_source& from, client_answer& to,
                                                             answer_recorder* recorder) {
  const usage_shown usage = recorder == nullptr ? usage_shown::yes : recorder->usage_for_client();
  recording_source seen(from, usage, [this](const proxy::stream_event& event) {
    for (const auto& each : context_.observers.readers()) each->event(event);
  });
  relayed result = co_await gateway::relay(seen, *writer_, to, context_.tokens, context_.worker.alarms,
                                           &context_.worker.beside);
  if (recorder == nullptr) co_return result;
  if (!seen.is_over()) co_await recorder->read_rest(seen, context_.tokens);
  recorder->keep(seen, result, context_.worker.alarms.now());
  co_return result;
}

void client_reply::note_end(const relayed& result, const client_answer& to) {
  request_record& record = context_.record;
  record.status = to.has_begun() ? 200 : client_left_status;
  record.times.first_written_at = result.first_written_at;
  if (result.end == answer_end::complete) record.outcome = request_outcome::ok;
  if (result.end != answer_end::client_left) return;
  // Records the reason why the answer could not be written to its end.
  record.outcome = context_.client.was_cut_for_memory() ? request_outcome::gateway_error : departure();
}

// Returns the outcome of a request whose client has left. If the gateway was already ending the request because of a
// drain, the outcome is `drained`.
request_outcome client_reply::departure() const {
  return context_.client.is_interrupted() ? request_outcome::drained : request_outcome::client_cancelled;
}

void client_reply::note_departure() {
  // Removes the guardrails' result, because some guardrails may not have answered.
  context_.record.notes.guardrail.reset();
  context_.record.outcome = departure();
  context_.record.status = client_left_status;
}

client_reply::ended client_reply::fail_drained(const racing::race_report& report, client_answer& to) {
  const api_error error = gateway_draining();
  context_.record.outcome = request_outcome::drained;
  context_.record.status = to.has_begun() ? 200 : error.status;
  context_.style.then = after_response::close;
  co_return co_await fail(error, to, report);
}

client_reply::ended client_reply::end_departed() {
  note_departure();
  const client_connection& client = context_.client;
  if (client.has_left() || !client.is_interrupted()) co_return after_response::close;
  context_.style.then = after_response::close;
  const api_error error = gateway_draining();
  ended sent = refuse(error);
  context_.record.outcome = request_outcome::drained;
  co_return co_await std::move(sent);
}

client_reply::ended client_reply::fail_broken(const racing::race_report& report, client_answer& to) {
  request_record& record = context_.record;
  const race_account& last = last_speaker(record);
  const racing::race_report& race = &last == &record ? report : last.race;
  const std::string target = last.planned[race.attempts[*race.winner].target].target.text();
  const api_error broken = explain_broken_winner(target, *last.winner.broken);
  const bool is_ours = !to.has_begun() && broken.type == "server_error";
  record.outcome = is_ours ? request_outcome::gateway_error : request_outcome::truncated;
  co_return co_await fail(broken, to, report);
}

client_reply::ended client_reply::fail_defeated(const racing::race_report& report, client_answer& to) {
  const client_connection& client = context_.client;
  if (client.is_interrupted() && !client.has_left()) co_return co_await fail_drained(report, to);
  request_record& record = context_.record;
  if (report.defeated == racing::defeat::client_left) {
    record.outcome = departure();
    record.status = client_left_status;
    co_return after_response::close;
  }
  const api_error error = explain(report);
  record.status = error.status;
  record.outcome = error.status == 429 ? request_outcome::upstream_error : outcome_of(error);
  co_return co_await fail(error, to, report);
}

// Sends an error. If the head of an answer was already sent, the stream ends with the error, and the connection closes
// without a last chunk.
client_reply::ended client_reply::fail(const api_error& error, client_answer& to, const racing::race_report& report) {
  for (const auto& each : context_.observers.all()) each->failed(error);
  note_error(error);
  if (!to.has_begun()) {
    context_.record.status = error.status;
    std::string response = error_response(error, context_.called.error_json(error), fields_with(facts_of(report)),
                                          context_.style);
    co_return co_await send(std::move(response));
  }
  to.out().begin_batch();
  if (!writer_) writer_ = context_.called.writer({.form = answer_form::stream}, {});
  writer_->fail(error, to.out());
  to.start(false);
  co_await to.finish();
  if (!to.shows_its_end()) context_.client.abort();
  co_return after_response::close;
}

client_reply::ended client_reply::refuse(const api_error& error) {
  request_record& record = context_.record;
  record.status = error.status;
  note_error(error);
  record.outcome = outcome_of(error);
  race_facts facts;
  if (!record.race.attempts.empty()) facts.id = context_.observers.race_id();
  facts.skipped = context_.notes.skipped;
  return send(error_response(error, context_.called.error_json(error), fields_with(facts), context_.style));
}

client_reply::ended client_reply::end_by_bug(std::exception_ptr bug) {
  const api_error error = explain_bug(bug);
  proxy::report_bug("a request", bug);
  context_.record.outcome = request_outcome::gateway_error;
  context_.record.times.ended_at = context_.worker.alarms.now();
  note_error(error);
  context_.style.then = after_response::close;
  client_connection& client = context_.client;
  if (!client.has_written() && !client.has_left()) co_return co_await refuse(error);
  client.abort();
  co_return after_response::close;
}

void client_reply::note_error(const api_error& error) {
  context_.record.code = error.code;
  context_.record.limit = error.limit;
  context_.record.overload = error.overload;
}

client_reply::ended client_reply::send(std::string response) {
  const std::string_view piece = response;
  const bool is_sent = co_await context_.client.write(std::span(&piece, 1));
  co_return is_sent ? context_.style.then : after_response::close;
}

race_facts client_reply::facts_of(const racing::race_report& report) const {
  const request_record& record = context_.record;
  race_facts facts;
  facts.is_lowered_by_store = context_.notes.is_lowered_by_store;
  facts.id = context_.observers.race_id();
  for (const auto& each : context_.observers.all()) each->add_facts(facts);
  facts.skipped = context_.notes.skipped;
  facts.dropped = context_.notes.dropped;
  note_left_out(facts);
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!was_turned_away(attempt)) ++facts.attempts;
    else
      facts.skipped.emplace_back(record.planned[attempt.target].target.text(), to_string(racing::skip_reason::busy));
  }
  if (!report.winner) return facts;
  facts.winner = record.planned[*report.winner].target.text();
  const racing::attempt_report& winner = report.attempts[*report.winner];
  facts.ttft = report.decided_at - record.times.received_at;
  facts.own = facts.ttft - (report.decided_at - winner.started_at);
  return facts;
}

// Adds reasoning to the list of dropped request parts, for each target that got a second attempt without the reasoning.
void client_reply::note_left_out(race_facts& facts) const {
  for (const planned_attempt& each : context_.record.planned) {
    if (!each.repeated[metrics::repeat_reason::reasoning]) continue;
    std::pair<std::string, std::string> dropped(each.target.text(), "reasoning");
    const bool is_listed = std::find(facts.dropped.begin(), facts.dropped.end(), dropped) != facts.dropped.end();
    if (!is_listed) facts.dropped.push_back(std::move(dropped));
  }
}

api_error client_reply::explain(const racing::race_report& report) const {
  std::vector<attempt_failure> failures;
  for (const racing::attempt_report& attempt : report.attempts) {
    if (!attempt.why) continue;
    const planned_attempt& planned = context_.record.planned[attempt.target];
    failures.push_back({planned.target.text(), *attempt.why, planned.is_callers_key});
  }
  return explain_defeat(failures, *report.defeated);
}

header_fields client_reply::fields_with(const race_facts& facts) const {
  header_fields fields = context_.fields;
  append_race_fields(fields, facts);
  return fields;
}

}  // namespace photofinish::gateway
