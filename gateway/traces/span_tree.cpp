#include "gateway/traces/span_tree.hpp"

#include "gateway/records/account_rules.hpp"
#include "gateway/traces/span_names.hpp"
#include "metrics/names.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

using metrics::attempt_outcome;
using metrics::endpoint;
using metrics::request_outcome;

std::string_view path_of(endpoint where) {
  switch (where) {
    case endpoint::chat_completions: return "/v1/chat/completions";
    case endpoint::responses: return "/v1/responses";
    case endpoint::messages: return "/v1/messages";
    case endpoint::completions: return "/v1/completions";
    case endpoint::embeddings: return "/v1/embeddings";
    case endpoint::rerank: return "/v1/rerank";
    case endpoint::moderations: return "/v1/moderations";
    case endpoint::images: return "/v1/images/generations";
    case endpoint::image_edits: return "/v1/images/edits";
    case endpoint::image_variations: return "/v1/images/variations";
    case endpoint::audio_speech: return "/v1/audio/speech";
    case endpoint::audio_transcriptions: return "/v1/audio/transcriptions";
    case endpoint::audio_translations: return "/v1/audio/translations";
    case endpoint::count_tokens: return "/v1/messages/count_tokens";
    case endpoint::models: return "/v1/models";
    case endpoint::other: break;
  }
  return "/v1";
}

// Returns the operation's name from OpenTelemetry's semantic conventions. If they contain no such name, returns this
// gateway's own name.
std::string_view operation_of(endpoint where) {
  switch (where) {
    case endpoint::chat_completions:
    case endpoint::responses:
    case endpoint::messages: return "chat";
    case endpoint::completions: return "text_completion";
    default: return to_string(where);
  }
}

bool is_mishap(request_outcome how) {
  return how == request_outcome::upstream_error || how == request_outcome::truncated ||
         how == request_outcome::gateway_error || how == request_outcome::drained;
}

// True if the request's span should report an error. A rejected request is the client's error, not an error of this
// gateway. An answer that was cut off is always an error, whatever its status.
bool is_error(const race_account& record) {
  return record.status >= 500 || (record.status < 400 && is_mishap(record.outcome));
}

// Returns the time that users wait: for a stream, until the first token; for other answers, until the end.
std::chrono::nanoseconds waited(const request_record& record) {
  if (const auto ttft = ttft_of(record)) return std::chrono::duration_cast<std::chrono::nanoseconds>(*ttft);
  return record.times.ended_at - record.times.received_at;
}

class span_maker {
 public:
  span_maker(const race_account& record, std::span<const metrics::attempt_observation> seen, const two_clocks& now)
      : record_(record), trace_(*record.notes.trace), seen_(seen), now_(now) {}

  trace_span request() const {
    trace_span made{.id = trace_.own, .parent = trace_.parent, .has_remote_parent = trace_.parent != 0};
    const std::string_view path = path_of(record_.endpoint);
    made.name = "POST " + std::string(path);
    made.begin = at(record_.times.received_at);
    made.end = at(record_.times.ended_at);
    put(made, span_names::request_method, "POST");
    put(made, span_names::http_route, path);
    put(made, span_names::url_path, path);
    put(made, span_names::url_scheme, trace_.is_https ? "https" : "http");
    if (record_.status > 0) made.attributes.push_back({span_names::response_status_code, std::int64_t{record_.status}});
    put_race(made);
    put_cost(made);
    if (is_error(record_)) {
      made.is_error = true;
      made.error = to_string(record_.outcome);
      put(made, span_names::error_type, made.error);
    }
    if (const auto written = record_.times.first_written_at; written && record_.race.winner)
      made.events.push_back({span_names::first_token, at(*written)});
    put_skipped(made);
    return made;
  }

