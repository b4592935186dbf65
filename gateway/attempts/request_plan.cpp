#include "gateway/attempts/request_plan.hpp"

#include "gateway/access/caller_digest.hpp"
#include "gateway/attempts/credential_upstream.hpp"
#include "gateway/attempts/forwarded_headers.hpp"
#include "gateway/attempts/refused_upstream.hpp"
#include "gateway/attempts/retryable_rejection.hpp"
#include "gateway/attempts/setup/only_whole.hpp"
#include "gateway/traces/request_trace.hpp"
#include "proxy/dialects/rare_key_check.hpp"
#include "proxy/failures/network_failures.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace photofinish::gateway {
namespace {

proxy::answer_shape shape_for(const race_candidate& each, attempt_context& by, const parsed_request& asked) {
  const proxy::upstream_stream wanted = each.provider->behaves.stream;
  if (wanted == proxy::upstream_stream::never) return proxy::answer_shape::in_one_piece;
  if (wanted == proxy::upstream_stream::automatic && is_only_whole(asked)) return proxy::answer_shape::in_one_piece;
  const bool may_have_refused = wanted == proxy::upstream_stream::automatic && by.unstreamed.size() > 0;
  const bool has_refused = may_have_refused && by.unstreamed.contains(each.id, by.outbound.alarms().now());
  return has_refused ? proxy::answer_shape::in_one_piece : proxy::answer_shape::streamed;
}

// Returns the trace that an attempt sends to its provider. The provider's spans become children of the attempt's span.
std::optional<sent_trace> trace_of(const race_account& record, std::size_t index) {
  if (!record.notes.trace) return std::nullopt;
  const request_trace& trace = *record.notes.trace;
  const proxy::span_id own = trace.attempt(record.continuation.first_span + index);
  return sent_trace{proxy::to_traceparent({trace.id, own, trace.is_sampled}), trace.state};
}

// Returns true if requests in this format may contain a model's earlier reasoning.
bool may_have_reasoning(proxy::wire_format asked) {
  using enum proxy::wire_format;
  return asked == openai_chat || asked == openai_responses || asked == openai_compaction ||
         asked == openai_input_tokens || asked == anthropic_messages;
}

// Returns true if the request may contain reasoning of an earlier answer. A provider may reject reasoning that another
// provider's model made. It is sufficient to search the client's text for the names of members that contain reasoning.
bool may_bring_reasoning(const proxy::client_body& body) {
  constexpr std::array<std::string_view, 6> words{"encrypted_content", "signature", "thought_signature",
                                                  "thoughtSignature",  "redacted_thinking", "reasoning_details"};
  return proxy::may_hold_one_of(body, words);
}

}  // namespace

bool has_room(attempt_context& by, const proxy::provider& provider) {
  const auto& most = provider.limits.max_running;
  return !most || by.flights.at_provider(provider.name).load(std::memory_order_relaxed) < *most;
}

made_attempt request_plan::build(std::size_t index, attempt_context& by, const std::shared_ptr<const config>& settings,
                                  const race_account& record, attempt_manner how) const {
  const race_candidate& each = setup.attempt(index);
  const race_builder builder = by.builder(settings);
  const auto forwarded = forwarded_headers(
      request, *each.provider, builder.dialect_of(each).passed_headers(asked.format), trace_of(record, index));
  return builder.attempt(each, {asked, record.id, forwarded, memory.another(), &print_}, std::move(how));
}

// Waits for a newer key than `used`, repeats the attempt with it, and updates `used`. Returns null if the race has
// already been decided.
std::unique_ptr<proxy::upstream> request_plan::with_key(std::size_t index, attempt_context& by,
                                                         const std::shared_ptr<const config>& settings,
                                                         const race_account& record, attempt_manner how,
                                                         key_number used) const {
  const auto make = [weak = weak_from_this(), index, &by, settings, &record, how,
                     used]() -> std::unique_ptr<proxy::upstream> {
    const auto from = weak.lock();
    if (!from) return nullptr;
    made_attempt attempt = from->build(index, by, settings, record, how);
    *used = attempt.credential;
    return std::move(attempt.upstream);
  };
  return by.builder(settings).attempt_after_key(*setup.attempt(index).provider, *used, make);
}

bool request_plan::may_have_newer_key(std::size_t index, attempt_context& by, std::uint64_t refused) const {
  const proxy::credential_source& source = *setup.attempt(index).provider->key.credentials;
  return by.credentials.ask_for_newer(source, refused, by.outbound.alarms().now());
}

reasoning_maker request_plan::maker_at(std::size_t index, const reasoning_makers& among) const {
  const race_candidate& each = setup.attempt(index);
  return {each.target, among.account_of(each.provider->url, each.key.key)};
}

// Returns true if a target may refuse the reasoning in the request. Searches the request's body only once per race,
// because all attempts send the same body.
bool request_plan::may_be_refused() {
  if (!may_have_reasoning(asked.format)) return false;
  if (has_restored) return true;
  if (!brings_reasoning_) brings_reasoning_ = may_bring_reasoning(*asked.body);
  return *brings_reasoning_;
}

