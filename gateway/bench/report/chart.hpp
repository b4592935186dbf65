// Line charts as inline SVG, coloured by the page's own style sheet, in light and in dark. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

// Loads and lengths are compared by their ratio, times are not.
enum class chart_scale { logarithmic, linear };

struct chart_place {
  double value;  // above 0 where the axis is logarithmic
  std::string label;
};

struct chart_series {
  std::string name;                           // at the line's end: "p95"
  std::vector<std::optional<double>> values;  // one for each place on the x axis; none: the line has a gap
};

struct chart {
  std::string title;
  std::string unit;                   // of the y axis, which begins at 0
  std::string x_title;               // "(log scale)" is added where it is one
  std::vector<chart_place> places;   // in any order
  std::vector<chart_series> series;  // at most eight: the style sheet's colours
  chart_scale scale = chart_scale::logarithmic;
};

// A <figure>. A chart of one place shows its points.
std::string draw(const chart& what);

// A round number, at least `value`, whose quarters are round too: where an axis ends.
double axis_end(double value);

std::string html_text(std::string_view text);  // & < > " ' escaped

// A place in a drawing, and a text there.
std::string coordinate(double value);
std::string text_at(double x, double y, std::string_view style, std::string_view text);

}  // namespace photofinish::gateway::bench
