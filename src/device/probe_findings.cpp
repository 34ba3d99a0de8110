// What the curves of a probe show: the papers' effects, as far as they can be seen.
#include "device/device_from_probe.h"
#include "device/fit.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace nw {

namespace {

using Points = std::vector<std::pair<double, double>>;

// y at the point with this x; 0 if there is none.
double at(const Points &points, double x) {
  for (auto [px, py] : points)
    if (px == x)
      return py;
  return 0;
}

std::string strides(const ProbeCurve &curve) {
  const Points &p = curve.lines.at(0).points;
  double unit = at(p, 1), two = at(p, 2), eight = at(p, 8), wide = at(p, 64);
  if (!(unit > 0 && two > 0 && eight > 0 && wide > 0))
    return "";
  return fmt::format("Strides: {:.4g} GB/s of useful data with unit stride; stride 2 reaches "
                     "1/{:.1f}, stride 8 1/{:.1f}, stride 64 1/{:.1f} of it.",
                     unit, unit / two, unit / eight, unit / wide);
}

std::string threads(const ProbeCurve &curve) {
  const ProbeLine &few = curve.lines.front(), &many = curve.lines.back();
  if (curve.lines.size() < 2 || !(at(few.points, 1) > 0))
    return "";
  return fmt::format(
      "Threads: with one block on each multiprocessor, {} read {:.4g} GB/s and {} {:.4g}.",
      few.label, at(few.points, 1), many.label, at(many.points, 1));
}

std::string distribution(const ProbeCurve &curve) {
  if (curve.lines.size() < 2 || curve.lines[0].points.empty() || curve.lines[1].points.empty())
    return "";
  auto [x, blocked] = curve.lines[0].points.back();
  double cyclic = curve.lines[1].points.back().second;
  return fmt::format("Blocked against cyclic accesses: {:.4g} and {:.4g} GB/s for {:.0f} elements, "
                     "a factor of {:.1f}.",
                     blocked, cyclic, x, cyclic / blocked);
}

std::string channels(const ProbeCurve &curve) {
  constexpr double kSeen = 0.75;
  if (curve.lines.size() < 2)
    return "";
  const Points &powers = curve.lines[0].points, &others = curve.lines[1].points;
  double worst = 1, where = 0;
  for (size_t k = 0; k < std::min(powers.size(), others.size()); k++)
    if (powers[k].first >= 1024 && others[k].second > 0 &&
        powers[k].second / others[k].second < worst) {
      worst = powers[k].second / others[k].second;
      where = powers[k].first;
    }
  if (worst >= kSeen)
    return fmt::format(
        "Channels: no power-of-two distance is much slower than its neighbour (worst {:.2f}).",
        worst);
  return fmt::format(
      "Channels: rows {:.0f} bytes apart reach {:.2f} of what rows a little further apart reach.",
      where, worst);
}

std::string readOnly(const ProbeCurve &curve) {
  constexpr double kSeen = 1.1;
  if (curve.lines.size() < 2)
    return "";
  const Points &plain = curve.lines[0].points, &special = curve.lines[1].points;
  double best = 0, where = 0;
  for (size_t k = 0; k < std::min(plain.size(), special.size()); k++)
    if (plain[k].second > 0 && special[k].second / plain[k].second > best) {
      best = special[k].second / plain[k].second;
      where = plain[k].first;
    }
  return best >= kSeen
             ? fmt::format("Read-only path: up to {:.2f} times the speed of plain loads (from "
                           "{:.0f} bytes).",
                           best, where)
             : fmt::format("Read-only path: no faster than plain loads (at best {:.2f} times).",
                           best);
}

std::string conflicts(const ProbeCurve &curve) {
  std::string text;
  for (const ProbeLine &line : curve.lines)
    if (std::optional<LineFit> fit = fitLine(line.points))
      text += fmt::format(
          "{}{}: t_start = {:.3g} ns, t_request = {:.3g} ns (the line explains {:.0f} %)",
          text.empty() ? "Bank conflicts, " : "; ", line.label, fit->start, fit->slope,
          100 * fit->explained);
  return text.empty() ? "" : text + ".";
}

// The banks look at so many threads together as must be apart to be free of each other.
std::string groups(const ProbeCurve &curve) {
  constexpr double kSame = 1.25;
  if (curve.lines.empty() || curve.lines[0].points.size() < 2)
    return "";
  const Points &p = curve.lines[0].points;
  double free = p.back().second;
  for (auto [apart, time] : p)
    if (time <= kSame * free)
      return fmt::format(
          "Banks serve {:.0f} threads together: threads that far apart do not conflict.", apart);
  return "";
}

std::string widths(const ProbeCurve &curve) {
  const Points &p = curve.lines.at(0).points;
  double byte = at(p, 1), word = at(p, 4), wide = at(p, 8);
  if (!(word > 0))
    return "";
  return fmt::format("Element sizes in shared memory: bytes cost {:.2f}, 8-byte elements {:.2f} "
                     "times a 4-byte element.",
                     byte / word, wide / word);
}

} // namespace

std::vector<std::string> findingsOf(const ProbeResult &result) {
  const std::pair<const char *, std::function<std::string(const ProbeCurve &)>> all[] = {
      {"bandwidth-by-stride", strides},     {"bandwidth-by-threads", threads},
      {"blocked-and-cyclic", distribution}, {"bandwidth-by-distance", channels},
      {"read-only-path", readOnly},         {"shared-by-degree", conflicts},
      {"shared-by-group", groups},          {"shared-by-width", widths}};
  std::vector<std::string> findings;
  for (auto &[id, find] : all)
    if (const ProbeCurve *curve = curveOf(result, id);
        curve && !curve->lines.empty() &&
        (result.kind != "cpu" || std::string(id) != "shared-by-degree"))
      if (std::string sentence = find(*curve); !sentence.empty())
        findings.push_back(sentence);
  for (auto &[what, why] : result.skipped)
    findings.push_back("Not measured: " + what + " (" + why + ").");
  return findings;
}

} // namespace nw