  std::optional<trace_span> attempt(std::size_t index) const {
    const racing::attempt_report& ran = record_.race.attempts[index];
    if (was_turned_away(ran)) return std::nullopt;
    const target_name& target = record_.planned[ran.target].target;
    const std::string_view operation = operation_of(record_.endpoint);
    const proxy::span_id id = trace_.attempt(record_.continuation.first_span + ran.target);
    trace_span made{.id = id, .parent = trace_.own, .kind = span_kind::client};
    made.name = std::string(operation) + " " + target.model;
    made.begin = at(ran.started_at);
    made.end = std::max(made.begin, at(end_of(ran)));
    put(made, span_names::operation_name, operation);
    put(made, span_names::provider_name, metrics::gen_ai_provider_name(target.provider));
    put(made, span_names::request_model, target.model);
    made.attributes.push_back({span_names::request_stream, record_.form != answer_form::whole});
    put_server(made, target);
    put(made, span_names::attempt_target, target.text());
    put(made, span_names::attempt_outcome, to_string(seen_[index].outcome));
    put(made, span_names::attempt_start, to_string(ran.why_started));
    if (const auto* known = std::get_if<metrics::cost>(&seen_[index].price))
      made.attributes.push_back({span_names::attempt_cost_usd, known->usd});
    put_end(made, index);
    return made;
  }

 private:
  static void put(trace_span& into, std::string_view key, std::string_view value) {
    into.attributes.push_back({key, std::string(value)});
  }

  std::int64_t at(proxy::instant when) const {
    const auto wall = now_.wall - std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.steady - when);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wall.time_since_epoch()).count();
  }

  void put_race(trace_span& into) const {
    put(into, span_names::route, record_.route);
    const std::string_view client = record_.caller.name();
    if (client != metrics::none_label) put(into, span_names::client, client);
    if (record_.caller.team != metrics::none_label) put(into, span_names::team, record_.caller.team);
    put(into, span_names::outcome, to_string(record_.outcome));
    put(into, span_names::request_id, record_.id);
    if (record_.terms.cache) put(into, span_names::cache, to_string(*record_.terms.cache));
    if (record_.notes.answered_by) into.links.push_back(*record_.notes.answered_by);
    if (record_.race.attempts.empty()) return;
    put(into, span_names::policy, to_string(record_.terms.policy));
    if (record_.race.winner)
      put(into, span_names::winner, record_.planned[record_.race.attempts[*record_.race.winner].target].target.text());
  }

  // Writes the cost of all attempts, including those that continued a broken answer. If the cost of any attempt is
  // unknown, no cost is written, because the sum would be wrong.
  void put_cost(trace_span& into) const {
    double usd = 0;
    bool is_billed = false;
    for (const metrics::attempt_observation& each : seen_) {
      if (std::holds_alternative<metrics::unpriced>(each.price)) return;
      const auto* known = std::get_if<metrics::cost>(&each.price);
      if (known == nullptr) continue;
      is_billed = true;
      usd += known->usd;
    }
    if (is_billed) into.attributes.push_back({span_names::cost_usd, usd});
  }

  void put_skipped(trace_span& into) const {
    constexpr std::size_t most = 32;  // the maximum number of recorded targets; no route has so many targets
    const auto add = [&](const target_name& target, std::string_view reason, std::int64_t when) {
      if (into.events.size() < most)
        into.events.push_back({span_names::target_skipped, when,
                               {{span_names::target, target.text()}, {span_names::reason, std::string(reason)}}});
    };
    for (const left_out_target& each : record_.skipped) add(each.target, to_string(each.reason), into.begin);
    for (const racing::attempt_report& each : record_.race.attempts)
      if (was_turned_away(each)) add(record_.planned[each.target].target, "busy", at(each.started_at));
  }

  // Returns the end of an attempt's span. The span of the winner ends with the answer, although its attempt counts as
  // ended in the race when the first token arrives.
  proxy::instant end_of(const racing::attempt_report& ran) const {
    if (ran.end == racing::attempt_end::won) return std::max(winner_ended_at(record_), ran.ended_at);
    return ran.was_observed && ran.summary.first_token_at ? std::max(ran.ended_at, *ran.summary.first_token_at)
                                                          : ran.ended_at;
  }

  void put_server(trace_span& into, const target_name& target) const {
    const auto known = record_.settings->providers.find(target.provider);
    if (known == record_.settings->providers.end()) return;
    put(into, span_names::server_address, known->second.url.host);
    into.attributes.push_back({span_names::server_port, std::int64_t{known->second.url.port}});
  }

  // Writes how an attempt ended. Losing a race is not an error. The token count of a loser is only an estimate. It is
  // not written as billed tokens, so that sums over all spans count the billed tokens once.
  void put_end(trace_span& into, std::size_t index) const {
    const racing::attempt_report& ran = record_.race.attempts[index];
    const metrics::attempt_observation& seen = seen_[index];
    if (const auto spoke = ran.summary.first_token_at) {
      into.events.push_back({span_names::first_token, at(*spoke)});
      const std::chrono::duration<double> ttft = *spoke - ran.started_at;
      into.attributes.push_back({span_names::time_to_first_chunk, ttft.count()});
    }
    if (ran.end == racing::attempt_end::won && ran.summary.usage) {
      into.attributes.push_back({span_names::input_tokens, static_cast<std::int64_t>(ran.summary.usage->input_tokens)});
      into.attributes.push_back(
          {span_names::output_tokens, static_cast<std::int64_t>(ran.summary.usage->output_tokens)});
    }
    if (seen.outcome != attempt_outcome::failed && seen.outcome != attempt_outcome::broken) return;
    into.is_error = true;
    into.error = to_string(seen.reason);
    put(into, span_names::error_type, into.error);
    if (ran.why && ran.why->status > 0)
      into.attributes.push_back({span_names::response_status_code, std::int64_t{ran.why->status}});
  }

  const race_account& record_;
  const request_trace& trace_;
  const std::span<const metrics::attempt_observation> seen_;
  const two_clocks now_;
};

