// The explanation in ten to twenty lines: times, bottlenecks, what limits them, what to change.
#include "report/advice.h"
#include "report/units.h"
#include "support/text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr size_t kMostLines = 20, kMostRegions = 8, kMostOnHost = 2;

using Lines = std::vector<std::string>;

std::string headOf(const ExplainedRegion &r) {
  std::vector<std::string> sizes;
  for (auto &[name, value] : r.sizes)
    sizes.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}: region {} of {}: {} on the device{}{}; copies of {} in and {} out take "
                     "{} (pinned {})",
                     r.where, r.number, r.function, timeText(r.estimated.seconds),
                     sizes.empty() ? "" : " at ", joined(sizes, ", "),
                     bytesText(r.estimated.toDevice), bytesText(r.estimated.fromDevice),
                     timeText(r.estimated.transferPageable), timeText(r.estimated.transferPinned));
}

// The kernels, the longest first.
std::vector<const ExplainedKernel *> byTime(const ExplainedRegion &r) {
  std::vector<const ExplainedKernel *> all;
  for (const ExplainedKernel &k : r.kernels)
    all.push_back(&k);
  std::stable_sort(all.begin(), all.end(),
                   [](auto *a, auto *b) { return a->estimated.seconds > b->estimated.seconds; });
  return all;
}

std::string timeOf(const ExplainedKernel &k, const ExplainedRegion &r) {
  std::string launches =
      k.estimated.launches == 1 ? "" : fmt::format(" in {:.0f} launches", k.estimated.launches);
  return fmt::format("{} {}{} ({:.0f} %)", k.name, timeText(k.estimated.seconds), launches,
                     r.estimated.seconds > 0 ? 100 * k.estimated.seconds / r.estimated.seconds : 0);
}

// What alone would take nearly as long as the bottleneck.
std::string nextLimits(const LaunchEstimate &e) {
  std::vector<std::string> next;
  for (size_t n = 1; n < e.limits.size() && next.size() < 2; n++)
    if (e.limits[n].seconds > 0.5 * e.seconds)
      next.push_back(
          fmt::format("{} {}", nameOf(e.limits[n].bound), timeText(e.limits[n].seconds)));
  return next.empty() ? "" : "; close behind: " + joined(next, ", ");
}

std::string otherPlans(const ExplainedRegion &r) {
  const Alternative *best = nullptr;
  for (const Alternative &a : r.alternatives)
    if (!best || a.seconds < best->seconds)
      best = &a;
  if (!best)
    return "";
  double ratio = best->seconds / std::max(r.estimated.seconds, 1e-12);
  if (ratio > 0.98)
    return fmt::format("other plans: none of {} is predicted to be faster", r.alternatives.size());
  return fmt::format("other plans: {} would be {:.2f} times as fast", best->what, 1 / ratio);
}

// All that is said of a region below its first line, the most important first.
Lines detailsOf(const ExplainedRegion &r, const DeviceSpec &device) {
  Lines out;
  std::vector<const ExplainedKernel *> kernels = byTime(r);
  if (kernels.empty())
    return out;
  const ExplainedKernel &k = *kernels[0];
  const LaunchEstimate &e = k.estimated.largest.estimate;
  std::vector<std::string> others;
  for (size_t n = 1; n < std::min<size_t>(kernels.size(), 4); n++)
    others.push_back(timeOf(*kernels[n], r));
  if (kernels.size() > 4)
    others.push_back(fmt::format("{} more", kernels.size() - 4));
  out.push_back("kernel " + timeOf(k, r) + ": " + k.summary);
  out.push_back("bottleneck: " + k.estimated.bottleneck() + nextLimits(e));
  for (const std::string &advice : adviceFor(r, device))
    out.push_back("to change: " + advice);
  for (size_t n = 0; n < std::min<size_t>(k.obstacles.size(), 2); n++)
    out.push_back("in the way: " + k.obstacles[n]);
  out.push_back(fmt::format("occupancy: {} threads on a multiprocessor ({:.0f} %), limited by {}",
                            e.occupancy.threads, 100 * e.occupancy.share,
                            nameOf(e.occupancy.limiter)));
  if (!others.empty())
    out.push_back("other kernels: " + joined(others, ", "));
  if (std::string plans = otherPlans(r); !plans.empty())
    out.push_back(plans);
  for (const std::string &s : r.share)
    out.push_back("share: " + s);
  if (!r.assumed.empty())
    out.push_back("assumed: " + joined(r.assumed, ", ") + " (give --size)");
  return out;
}

// Regions by time, as indices.
std::vector<size_t> longestFirst(const std::vector<ExplainedRegion> &regions) {
  std::vector<size_t> order;
  for (size_t n = 0; n < regions.size(); n++)
    order.push_back(n);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return regions[a].estimated.seconds > regions[b].estimated.seconds;
  });
  return order;
}

Lines hostLines(const std::vector<Diagnostic> &host) {
  Lines out;
  for (size_t n = 0; n < std::min(host.size(), kMostOnHost); n++)
    out.push_back(fmt::format("stays on the host: line {}: {} [{}]", host[n].at.line,
                              host[n].message, host[n].code));
  if (host.size() > kMostOnHost)
    out.push_back(fmt::format("and {} more nests stay on the host", host.size() - kMostOnHost));
  return out;
}

} // namespace

std::string toSummary(const Explanation &x) {
  std::vector<size_t> order = longestFirst(x.regions);
  size_t listed = std::min(order.size(), kMostRegions);
  Lines host = hostLines(x.host);
  // The longest region says all; what is left of the lines is for those that follow.
  size_t left = kMostLines - std::min(kMostLines, 2 + listed + host.size());
  std::map<size_t, Lines> details;
  for (size_t n = 0; n < listed; n++) {
    Lines own = detailsOf(x.regions[order[n]], x.device);
    own.resize(std::min(own.size(), left));
    left -= own.size();
    details[order[n]] = own;
  }
  std::string out = fmt::format("{} on {} ({})\n", x.file, x.device.name, x.device.title);
  for (auto &[n, lines] : details) {
    out += headOf(x.regions[n]) + "\n";
    for (const std::string &line : lines)
      out += "  " + line + "\n";
  }
  if (order.size() > listed)
    out += fmt::format("and {} more regions, each faster than these\n", order.size() - listed);
  for (const std::string &line : host)
    out += line + "\n";
  return out + "(--verbose: loops, every access, all limits and plans)\n";
}

} // namespace nw
