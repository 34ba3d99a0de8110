// Marks of axes.
#include "report/chart.h"
#include <cmath>
#include <fmt/format.h>

namespace nw {

static std::vector<double> linearTicks(double low, double high) {
  constexpr double kAbout = 8;
  double raw = (high - low) / kAbout, power = std::pow(10, std::floor(std::log10(raw)));
  double step = raw <= power       ? power
                : raw <= 2 * power ? 2 * power
                : raw <= 5 * power ? 5 * power
                                   : 10 * power;
  std::vector<double> all;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    all.push_back(k * step);
  return all;
}

// Every decade; with few decades also 2 and 5 in each.
static std::vector<double> decadeTicks(double low, double high) {
  bool isShort = std::log10(high / low) < 3.5;
  std::vector<double> all;
  for (double k = std::floor(std::log10(low)); k <= std::ceil(std::log10(high)); k++)
    for (double factor : {1.0, 2.0, 5.0})
      if (double v = factor * std::pow(10, k);
          (factor == 1 || isShort) && v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9))
        all.push_back(v);
  return all;
}

static std::vector<double> doublingTicks(double low, double high) {
  constexpr double kMost = 12;
  double first = std::ceil(std::log2(low) - 1e-9), last = std::floor(std::log2(high) + 1e-9);
  double step = std::ceil((last - first + 1) / kMost);
  std::vector<double> all;
  for (double k = first; k <= last; k += std::max(1.0, step))
    all.push_back(std::exp2(k));
  return all;
}

std::vector<double> ticks(double low, double high, Scale scale) {
  if (scale == Scale::Decades)
    return decadeTicks(low, high);
  return scale == Scale::Doublings ? doublingTicks(low, high) : linearTicks(low, high);
}

std::string tickLabel(double value, Scale scale) {
  double base = scale == Scale::Doublings ? 1024 : 1000;
  const char *binary[] = {"", "Ki", "Mi", "Gi", "Ti"}, *decimal[] = {"", "k", "M", "G", "T"};
  int unit = 0;
  while (std::abs(value) >= base && unit < 4) {
    value /= base;
    unit++;
  }
  return fmt::format("{:.4g}{}", std::abs(value) < 1e-12 ? 0.0 : value,
                     scale == Scale::Doublings ? binary[unit] : decimal[unit]);
}

} // namespace nw
