#include "gateway/bench/schedule/series.hpp"

#include "gateway/bench/number_text.hpp"
#include "gateway/bench/report/chart.hpp"
#include "gateway/bench/report/page_style.hpp"
#include "gateway/log/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

using member = std::optional<double> series_figures::*;

constexpr std::size_t most_lines = 8;  // the number of line colours in the style sheet

struct figure_chart {
  const char* title;
  const char* unit;
  member of;
};
constexpr std::array<figure_chart, 5> figure_charts{{
    {"Time to first token, p50", "ms", &series_figures::ttft_p50},
    {"Time to first token, p95", "ms", &series_figures::ttft_p95},
    {"Output speed, p50", "tok/s", &series_figures::speed_p50},
    {"Whole answer, p50", "ms", &series_figures::finish_p50},
    {"Failed requests", "%", &series_figures::error_percent},
}};

// Adds a name to the list unless the list already contains it. The names stay in the order in which they first
// appeared.
void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

const series_figures* find(const scheduled_run& run, const std::string& group, const std::string& name) {
  for (const series_figures& each : run.figures)
    if (each.group == group && each.name == name) return &each;
  return nullptr;
}

class series_writer {
 public:
  explicit series_writer(const schedule_state& state) : state_(state) {
    for (const scheduled_run& run : state.runs)
      for (const series_figures& each : run.figures) add_once(groups_, each.group);
  }

  std::string write() {
    out_ = page_head("photofinish bench: over time") + "<h1>Over time</h1>\n<p class=\"sub\">" + html_text(subtitle()) +
           "</p>\n<p class=\"words\">" + html_text(counts()) + "</p>\n";
    for (const std::string& group : groups_) write_group(group);
    write_runs();
    return out_ + "</main></body></html>\n";
  }

 private:
  std::string subtitle() const {
    return second_text(state_.schedule.first_at) + " · a run every " + std::to_string(state_.schedule.every.count()) +
           " s · " + state_.command;
  }

  std::string counts() const {
    const auto count = [this](slot_state of) {
      return std::to_string(std::count_if(state_.runs.begin(), state_.runs.end(),
                                          [of](const scheduled_run& each) { return each.state == of; }));
    };
    return count(slot_state::measured) + " of " + std::to_string(state_.runs.size()) + " runs measured, " +
           count(slot_state::missed) + " missed, " + count(slot_state::failed) + " without a report";
  }

  void write_group(const std::string& group) {
    out_ += "<h2>" + html_text(group) + "</h2>\n<div class=\"charts\">\n";
    for (const figure_chart& each : figure_charts) write_chart(group, each);
    out_ += "</div>\n";
  }

  void write_chart(const std::string& group, const figure_chart& what) {
    chart made{what.title, what.unit, "UTC", {}, {}, chart_scale::linear};
    std::vector<std::string> names;
    for (std::size_t slot = 0; slot < state_.runs.size(); ++slot) {
      const std::string at = second_text(state_.schedule.due_at(slot));
      made.places.push_back({static_cast<double>(slot), at.substr(11, 5)});
      for (const series_figures& each : state_.runs[slot].figures)
        if (each.group == group) add_once(names, each.name);
    }
    names.resize(std::min(names.size(), most_lines));
    bool is_known = false;
    for (const std::string& name : names) {
      chart_series line{name, {}};
      for (const scheduled_run& run : state_.runs) {
        const series_figures* figures = find(run, group, name);
        line.values.push_back(figures ? figures->*what.of : std::nullopt);
        is_known |= line.values.back().value_or(0) > 0;
      }
      made.series.push_back(std::move(line));
    }
    if (is_known) out_ += draw(made);
  }

  void write_runs() {
    out_ += "<h2>Runs</h2>\n<div class=\"scroll\"><table><thead><tr><th>due</th><th>state</th><th>report</th>"
            "<th>USD</th></tr></thead><tbody>\n";
    for (std::size_t slot = 0; slot < state_.runs.size(); ++slot) {
      const scheduled_run& run = state_.runs[slot];
      const std::string name = html_text(run.folder), state(proxy::word_of(run.state));
      out_ += "<tr><td>" + second_text(state_.schedule.due_at(slot)) + "</td><td>" + state +
              "</td><td>" + (name.empty() ? "–" : "<a href=\"" + name + "/bench.html\">" + name + "</a>") +
              "</td><td>" + (run.cost_usd ? number_text(*run.cost_usd) : "–") + "</td></tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  const schedule_state& state_;
  std::vector<std::string> groups_;
  std::string out_;
};

}  // namespace

std::string write_series_page(const schedule_state& state) { return series_writer(state).write(); }

// Writes the state of a schedule as JSON. Its times are readable text.
std::string write_series_json(const schedule_state& state) {
  auto series = nlohmann::ordered_json::parse(write_state(state));
  for (std::size_t slot = 0; slot < state.runs.size(); ++slot) {
    auto& run = series["runs"][slot];
    run["due"] = second_text(state.schedule.due_at(slot));
    if (state.runs[slot].begun_at) run["begun_at"] = second_text(*state.runs[slot].begun_at);
  }
  series["first_at"] = second_text(state.schedule.first_at);
  return series.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace photofinish::gateway::bench
