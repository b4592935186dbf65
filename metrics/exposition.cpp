#include "metrics/exposition.hpp"

#include "metrics/merged_families.hpp"
#include "metrics/open_metrics.hpp"
#include "metrics/process_stats.hpp"

#include <prometheus/text_serializer.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace photofinish::metrics {

namespace {

// Shown as 0 before it first happens, for each declared target: rate() does not see the step from "no
// series" to 1, and a share of nothing would be no data instead of 0.
bool is_shown_as_zero(attempt_outcome outcome, attempt_reason reason) {
  switch (outcome) {
    case attempt_outcome::won:
    case attempt_outcome::lost: return reason == attempt_reason::none;
    case attempt_outcome::failed:
      return reason >= attempt_reason::dns && reason <= attempt_reason::bad_stream;
    case attempt_outcome::broken:
    case attempt_outcome::cancelled:
    case attempt_outcome::skipped:
    case attempt_outcome::continued: return false;
  }
  return false;
}

void add_attempts(merged_families& page, const target_series& target) {
  target.attempts.for_each([&](attempt_outcome outcome, const auto& by_reason) {
    by_reason.for_each([&](attempt_reason reason, const counter_cell& counter) {
      const std::uint64_t count = counter.value();
      const bool is_shown = target.origin == target_origin::declared && is_shown_as_zero(outcome, reason);
      if (count == 0 && !is_shown) return;
      page.add(names::attempts_total,
               {target.provider.name, target.model, to_string(outcome), to_string(reason)},
               static_cast<double>(count));
    });
  });
}

// One counter of a target for each value of a label.
template <class Enum, class Cell>
void add_by(merged_families& page, const metric& which, const target_series& target, const by<Enum, Cell>& counters) {
  counters.for_each([&](Enum value, const Cell& counter) {
    page.add_counted(which, {target.provider.name, target.model, to_string(value)}, counter);
  });
}

void add_target(merged_families& page, const target_series& target) {
  const merged_families::label_values values{target.provider.name, target.model};
  add_attempts(page, target);
  target.ttft.for_each([&](ttft_sample sample, const auto& cells) {
    page.add_observed({target.provider.name, target.model, to_string(sample)}, cells);
  });
  page.add_observed(values, target.abandoned);
  page.add_observed(values, target.first_byte);
  page.add_observed(values, target.first_visible);
  target.reported.for_each([&](reported_stage stage, const auto& cells) {
    page.add_observed({target.provider.name, target.model, to_string(stage)}, cells);
  });
  target.speed.for_each([&](token_source source, const auto& cells) {
    page.add_observed({target.provider.name, target.model, to_string(source)}, cells);
  });
  add_by(page, names::decode_tokens_total, target, target.decode_tokens);
  add_by(page, names::decode_seconds_total, target, target.decode_seconds);
  page.add_counted(names::reasoning_tokens_total, values, target.reasoning_tokens);
  add_by(page, names::output_tokens_total, target, target.output_tokens);
  add_by(page, names::unmeasurable_total, target, target.unmeasurable);
  add_by(page, names::repeated_total, target, target.repeated);
  add_by(page, names::lost_input_tokens_total, target, target.lost_input_tokens);
  add_by(page, names::lost_output_tokens_total, target, target.lost_output_tokens);
  add_by(page, names::cost_usd_total, target, target.cost);
  page.add_counted(names::unpriced_total, values, target.unpriced);
  add_by(page, names::crawls_total, target, target.crawls);
}

void add_gen_ai(merged_families& page, const target_series& target) {
  constexpr std::string_view operation = "chat";  // the only one that races
  const std::string_view provider = gen_ai_provider_name(target.provider.name);
  page.add_observed({operation, provider, target.model}, target.gen_ai_ttft);
  page.add_observed({operation, provider, target.model}, target.gen_ai_token_time);
  target.gen_ai_token_usage.for_each([&](token_type type, const auto& cells) {
    page.add_observed({operation, provider, target.model, to_string(type)}, cells);
  });
  target.gen_ai_duration.for_each([&](attempt_reason error, const auto& cells) {
    // To Prometheus an empty label is an absent one, which is OpenTelemetry's way to say "no error".
    const std::string_view error_type = error == attempt_reason::none ? "" : to_string(error);
    page.add_observed({operation, provider, target.model, error_type}, cells);
  });
}

void add_provider(merged_families& page, const provider_series& provider) {
  page.add(names::inflight_attempts, {provider.name},
           static_cast<double>(provider.inflight_attempts.value()));
  page.add_observed({provider.name}, provider.cancel);
  provider.connections.for_each([&](connection_kind kind, const counter_cell& counter) {
    page.add_counted(names::upstream_connections_total, {provider.name, to_string(kind)}, counter);
  });
}

void add_speculation(merged_families& page, const route_series& route) {
  route.speculation_cost.for_each([&](currency in, const auto& costs) {
    costs.for_each([&](spent_on what, const sum_cell& cost) {
      page.add_counted(names::speculation_cost_total, {route.name, to_string(what), to_string(in)}, cost);
    });
  });
  route.starts.for_each([&](start_cause why, const counter_cell& count) {
    page.add_counted(names::starts_total, {route.name, to_string(why)}, count);
  });
  route.held_back_hedges.for_each([&](held_back why, const counter_cell& count) {
    page.add_counted(names::hedges_held_back_total, {route.name, to_string(why)}, count);
  });
  page.add_observed({route.name}, route.prediction_ratio);
  route.within.for_each([&](predicted quantile, const counter_cell& count) {
    page.add_counted(names::predictions_within_total, {route.name, to_string(quantile)}, count);
  });
  page.add_counted(names::choice_changes_total, {route.name}, route.choice_changes);
  route.deadlines.for_each([&](deadline_end end, const counter_cell& count) {
    page.add_counted(names::deadlines_total, {route.name, to_string(end)}, count);
  });
}

void add_decisions(merged_families& page, const route_series& route) {
  route.holds.for_each([&](hold_why why, const counter_cell& count) {
    page.add_counted(names::holds_total, {route.name, to_string(why)}, count);
  });
  page.add_observed({route.name}, route.hold);
  route.runners_up.for_each([&](runner_up_end end, const counter_cell& count) {
    page.add_counted(names::runners_up_total, {route.name, to_string(end)}, count);
  });
  route.cache.for_each([&](cache_result result, const counter_cell& count) {
    page.add_counted(names::cache_requests_total, {route.name, to_string(result)}, count);
  });
}

void add_speculation(merged_families& page, const std::vector<speculation_facts>& budgets) {
  for (const speculation_facts& each : budgets) {
    page.add(names::max_extra_cost, {each.route}, each.max_extra_cost);
    page.add(names::budget_fill, {each.route}, each.fill);
  }
}

void add_route(merged_families& page, const route_series& route) {
  page.add(names::inflight_requests, {route.name}, static_cast<double>(route.inflight_requests.value()));
  page.add_observed({route.name}, route.ttft);
  page.add_observed({route.name}, route.duration);
  page.add_observed({route.name}, route.overhead);
  page.add_observed({route.name}, route.margin);
  add_speculation(page, route);
  add_decisions(page, route);
}

std::string_view shown(std::string_view client, label_use use) { return use == label_use::shown ? client : ""; }

// Routes and endpoints whose outcomes are in the page.
using filled_outcomes = std::set<std::pair<std::string_view, endpoint>>;

// All outcomes of what was asked for at all, the zeros too: an error ratio without errors is then 0. Once for each
// route and endpoint: with those of each client, hundreds of keys would make ten thousand series.
void add_all_outcomes(merged_families& page, std::string_view route, endpoint where, label_use clients) {
  for (const std::string_view outcome : words_of<request_outcome>)
    page.add(names::requests_total, {route, to_string(where), shown(none_label, clients), outcome}, 0);
}

void add_requests(merged_families& page, const request_series& series, label_use clients, filled_outcomes& filled) {
  series.requests.for_each([&](endpoint where, const auto& by_outcome) {
    by_outcome.for_each([&](request_outcome outcome, const counter_cell& counter) {
      if (counter.value() == 0) return;
      if (filled.emplace(series.route.name, where).second) add_all_outcomes(page, series.route.name, where, clients);
      page.add_counted(
          names::requests_total,
          {series.route.name, to_string(where), shown(series.client.name, clients), to_string(outcome)}, counter);
    });
  });
}

void add_usage(merged_families& page, const usage_series& series, label_use clients) {
  const auto add_by_word = [&](const metric& which, const auto& cells) {
    cells.for_each([&](auto word, const auto& cell) {
      page.add_counted(which, {shown(series.client, clients), series.team, to_string(word)}, cell);
    });
  };
  add_by_word(names::limit_rejections_total, series.rejections);
  add_by_word(names::client_tokens_total, series.tokens);
  add_by_word(names::client_cost_usd_total, series.cost);
}

void add_limit(merged_families& page, const limit_series& series) {
  series.rejections.for_each([&](rejection kind, const counter_cell& cell) {
    page.add_counted(names::limit_reached_total, {series.scope, series.name, to_string(kind)}, cell);
  });
}

void add_project(merged_families& page, const project_series& series) {
  series.tokens.for_each([&](token_direction which, const counter_cell& cell) {
    page.add_counted(names::project_tokens_total, {series.name, to_string(which)}, cell);
  });
  series.cost.for_each([&](cost_kind kind, const sum_cell& cell) {
    page.add_counted(names::project_cost_usd_total, {series.name, to_string(kind)}, cell);
  });
}

void add_guardrail(merged_families& page, const guardrail_series& series) {
  series.seconds.for_each([&](guardrail_verdict said, const auto& cells) {
    page.add_observed({series.name, to_string(said)}, cells);
  });
}

void add_budget(merged_families& page, const budget_facts& budget) {
  page.add(names::budget_usd, {budget.scope, budget.name}, budget.usd);
  page.add(names::budget_spend_usd, {budget.scope, budget.name}, budget.spent_usd);
}

void add_store(merged_families& page, const store_facts& store) {
  page.add(names::store_up, {}, store.is_up ? 1 : 0);
  page.add(names::limits_degraded, {}, store.is_degraded ? 1 : 0);
  page.add(names::limit_waits_total, {"answered"}, static_cast<double>(store.answered_waits));
  page.add(names::limit_waits_total, {"late"}, static_cast<double>(store.late_waits));
  page.add(names::replicas, {}, static_cast<double>(store.replicas));
  page.add(names::budgets_restored_total, {}, static_cast<double>(store.budgets_restored));
  page.add(names::store_access_keys, {}, static_cast<double>(store.access_keys));
  page.add_observed({}, store.calls);
  for (std::size_t each = 0; each < store.errors.size(); ++each)
    page.add(names::store_errors_total, {store_error_words[each]}, static_cast<double>(store.errors[each]));
}

void add_probes(merged_families& page, const probe_facts& probes) {
  for (const probed_target& each : probes.targets) {
    page.add(names::probes_total, {each.provider, each.model, "answered"}, static_cast<double>(each.answered));
    page.add(names::probes_total, {each.provider, each.model, "failed"}, static_cast<double>(each.failed));
    page.add(names::probe_cost_usd_total, {each.provider, each.model}, each.usd);
  }
  page.add(names::probe_budget_usd, {}, probes.budget_usd);
  page.add(names::probe_spend_usd, {}, probes.spent_usd);
}

void add_shard(merged_families& page, const shard& worker, label_use clients) {
  const shard::listing all = worker.list();
  worker.overloads().for_each([&](overload_reason why, const counter_cell& count) {  // the zeros too
    page.add(names::overload_refusals_total, {to_string(why)}, static_cast<double>(count.value()));
  });
  filled_outcomes filled;
  for (const auto* series : all.requests) add_requests(page, *series, clients, filled);
  for (const auto* series : all.usages) add_usage(page, *series, clients);
  for (const auto* series : all.limits) add_limit(page, *series);
  for (const auto* series : all.projects) add_project(page, *series);
  for (const auto* series : all.guardrails) add_guardrail(page, *series);
  for (const auto* series : all.routes) add_route(page, *series);
  for (const auto* series : all.providers) add_provider(page, *series);
  for (const auto* series : all.targets) add_target(page, *series);
  for (const auto* series : all.targets) add_gen_ai(page, *series);
}

template <class Number>
void add_if(merged_families& page, const metric& which, const std::optional<Number>& value) {
  if (value) page.add(which, {}, static_cast<double>(*value));
}

void add_process(merged_families& page, const process_stats& process) {
  add_if(page, names::process_cpu_seconds_total, process.cpu_seconds);
  add_if(page, names::process_resident_memory, process.resident_bytes);
  add_if(page, names::process_virtual_memory, process.virtual_bytes);
  add_if(page, names::process_open_fds, process.open_fds);
  add_if(page, names::process_max_fds, process.max_fds);
  add_if(page, names::process_start_time, process.start_time_seconds);
}

void add_front(merged_families& page, const front_facts& front) {
  front.refused.for_each([&](refused_connection why, std::uint64_t count) {
    page.add(names::refused_connections_total, {to_string(why)}, static_cast<double>(count));
  });
  add_if(page, names::tls_certificate_expiry, front.certificate_expires);
}

void add_memory(merged_families& page, const memory_facts& memory) {
  page.add(names::cache_answers, {}, static_cast<double>(memory.cached_answers));
  page.add(names::cache_bytes, {}, static_cast<double>(memory.cached_bytes));
  page.add(names::memory_used, {}, static_cast<double>(memory.used_bytes));
  page.add(names::memory_limit, {}, static_cast<double>(memory.limit_bytes));
  page.add(names::memory_refusals_total, {}, static_cast<double>(memory.refusals));
}

// The zeros too: a rate of what is dropped then begins at 0.
void add_spans(merged_families& page, const span_facts& spans) {
  page.add(names::spans_total, {"exported"}, static_cast<double>(spans.exported));
  page.add(names::spans_total, {"dropped"}, static_cast<double>(spans.dropped));
  page.add(names::spans_total, {"failed"}, static_cast<double>(spans.failed));
}

}  // namespace

