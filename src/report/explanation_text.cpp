// The explanation as text for people, with all that is known (--verbose).
#include "report/explanation.h"
#include "report/units.h"
#include "support/text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

std::string atLine(int line) { return line ? fmt::format(" (line {})", line) : ""; }

// At most this many lines of a list; the rest is counted.
constexpr size_t kMostListed = 6;

void loops(const ExplainedKernel &k, std::string &out) {
  for (const ExplainedLoop &l : k.loops) {
    std::string iterations =
        l.iterations > 0 ? fmt::format(", {:.0f} iterations", l.iterations) : "";
    std::string bounds = l.bounds.empty() ? "" : fmt::format(" ({})", l.bounds);
    out += fmt::format("    loop {}{}: {}{}{}\n", l.loop, atLine(l.line), l.mapping, iterations,
                       bounds);
  }
}

// M and o in one line: [1 0 | 0; 0 1 | n - 1] of (i=ty, j=tx).
std::string matrix(const AccessPattern &p) {
  const AccessMatrix &access = p.reference.access;
  std::string rows, columns;
  for (size_t r = 0; r < access.rows.size(); r++) {
    rows += r ? "; " : "";
    for (const Coefficient &c : access.rows[r])
      rows += textOf(c) + " ";
    rows += "| " + textOf(access.offset[r]);
  }
  for (const std::string &name : columnNames(p))
    columns += (columns.empty() ? "" : ", ") + name;
  return fmt::format("[{}] of ({})", rows, columns);
}

// How the source's references lie over the loops of the schedule, one point of them in each thread;
// a kernel with tiles or several points in a thread accesses otherwise. Those that differ in
// nothing that is shown are said once.
void patterns(const ExplainedArray &a, std::string &out) {
  std::set<std::string> said;
  for (const AccessPattern &p : a.patterns) {
    std::string line =
        fmt::format("      as scheduled, {} {}: {}; M | o = {}\n", p.reference.statement,
                    p.reference.isWrite ? "writes" : "reads", classesOf(p), matrix(p));
    if (said.insert(line).second)
      out += line;
  }
}

void arrays(const ExplainedKernel &k, std::string &out) {
  for (const ExplainedArray &a : k.arrays) {
    out += fmt::format("    {} in {} memory: {}\n", a.name, a.memory, a.why);
    std::set<std::string> said;
    for (const ExplainedReference &r : a.references) {
      bool isShared = a.memory == "shared"; // reductions go through it in many similar steps
      if (isShared &&
          !said.insert(fmt::format("{}{}{:.1f}", r.isWrite, r.pattern, r.transactions)).second)
        continue;
      std::string stride = r.stride && std::fabs(*r.stride) > 1
                               ? fmt::format(", {:.0f} elements apart", *r.stride)
                               : "";
      out += fmt::format("      {} {}{}: {}{}; {:.1f} {} per access of a warp",
                         r.isWrite ? "store" : "load", r.text, atLine(r.line), r.pattern, stride,
                         r.transactions, isShared ? "turns of the banks" : "transactions");
      out += r.transactions > r.ideal * 1.05 ? fmt::format(" ({:.1f} would do)\n", r.ideal) : "\n";
    }
    patterns(a, out);
  }
}

void alternatives(const std::vector<Alternative> &all, double seconds, const char *pad,
                  std::string &out) {
  for (size_t n = 0; n < std::min(all.size(), kMostListed); n++) {
    double ratio = seconds > 0 ? all[n].seconds / seconds : 1;
    if (std::fabs(ratio - 1) < 0.005)
      continue;
    std::string how = ratio > 1 ? fmt::format("{:.2f} times as long", ratio)
                                : fmt::format("would be {:.2f} times as fast", 1 / ratio);
    out += fmt::format("{}instead, {}: {}, {}\n", pad, all[n].what, timeText(all[n].seconds), how);
  }
}

// Which of the step's kernels is launched when.
void forms(const ExplainedKernel &k, std::string &out) {
  for (const ExplainedForm &f : k.forms)
    out +=
        fmt::format("    {} {}: {}\n", f.isTaken ? "form taken" : "other form", f.kernel, f.when);
}

