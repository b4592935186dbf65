// Points with ranges, as inline SVG: speed against price. Coloured by the page's style sheet. [pure]
#pragma once

#include "gateway/bench/scorecard/median_range.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

struct scatter_point {
  std::string name;      // beside the point: "A"
  std::string about;     // what a pointer over it shows
  std::size_t style = 0;  // which of the sheet's colours
  double x = 0, y = 0;
  std::optional<value_range> y_range;
};

struct scatter {
  std::string title;
  std::string unit;     // of the y axis; both axes begin at 0
  std::string x_title;
  std::vector<scatter_point> points;
};

// A <figure>; empty without a point.
std::string draw(const scatter& what);

}  // namespace photofinish::gateway::bench
