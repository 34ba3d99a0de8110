// What one access of a warp costs, from the addresses of its lanes: transactions of global memory
// by the device's rule (principles, section 3.2; lite, section 2; share, step 6), and turns of the
// banks of shared memory (affine, Algorithm 2; share, step 8).
#pragma once
#include "device/device_spec.h"
#include <optional>
#include <span>

namespace nw {

// The byte that each lane of a warp touches first; nothing where the lane does not take part.
using LaneAddresses = std::span<const std::optional<int64_t>>;

struct Transactions {
  int count = 0;
  int64_t bytes = 0; // that they move
  int lines = 0;     // of the largest size that are touched: what a cache looks up
};

Transactions transactionsOf(LaneAddresses lanes, int elementBytes, const DeviceSpec &device);
// The fewest that move as many different bytes.
int idealTransactions(LaneAddresses lanes, int elementBytes, const DeviceSpec &device);

struct BankTurns {
  int turns = 0; // one after the other, of all groups of lanes together
  int ideal = 0; // without conflicts
  int degree() const { return ideal ? (turns + ideal - 1) / ideal : 0; }
};

BankTurns bankTurnsOf(LaneAddresses lanes, int elementBytes, const DeviceSpec &device);

} // namespace nw
