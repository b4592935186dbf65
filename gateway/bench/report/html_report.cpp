#include "gateway/bench/report/html_report.hpp"

#include "gateway/bench/knee.hpp"
#include "gateway/bench/report/chart.hpp"
#include "gateway/bench/report/page_style.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

constexpr double distribution::* p50_95_99[] = {&distribution::p50, &distribution::p95, &distribution::p99};

bool has_any(const chart_series& line) {
  return std::any_of(line.values.begin(), line.values.end(), [](const auto& value) { return value.has_value(); });
}

class report_writer {
 public:
  explicit report_writer(const run_report& run) : run_(run) {}

  std::string write() {
    const std::string title = "photofinish bench: " + html_text(run_.model);
    out_ = page_head(title) + "<h1>" + html_text(run_.model) + "</h1>\n<p class=\"sub\">" + html_text(subtitle()) +
           "</p>\n";
    if (run_.levels.size() > 1)
      out_ += "<p class=\"words\">" + html_text(words_of(knee_of(run_.levels), run_.levels)) + "</p>\n";
    if (!run_.levels.empty()) {
      write_charts();
      write_summary();
      write_levels();
    }
    write_notes();
    return out_ + "</main></body></html>\n";
  }

 private:
  bool is_open() const { return run_.levels.front().level.is_open(); }
  std::string x_title() const { return is_open() ? "requests per second" : "concurrent requests"; }

  static std::string x_label(const load_level& level) {
    if (level.replay_speed) return "replay";
    return level.is_open() ? level.name().substr(5, level.name().size() - 7) : std::to_string(level.concurrency);
  }

  std::string subtitle() const {
    std::string text = run_.url + " · " + run_.clock.iso(run_.begun_at) + " · ";
    text += run_.plan.mode == answer_mode::stream ? "streamed" : "not streamed";
    text += run_.plan.prompts ? " · prompts from a file · output tokens: at most "
                              : " · about " + std::to_string(run_.plan.input_tokens) +
                                    " input tokens · output tokens: at most ";
    text += std::to_string(run_.plan.max_tokens) + " · ";
    if (!run_.levels.empty() && run_.levels.front().level.replay_speed)
      text += run_.levels.front().level.name() + " · ";
    else if (!run_.levels.empty())
      text += is_open() ? run_.plan.arrivals == arrival_pattern::poisson ? "the gateway is losing lines of the content "
                                                                           "log: {}: {} "
                                                                         : "open loop, constant arrivals · "
                        : "closed loop · ";
    return text + "seed " + std::to_string(run_.plan.seed) + " · photofinish " + run_.version;
  }

  chart empty_chart(std::string title, std::string unit) const {
    chart made{std::move(title), std::move(unit), x_title(), {}, {}};
    for (const level_report& level : run_.levels) {
      const double load = level.level.rate.value_or(static_cast<double>(level.level.concurrency));
      made.places.push_back({load, x_label(level.level)});
    }
    return made;
  }

  void add_spread_chart(const char* title, const char* unit, std::string_view tag,
                        std::initializer_list<std::pair<const char*, double distribution::*>> parts) {
    chart made = empty_chart(title, unit);
    bool is_known = false;
    for (const auto& [name, part] : parts) {
      chart_series line{name, {}};
      for (const level_report& level : run_.levels) line.values.push_back(level.part(tag, part));
      is_known |= has_any(line);
      made.series.push_back(std::move(line));
    }
    if (is_known) out_ += draw(made);
  }

  void add_value_chart(const char* title, const char* unit,
                       std::initializer_list<std::pair<const char*, std::string_view>> tags) {
    chart made = empty_chart(title, unit);
    for (const auto& [name, tag] : tags) {
      chart_series line{name, {}};
      for (const level_report& level : run_.levels) line.values.push_back(level.value(tag));
      if (has_any(line)) made.series.push_back(std::move(line));
    }
    if (!made.series.empty()) out_ += draw(made);
  }

  void add_part_chart() {
    chart made = empty_chart("Output speed by position in the answer, p50", "tok/s");
    for (const auto& [name, tag] : {std::pair{"to 256", "output_speed_first_256"},
                                    std::pair{"to 1,024", "output_speed_256_to_1024"},
                                    std::pair{"beyond", "output_speed_beyond_1024"}}) {
      chart_series line{name, {}};
      for (const level_report& level : run_.levels) line.values.push_back(level.part(tag, &distribution::p50));
      if (has_any(line)) made.series.push_back(std::move(line));
    }
    if (!made.series.empty()) out_ += draw(made);
  }