exposition::exposition(build_facts build, std::vector<const shard*> shards)
    : build_(std::move(build)), shards_(std::move(shards)) {}

void exposition::region(std::string name) {
  const std::lock_guard lock(region_guard_);
  region_ = std::move(name);
}

void exposition::add_region(merged_families& page) const {
  const std::lock_guard lock(region_guard_);
  if (!region_.empty()) page.add(names::region_info, {region_}, 1);
}

void exposition::config_in_use(std::string hash, double loaded_at) {
  const std::lock_guard lock(region_guard_);
  config_hash_ = std::move(hash);
  config_loaded_at_ = loaded_at;
}

void exposition::add_config(merged_families& page) const {
  const std::lock_guard lock(region_guard_);
  if (config_loaded_at_ > 0) page.add(names::config_reloaded_at, {}, config_loaded_at_);
  if (!config_hash_.empty()) page.add(names::config_info, {config_hash_}, 1);
}

std::vector<prometheus::MetricFamily> exposition::Collect() const {
  merged_families page;
  const label_use clients = client_label_.load(std::memory_order_relaxed);
  for (const shard* worker : shards_) add_shard(page, *worker, clients);
  const bool is_accepted = last_reload_.load(std::memory_order_relaxed) == reload_result::accepted;
  page.add(names::config_reload, {}, is_accepted ? 1 : 0);
  add_config(page);
  page.add(names::unpriced_targets, {}, static_cast<double>(unpriced_targets_.load(std::memory_order_relaxed)));
  page.add(names::build_info, {build_.version, build_.commit, build_.compiler}, 1);
  add_region(page);
  add_speculation(page, read_speculation_());
  for (const budget_facts& each : read_budgets_()) add_budget(page, each);
  for (const issuer_facts& each : read_issuers_())
    page.add(names::identity_keys_age, {each.name}, each.keys_age_seconds);
  const audit_facts audit = read_audit_();
  page.add(names::audit_lines_total, {"written"}, static_cast<double>(audit.written));
  page.add(names::audit_lines_total, {"dropped"}, static_cast<double>(audit.dropped));
  const audit_facts content = read_content_();
  page.add(names::content_log_lines_total, {"written"}, static_cast<double>(content.written));
  page.add(names::content_log_lines_total, {"dropped"}, static_cast<double>(content.dropped));
  add_if(page, names::state_folder_writable, read_state_folder_());
  page.add(names::egress_works, {}, read_egress_() ? 1 : 0);
  if (store_ && store_->is_used) add_store(page, *store_);
  add_spans(page, read_spans_());
  add_probes(page, read_probes_());
  add_memory(page, read_memory_());
  add_front(page, read_front_());
  add_process(page, read_process_stats());
  return page.take();
}

std::string exposition::text() const { return prometheus::TextSerializer{}.Serialize(Collect()); }

rendered_page exposition::page(bool takes_open_metrics, exemplars& seen) const {
  if (!takes_open_metrics || seen.empty()) return {text(), content_type};
  return {open_metrics_text(Collect(), seen), open_metrics_type};
}

}  // namespace photofinish::metrics
