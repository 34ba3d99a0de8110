// From the trees of a region to a scheduled Program: a straight list of named passes. What a pass
// leaves can be printed with --emit=program@NAME.
#pragma once
#include "driver/region_context.h"
#include <span>

namespace nw {

struct ProgramPass {
  const char *name;
  const char *what; // one line
  void (*run)(CompiledRegion &region, RegionContext &context);
};

// In the order in which they run; the Program was built before.
std::span<const ProgramPass> programPasses();
// The names that --emit=program@NAME takes: 'build', then those of the passes.
std::vector<std::string> programPassNames();

// Builds the Program of the region and runs all passes. Throws a Diagnostic where the nest stays on
// the host.
CompiledRegion analysed(const Region &region, const std::shared_ptr<IslContext> &isl,
                        RegionContext &context);

} // namespace nw
