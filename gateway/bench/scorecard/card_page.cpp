#include "gateway/bench/scorecard/card_page.hpp"

#include "gateway/bench/report/chart.hpp"
#include "gateway/bench/report/page_style.hpp"
#include "gateway/bench/scorecard/scatter.hpp"
#include "gateway/bench/scorecard/traffic_forecast.hpp"

#include <string_view>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

using part = double distribution::*;

std::string plain_size(std::size_t tokens) {
  const std::string name = size_name(tokens);
  return name.substr(0, name.find(' '));
}

class card_writer {
 public:
  explicit card_writer(const scorecard& card) : card_(card) {}

  std::string write() {
    out_ = page_head("photofinish bench: " + std::to_string(card_.endpoints.size()) + " endpoints") +
           "<h1>Speed beside price</h1>\n<p class=\"sub\">" + html_text(subtitle()) + "</p>\n";
    write_endpoints();
    write_verdicts();
    out_ += "<h2>Charts</h2>\n<div class=\"charts\">\n";
    for (std::size_t size = 0; size < card_.plan.input_tokens.size(); ++size) write_scatter(size);
    if (card_.plan.input_tokens.size() > 1) {
      write_lines("Time to first token, p50", "ms", "time_to_first_token");
      write_lines("Output speed, p50", "tok/s", "output_token_throughput_per_user");
      write_lines("Whole answer, p50", "ms", "request_latency");
    }
    out_ += "</div>\n";
    for (std::size_t size = 0; size < card_.plan.input_tokens.size(); ++size) write_table(size);
    write_forecast();
    out_ += "<h2>Notes</h2>\n<ul>\n";
    for (const std::string& note : notes_of(card_)) out_ += "<li>" + html_text(note) + "</li>\n";
    return out_ + "</ul>\n</main></body></html>\n";
  }

 private:
  std::string subtitle() const {
    const load_level& level = card_.plan.common.levels.front();
    return card_.clock.iso(card_.begun_at) + " · " + std::to_string(card_.rounds) + " rounds · " +
           std::to_string(level.concurrency) + " at once · " +
           (card_.plan.common.mode == answer_mode::stream ? "streamed" : "not streamed") + " · at most " +
           std::to_string(card_.plan.common.max_tokens) + " output tokens · seed " +
           std::to_string(card_.plan.common.seed) + " · photofinish " + card_.version;
  }

  std::string name_of(std::size_t endpoint) const {
    return letter_of(endpoint) + ", " + card_.endpoints[endpoint].model;
  }

  void write_endpoints() {
    out_ += "<div class=\"scroll\"><table><thead><tr><th></th><th>endpoint</th><th>model</th><th>this run, USD</th>"
            "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < card_.endpoints.size(); ++i) {
      const card_endpoint& each = card_.endpoints[i];
      out_ += "<tr><th>" + letter_of(i) + "</th><td>" + html_text(each.url) + "</td><td>" + html_text(each.model) +
              "</td>" + number_cell(each.cost_usd) + "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  void write_verdicts() {
    out_ += "<h2>Who is fastest</h2>\n<ul>\n";
    for (const std::string& each : verdicts_of(card_)) out_ += "<li>" + html_text(each) + "</li>\n";
    out_ += "</ul>\n";
  }

  // Draws speed against price at one input size, with a point for each endpoint whose price is known.
  void write_scatter(std::size_t size) {
    constexpr std::size_t speed = 1;  // the index of the figure for the speed in the list ranked_figures
    const std::string in = size_name(card_.plan.input_tokens[size]);
    scatter made{"Speed against price, " + in, "tok/s, p50", "USD for 1,000 requests", {}};
    for (const card_cell& each : card_.cells) {
      const auto speed_p50 = each.report.part(figure_of(ranked_figures[speed]).tag, &distribution::p50);
      if (each.size != size || !speed_p50 || !each.usd_per_request) continue;
      const double usd = *each.usd_per_request * 1000;
      made.points.push_back({letter_of(each.endpoint),
                             name_of(each.endpoint) + ": " + number_text(*speed_p50) + " tok/s, " + number_text(usd) +
                                 " USD for 1,000 requests",
                             each.endpoint, usd, *speed_p50, each.ranges[speed]});
    }
    out_ += draw(made);
  }

