#include "gateway/requests/stages/cache_stage.hpp"

#include "gateway/attempts/forwarded_headers.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/requests/stages/answer_memory.hpp"
#include "gateway/requests/worker/in_flight.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::cache_result;

namespace {

// Identifies the callers that may get this request's answer from the cache. If a request uses its caller's own provider
// keys, the provider bills that caller, so no other caller gets the answer.
digest sharer(cache_scope scope, const caller& who, const request_plan& plan) {
  const auto& candidates = plan.setup.candidates;
  const auto is_own = [](const race_candidate& each) { return each.key.source == key_source::own; };
  if (std::any_of(candidates.begin(), candidates.end(), is_own)) return caller_digest(who, plan.keys);
  access_key all;
  const bool has_team = who.team() != metrics::none_label;
  if (scope == cache_scope::route) all.name = "route";
  else if (scope == cache_scope::team && has_team) all.name = "team " + std::string(who.team());
  else all.name = "key " + std::string(who.name());
  return caller_digest({.key = &all}, {});
}

// Returns the part of the cache key that depends on the targets. A different model, or the same model at a different
// target, gives a different answer. The targets of a route may change when the configuration is reloaded. Different
// guardrails may also change the answer, because they may mask the request's text.
std::vector<std::string> places_of(const race_setup& setup, const config& settings) {
  std::vector<std::string> places;
  for (const race_candidate& each : setup.candidates)
    places.push_back(each.target.text() + " " + each.provider->url.host + ":" +
                     std::to_string(each.provider->url.port) + each.provider->url.path);
  for (const guardrail_settings& each : settings.guardrails)
    if (each.mode == guardrail_mode::before && each.judges(setup.route))
      places.push_back("guardrail " + each.name + " " + proxy::to_string(each.service.url));
  return places;
}

std::vector<std::pair<std::string, std::string>> headers_of(const request_plan& plan,
                                                            std::span<const proxy::named_dialect> dialects) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const race_candidate& each : plan.setup.candidates) {
    const proxy::dialect& spoken = *proxy::find_dialect(each.provider->dialect, dialects);
    for (auto& field : forwarded_headers(plan.request, *each.provider, spoken.passed_headers(plan.asked.format)))
      if (field.first != "traceparent" && field.first != "tracestate") all.push_back(std::move(field));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const racing::race_report no_race;

}  // namespace

void cache_stage::look(const request_plan& plan) {
  const auto route = context_.settings->routes.find(plan.setup.route);
  if (route == context_.settings->routes.end() || !route->second.cache) return;
  entry_.reset(new entry{route->first, *route->second.cache, read_cache_directives(plan.request.fields)});
  entry& part = *entry_;
  const metrics::endpoint called = context_.called.label();
  if (plan.has_restored || !may_be_cached(plan.asked, called, part.directives)) return;
  part.owner = sharer(part.limits.scope, context_.who, plan);
  part.question = question_digest({.called = called, .route = part.route, .rule = plan.setup.rule,
                                   .owner = as_text(part.owner), .targets = places_of(plan.setup, *context_.settings),
                                   .headers = headers_of(plan, context_.worker.attempts.dialects),
                                   .body = plan.asked.body.get()});
  part.race = race_digest(part.question, plan.request.fields);
  part.may_be_kept = part.limits.ttl.count() > 0 && !part.directives.is_unkept;
  part.may_be_shared = part.limits.coalesce && !part.directives.is_unkept && !part.directives.is_fresh_wanted;
  part.result = part.may_be_kept || part.may_be_shared ? cache_result::miss : cache_result::bypass;
  if (!part.directives.is_fresh_wanted) {
    answer_cache& answers = context_.worker.load.answers;
    if (auto found = answers.find(part.question, part.directives.max_age, context_.worker.alarms.now())) {
      part.answer = recorded_answer::read(found->answer, context_.worker.executor);
      part.age = found->age;
      part.result = cache_result::hit;
    }
  }
  if (!part.answer && part.may_be_shared) follow_race();
}

void cache_stage::follow_race() {
  entry_->answer = context_.worker.load.answers.follow(entry_->race, context_.worker.executor);
  if (entry_->answer) entry_->result = cache_result::coalesced;
}

void cache_stage::join(request_plan& plan) {
  if (!entry_) return;
  plan.asked.is_shared = false;
  if (!entry_->answer && (entry_->may_be_kept || entry_->may_be_shared)) record_race(plan);
  if (entry_->answer) forget_race();
  context_.record.terms.cache = entry_->result;
  context_.fields.add("x-cache", to_string(entry_->result));
  if (entry_->result == cache_result::hit) context_.fields.add("age", std::to_string(entry_->age.count()));
  if (!entry_->answer) entry_.reset();
}

void cache_stage::record_race(request_plan& plan) {
  answer_cache& answers = context_.worker.load.answers;
  answer_recorder::place place{answers, context_.worker.executor, context_.called.label(), entry_->question,
                               entry_->route, entry_->limits, entry_->owner};
  auto recorder =
      std::make_unique<answer_recorder>(place, context_.memory.another(), usage_for_client(plan.asked));
  const bool leads = entry_->may_be_shared && recorder->lead(entry_->race);
  if (entry_->may_be_shared && !leads) follow_race();
  if (!leads && !entry_->may_be_kept) return;
  if (entry_->may_be_kept) recorder->keep_if_sound();
  plan.asked.is_shared = true;
  if (entry_->answer) return;
  recorder_ = recorder.get();
  context_.observers.add(std::move(recorder));
}

