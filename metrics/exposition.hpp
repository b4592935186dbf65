// Renders the metrics of all workers as one Prometheus page. Each worker counts in a shard of its own. Any thread may
// render a page, and several threads may do so at the same time. Rendering reads the workers' numbers without delaying
// the workers. A scrape takes milliseconds, so it must not run on a worker's thread.
#pragma once

#include "metrics/exemplars.hpp"
#include "metrics/shard.hpp"
#include "metrics/store_facts.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
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

// The state of an adaptive route's budget for hedges.
struct speculation_facts {
  std::string route;
  double max_extra_cost = 0;
  double fill = 0;  // between 0 and 1
};

// Numbers of trace spans: sent, dropped because a queue was full, and rejected by the collector.
struct span_facts {
  std::uint64_t exported = 0, dropped = 0, failed = 0;
};

enum class reload_result { refused, accepted };

// Defines whether a label is shown. A dropped label has an empty value in all series, and Prometheus treats an empty
// label as absent.
enum class label_use { shown, dropped };
constexpr label_use label_use_of(bool is_shown) { return is_shown ? label_use::shown : label_use::dropped; }

struct rendered_page {
  std::string text;
  std::string_view content_type;  // a string literal
};

class exposition final : public prometheus::Collectable {
 public:
  // The value of the header `content-type` for text().
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  // The shards must outlive this object.
  exposition(build_facts build, std::vector<const shard*> shards);

  // Records the result of the last load of the configuration. Until the first call, the result is "accepted". Any
  // thread may call this function.
  void config_loaded(reload_result result) { last_reload_.store(result, std::memory_order_relaxed); }

  // Records the hash of the configuration in use since `loaded_at`, in seconds since 1970. An empty hash is not shown.
  // Any thread may call this function.
  void config_in_use(std::string hash, double loaded_at);

  // Registers a function that adds metrics from outside the workers' shards. The function is called for each page, on
  // the thread that scrapes. Register it before the first scrape.
  using reader = std::function<void(merged_families&)>;
  void watch(reader read) { readers_.push_back(std::move(read)); }
  // Adds the metrics of the shared store to each page. The thread that scrapes also writes these metrics. Call this
  // function before the first scrape.
  void watch_store(const store_facts& facts) { store_ = &facts; }

  // The following functions set facts about the current configuration. Any thread may call them.
  void unpriced_targets(std::size_t count) { unpriced_targets_.store(count, std::memory_order_relaxed); }
  void catalogue_date(std::chrono::sys_days day) { catalogue_date_.store(day, std::memory_order_relaxed); }
  void region(std::string name);  // sets the gateway's region; an empty name means no region
  void client_label(label_use use) { client_label_.store(use, std::memory_order_relaxed); }
  void adopt(std::string its_region, label_use its_client_label) {
    region(std::move(its_region));
    client_label(its_client_label);
  }

  std::vector<prometheus::MetricFamily> Collect() const override;
  std::string text() const;

  // Returns the page. The page is in OpenMetrics format if the scraper accepts that format and there are exemplars to
  // show. Otherwise it is in Prometheus' text format.
  rendered_page page(bool takes_open_metrics, exemplars& seen) const;

 private:
  void add_region(merged_families& page) const;
  void add_config(merged_families& page) const;

  const build_facts build_;
  const std::vector<const shard*> shards_;
  std::vector<reader> readers_;
  const store_facts* store_ = nullptr;
  std::atomic<reload_result> last_reload_ = reload_result::accepted;
  std::atomic<std::size_t> unpriced_targets_ = 0;
  std::atomic<std::chrono::sys_days> catalogue_date_{};  // 1970-01-01 means unknown
  std::atomic<label_use> client_label_ = label_use::shown;
  mutable std::mutex region_guard_;  // guards the members below; it is locked once per reload and once per scrape
  std::string region_;
  std::string config_hash_;
  double config_loaded_at_ = 0;  // time of the last load in seconds since 1970; 0 if no configuration was loaded yet
};

}  // namespace photofinish::metrics
