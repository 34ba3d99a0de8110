// Padding of arrays in shared memory.
#include "plan/padding.h"
#include "analysis/bank_conflicts.h"

namespace nw {

namespace {

struct Cost {
  double sum = 0;
  std::vector<int> degrees;
};

Cost costOf(const std::vector<SharedReference> &references, int64_t pitch, int elementBytes,
            const DeviceSpec &device) {
  Cost cost;
  for (const SharedReference &r : references) {
    int degree = bankConflictDegree(r.rows * pitch + r.columns, elementBytes, device);
    cost.sum += r.weight * (device.sharedStartCycles + device.sharedRequestCycles * degree);
    cost.degrees.push_back(degree);
  }
  return cost;
}

} // namespace

Padding choosePadding(const std::vector<SharedReference> &references, int64_t rowElements,
                      int elementBytes, const DeviceSpec &device) {
  Cost before = costOf(references, rowElements, elementBytes, device);
  Padding best = {0, before.sum, before.sum, before.degrees, before.degrees};
  for (int pad = 1; pad < device.banks; pad++)
    if (Cost cost = costOf(references, rowElements + pad, elementBytes, device);
        cost.sum < best.cost) {
      best.elements = pad;
      best.cost = cost.sum;
      best.degrees = cost.degrees;
    }
  return best;
}

} // namespace nw
