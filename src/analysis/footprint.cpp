// Footprints of boxes.
#include "analysis/footprint.h"
#include <algorithm>
#include <cmath>

namespace nw {

double segmentsTouched(int elementBytes, std::vector<Stride> box, double segmentBytes) {
  for (Stride &s : box)
    s.bytes = std::fabs(s.bytes);
  std::sort(box.begin(), box.end(),
            [](const Stride &a, const Stride &b) { return a.bytes < b.bytes; });
  double piece = elementBytes, pieces = 1;
  Stride run; // pieces so far that lie in equal steps, of which `pieces` has no part yet
  for (const Stride &s : box) {
    if (s.bytes == 0 || s.count <= 1)
      continue;
    // Neighbours that share a segment are one piece as far as segments go.
    if (pieces == 1 && run.count <= 1 && s.bytes <= std::max(piece, segmentBytes)) {
      piece += s.bytes * (s.count - 1);
      continue;
    }
    // Steps that are whole steps of the run lead to where it has been, as far as it goes.
    double steps = run.count > 1 ? s.bytes / run.bytes : 0;
    if (run.count > 1 && steps < run.count + 0.5 && std::fabs(steps - std::round(steps)) < 1e-6) {
      run.count += std::round(steps) * (s.count - 1);
      continue;
    }
    pieces *= run.count;
    run = s;
  }
  pieces *= run.count;
  return pieces * std::max(1.0, std::ceil(piece / segmentBytes - 1e-9));
}

} // namespace nw