void kernel(const ExplainedKernel &k, double ofRegion, std::string &out) {
  const EstimatedLaunch &l = k.estimated.largest;
  const LaunchEstimate &e = l.estimate;
  out += fmt::format("  kernel {}: {}", k.name, timeText(k.estimated.seconds));
  out += k.estimated.launches == 1 ? "" : fmt::format(" in {:.0f} launches", k.estimated.launches);
  out += fmt::format(", {:.0f} % of the region\n",
                     ofRegion > 0 ? 100 * k.estimated.seconds / ofRegion : 0);
  out += fmt::format("    bottleneck: {}\n", k.estimated.bottleneck());
  std::string along = l.shape.grid[2] > 1 ? fmt::format(" x {}", l.shape.grid[2]) : "";
  out += fmt::format("    mapping: {}; grid of {} x {}{} blocks\n", k.summary, l.shape.grid[0],
                     l.shape.grid[1], along);
  forms(k, out);
  loops(k, out);
  arrays(k, out);
  out += fmt::format("    occupancy: {} block{}, {} threads on a multiprocessor ({:.0f} %), "
                     "limited by {}; {} registers a thread ({}), {} of shared memory a block\n",
                     e.occupancy.blocks, e.occupancy.blocks == 1 ? "" : "s", e.occupancy.threads,
                     100 * e.occupancy.share, nameOf(e.occupancy.limiter), k.resources.registers,
                     k.resources.isMeasured ? "by the compiler" : "by the model",
                     bytesText(double(l.work.block.sharedBytes)));
  if (const std::optional<InnerLoop> &inner = k.estimated.largest.innerLoop;
      inner && inner->compiler)
    out +=
        fmt::format("    inner loop {}: {:.1f} instructions an iteration by the compiler's PTX (a "
                    "body has {:.0f}), {:.1f} by the kernel's tree\n",
                    inner->counter, inner->compiler->total(), inner->unrolled, inner->tree.total());
  out += fmt::format("    potential {:.0f} GFLOPS if issue were all; memory would have to deliver "
                     "{:.0f} GB/s for that\n",
                     e.potentialGflops, e.demandGigabytes);
  out += fmt::format("    in flight {} of the {} that hide the memory's latency\n",
                     bytesText(e.bytesInFlight), bytesText(e.bytesNeeded));
  out += "    limits:";
  for (size_t n = 0; n < e.limits.size() && e.limits[n].seconds > 0.02 * e.seconds; n++)
    out += fmt::format("{} {} {}", n ? "," : "", nameOf(e.limits[n].bound),
                       timeText(e.limits[n].seconds));
  out += k.estimated.launching > 0.02 * k.estimated.seconds
             ? fmt::format(", kernel launches {}\n", timeText(k.estimated.launching))
             : "\n";
  alternatives(k.alternatives, k.estimated.seconds, "    ", out);
  for (const std::string &o : k.obstacles)
    out += fmt::format("    in the way: {}\n", o);
}

void region(const ExplainedRegion &r, std::string &out) {
  out += fmt::format("{}: region {} of {}: {} on the device", r.where, r.number, r.function,
                     timeText(r.estimated.seconds));
  out += fmt::format("; copies of {} in and {} out take {} (pinned {})\n",
                     bytesText(r.estimated.toDevice), bytesText(r.estimated.fromDevice),
                     timeText(r.estimated.transferPageable), timeText(r.estimated.transferPinned));
  std::string sizes;
  for (auto &[name, value] : r.sizes)
    sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, value);
  if (!sizes.empty())
    out += fmt::format("  sizes: {}\n", sizes);
  if (r.estimated.isWarm)
    out +=
        fmt::format("  {} in all, which the second-level cache holds: nothing comes from memory\n",
                    bytesText(r.estimated.touchedBytes));
  for (const std::string &s : r.share)
    out += fmt::format("  share: {}\n", s);
  for (const std::string &a : r.assumed)
    out += fmt::format("  assumed: {} (give --size)\n", a);
  for (const std::string &n : r.estimated.notes)
    out += fmt::format("  assumed: {}\n", n);
  for (const std::string &f : r.estimated.forms)
    out += fmt::format("  sequential loops: {}\n", f);
  for (const ExplainedKernel &k : r.kernels)
    kernel(k, r.estimated.seconds, out);
  std::vector<Alternative> forms;
  std::copy_if(r.alternatives.begin(), r.alternatives.end(), std::back_inserter(forms),
               [&](const Alternative &a) {
                 return (r.kernels.size() > 1 ||
                         !a.kernels.count(r.kernels.empty() ? "" : r.kernels[0].name) ||
                         a.kernels.size() != r.kernels.size()) &&
                        std::fabs(a.seconds - r.estimated.seconds) > 0.005 * r.estimated.seconds;
               });
  if (!forms.empty())
    out += "  the whole region\n";
  alternatives(forms, r.estimated.seconds, "    ", out);
}

} // namespace

std::string toText(const Explanation &x) {
  std::string out = fmt::format("{} on {} ({})\n", x.file, x.device.name, x.device.title);
  for (const ExplainedRegion &r : x.regions)
    region(r, out);
  if (!x.host.empty())
    out += "stays on the host\n";
  for (const Diagnostic &d : x.host)
    out += fmt::format("  line {}: {} [{}]; {}\n", d.at.line, d.message, d.code, d.help);
  return out;
}

std::string toSteps(const Explanation &x) {
  std::string out =
      fmt::format("{} on {} ({})\nby {}\n", x.file, x.device.name, x.device.title, x.paper);
  for (const ExplainedRegion &r : x.regions) {
    std::vector<std::string> sizes;
    for (auto &[name, value] : r.sizes)
      sizes.push_back(fmt::format("{} = {}", name, value));
    out += fmt::format("{}: region {} of {}{}{}\n", r.where, r.number, r.function,
                       sizes.empty() ? "" : " at ", joined(sizes, ", "));
    for (const std::string &step : r.steps)
      out += indented(step, 2);
  }
  for (const Diagnostic &d : x.host)
    out += fmt::format("line {} stays on the host: {} [{}]\n", d.at.line, d.message, d.code);
  return out;
}

} // namespace nw
