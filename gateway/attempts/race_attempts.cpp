#include "gateway/attempts/race_attempts.hpp"

#include "gateway/attempts/forwarded_headers.hpp"
#include "gateway/attempts/mendable_refusal.hpp"
#include "gateway/attempts/refused_upstream.hpp"
#include "proxy/failures/network_failures.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::gateway {
namespace {

proxy::answer_shape shape_for(const race_candidate& each, attempt_means& by) {
  const proxy::upstream_stream wanted = each.provider->behaves.stream;
  if (wanted == proxy::upstream_stream::never) return proxy::answer_shape::in_one_piece;
  const bool has_refused = wanted == proxy::upstream_stream::automatic &&
                           by.unstreamed.contains(each.id, by.outbound.alarms().now());
  return has_refused ? proxy::answer_shape::in_one_piece : proxy::answer_shape::streamed;
}

// Whose request may have what a model thought before.
bool is_conversation(proxy::wire_format asked) {
  using enum proxy::wire_format;
  return asked == openai_chat || asked == openai_responses || asked == openai_compaction ||
         asked == openai_input_tokens || asked == anthropic_messages;
}

}  // namespace

bool has_room(attempt_means& by, const proxy::provider& provider) {
  const auto& most = provider.limits.max_running;
  return !most || by.flights.at_provider(provider.name).load(std::memory_order_relaxed) < *most;
}

made_attempt race_attempts::build(std::size_t index, attempt_means& by, const std::shared_ptr<const config>& settings,
                                  const request_record& record, attempt_manner how) const {
  const race_candidate& each = setup.attempt(index);
  const proxy::dialect& spoken = *proxy::find_dialect(each.provider->dialect, by.dialects);
  return make_attempt(by.outbound, spoken, asked, each, how,
                      forwarded_headers(request, *each.provider, spoken.passed_headers(asked.format)), record.id,
                      by.redactors.of(settings), memory.another());
}

race_attempts::made race_attempts::make(std::size_t index, attempt_means& by,
                                        const std::shared_ptr<const config>& settings, request_record& record) const {
  const race_candidate& each = setup.attempt(index);
  const attempt_manner how{shape_for(each, by)};
  made_attempt attempt = build(index, by, settings, record, how);
  std::optional<flight_place> at_provider =
      take_place(by.flights.at_provider(each.provider->name), each.provider->limits.max_running.value_or(SIZE_MAX));
  if (!at_provider)
    return {std::make_unique<refused_upstream>(
                proxy::busy_failure("max_running of '" + each.provider->name + "' attempts are running already")),
            {}};
  made all;
  for (std::string& parameter : attempt.dropped) all.dropped.emplace_back(each.target.text(), std::move(parameter));
  metrics::target_series& series = by.shard.target(each.target.provider, each.target.model);
  record.planned[index].series = &series;
  flight_place at_target(by.flights.at(series));
  record.planned[index].concurrency = at_target.number();
  all.upstream =
      std::make_unique<counted_upstream>(std::move(attempt.upstream), series.provider.inflight_attempts,
                                         std::move(at_target), std::move(*at_provider),
                                         made_again(index, by, settings, record, how, attempt.reasoning_left_out));
  return all;
}

// The same attempt without what its target refuses, each of that once; null where the race has been decided meanwhile.
counted_upstream::made_again race_attempts::made_again(std::size_t index, attempt_means& by,
                                                       const std::shared_ptr<const config>& settings,
                                                       request_record& record, attempt_manner first,
                                                       std::size_t left_out) const {
  using metrics::repeat_reason;
  const proxy::upstream_stream wanted = setup.attempt(index).provider->behaves.stream;
  const bool may_be_whole = first.shape == proxy::answer_shape::streamed && wanted == proxy::upstream_stream::automatic;
  if (!may_be_whole && !is_conversation(asked.format)) return {};
  return [weak = weak_from_this(), index, &by, settings, &record, may_be_whole, left_out,
          how = first](const proxy::failure& refused) mutable -> std::unique_ptr<proxy::upstream> {
    const auto from = weak.lock();
    const auto reason = mendable_by(refused);
    if (!from || !reason) return nullptr;
    auto& repeated = record.planned[index].repeated;
    if (repeated[*reason] || (*reason == repeat_reason::stream && !may_be_whole)) return nullptr;
    if (*reason == repeat_reason::stream) how.shape = proxy::answer_shape::in_one_piece;
    else how.reasoning = proxy::reasoning_items::left_out;
    made_attempt again = from->build(index, by, settings, record, how);
    // Where all reasoning had been left out at first, the same request would be refused again.
    if (*reason == repeat_reason::reasoning && again.reasoning_left_out == left_out) return nullptr;
    repeated[*reason] = true;
    if (*reason == repeat_reason::stream)
      by.unstreamed.note(from->setup.attempt(index).id, by.outbound.alarms().now());
    return std::move(again.upstream);
  };
}

}  // namespace photofinish::gateway
