// All shards of the process as one Prometheus page. Any thread may ask for it, several at once too; it reads
// what the workers write without holding them up. A scrape takes milliseconds: not for a worker's thread.
#pragma once

#include "metrics/exemplars.hpp"
#include "metrics/shard.hpp"
#include "metrics/store_facts.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::metrics {

class merged_families;

struct build_facts {
  std::string version;
  std::string commit;
  std::string compiler;
};

// What all requests hold of the bound on memory.
struct memory_facts {
  std::size_t used_bytes = 0;
  std::size_t limit_bytes = 0;
  std::uint64_t refusals = 0;
  std::size_t cached_answers = 0;
  std::size_t cached_bytes = 0;
};

// Of a route whose races are adaptive.
struct speculation_facts {
  std::string route;
  double max_extra_cost = 0;
  double fill = 0;  // 0..1
};

// One budget and what is spent of it.
struct budget_facts {
  std::string_view scope;  // a literal
  std::string name;
  double usd = 0, spent_usd = 0;
};

// Lines of the audit log, or of the content log.
struct audit_facts {
  std::uint64_t written = 0, dropped = 0;
};

// An identity provider whose keys have come.
struct issuer_facts {
  std::string name;
  double keys_age_seconds = 0;
};

// Spans by what became of them: sent, found no room, or not taken by the collector.
struct span_facts {
  std::uint64_t exported = 0, dropped = 0, failed = 0;
};

// What was probed at one target since the start.
struct probed_target {
  std::string provider, model;
  std::uint64_t answered = 0, failed = 0;
  double usd = 0;
};

struct probe_facts {
  double budget_usd = 0, spent_usd = 0;  // of today; 0 where none are sent
  std::vector<probed_target> targets;
};

// How clients come in.
struct front_facts {
  by<refused_connection, std::uint64_t> refused{};
  std::optional<double> certificate_expires{};  // seconds since 1970; none: no TLS
};

enum class reload_result { refused, accepted };

// Whether a label is in the page, or empty everywhere, which is no label to Prometheus.
enum class label_use { shown, dropped };
constexpr label_use label_use_of(bool is_shown) { return is_shown ? label_use::shown : label_use::dropped; }

struct rendered_page {
  std::string text;
  std::string_view content_type;  // a literal
};

class exposition final : public prometheus::Collectable {
 public:
  // What text() answers in, for the header `content-type`.
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  // The shards outlive it.
  exposition(build_facts build, std::vector<const shard*> shards);

  // How the last load of the configuration went; the first one was accepted. Any thread.
  void config_loaded(reload_result result) { last_reload_.store(result, std::memory_order_relaxed); }

  // A configuration was put into use at that time, in seconds since 1970. An empty hash is not shown. Any thread.
  void config_in_use(std::string hash, double loaded_at);

  // Before the first scrape; asked at each. Any thread may be the one that scrapes.
  void watch_memory(std::function<memory_facts()> read) { read_memory_ = std::move(read); }

  // Likewise; the routes are as few as the configuration has.
  void watch_speculation(std::function<std::vector<speculation_facts>()> read) { read_speculation_ = std::move(read); }

  // Likewise.
  void watch_budgets(std::function<std::vector<budget_facts>()> read) { read_budgets_ = std::move(read); }

  // Likewise.
  void watch_content(std::function<audit_facts()> read) { read_content_ = std::move(read); }
  void watch_audit(std::function<audit_facts()> read) { read_audit_ = std::move(read); }
  void watch_issuers(std::function<std::vector<issuer_facts>()> read) { read_issuers_ = std::move(read); }
  // Likewise: whether the last write to the state folder succeeded; none: there is no such folder.
  // True if some provider can be reached.
  void watch_egress(std::function<bool()> read) { read_egress_ = std::move(read); }
  void watch_state_folder(std::function<std::optional<bool>()> read) { read_state_folder_ = std::move(read); }
  // Likewise; who scrapes is the thread that writes them.
  void watch_store(const store_facts& facts) { store_ = &facts; }
  void watch_spans(std::function<span_facts()> read) { read_spans_ = std::move(read); }
  // Likewise; as few as the targets of routes.
  void watch_probes(std::function<probe_facts()> read) { read_probes_ = std::move(read); }
  void watch_front(std::function<front_facts()> read) { read_front_ = std::move(read); }

  // Of the configuration in force. Any thread.
  void unpriced_targets(std::size_t count) { unpriced_targets_.store(count, std::memory_order_relaxed); }
  void region(std::string name);  // empty: none
  void client_label(label_use use) { client_label_.store(use, std::memory_order_relaxed); }
  void adopt(std::string its_region, label_use its_client_label) {
    region(std::move(its_region));
    client_label(its_client_label);
  }

  std::vector<prometheus::MetricFamily> Collect() const override;
  std::string text() const;

  // The same; in OpenMetrics, with exemplars, where the scraper takes that and there are any.
  rendered_page page(bool takes_open_metrics, exemplars& seen) const;

 private:
  void add_region(merged_families& page) const;
  void add_config(merged_families& page) const;

  const build_facts build_;
  const std::vector<const shard*> shards_;
  std::function<memory_facts()> read_memory_ = [] { return memory_facts{}; };
  std::function<std::vector<speculation_facts>()> read_speculation_ = [] { return std::vector<speculation_facts>{}; };
  std::function<std::vector<budget_facts>()> read_budgets_ = [] { return std::vector<budget_facts>(); };
  std::function<audit_facts()> read_content_ = [] { return audit_facts(); };
  std::function<audit_facts()> read_audit_ = [] { return audit_facts(); };
  std::function<std::vector<issuer_facts>()> read_issuers_ = [] { return std::vector<issuer_facts>(); };
  std::function<bool()> read_egress_ = [] { return true; };
  std::function<std::optional<bool>()> read_state_folder_ = [] { return std::optional<bool>(); };
  const store_facts* store_ = nullptr;
  std::function<span_facts()> read_spans_ = [] { return span_facts{}; };
  std::function<probe_facts()> read_probes_ = [] { return probe_facts{}; };
  std::function<front_facts()> read_front_ = [] { return front_facts(); };
  std::atomic<reload_result> last_reload_ = reload_result::accepted;
  std::atomic<std::size_t> unpriced_targets_ = 0;
  std::atomic<label_use> client_label_ = label_use::shown;
  mutable std::mutex region_guard_;  // once a reload and once a scrape; of the members below
  std::string region_;
  std::string config_hash_;
  double config_loaded_at_ = 0;  // 0: none yet
};

}  // namespace photofinish::metrics
