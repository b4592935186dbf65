// Answers that are there already, or come for another request: race_endpoint, continued.
#include "gateway/attempts/forwarded_headers.hpp"
#include "gateway/http/date_of_now.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/relay/recorded_source.hpp"
#include "gateway/requests/in_flight.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "gateway/traces/request_trace.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::cache_result;
using metrics::request_outcome;

namespace {

// Whose answer it may be given. Who brings keys of providers is answered on their accounts, and shares with none.
digest sharer(cache_scope scope, const caller& who, const presented_keys& keys, const race_setup& setup) {
  const auto is_own = [](const race_candidate& each) { return each.key.source == key_source::own; };
  if (std::any_of(setup.candidates.begin(), setup.candidates.end(), is_own)) return caller_digest(who, keys);
  access_key all;
  const bool has_team = who.team() != metrics::none_label;
  if (scope == cache_scope::route) all.name = "route";
  else if (scope == cache_scope::team && has_team) all.name = "team " + std::string(who.team());
  else all.name = "key " + std::string(who.name());
  return caller_digest({.key = &all}, {});
}

// Another model, or the same elsewhere, is another answer, also behind a reload; so is what other guardrails mask.
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

std::vector<std::pair<std::string, std::string>> headers_of(const request_plan& attempts,
                                                            std::span<const proxy::named_dialect> dialects) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const race_candidate& each : attempts.setup.candidates) {
    const proxy::dialect& spoken = *proxy::find_dialect(each.provider->dialect, dialects);
    for (auto& field :
         forwarded_headers(attempts.request, *each.provider, spoken.passed_headers(attempts.asked.format)))
      if (field.first != "traceparent" && field.first != "tracestate") all.push_back(std::move(field));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

// Of a request that can run. What is found is taken once the request's own limits let it.
void race_endpoint::look_into_cache() {
  const auto route = settings_->routes.find(attempts_->setup.route);
  if (route == settings_->routes.end() || !route->second.cache) return;
  const cache_settings& limits = *route->second.cache;
  shared_ = std::make_unique<cache_part>();
  cache_part& part = *shared_;
  part.directives = read_cache_directives(attempts_->request.fields);
  if (attempts_->has_restored || !may_be_cached(attempts_->asked, api_.label(), part.directives)) return;
  part.owner = sharer(limits.scope, who_, attempts_->keys, attempts_->setup);
  part.question = question_digest({.called = api_.label(), .route = route->first, .rule = attempts_->setup.rule,
                                   .owner = as_text(part.owner), .targets = places_of(attempts_->setup, *settings_),
                                   .headers = headers_of(*attempts_, worker_.attempts.dialects),
                                   .body = attempts_->asked.body.get()});
  part.race = race_digest(part.question, attempts_->request.fields);
  part.may_be_kept = limits.ttl.count() > 0 && !part.directives.is_unkept;
  part.may_be_shared = limits.coalesce && !part.directives.is_unkept && !part.directives.is_fresh_wanted;
  part.result = part.may_be_kept || part.may_be_shared ? cache_result::miss : cache_result::bypass;
  if (!part.directives.is_fresh_wanted) {
    if (auto found = worker_.load.answers.find(part.question, part.directives.max_age, worker_.alarms.now())) {
      part.from = recorded_answer::read(found->answer, worker_.executor);
      part.age = found->age;
      part.result = cache_result::hit;
    }
  }
  if (!part.from && part.may_be_shared) follow_another();
}

void race_endpoint::follow_another() {
  shared_->from = worker_.load.answers.follow(shared_->race, worker_.executor);
  if (shared_->from) shared_->result = cache_result::coalesced;
}

// Behind its own limits. Where another worker's request has begun the same race meanwhile, that one's answer is taken.
void race_endpoint::join_cache() {
  if (!shared_) return;
  cache_part& part = *shared_;
  usage_ = attempts_->asked.usage;
  const bool is_of_use = part.may_be_kept || part.may_be_shared;
  if (!part.from && is_of_use) {
    part.into = std::make_shared<recorded_answer>(memory_.another(), answer_cache::longest_answer);
    if (part.may_be_shared) part.led = std::make_unique<led_answer>(worker_.load.answers, part.race, part.into);
    if (part.led && !part.led->leads()) {
      part.led.reset();
      follow_another();
    }
    if (!part.led && !part.may_be_kept) part.into.reset();
  }
  attempts_->asked.is_shared = part.into != nullptr;
  if (part.from) forget_race();
  record_.cache = part.result;
  fields_.add("x-cache", to_string(part.result));
  if (part.result == cache_result::hit) fields_.add("age", std::to_string(part.age.count()));
}

// It is not raced: no target was skipped, and there is no receipt.
void race_endpoint::forget_race() {
  shared_->into.reset();
  observers_.drop_race();
  record_.planned.clear();
  record_.skipped.clear();
  skipped_.clear();
}

// Its client's leaving, until the next that is set.
void race_endpoint::when_client_leaves(std::function<void()> leave) {
  if (!shared_ || !shared_->into) return client_.on_leave(std::move(leave));
  shared_->leave = std::move(leave);
  client_.on_leave([this] {
    if (!goes_on_for_others()) shared_->leave();
  });
}

// Made before the client leaves: its leaving must not need memory.
void race_endpoint::note_running() {
  shared_->is_running = std::make_shared<const char>();
  if (!shared_->into) return;
  const std::weak_ptr<const char> running = shared_->is_running;
  shared_->when_unread = std::make_shared<const std::function<void()>>([this, running] {
    if (running.expired() || !shared_->into->abandon_unless_read()) return;
    shared_->leave();
  });
}

// Whether others read what is raced here. When the last of them has left too, the race ends.
bool race_endpoint::goes_on_for_others() {
  return shared_->into->outlive_client(worker_.executor, shared_->when_unread);
}

bool race_endpoint::is_read_by_others() const {
  return shared_ && shared_->into && !shared_->into->abandon_unless_read();
}

void race_endpoint::begin_recording(const answer_identity& answer, const target_name& winner,
                                    std::string_view media_type) {
  if (!shared_ || !shared_->into) return;
  answer_origin origin{answer.id, answer.created, winner, answer.spoken, std::string(media_type), {}};
  if (const request_trace* trace = record_.trace.get())
    origin.trace = proxy::trace_parent{trace->id, trace->own, trace->is_sampled};
  shared_->seen = {};
  shared_->into->begin(std::move(origin));
}

asio::awaitable<relayed> race_endpoint::relay_winner(answer_source& winner, client_answer& to) {
  if (shared_ && shared_->into) return relay_recorded(winner, to);
  return relay_kept(winner, to);
}

usage_shown race_endpoint::usage_for_client() const {
  const bool is_hidden = record_.form != answer_form::whole && usage_ == proxy::usage_chunk::unwanted;
  return is_hidden ? usage_shown::no : usage_shown::yes;
}

asio::awaitable<relayed> race_endpoint::relay_recorded(answer_source& winner, client_answer& to) {
  recording_source recorded(winner, usage_for_client(), [this](const proxy::stream_event& event) {
    for (const auto& each : observers_.readers()) each->event(event);
    if (said_) said_->see(event);
    shared_->seen.see(event);
    shared_->into->add(event);
  });
  relayed result = co_await relay(recorded, *writer_, to, tokens_, worker_.alarms, &worker_.beside);
  if (!recorded.is_over()) co_await read_on_for_others(recorded);
  keep_answer(recorded, result);
  co_return result;
}

void race_endpoint::make_known(answer_identity& answer, const target_name& winner) {
  const auto keep = [this, account = memory_.whose()](const digest& owner, std::string_view id, std::string_view item) {
    worker_.load.conversations.items().put(owner, account, id, item, worker_.alarms.now());
  };
  attempts_->make_known(answer, winner, ids_of(worker_, *settings_), who_, keep);
}

// The client is gone, or cannot be written to; others are there.
asio::awaitable<void> race_endpoint::read_on_for_others(recording_source& from) {
  while (!from.is_over() && is_read_by_others()) {
    auto came = from.poll();
    while (!came) {
      co_await from.readable();
      came = from.read();
    }
    if (*came) tokens_.add((*came)->deltas, (*came)->read_at);
  }
}

// The answer has come to its end, whether its own client has all of it or not. One that broke off is reported by who
// ends the request, for a runner-up's may take its place; of a client that has left none ends it.
void race_endpoint::keep_answer(const recording_source& from, const relayed& result) {
  if (!from.is_over()) return;
  cache_part& part = *shared_;
  if (from.failed()) {
    if (result.end == answer_end::client_left) tell_others(explain_broken_winner({}, *from.failed()));
    return;
  }
  part.into->complete();
  const bool is_whole = result.end != answer_end::truncated && part.into->is_complete();
  if (part.may_be_kept && is_whole && part.seen.is_sound(api_.label())) {
    const auto route = settings_->routes.find(record_.route);
    worker_.load.answers.keep(part.question, {route->first, part.owner, *route->second.cache}, part.into,
                              worker_.alarms.now());
  }
  part.led.reset();  // who asks now finds it kept, or asks anew
}

void race_endpoint::tell_others(const api_error& error) {
  if (!shared_ || !shared_->into) return;
  shared_->into->fail(error);
  shared_->led.reset();
}

asio::awaitable<after_response> race_endpoint::replay() {
  const in_flight counted(std::move(place_), worker_.shard.route(record_.route));
  std::optional<after_response> ended;
  if (guard_) ended = co_await refuse_unless_passed();
  if (ended) co_return *ended;
  answer_reader& from = *shared_->from;
  limit_writes();
  if (style_.is_http_1_0 && record_.form != answer_form::whole) style_.then = after_response::close;
  client_answer answer(client_, worker_.batch, record_.form, style_, memory_.another());
  const leave_hook hook(client_, [&from] { from.wake(); });
  recorded_answer::stage at = from.look();
  if (at == recorded_answer::stage::waiting) {
    co_await wait_for_other(from, answer);
    at = from.look();
  }
  after_response then = after_response::close;
  if (client_.has_left()) {
    record_.outcome = departure();
    record_.status = client_left_status;
  } else if (client_.is_interrupted()) {
    const racing::race_report none;
    then = co_await end_drained(answer, none);
  } else if (at >= recorded_answer::stage::failed && from.is_at_end()) {
    then = co_await fail_as_other(from, answer);
  } else {
    then = co_await relay_other(from, answer);
  }
  record_.ended_at = worker_.alarms.now();
  account_->hold.leave();
  co_return then;
}

// Until the race that it shares has a winner, or none.
asio::awaitable<void> race_endpoint::wait_for_other(answer_reader& from, client_answer& to) {
  proxy::alarm early(worker_.alarms, [&] {
    early.arm(worker_.alarms.now() + winner_reader::heartbeat_interval);
    if (!to.has_begun_early()) to.begin_early(fields_);
    else to.say_aside(api_.sign_of_life());
  });
  const bool may_begin_early = to.is_of_events() && limits_.keepalive_after.count() > 0;
  if (may_begin_early) early.arm(worker_.alarms.now() + limits_.keepalive_after);
  while (!client_.is_abandoned() && from.look() == recorded_answer::stage::waiting) co_await from.changed();
  early.disarm();
}

asio::awaitable<after_response> race_endpoint::relay_other(answer_reader& from, client_answer& to) {
  const answer_origin& origin = from.origin();
  answer_identity answer{origin.id, origin.created, origin.winner.model, origin.spoken};
  note_source(origin);
  make_known(answer, origin.winner);
  attempts_->setup = {};
  writer_ = api_.writer(attempts_->asked, std::move(answer));
  if (!to.has_begun_early()) to.begin(fields_with({}), origin.media_type);
  recorded_source source(from, worker_.executor, usage_for_client());
  const leave_hook hook(client_, [&source] { source.client_left(); });
  tokens_.count_nothing();  // they were counted where they were raced
  const relayed result = co_await relay_kept(source, to);
  note_end(result, to);
  record_.first_written_at.reset();
  if (result.end == answer_end::complete) co_return style_.then;
  if (result.end == answer_end::client_left) co_return after_response::close;
  if (client_.is_interrupted()) {
    const racing::race_report none;
    const after_response then = co_await end_drained(to, none);
    co_return then;
  }
  if (from.look() == recorded_answer::stage::failed) {
    const after_response then = co_await fail_as_other(from, to);
    co_return then;
  }
  record_.outcome = request_outcome::gateway_error;
  const api_error error = explain_broken_winner(origin.winner.text(), *result.why);
  const race_facts none;
  const after_response then = co_await fail(error, to, none);
  co_return then;
}

// As the race's own client was answered.
asio::awaitable<after_response> race_endpoint::fail_as_other(answer_reader& from, client_answer& to) {
  const api_error error = from.look() == recorded_answer::stage::failed
                              ? from.error()
                              : overloaded(metrics::overload_reason::shared_answer,
                                           "the request whose answer this one shared ended without it: repeat it");
  record_.outcome = to.has_begun() ? request_outcome::truncated : outcome_of(error);
  const race_facts none;
  const after_response then = co_await fail(error, to, none);
  co_return then;
}

void race_endpoint::note_source(const answer_origin& origin) {
  if (record_.trace && origin.trace) record_.answered_by = std::make_unique<const proxy::trace_parent>(*origin.trace);
}

}  // namespace photofinish::gateway
