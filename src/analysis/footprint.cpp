// Footprints of boxes.
#include "analysis/footprint.h"
#include <algorithm>
#include <cmath>

namespace nw {

double segmentsTouched(int elementBytes, std::vector<Stride> box, double segmentBytes) {
  for (Stride &s : box)
    s.bytes = std::fabs(s.bytes);
  std::sort(box.begin(), box.end(), [](const Stride &a, const Stride &b) { return a.bytes < b.bytes; });
  double piece = elementBytes, pieces = 1;
  for (const Stride &s : box) {
    if (s.bytes == 0 || s.count <= 1)
      continue;
    // Neighbours that share a segment are one piece as far as segments go.
    if (pieces == 1 && s.bytes <= std::max(piece, segmentBytes))
      piece += s.bytes * (s.count - 1);
    else
      pieces *= s.count;
  }
  return pieces * std::max(1.0, std::ceil(piece / segmentBytes - 1e-9));
}

} // namespace nw
