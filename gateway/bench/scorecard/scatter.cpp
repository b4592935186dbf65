#include "gateway/bench/scorecard/scatter.hpp"

#include "gateway/bench/report/chart.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {
namespace {

// The size of the drawing in SVG units. Line charts have the same size.
constexpr double width = 560, height = 270;
constexpr double left = 56, right = 40, top = 14, bottom = 46;
constexpr int grid_lines = 4;

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line x1=\"" + coordinate(x1) + "\" x2=\"" + coordinate(x2) + "\" y1=\"" + coordinate(y1) + "\" y2=\"" +
         coordinate(y2) + "\" class=\"" + style + "\"/>";
}

class painter {
 public:
  explicit painter(const scatter& what) : scatter_(what) {
    double most_x = 0, most_y = 0;
    for (const scatter_point& each : what.points) {
      most_x = std::max(most_x, each.x);
      most_y = std::max({most_y, each.y, each.y_range ? each.y_range->high : 0});
    }
    end_x_ = axis_end(most_x);
    end_y_ = axis_end(most_y);
  }

  std::string paint() {
    out_ = "<figure><figcaption>" + html_text(scatter_.title) + " <span>" + html_text(scatter_.unit) +
           "</span></figcaption><svg viewBox=\"0 0 560 270\" role=\"img\" aria-label=\"" + html_text(scatter_.title) +
           ", " + html_text(scatter_.unit) + " by " + html_text(scatter_.x_title) + "\">";
    for (int i = 0; i <= grid_lines; ++i) paint_grid(static_cast<double>(i) / grid_lines, i == 0 ? "axis" : "grid");
    out_ += text_at((left + width - right) / 2, height - 8, "tick x", scatter_.x_title);
    for (const scatter_point& each : scatter_.points) paint_point(each);
    return out_ + "</svg></figure>\n";
  }

 private:
  double x(double value) const { return left + (width - left - right) * value / end_x_; }
  double y(double value) const { return height - bottom - (height - top - bottom) * value / end_y_; }

  void paint_grid(double share, const std::string& style) {
    out_ += line(left, y(end_y_ * share), width - right, y(end_y_ * share), style);
    out_ += text_at(left - 8, y(end_y_ * share) + 4, "tick y", proxy::short_text(end_y_ * share, 6));
    out_ += text_at(x(end_x_ * share), height - bottom + 18, "tick x", proxy::short_text(end_x_ * share, 6));
  }

  void paint_point(const scatter_point& point) {
    const std::string style = std::to_string(point.style);
    if (point.y_range) out_ += line(x(point.x), y(point.y_range->low), x(point.x), y(point.y_range->high), "range");
    out_ += "<circle cx=\"" + coordinate(x(point.x)) + "\" cy=\"" + coordinate(y(point.y)) + "\" r=\"5\" class=\"s" +
            style + "\"><title>" + html_text(point.about) + "</title></circle>";
    out_ += text_at(x(point.x) + 9, y(point.y) + 4, "name n" + style, point.name);
  }

  const scatter& scatter_;
  double end_x_ = 1, end_y_ = 1;
  std::string out_;
};

}  // namespace

std::string draw(const scatter& what) { return what.points.empty() ? "" : painter(what).paint(); }

}  // namespace photofinish::gateway::bench
