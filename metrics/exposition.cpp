#include "metrics/exposition.hpp"

#include "metrics/merged_families.hpp"
#include "metrics/open_metrics.hpp"
#include "metrics/process_stats.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

namespace photofinish::metrics {

namespace {

// True for outcomes that are shown as 0 for each declared target before they first happen. Otherwise rate() would miss
// the step from "no series" to 1, and a ratio without events would be "no data" instead of 0.
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

// Returns the index of each label's value in a list of label values. The list contains the values of the series' labels
// first, and then the values of the metric's own labels.
template <const auto& Row>
consteval auto label_places() {
  constexpr auto& known = row_type<Row>::owner::label_names;
  std::array<std::size_t, Row.labels.size()> places{};
  std::size_t next = known.size();
  for (std::size_t label = 0; label < places.size(); ++label) {
    const auto place = static_cast<std::size_t>(std::ranges::find(known, Row.labels[label]) - known.begin());
    places[label] = place < known.size() ? place : next++;
  }
  if (next != known.size() + row_type<Row>::word_count) throw "a row must have one value for each of its labels";
  return places;
}

template <const auto& Row>
void add_cell(merged_families& page, const auto& owner_values, const auto& cell, auto... words) {
  const auto values = std::apply([&](auto... known) {
    return label_list<sizeof...(known) + sizeof...(words)>{known..., to_string(words)...};
  }, owner_values);
  constexpr auto places = label_places<Row>();
  std::apply([&](auto... place) { page.add(Row, {values[place]...}, cell); }, places);
}

std::string_view shown(std::string_view client, label_use use) { return use == label_use::shown ? client : ""; }

// Adds all cells of a set of series to the page. Each sample has the label values of the series.
template <class Owner>
void add_cells(merged_families& page, const Owner& series, label_use clients) {
  auto values = series.label_values();
  for (std::size_t label = 0; label < values.size(); ++label)
    if (Owner::label_names[label] == "client") values[label] = shown(values[label], clients);
  Owner::for_each_row([&]<const auto& Row>() {
    visit_cells(series.template cell<Row>(),
                [&](const auto& cell, auto... words) { add_cell<Row>(page, values, cell, words...); });
  });
}

void add_zeros(merged_families& page, const target_series& target) {
  if (target.origin != target_origin::declared) return;
  visit_cells(target.cell<names::attempts_total>(), [&](const auto&, attempt_outcome outcome, attempt_reason reason) {
    if (!is_shown_as_zero(outcome, reason)) return;
    page.add(names::attempts_total, {target.provider.name, target.model, to_string(outcome), to_string(reason)}, 0);
  });
}

// The routes and endpoints for which the page already contains the outcomes.
using filled_outcomes = std::set<std::pair<std::string_view, endpoint>>;

// Adds every outcome for each route and endpoint that had requests, even if its count is 0, so that an error ratio
// without errors is 0. The zeros are added once for each route and endpoint, not for each client: hundreds of keys
// would otherwise create ten thousand series.
void add_zeros(merged_families& page, const request_series& series, label_use clients, filled_outcomes& filled) {
  visit_cells(series.cell<names::requests_total>(), [&](const counter_cell& cell, endpoint where, request_outcome) {
    if (cell.value() == 0 || !filled.emplace(series.route.name, where).second) return;
    for (const std::string_view outcome : words_of<request_outcome>)
      page.add(names::requests_total, {series.route.name, to_string(where), shown(none_label, clients), outcome}, 0);
  });
}

void add_store(merged_families& page, const store_facts& store) {
  page.add(names::store_up, {}, store.is_up);
  page.add(names::limits_degraded, {}, store.is_degraded);
  page.add(names::limit_waits_total, {"answered"}, store.answered_waits);
  page.add(names::limit_waits_total, {"late"}, store.late_waits);
  page.add(names::replicas, {}, store.replicas);
  page.add(names::budgets_restored_total, {}, store.budgets_restored);
  page.add(names::store_access_keys, {}, store.access_keys);
  page.add(names::store_call_seconds, {}, store.calls);
  for (std::size_t each = 0; each < store.errors.size(); ++each)
    page.add(names::store_errors_total, {store_error_words[each]}, store.errors[each]);
}

void add_shard(merged_families& page, const shard& worker, label_use clients) {
  const shard::listing all = worker.list();
  const auto add_all = [&](const auto& owners) {
    for (const auto* series : owners) add_cells(page, *series, clients);
  };
  add_cells(page, worker, clients);
  for (const std::string_view reason : words_of<overload_reason>) page.add(names::overload_refusals_total, {reason}, 0);
  add_all(all.requests);
  add_all(all.usages);
  add_all(all.limits);
  add_all(all.projects);
  add_all(all.guardrails);
  add_all(all.routes);
  add_all(all.providers);
  add_all(all.targets);
  filled_outcomes filled;
  for (const auto* series : all.requests) add_zeros(page, *series, clients, filled);
  for (const auto* series : all.targets) add_zeros(page, *series);
}

template <class Number>
void add_if(merged_families& page, const metric& which, const std::optional<Number>& value) {
  if (value) page.add(which, {}, *value);
}

void add_process(merged_families& page, const process_stats& process) {
  add_if(page, names::process_cpu_seconds_total, process.cpu_seconds);
  add_if(page, names::process_resident_memory, process.resident_bytes);
  add_if(page, names::process_virtual_memory, process.virtual_bytes);
  add_if(page, names::process_open_fds, process.open_fds);
  add_if(page, names::process_max_fds, process.max_fds);
  add_if(page, names::process_start_time, process.start_time_seconds);
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
  page.add(names::config_reload, {}, is_accepted);
  add_config(page);
  page.add(names::unpriced_targets, {}, unpriced_targets_.load(std::memory_order_relaxed));
  if (const auto day = catalogue_date_.load(std::memory_order_relaxed); day != std::chrono::sys_days{}) {
    const std::chrono::duration<double> age = std::chrono::system_clock::now() - day;
    page.add(names::catalogue_age, {}, std::max(age.count(), 0.0));
  }
  page.add(names::build_info, {build_.version, build_.commit, build_.compiler}, 1);
  add_region(page);
  if (store_ && store_->is_used) add_store(page, *store_);
  for (const reader& read : readers_) read(page);
  add_process(page, read_process_stats());
  return page.take();
}

std::string exposition::text() const { return prometheus::TextSerializer{}.Serialize(Collect()); }

rendered_page exposition::page(bool takes_open_metrics, exemplars& seen) const {
  if (!takes_open_metrics || seen.empty()) return {text(), content_type};
  return {open_metrics_text(Collect(), seen), open_metrics_type};
}

}  // namespace photofinish::metrics