// Returns the measured values of the request. They are added to the histograms in which users look for slow requests.
std::vector<metrics::traced_value> values_of(const request_record& record,
                                             std::span<const metrics::attempt_observation> seen) {
  const std::string route(record.route);
  std::vector<metrics::traced_value> values;
  if (const auto ttft = ttft_of(record)) values.push_back({&metrics::names::request_ttft, {route}, ttft->count()});
  const metrics::seconds duration = record.times.ended_at - record.times.received_at;
  values.push_back({&metrics::names::request_duration, {route}, duration.count()});
  for (std::size_t index = 0; index < record.race.attempts.size(); ++index) {
    if (!seen[index].ttft) continue;
    const target_name& target = record.planned[record.race.attempts[index].target].target;
    values.push_back({&metrics::names::attempt_ttft,
                      {target.provider, target.model, std::string(to_string(seen[index].sample))},
                      seen[index].ttft->count()});
  }
  return values;
}

}  // namespace

bool is_kept(const request_record& record) {
  if (record.notes.trace->is_sampled) return true;
  const tracing_settings& settings = record.settings->tracing;
  return (settings.keeps_errors && is_mishap(record.outcome)) ||
         (settings.keeps_slow && waited(record) > settings.slow_after);
}

race_trace make_spans(const request_record& record, std::span<const metrics::attempt_observation> seen,
                      const two_clocks& now) {
  const span_maker maker(record, seen, now);
  const request_trace& trace = *record.notes.trace;
  race_trace made{.id = trace.id, .state = trace.state, .is_sampled = trace.is_sampled, .spans = {},
                  .observed = values_of(record, seen)};
  made.spans.reserve(1 + record.race.attempts.size());
  made.spans.push_back(maker.request());
  const auto add_attempts = [&made](const span_maker& of, const race_account& race) {
    for (std::size_t index = 0; index < race.race.attempts.size(); ++index)
      if (auto each = of.attempt(index)) made.spans.push_back(std::move(*each));
  };
  add_attempts(maker, record);
  std::size_t place = record.race.attempts.size() + record.skipped.size();
  for (const auto& each : record.continuation.races) {
    add_attempts(span_maker(*each, seen.subspan(place), now), *each);
    place += each->race.attempts.size();
  }
  return made;
}

}  // namespace photofinish::gateway
