// Charts as SVG: lines over two axes, linear or logarithmic, and groups of bars.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace nw {

enum class Scale {
  Linear,
  Decades,
  Doublings
}; // Doublings: logarithmic, with marks at powers of two

struct Axis {
  std::string label; // with its unit
  Scale scale = Scale::Linear;
};

struct ChartLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

struct LineChart {
  std::string title;
  Axis x, y;
  std::vector<ChartLine> lines;
};

struct BarSeries {
  std::string label;
  std::vector<double> values; // one for each category; not finite: no bar
};

struct BarChart {
  std::string title;
  Axis y;
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
};

// Points that an axis cannot show (zero on a logarithmic one) are left out.
std::string drawn(const LineChart &chart);
std::string drawn(const BarChart &chart);

// Where the marks of an axis from low to high stand. A logarithmic axis must have 0 < low.
std::vector<double> ticks(double low, double high, Scale scale);
// 4Ki, 2.5M, 0.001: short, for marks.
std::string tickLabel(double value, Scale scale);

} // namespace nw
