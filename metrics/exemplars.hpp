// The latest request that was traced in each bucket of a histogram. These exemplars link a graph to a trace. Only one
// thread may use this class. [pure]
#pragma once

#include "metrics/names.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

// The value that a traced request added to a histogram.
struct traced_value {
  const metric* which = nullptr;
  std::vector<std::string> label_values = {};  // label values in the order of the metric's labels
  double value = 0;
};

struct exemplar {
  std::string trace_id = {};  // 32 hexadecimal digits
  double value = 0;
  double at = 0;  // seconds since 1970
};

// The exemplars of one series, one for each bucket.
using series_exemplars = std::vector<std::optional<exemplar>>;

class exemplars {
 public:
  // The maximum number of series with exemplars. A metrics page has far fewer series. Names that callers invent become
  // `_other` on the page, and their exemplars are dropped after the page is rendered.
  static constexpr std::size_t most_series = 1000;

  void note(std::string_view trace_id, std::chrono::system_clock::time_point at, std::span<const traced_value> values);
  bool empty() const { return kept_.empty(); }

  // Returns the exemplars of a series, or null if the series has none.
  const series_exemplars* show(std::string_view metric_name, std::span<const std::string> label_values);

  // Drops the exemplars of series that the latest metrics page did not contain. Call this function after the page is
  // rendered.
  void end_page();

 private:
  struct kept_series {
    series_exemplars by_bucket;
    bool is_shown = false;
  };

  std::map<std::vector<std::string>, kept_series> kept_;  // exemplars keyed by the metric's name and its label values
};

}  // namespace photofinish::metrics