// Removes the race from the request's record. A request that is answered from the cache has no race, so it has no
// skipped targets and no receipt.
void cache_stage::forget_race() {
  context_.observers.drop_race();
  context_.record.planned.clear();
  context_.record.skipped.clear();
  context_.notes.skipped.clear();
}

usage_shown cache_stage::usage_for_client(const parsed_request& asked) const {
  const bool is_hidden = asked.form != answer_form::whole && asked.usage == proxy::usage_chunk::unwanted;
  return is_hidden ? usage_shown::no : usage_shown::yes;
}

asio::awaitable<after_response> cache_stage::replay(load_place place, request_plan& plan, guardrail_stage& guardrails,
                                                    client_reply& reply) {
  const in_flight counted(std::move(place), context_.worker.shard.route(context_.record.route));
  std::optional<after_response> ended;
  if (guardrails.is_on()) ended = co_await end_unless_passed(guardrails, reply);
  if (ended) co_return *ended;
  answer_reader& from = *entry_->answer;
  client_answer answer = reply.open();
  const leave_hook hook(context_.client, [&from] { from.wake(); });
  recorded_answer::stage stage = from.look();
  if (stage == recorded_answer::stage::waiting) {
    co_await wait_for_winner(answer, reply);
    stage = from.look();
  }
  after_response then = after_response::close;
  if (context_.client.has_left()) {
    context_.record.outcome = reply.departure();
    context_.record.status = client_left_status;
  } else if (context_.client.is_interrupted()) {
    then = co_await reply.fail_drained(no_race, answer);
  } else if (stage >= recorded_answer::stage::failed && from.is_at_end()) {
    then = co_await fail_as_race(reply, answer);
  } else {
    then = co_await relay(plan, reply, answer);
  }
  context_.record.times.ended_at = context_.worker.alarms.now();
  context_.hold.leave();
  co_return then;
}

// Waits for the guardrails' verdicts before a stored answer is sent.
asio::awaitable<std::optional<after_response>> cache_stage::end_unless_passed(guardrail_stage& guardrails,
                                                                              client_reply& reply) {
  stage_result result;
  {
    const leave_hook hook(context_.client, [&guardrails] { guardrails.cancel(); });
    if (context_.client.is_abandoned()) guardrails.cancel();
    result = co_await guardrails.pass();
  }
  if (is_next(result)) co_return std::nullopt;
  if (const auto* refused = std::get_if<api_error>(&result)) co_return co_await reply.refuse(*refused);
  co_return co_await reply.end_departed();
}

// Waits until the race that this request shares has a winner or has failed.
asio::awaitable<void> cache_stage::wait_for_winner(client_answer& to, client_reply& reply) {
  proxy::alarms& alarms = context_.worker.alarms;
  proxy::alarm early(alarms, [&] {
    early.arm(alarms.now() + winner_reader::heartbeat_interval);
    reply.show_life(to);
  });
  if (to.is_of_events() && context_.limits.keepalive_after.count() > 0)
    early.arm(alarms.now() + context_.limits.keepalive_after);
  answer_reader& from = *entry_->answer;
  while (!context_.client.is_abandoned() && from.look() == recorded_answer::stage::waiting) co_await from.changed();
  early.disarm();
}

asio::awaitable<after_response> cache_stage::relay(request_plan& plan, client_reply& reply, client_answer& to) {
  answer_reader& from = *entry_->answer;
  const answer_origin& origin = from.origin();
  request_record& record = context_.record;
  answer_identity answer{origin.id, origin.created, std::string(origin.winner.sent_model()), origin.spoken};
  if (record.notes.trace && origin.trace)
    record.notes.answered_by = std::make_unique<const proxy::trace_parent>(*origin.trace);
  make_known(context_, plan, answer, origin.winner);
  plan.setup = {};
  reply.writer() = context_.called.writer(plan.asked, std::move(answer));
  if (!to.has_begun_early()) reply.begin(no_race, origin.media_type, to);
  recorded_source source(from, context_.worker.executor, usage_for_client(plan.asked));
  const leave_hook hook(context_.client, [&source] { source.client_left(); });
  context_.tokens.count_nothing();  // the tokens of this answer were counted by the request that started the race
  const relayed result = co_await reply.relay(source, to, nullptr);
  reply.note_end(result, to);
  record.times.first_written_at.reset();
  if (result.end == answer_end::complete) co_return context_.style.then;
  if (result.end == answer_end::client_left) co_return after_response::close;
  if (context_.client.is_interrupted()) co_return co_await reply.fail_drained(no_race, to);
  if (from.look() == recorded_answer::stage::failed) co_return co_await fail_as_race(reply, to);
  record.outcome = metrics::request_outcome::gateway_error;
  const api_error error = explain_broken_winner(origin.winner.text(), *result.why);
  co_return co_await reply.fail(error, to, no_race);
}

// Sends the client the error of the race that this request shares.
asio::awaitable<after_response> cache_stage::fail_as_race(client_reply& reply, client_answer& to) {
  const answer_reader& from = *entry_->answer;
  const bool has_failed = entry_->answer->look() == recorded_answer::stage::failed;
  const api_error error =
      has_failed ? from.error()
                 : overloaded(metrics::overload_reason::shared_answer,
                              "this request waited for the answer to an equal request, but that request ended without "
                              "an answer: repeat this request");
  context_.record.outcome = to.has_begun() ? metrics::request_outcome::truncated : outcome_of(error);
  co_return co_await reply.fail(error, to, no_race);
}

}  // namespace photofinish::gateway
