// How many elements a thread computes (share, section 3.3.2): N independent copies in Y or Z, never
// in X, where that would cost coalescing. N is a power of two that leaves a legal block. All legal
// N are tried with a cost that is given; only after the memory patterns are clean, for before that
// more requests at a time only wait longer (its Figure 5).
#pragma once
#include "device/device_spec.h"
#include "ir/share_length.h"
#include <functional>

namespace nw::share {

// Elements of one thread along Y and Z; the block has that many fewer threads there.
struct Factor {
  int64_t y = 1, z = 1;
  int64_t elements() const { return y * z; }
  bool operator==(const Factor &) const = default;
};

// Powers of two that divide the block's sides and leave at least a warp of threads; the fewest
// elements first.
std::vector<Factor> legalFactors(const Shape &block, const DeviceSpec &device);

// Predicted time; nothing where the kernel cannot be built so (registers, shared memory).
using FactorCost = std::function<std::optional<double>(const Factor &)>;

struct FactorChoice {
  Factor factor;
  Shape threads; // of the block that is left
  std::string why;
};

// `unclean`: what is wrong with the memory patterns, as text; where it is not empty nothing is
// tried and the factor is 1. Among equal times the fewest elements.
FactorChoice chooseFactor(const Shape &block, const DeviceSpec &device,
                          const std::vector<std::string> &unclean, const FactorCost &cost);

} // namespace nw::share
