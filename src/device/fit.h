// A straight line through points, by least squares: t_start and t_request from the times of bank
// conflicts.
#pragma once
#include <optional>
#include <utility>
#include <vector>

namespace nw {

struct LineFit {
  double start = 0, slope = 0;
  double explained = 0; // share of the variation that the line explains, from 0 to 1
};

// nullopt when the points have fewer than two different x.
std::optional<LineFit> fitLine(const std::vector<std::pair<double, double>> &points);

} // namespace nw
