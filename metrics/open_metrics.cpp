#include "metrics/open_metrics.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace photofinish::metrics {

namespace {

// The suffix of a counter's samples, which is not part of the family's name.
constexpr std::string_view counter_suffix = "_total";

void put_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN";
  } else if (std::isinf(number)) {
    out += number > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    // The number of significant digits of each value. prometheus-cpp writes the same number of digits.
    constexpr int precision = std::numeric_limits<double>::max_digits10 - 1;
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, precision).ptr;
    out.append(digits, end);
  }
}

void put_number(std::string& out, std::uint64_t number) { out += std::to_string(number); }

void put_escaped(std::string& out, std::string_view text) {
  for (const char each : text) {
    if (each == '\n') {
      out += "\\n";
      continue;
    }
    if (each == '\\' || each == '"') out += '\\';
    out += each;
  }
}

class page_writer {
 public:
  explicit page_writer(exemplars& seen) : seen_(seen) {}

  void put(const prometheus::MetricFamily& family) {
    const bool is_counter = family.type == prometheus::MetricType::Counter;
    std::string_view name = family.name;
    if (is_counter && name.ends_with(counter_suffix)) name.remove_suffix(counter_suffix.size());
    put_line("# HELP ", name, family.help);
    put_line("# TYPE ", name, word_of(family.type));
    for (const prometheus::ClientMetric& series : family.metric) {
      if (family.type == prometheus::MetricType::Histogram) {
        put_histogram(family.name, series);
      } else {
        put_sample(family.name, {}, series, is_counter ? series.counter.value : series.gauge.value);
      }
    }
  }

  std::string take() && {
    out_ += "# EOF\n";
    return std::move(out_);
  }

 private:
  static std::string_view word_of(prometheus::MetricType type) {
    switch (type) {
      case prometheus::MetricType::Counter: return "counter";
      case prometheus::MetricType::Gauge: return "gauge";
      case prometheus::MetricType::Histogram: return "histogram";
      default: return "unknown";
    }
  }

  void put_line(std::string_view what, std::string_view name, std::string_view text) {
    out_.append(what).append(name) += ' ';
    put_escaped(out_, text);
    out_ += '\n';
  }

  void put_labels(const prometheus::ClientMetric& series, const double* edge = nullptr) {
    if (series.label.empty() && !edge) return;
    char before = '{';
    for (const auto& [name, value] : series.label) {
      (out_ += std::exchange(before, ',')).append(name) += "=\"";
      put_escaped(out_, value);
      out_ += '"';
    }
    if (edge) {
      (out_ += before) += "le=\"";
      put_number(out_, *edge);
      out_ += '"';
    }
    out_ += '}';
  }

  template <class Number>
  void put_sample(std::string_view name, std::string_view suffix, const prometheus::ClientMetric& series,
                  Number value) {
    out_.append(name).append(suffix);
    put_labels(series);
    out_ += ' ';
    put_number(out_, value);
    out_ += '\n';
  }

  void put_histogram(std::string_view name, const prometheus::ClientMetric& series) {
    std::vector<std::string> values;
    for (const auto& label : series.label) values.push_back(label.value);
    const series_exemplars* const known = seen_.show(name, values);
    for (std::size_t index = 0; index < series.histogram.bucket.size(); ++index) {
      const auto& bucket = series.histogram.bucket[index];
      out_.append(name).append("_bucket");
      put_labels(series, &bucket.upper_bound);
      out_ += ' ';
      put_number(out_, bucket.cumulative_count);
      if (known && (*known)[index]) put_exemplar(*(*known)[index]);
      out_ += '\n';
    }
    put_sample(name, "_sum", series, series.histogram.sample_sum);
    put_sample(name, "_count", series, series.histogram.sample_count);
  }

  void put_exemplar(const exemplar& each) {
    out_.append(" # {trace_id=\"").append(each.trace_id).append("\"} ");
    put_number(out_, each.value);
    char at[32];
    out_ += ' ';
    out_.append(at, std::to_chars(at, at + sizeof at, each.at, std::chars_format::fixed, 3).ptr);
  }

  exemplars& seen_;
  std::string out_;
};

}  // namespace

bool takes_open_metrics(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos;
}

std::string open_metrics_text(const std::vector<prometheus::MetricFamily>& page, exemplars& seen) {
  page_writer writer(seen);
  for (const prometheus::MetricFamily& family : page) writer.put(family);
  seen.end_page();
  return std::move(writer).take();
}

}  // namespace photofinish::metrics
