// Which traced request came last into each bucket of a histogram: the way from a graph to a trace. One thread notes and
// shows. [pure]
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

// What a traced request added to a histogram.
struct traced_value {
  const metric* which = nullptr;
  std::vector<std::string> label_values = {};  // in the order of the metric's labels
  double value = 0;
};

struct exemplar {
  std::string trace_id = {};  // 32 hexadecimal digits
  double value = 0;
  double at = 0;  // seconds since 1970
};

// Of one series, by bucket.
using series_exemplars = std::vector<std::optional<exemplar>>;

class exemplars {
 public:
  // More than a page has series with exemplars by far. What callers name themselves is folded there, and gone after it.
  static constexpr std::size_t most_series = 1000;

  void note(std::string_view trace_id, std::chrono::system_clock::time_point at, std::span<const traced_value> values);
  bool empty() const { return kept_.empty(); }

  // Null: that series has none.
  const series_exemplars* show(std::string_view metric_name, std::span<const std::string> label_values);

  // After a page: of series that it did not have, none is kept.
  void end_page();

 private:
  struct kept_series {
    series_exemplars by_bucket;
    bool is_shown = false;
  };

  std::map<std::vector<std::string>, kept_series> kept_;  // by the metric's name and its label values
};

}  // namespace photofinish::metrics
