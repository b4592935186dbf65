#include "gateway/attempts/race_attempts.hpp"

#include "gateway/attempts/refused_upstream.hpp"
#include "proxy/failures/network_failures.hpp"
#include "proxy/http/trace_context.hpp"

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

// A list may come in several fields of one name.
std::string all_values(const client_request& request, std::string_view name) {
  std::string all;
  for (const auto& [each, value] : request.fields)
    if (each == name) all.append(all.empty() ? "" : ", ").append(value);
  return all;
}

}  // namespace

bool has_room(attempt_means& by, const proxy::provider& provider) {
  const auto& most = provider.limits.max_running;
  return !most || by.flights.at_provider(provider.name).load(std::memory_order_relaxed) < *most;
}

made_attempt race_attempts::build(std::size_t index, attempt_means& by, const std::shared_ptr<const config>& settings,
                                  const request_record& record, proxy::answer_shape shape) const {
  const race_candidate& each = setup.attempt(index);
  const proxy::dialect& spoken = *proxy::find_dialect(each.provider->dialect, by.dialects);
  return make_attempt(by.outbound, spoken, asked, each, shape, forwarded_to(*each.provider, spoken), record.id,
                      by.redactors.of(settings), memory.another());
}

race_attempts::made race_attempts::make(std::size_t index, attempt_means& by,
                                        const std::shared_ptr<const config>& settings, request_record& record) const {
  const race_candidate& each = setup.attempt(index);
  const proxy::answer_shape shape = shape_for(each, by);
  made_attempt attempt = build(index, by, settings, record, shape);
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
  counted_upstream::made_again whole;
  if (shape == proxy::answer_shape::streamed && each.provider->behaves.stream == proxy::upstream_stream::automatic)
    whole = in_one_piece(index, by, settings, record);
  all.upstream =
      std::make_unique<counted_upstream>(std::move(attempt.upstream), series.provider.inflight_attempts,
                                         std::move(at_target), std::move(*at_provider), std::move(whole));
  return all;
}

// The same attempt without a stream, where it was refused one; null where the race has been decided meanwhile.
counted_upstream::made_again race_attempts::in_one_piece(std::size_t index, attempt_means& by,
                                                         const std::shared_ptr<const config>& settings,
                                                         const request_record& record) const {
  return [weak = weak_from_this(), index, &by, settings, &record]() -> std::unique_ptr<proxy::upstream> {
    const auto from = weak.lock();
    if (!from) return nullptr;
    by.unstreamed.note(from->setup.attempt(index).id, by.outbound.alarms().now());
    return from->build(index, by, settings, record, proxy::answer_shape::in_one_piece).upstream;
  };
}

std::vector<std::pair<std::string, std::string>> race_attempts::forwarded_to(const proxy::provider& provider,
                                                                              const proxy::dialect& spoken) const {
  std::vector<std::pair<std::string, std::string>> forwarded;
  for (const std::string_view name : spoken.passed_headers(asked.format))
    if (std::string value = all_values(request, name); !value.empty()) forwarded.emplace_back(name, std::move(value));
  for (const std::string& name : provider.forward_headers)
    if (const auto value = request.field(name); !value.empty()) forwarded.emplace_back(name, std::string(value));
  const auto parent = request.field("traceparent");
  if (!provider.trace_context || !proxy::is_traceparent(parent)) return forwarded;
  forwarded.emplace_back("traceparent", std::string(parent));
  const auto state = request.field("tracestate");
  if (proxy::is_tracestate(state)) forwarded.emplace_back("tracestate", std::string(state));
  return forwarded;
}

}  // namespace photofinish::gateway
