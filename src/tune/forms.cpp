// Plans by form.
#include "tune/forms.h"
#include <algorithm>
#include <limits>

namespace nw {

namespace {

constexpr int kAlways = 1, kNever = std::numeric_limits<int>::max();

// Rows of fused steps have so many columns at least, since their threads do not ask for those: it
// is part of the kernel.
int columnsOfKernel(const FusePlan &j) {
  return int(std::min<int64_t>(j.columns, j.profitableFrom[1] / j.block)) * j.block;
}

// Sets the numbers of all forms, in the order in which the host asks for them: forms before `first`
// are never taken. A step that the one before it may be fused with has that form, too. The number
// of forms.
size_t setNumbers(KernelPlan &k, bool isFused, size_t first) {
  size_t form = isFused ? 1 : 0;
  auto next = [&] { return form++ < first ? kNever : kAlways; };
  if (k.fuse) {
    k.fuse->profitableFrom[0] = next();
    k.fuse->profitableFrom[1] = columnsOfKernel(*k.fuse);
  }
  for (TilePlan &t : k.tiles)
    t.profitableFrom = next();
  for (BlockReductionPlan &b : k.blockReductions)
    b.rowsUpTo = 0, b.profitableFrom = next();
  if (k.vectorBytes)
    k.vectorsProfitableFrom = next();
  if (!k.windowTile.empty())
    k.windowsProfitableFrom = next();
  return form;
}

} // namespace

std::vector<Plan> plansByForm(const Plan &plan) {
  std::vector<Plan> all;
  size_t forms = 0;
  for (size_t first = 0; first <= forms; first++) {
    all.push_back(plan);
    std::string fused; // the next step
    for (KernelPlan &k : all.back().kernels) {
      forms = std::max(forms, setNumbers(k, k.name == fused, first));
      fused = k.fuse ? k.fuse->with : "";
    }
  }
  return forms ? all : std::vector<Plan>();
}

} // namespace nw
