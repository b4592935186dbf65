// Draws line charts as inline SVG. The page's style sheet colours them, in light and in dark mode. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

// Logarithmic for loads and lengths, because their ratios matter. Linear for times.
enum class chart_scale { logarithmic, linear };

struct chart_place {
  double value;  // must be above 0 on a logarithmic axis
  std::string label;
};

struct chart_series {
  std::string name;                           // the text at the end of the line, for example "p95"
  std::vector<std::optional<double>> values;  // one for each place on the x axis; none: the line has a gap
};

struct chart {
  std::string title;
  std::string unit;                   // the unit of the y axis, which begins at 0
  std::string x_title;               // "(log scale)" is added for a logarithmic axis
  std::vector<chart_place> places;   // the places may be in any order
  std::vector<chart_series> series;  // at most eight, because the style sheet has eight colours
  chart_scale scale = chart_scale::logarithmic;
};

// Returns a <figure>. A chart with only one place shows points.
std::string draw(const chart& what);

// The upper end of an axis: a round number, at least `value`, whose quarters are also round.
double axis_end(double value);

std::string html_text(std::string_view text);  // replaces & < > " and ' by HTML entities

// Formats a coordinate, and a text at a position of the drawing.
std::string coordinate(double value);
std::string text_at(double x, double y, std::string_view style, std::string_view text);

}  // namespace photofinish::gateway::bench
