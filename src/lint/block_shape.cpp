// What a block's shape and memory leave of a multiprocessor.
#include "analysis/occupancy.h"
#include "lint/findings.h"
#include <fmt/format.h>

namespace nw::lint {

void checkBlockShape(const Subject &subject, Location at, int length, Findings &found) {
  int threads = subject.setting.threads(),
      idle = subject.setting.warps() * subject.setting.warp - threads;
  if (idle && threads > 1) // one thread is what somebody wanted
    found.push_back(
        finding(subject, "NW0504", Severity::Warning, at, length,
                fmt::format("a block of {} leaves {} of the {} lanes of its warps without work",
                            threadsText(subject.setting.block), idle, threads + idle),
                fmt::format("take a multiple of {} threads", subject.setting.warp)));
}

void checkOccupancy(const Subject &subject, int registers, int64_t sharedBytes, Location at,
                    int length, Findings &found) {
  BlockNeeds needs;
  needs.threads = subject.setting.threads();
  needs.registers = registers;
  needs.sharedBytes = sharedBytes;
  Occupancy o = occupancyOf(needs, subject.device);
  constexpr double kLow = 0.5;
  if (o.share >= kLow)
    return;
  std::string block = fmt::format("a block of {} threads", needs.threads), why, help;
  switch (o.limiter) {
  case Resource::Registers:
    why = fmt::format("{} registers a thread", registers);
    help = "bound them (__launch_bounds__), or let a thread do less";
    break;
  case Resource::SharedMemory:
    why = fmt::format("{} bytes of shared memory", sharedBytes);
    help = "smaller tiles, or more threads for the same tile";
    break;
  case Resource::Threads:
    why = "its threads: no second block fits beside it";
    help = "a smaller block";
    break;
  case Resource::Blocks:
    why = fmt::format("its size: a multiprocessor holds {} blocks at most",
                      subject.device.residentBlocks);
    help = fmt::format("blocks of {} threads or more",
                       subject.device.residentThreads / std::max(subject.device.residentBlocks, 1));
    break;
  }
  if (!o.blocks) {
    why = registers > subject.device.registersPerThread ||
                  needs.registers * needs.threads > subject.device.registers
              ? fmt::format("{} registers a thread", registers)
              : fmt::format("{} bytes of shared memory", sharedBytes);
    found.push_back(finding(subject, "NW0503", Severity::Warning, at, length,
                            fmt::format("{} does not fit a multiprocessor of the {}: {}", block,
                                        subject.device.title, why),
                            "it cannot be launched there: let it take less"));
    return;
  }
  found.push_back(finding(
      subject, "NW0503", Severity::Warning, at, length,
      fmt::format(
          "{} of {} warps of a multiprocessor can be resident ({:.0f} %, {}): {} is limited by {}",
          o.warps, subject.device.residentThreads / subject.device.warp, 100 * o.share,
          subject.device.title, block, why),
      help));
}

} // namespace nw::lint