  void write_lines(const char* title, const char* unit, std::string_view tag) {
    chart made{title, unit, "tokens in", {}, {}};
    for (const std::size_t tokens : card_.plan.input_tokens)
      made.places.push_back({static_cast<double>(tokens), plain_size(tokens)});
    bool is_known = false;
    for (std::size_t i = 0; i < card_.endpoints.size(); ++i) {
      chart_series line{letter_of(i), {}};
      for (std::size_t size = 0; size < card_.plan.input_tokens.size(); ++size) {
        const card_cell* cell = card_.find(i, size);
        line.values.push_back(cell ? cell->report.part(tag, &distribution::p50) : std::nullopt);
        is_known |= line.values.back().has_value();
      }
      // Adds the line to the chart even if the line is empty, so that each endpoint keeps its colour.
      made.series.push_back(std::move(line));
    }
    if (is_known) out_ += draw(made);
  }

  void write_forecast() {
    if (!card_.traffic) return;
    out_ += "<h2>Forecast from your own traffic</h2>\n<ul>\n";
    for (const endpoint_forecast& each : forecast_of(card_))
      out_ += "<li><b>" + html_text(words_of(each)) + "</b></li>\n";
    for (const std::string& each : assumptions_of(card_)) out_ += "<li>" + html_text(each) + "</li>\n";
    out_ += "</ul>\n";
  }

  void write_table(std::size_t size) {
    out_ += "<h2>" + size_name(card_.plan.input_tokens[size]) +
            "</h2>\n<div class=\"scroll\"><table><thead><tr><th></th><th colspan=\"3\" class=\"group\">TTFT, ms</th>"
            "<th colspan=\"2\" class=\"group\">tok/s</th><th colspan=\"2\" class=\"group\">whole answer, ms</th>"
            "<th colspan=\"2\" class=\"group\">requests</th><th colspan=\"2\" class=\"group\">USD for 1M tokens</th>"
            "<th>USD for</th></tr><tr><th>endpoint</th><th>p50</th><th>p95</th><th>p99</th><th>p50</th><th>p5</th>"
            "<th>p50</th><th>p95</th><th>ok</th><th>failed</th><th>in</th><th>out</th><th>1,000 requests</th></tr>"
            "</thead><tbody>\n";
    for (const card_cell& each : card_.cells)
      if (each.size == size) write_row(each);
    out_ += "</tbody></table></div>\n";
  }

  void write_row(const card_cell& cell) {
    out_ += "<tr><th>" + html_text(name_of(cell.endpoint)) + "</th>";
    for (const part which : {&distribution::p50, &distribution::p95, &distribution::p99})
      out_ += number_cell(cell.report.part("time_to_first_token", which));
    for (const part which : {&distribution::p50, &distribution::p5})
      out_ += number_cell(cell.report.part("output_token_throughput_per_user", which));
    for (const part which : {&distribution::p50, &distribution::p95})
      out_ += number_cell(cell.report.part("request_latency", which));
    out_ += "<td>" + std::to_string(cell.report.succeeded) + "</td><td>" + std::to_string(cell.report.failed) + "</td>";
    const auto price = price_at(card_, cell);
    out_ += number_cell(price ? std::optional(price->input) : std::nullopt);
    out_ += number_cell(price ? std::optional(price->output) : std::nullopt);
    out_ += number_cell(cell.usd_per_request ? std::optional(*cell.usd_per_request * 1000) : std::nullopt) + "</tr>\n";
  }

  const scorecard& card_;
  std::string out_;
};

}  // namespace

std::string write_card_page(const scorecard& card) { return card_writer(card).write(); }

}  // namespace photofinish::gateway::bench
