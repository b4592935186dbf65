// Draws a chart of points with ranges as inline SVG: speed against price. The page's style sheet colours them. [pure]
#pragma once

#include "gateway/bench/scorecard/median_range.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

struct scatter_point {
  std::string name;      // the text next to the point, for example "A"
  std::string about;     // the text that is shown while the pointer is over the point
  std::size_t style = 0;  // the index of the point's colour in the style sheet
  double x = 0, y = 0;
  std::optional<value_range> y_range;
};

struct scatter {
  std::string title;
  std::string unit;     // the unit of the y axis; both axes begin at 0
  std::string x_title;
  std::vector<scatter_point> points;
};

// Returns the chart as a <figure> element, or an empty text if there are no points.
std::string draw(const scatter& what);

}  // namespace photofinish::gateway::bench
