// Draws line charts as inline SVG. The page's style sheet colours them, in light and in dark mode. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

// The scale of an axis. Charts use a logarithmic axis for loads and lengths, because ratios matter there, and a linear
// axis for times.
enum class chart_scale { logarithmic, linear };

struct chart_place {
  double value;  // the position on the axis, which must be above 0 on a logarithmic axis
  std::string label;
};

struct chart_series {
  std::string name;                           // the text at the end of the drawn line, for example "p95"
  // The line's values, one for each x value of the chart. If a value is missing, the line has a gap there.
  std::vector<std::optional<double>> values;
};

struct chart {
  std::string title;
  std::string unit;                   // the unit of the y axis, which begins at 0
  std::string x_title;               // the title of the x axis; a logarithmic axis adds "(log scale)"
  std::vector<chart_place> places;   // the x values of the chart, in any order
  std::vector<chart_series> series;  // the lines; at most eight, because the style sheet has eight colours
  chart_scale scale = chart_scale::logarithmic;
};

// Returns a chart as a <figure> element. If the chart has only one x value, it shows points instead of lines.
std::string draw(const chart& what);

// Returns the upper end of an axis: a round number that is at least `value` and whose quarters are also round.
double axis_end(double value);

std::string html_text(std::string_view text);  // replaces & < > " and ' with HTML entities

// coordinate() formats a coordinate of the drawing. text_at() writes a text at a position of the drawing.
std::string coordinate(double value);
std::string text_at(double x, double y, std::string_view style, std::string_view text);

}  // namespace photofinish::gateway::bench