  void write_charts() {
    const auto bad_end = {std::pair{"p50", &distribution::p50}, std::pair{"p95", &distribution::p95},
                          std::pair{"p99", &distribution::p99}};
    const auto slow_end = {std::pair{"p50", &distribution::p50}, std::pair{"p5", &distribution::p5},
                           std::pair{"p1", &distribution::p1}};
    out_ += "<div class=\"charts\">\n";
    add_spread_chart("Time to first token", "ms", "time_to_first_token", bad_end);
    add_spread_chart("Output speed per user", "tok/s", "output_token_throughput_per_user", slow_end);
    add_part_chart();
    add_spread_chart("Inter-token latency", "ms", "inter_token_latency", bad_end);
    add_spread_chart("Request latency", "ms", "request_latency", bad_end);
    add_value_chart("Output throughput, all users", "tok/s", {{"total", "output_token_throughput"}});
    add_value_chart("Requests", "per second", {{"all", "request_throughput"}, {"good", "goodput"}});
    const bool has_errors = std::any_of(run_.levels.begin(), run_.levels.end(),
                                        [](const level_report& level) { return level.failed > 0; });
    if (has_errors) add_value_chart("Failed requests", "%", {{"failed", "request_error_rate"}});
    out_ += "</div>\n";
  }

  void write_summary() {
    const bool has_goodput = !run_.plan.goodput.empty();
    out_ += "<h2>By load</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"By load\">"
            "<table><thead><tr><td></td>"
            "<th colspan=\"3\" class=\"group\">TTFT, ms</th><th colspan=\"3\" class=\"group\">inter-token, ms</th>"
            "<th colspan=\"3\" class=\"group\">latency, ms</th><th colspan=\"3\" class=\"group\">tok/s per user</th>"
            "<th>tok/s</th><th>req/s</th><th>errors</th>";
    if (has_goodput) out_ += "<th>goodput</th>";
    out_ += "</tr><tr><th>" + x_title() + "</th>";
    for (int i = 0; i < 3; ++i) out_ += "<th>p50</th><th>p95</th><th>p99</th>";
    out_ += "<th>p50</th><th>p5</th><th>p1</th><th>total</th><td></td><th>%</th>";
    if (has_goodput) out_ += "<th>req/s</th>";
    out_ += "</tr></thead><tbody>\n";
    for (const level_report& level : run_.levels) write_summary_row(level, has_goodput ? "goodput" : "");
    out_ += "</tbody></table></div>\n";
  }

  void write_summary_row(const level_report& level, std::string_view goodput_tag) {
    out_ += "<tr><th>" + html_text(x_label(level.level)) + "</th>";
    for (const std::string_view tag : {"time_to_first_token", "inter_token_latency", "request_latency"})
      for (const auto part : p50_95_99) out_ += number_cell(level.part(tag, part));
    for (const auto part : {&distribution::p50, &distribution::p5, &distribution::p1})
      out_ += number_cell(level.part("output_token_throughput_per_user", part));
    for (const std::string_view tag : {"output_token_throughput", "request_throughput", "request_error_rate"})
      out_ += number_cell(level.value(tag));
    if (!goodput_tag.empty()) out_ += number_cell(level.value(goodput_tag));
    out_ += "</tr>\n";
  }

  void write_levels() {
    out_ += "<h2>All figures</h2>\n";
    for (const level_report& level : run_.levels) {
      const std::string name = html_text(level.level.name());
      out_ += "<details><summary>" + name + "</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"" + name + "\"><table><thead>"
              "<tr><th>Metric</th><th>avg</th><th>min</th><th>max</th><th>p99</th><th>p95</th><th>p90</th><th>p50</th>"
              "<th>std</th></tr></thead><tbody>\n";
      for (const metric& each : level.metrics) write_metric_row(each);
      out_ += "</tbody></table></div></details>\n";
    }
  }

  void write_metric_row(const metric& each) {
    out_ += "<tr><td>" + html_text(each.header) + " (" + html_text(each.unit) + ")</td>" + number_cell(each.avg);
    for (const auto part : {&distribution::min, &distribution::max, &distribution::p99, &distribution::p95,
                            &distribution::p90, &distribution::p50, &distribution::std})
      out_ += each.spread ? number_cell((*each.spread).*part) : "<td></td>";
    out_ += "</tr>\n";
  }

  void write_notes() {
    out_ += "<h2>Notes</h2>\n<ul>\n";
    for (const std::string& note : notes_of(run_)) out_ += "<li>" + html_text(note) + "</li>\n";
    out_ += "</ul>\n";
  }

  const run_report& run_;
  std::string out_;
};

}  // namespace

std::string write_html(const run_report& run) { return report_writer(run).write(); }

}  // namespace photofinish::gateway::bench
