// Least squares.
#include "device/fit.h"

namespace nw {

std::optional<LineFit> fitLine(const std::vector<std::pair<double, double>> &points) {
  double n = double(points.size()), meanX = 0, meanY = 0, xx = 0, xy = 0, yy = 0;
  for (auto [x, y] : points) {
    meanX += x / n;
    meanY += y / n;
  }
  for (auto [x, y] : points) {
    xx += (x - meanX) * (x - meanX);
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) * (y - meanY);
  }
  if (!(xx > 0))
    return std::nullopt;
  double slope = xy / xx;
  return LineFit{meanY - slope * meanX, slope, yy > 0 ? xy * xy / (xx * yy) : 1};
}

} // namespace nw
