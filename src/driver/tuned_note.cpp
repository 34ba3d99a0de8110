// A word about plans that were found by measuring.
#include "driver/tuned_note.h"
#include <cstdio>

namespace nw {

void sayTuned(const Compilation &c) {
  for (const CompiledRegion &r : c.regions)
    if (!r.tuned.empty())
      std::fprintf(stderr, "nestwarp: %s: plan: %s\n", r.where.c_str(), r.tuned.c_str());
}

} // namespace nw