// Adds an attempt and returns its index. The lists of the plan and of the record have one entry per attempt. If an
// earlier attempt ran at the same target, the target gets another entry in these lists.
std::size_t request_plan::begin_attempt(std::size_t target, race_account& record) {
  const std::size_t index = begun_.size();
  const auto first = std::find(begun_.begin(), begun_.end(), target);
  if (first != begun_.end()) {
    const auto place = first - begun_.begin(), here = static_cast<std::ptrdiff_t>(index);
    std::vector<std::size_t>& chosen = setup.planned.chosen;
    chosen.insert(chosen.begin() + here, chosen[static_cast<std::size_t>(place)]);
    record.planned.insert(record.planned.begin() + here, race_builder::planned_at(setup, index));
  }
  begun_.push_back(target);
  return index;
}

request_plan::made request_plan::make(std::size_t target, attempt_context& by,
                                        const std::shared_ptr<const config>& settings, race_account& record) {
  const std::size_t index = begin_attempt(target, record);
  const race_candidate& each = setup.attempt(index);
  attempt_manner how{.shape = shape_for(each, by, asked), .is_continued = is_continuation};
  const bool is_refusable = may_be_refused();
  if (is_refusable && makers != nullptr)
    how.known = std::make_shared<target_reasoning>(*makers, caller_digest(asked_by, keys), maker_at(index, *makers),
                                                   by.outbound.alarms().now());
  made_attempt attempt = build(index, by, settings, record, how);
  // In addition to the client's text, the target reads the reasoning that the gateway has restored.
  if (has_restored) record.prompt.extent.is_text_alone = false;
  const std::size_t left_out = attempt.reasoning_left_out;
  const key_number used =
      race_builder::has_expiring_key(each) ? std::make_shared<std::uint64_t>(attempt.credential) : nullptr;
  if (used && *used == 0) attempt.upstream = with_key(index, by, settings, record, how, used);
  std::optional<flight_place> at_provider =
      take_place(by.flights.at_provider(each.provider->name), each.provider->limits.max_running.value_or(SIZE_MAX));
  if (!at_provider)
    return {std::make_unique<refused_upstream>(
                proxy::busy_failure("the maximum number of attempts (max_running) is already running at "
                                    "'" + each.provider->name + "'")),
            {}};
  made all;
  for (std::string& parameter : attempt.dropped) all.dropped.emplace_back(each.target.text(), std::move(parameter));
  metrics::target_series& series = by.shard.target(each.target.provider, each.target.model);
  record.planned[index].series = &series;
  record.planned[index].tier = attempt.tier;
  flight_place at_target(by.flights.at(series));
  record.planned[index].concurrency = at_target.number();
  metrics::gauge_cell& running = series.provider.cell<metrics::names::inflight_attempts>();
  all.upstream =
      std::make_unique<retrying_upstream>(std::move(attempt.upstream), running,
                                          std::move(at_target), std::move(*at_provider), by.rooms.of(each.id),
                                          tokens_of_attempt(asked, record.prompt.extent),
                                          made_again(index, by, settings, record, how, left_out, used),
                                          is_refusable ? each.provider->limits.max_buffered_bytes : 0,
                                          memory.another());
  return all;
}

// Returns a function that repeats an attempt without the part of the request that the target has refused. The function
// removes each part at most once. It returns null if the race has already been decided.
retrying_upstream::made_again request_plan::made_again(std::size_t index, attempt_context& by,
                                                       const std::shared_ptr<const config>& settings,
                                                       race_account& record, attempt_manner first,
                                                       std::size_t left_out, key_number used) const {
  using metrics::repeat_reason;
  const proxy::upstream_stream wanted = setup.attempt(index).provider->behaves.stream;
  const bool may_be_whole =
      first.shape == proxy::answer_shape::streamed && wanted == proxy::upstream_stream::automatic;
  if (!may_be_whole && !used && !may_have_reasoning(asked.format)) return {};
  return [weak = weak_from_this(), index, &by, settings, &record, may_be_whole, left_out, used,
          how = first](const proxy::failure& refused) mutable -> std::unique_ptr<proxy::upstream> {
    const auto from = weak.lock();
    const auto reason = find_repeat_reason(refused);
    if (!from || !reason) return nullptr;
    auto& repeated = record.planned[index].repeated;
    if (repeated[*reason] || (*reason == repeat_reason::stream && !may_be_whole)) return nullptr;
    if (*reason == repeat_reason::credentials) {
      repeated[*reason] = used && *used != 0 && from->may_have_newer_key(index, by, *used);
      return repeated[*reason] ? from->with_key(index, by, settings, record, how, used) : nullptr;
    }
    if (*reason == repeat_reason::stream) how.shape = proxy::answer_shape::in_one_piece;
    else how.reasoning = proxy::reasoning_items::left_out;
    made_attempt again = from->build(index, by, settings, record, how);
    // If the first request contained no reasoning, nothing can be left out, and the target would refuse the request
    // again.
    if (*reason == repeat_reason::reasoning && again.reasoning_left_out == left_out) return nullptr;
    if (how.known && blames_maker(refused)) how.known->note_refusal(from->memory.whose());
    repeated[*reason] = true;
    if (used) *used = again.credential;
    if (*reason == repeat_reason::stream && refuses_stream(refused))
      by.unstreamed.note(from->setup.attempt(index).id, by.outbound.alarms().now());
    return std::move(again.upstream);
  };
}

}  // namespace photofinish::gateway
