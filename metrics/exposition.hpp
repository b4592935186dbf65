// All shards of the process as one Prometheus page. Any thread may ask for it, several at once too; it reads
// what the workers write without holding them up. A scrape takes milliseconds: not for a worker's thread.
#pragma once

#include "metrics/shard.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

struct build_facts {
  std::string version;
  std::string commit;
  std::string compiler;
};

enum class reload_result { refused, accepted };

class exposition final : public prometheus::Collectable {
 public:
  // What text() answers in, for the header `content-type`.
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  // The shards outlive it.
  exposition(build_facts build, std::vector<const shard*> shards);

  // How the last load of the configuration went; the first one was accepted. Any thread.
  void config_loaded(reload_result result) { last_reload_.store(result, std::memory_order_relaxed); }

  std::vector<prometheus::MetricFamily> Collect() const override;
  std::string text() const;

 private:
  const build_facts build_;
  const std::vector<const shard*> shards_;
  std::atomic<reload_result> last_reload_ = reload_result::accepted;
};

}  // namespace photofinish::metrics
