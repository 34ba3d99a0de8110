// Charts.
#include "report/chart.h"
#include "report/svg.h"
#include <algorithm>
#include <cmath>

namespace nw {

namespace {

constexpr int kWidth = 800, kHeight = 420, kLegend = 200;
constexpr double kLeft = 70, kTop = 40, kBottom = kHeight - 55, kRight = kWidth - kLegend;
constexpr const char *kGrid = "#dddddd", *kInk = "#222222";
// Colors that the color-blind can tell apart.
const std::vector<std::string> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#7f7f7f", "#000000"};

const std::string &colorOf(size_t k) { return kColors[k % kColors.size()]; }

// One axis on the paper: from a value to a position.
struct Ruler {
  Scale scale;
  double low, high, from, to;

  bool shows(double value) const {
    return std::isfinite(value) && (scale == Scale::Linear || value > 0);
  }
  double position(double value) const {
    double share = scale == Scale::Linear ? (value - low) / (high - low)
                                          : std::log(value / low) / std::log(high / low);
    return from + share * (to - from);
  }
};

// The ruler that shows all values; a linear one begins at zero, unless values are below.
Ruler rulerFor(const std::vector<double> &values, Scale scale, double from, double to) {
  Ruler ruler{scale, 0, 0, from, to};
  bool any = false;
  for (double v : values)
    if (ruler.shows(v)) {
      ruler.low = any ? std::min(ruler.low, v) : v;
      ruler.high = any ? std::max(ruler.high, v) : v;
      any = true;
    }
  if (scale == Scale::Linear) {
    ruler.low = std::min(0.0, ruler.low);
    ruler.high =
        ruler.high > ruler.low ? ruler.high + 0.05 * (ruler.high - ruler.low) : ruler.low + 1;
    return ruler;
  }
  if (!any)
    ruler.low = ruler.high = 1;
  ruler.low /= 1.1;
  ruler.high *= 1.1;
  return ruler;
}

void drawY(SvgDrawing &drawing, const Axis &axis, const Ruler &y) {
  for (double t : ticks(y.low, y.high, axis.scale)) {
    drawing.line(kLeft, y.position(t), kRight, y.position(t), kGrid);
    drawing.text(kLeft - 6, y.position(t) + 4, tickLabel(t, axis.scale), Anchor::End, 11);
  }
  drawing.uprightText(18, (kTop + kBottom) / 2, axis.label);
  drawing.line(kLeft, kTop, kLeft, kBottom, kInk);
  drawing.line(kLeft, kBottom, kRight, kBottom, kInk);
}

void drawX(SvgDrawing &drawing, const Axis &axis, const Ruler &x) {
  for (double t : ticks(x.low, x.high, axis.scale)) {
    drawing.line(x.position(t), kTop, x.position(t), kBottom, kGrid);
    drawing.text(x.position(t), kBottom + 16, tickLabel(t, axis.scale), Anchor::Middle, 11);
  }
  drawing.text((kLeft + kRight) / 2, kBottom + 38, axis.label, Anchor::Middle);
}

void drawLegend(SvgDrawing &drawing, size_t k, const std::string &label) {
  double y = kTop + 10 + 20.0 * double(k);
  drawing.rectangle(kRight + 14, y - 8, 12, 8, colorOf(k));
  drawing.text(kRight + 31, y, label, Anchor::Start, 11);
}

} // namespace

std::string drawn(const LineChart &chart) {
  std::vector<double> xs, ys;
  for (const ChartLine &line : chart.lines)
    for (auto [x, y] : line.points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  Ruler x = rulerFor(xs, chart.x.scale, kLeft, kRight),
        y = rulerFor(ys, chart.y.scale, kBottom, kTop);
  SvgDrawing drawing(kWidth, kHeight);
  drawing.text(kLeft, 22, chart.title, Anchor::Start, 14);
  drawX(drawing, chart.x, x);
  drawY(drawing, chart.y, y);
  for (size_t k = 0; k < chart.lines.size(); k++) {
    std::vector<std::pair<double, double>> positions;
    for (auto [px, py] : chart.lines[k].points)
      if (x.shows(px) && y.shows(py))
        positions.emplace_back(x.position(px), y.position(py));
    drawing.polyline(positions, colorOf(k));
    for (auto [px, py] : positions)
      drawing.circle(px, py, 2.5, colorOf(k));
    drawLegend(drawing, k, chart.lines[k].label);
  }
  return drawing.svg();
}

std::string drawn(const BarChart &chart) {
  std::vector<double> values;
  for (const BarSeries &s : chart.series)
    values.insert(values.end(), s.values.begin(), s.values.end());
  Ruler y = rulerFor(values, chart.y.scale, kBottom, kTop);
  SvgDrawing drawing(kWidth, kHeight);
  drawing.text(kLeft, 22, chart.title, Anchor::Start, 14);
  drawY(drawing, chart.y, y);
  double group = (kRight - kLeft) / double(std::max<size_t>(1, chart.categories.size()));
  double bar = 0.8 * group / double(std::max<size_t>(1, chart.series.size()));
  double ground = y.scale == Scale::Linear ? y.position(0) : kBottom;
  for (size_t c = 0; c < chart.categories.size(); c++) {
    double left = kLeft + group * (double(c) + 0.1);
    drawing.text(left + 0.4 * group, kBottom + 16, chart.categories[c], Anchor::Middle, 11);
    for (size_t k = 0; k < chart.series.size(); k++)
      if (c < chart.series[k].values.size() && y.shows(chart.series[k].values[c])) {
        double top = y.position(chart.series[k].values[c]);
        drawing.rectangle(left + bar * double(k), std::min(top, ground), bar,
                          std::abs(ground - top), colorOf(k));
      }
  }
  for (size_t k = 0; k < chart.series.size(); k++)
    drawLegend(drawing, k, chart.series[k].label);
  return drawing.svg();
}

} // namespace nw
