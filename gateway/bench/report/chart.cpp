#include "gateway/bench/report/chart.hpp"

#include "gateway/bench/run_report.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace photofinish::gateway::bench {
namespace {

// The size of the chart in the units of the SVG drawing.
constexpr double width = 560, height = 270;
constexpr double left = 56, right = 64, top = 14, bottom = 46;
constexpr int grid_lines = 4;
constexpr double label_height = 14;
constexpr double label_gap = 30;  // the smallest distance between two labels on the x axis

class painter {
 public:
  explicit painter(const chart& what) : chart_(what) {
    double highest = 0;
    for (const chart_series& each : what.series)
      for (const auto& value : each.values) highest = std::max(highest, value.value_or(0));
    end_ = axis_end(highest);
    order_.resize(what.places.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto is_left_of = [&](std::size_t a, std::size_t b) { return what.places[a].value < what.places[b].value; };
    std::stable_sort(order_.begin(), order_.end(), is_left_of);
  }

  std::string paint() {
    out_ = "<figure><figcaption>" + html_text(chart_.title) + " <span>" + html_text(chart_.unit) +
           "</span></figcaption><svg viewBox=\"0 0 560 270\" role=\"img\" aria-label=\"" + html_text(chart_.title) +
           " by " + html_text(chart_.x_title) + "\">";
    paint_grid();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) paint_line(i);
    paint_names();
    return out_ + "</svg></figure>\n";
  }

 private:
  double x(std::size_t place) const {
    const double least = chart_.places[order_.front()].value, most = chart_.places[order_.back()].value;
    if (!(least < most)) return (left + width - right) / 2;
    if (chart_.scale == chart_scale::linear)
      return left + (width - left - right) * (chart_.places[place].value - least) / (most - least);
    return left + (width - left - right) * std::log(chart_.places[place].value / least) / std::log(most / least);
  }
  double y(double value) const { return height - bottom - (height - top - bottom) * value / end_; }

  void paint_grid() {
    for (int i = 0; i <= grid_lines; ++i) {
      const double value = end_ * i / grid_lines;
      out_ += "<line x1=\"" + coordinate(left) + "\" x2=\"" + coordinate(width - right) + "\" y1=\"" +
              coordinate(y(value)) + "\" y2=\"" + coordinate(y(value)) + "\" class=\"" + (i == 0 ? "axis" : "grid") +
              "\"/>";
      out_ += text_at(left - 8, y(value) + 4, "tick y", axis_label(value));
    }
    paint_places();
    const bool is_log = chart_.scale == chart_scale::logarithmic && chart_.places.size() > 1;
    const std::string scale = is_log ? " (log scale)" : "";
    out_ += text_at((left + width - right) / 2, height - 8, "tick x", chart_.x_title + scale);
  }

  // Draws the labels of the x axis from right to left. If two labels would overlap, only the label of the higher load
  // is drawn.
  void paint_places() {
    double free_x = width;
    for (auto place = order_.rbegin(); place != order_.rend(); ++place) {
      if (x(*place) > free_x) continue;
      free_x = x(*place) - label_gap;
      out_ += text_at(x(*place), height - bottom + 18, "tick x", chart_.places[*place].label);
    }
  }

  // Formats a label of the x axis, such as 2.5 or 250, without trailing zeros.
  static std::string axis_label(double value) { return proxy::short_text(value, 6); }

  void paint_line(std::size_t series) {
    const chart_series& line = chart_.series[series];
    const std::string style = "s" + std::to_string(series);
    std::string path, points;
    bool is_down = false;
    for (const std::size_t i : order_) {
      if (!line.values[i]) {
        is_down = false;
        continue;
      }
      const std::string at_x = coordinate(x(i)), at_y = coordinate(y(*line.values[i]));
      path += (is_down ? "L" : "M") + at_x + " " + at_y;
      is_down = true;
      points += "<circle cx=\"" + at_x + "\" cy=\"" + at_y + "\" r=\"4\" class=\"" + style + "\"><title>" +
                html_text(line.name + ", " + chart_.x_title + " " + chart_.places[i].label + ": " +
                          number_text(*line.values[i]) + " " + chart_.unit) +
                "</title></circle>";
    }
    if (!path.empty()) out_ += "<path d=\"" + path + "\" class=\"" + style + "\"/>" + points;
  }

  // Writes the names at the ends of the lines. If names would overlap, moves them apart.
  void paint_names() {
    struct name {
      double wanted_y, at_x;
      std::size_t series;
    };
    std::vector<name> names;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const auto& values = chart_.series[i].values;
      const auto is_there = [&values](std::size_t place) { return values[place].has_value(); };
      const auto last = std::find_if(order_.rbegin(), order_.rend(), is_there);
      if (last == order_.rend()) continue;
      names.push_back({y(*values[*last]), x(*last), i});
    }
    std::sort(names.begin(), names.end(), [](const name& a, const name& b) { return a.wanted_y > b.wanted_y; });
    double free_y = height;
    for (const name& each : names) {
      const double at_y = std::min(each.wanted_y, free_y);
      free_y = at_y - label_height;
      const std::string style = "name n" + std::to_string(each.series);
      out_ += text_at(each.at_x + 10, at_y + 4, style, chart_.series[each.series].name);
    }
  }

  const chart& chart_;
  std::vector<std::size_t> order_;  // the indexes of the x values, sorted from left to right
  double end_ = 1;
  std::string out_;
};

}  // namespace

std::string draw(const chart& what) { return painter(what).paint(); }

double axis_end(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double round : {1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (value <= round * power * (1 + 1e-9)) return round * power;
  return 10 * power;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += letter;
    }
  }
  return out;
}

std::string coordinate(double value) { return proxy::fixed_text(value, 1); }

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" + std::string(style) + "\">" +
         html_text(text) + "</text>";
}

}  // namespace photofinish::gateway::bench
