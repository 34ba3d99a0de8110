// Bank conflicts in closed form, for lanes a constant stride apart (affine, section 5: the degree
// is gcd(stride, banks), 1 where all lanes read one word; share, step 8). What counts as a conflict
// is the device's rule set: how many lanes the banks look at together, what lanes pay for parts of
// one word, how elements wider than a bank are served. Where strides vary, bankTurnsOf
// (transactions.h) simulates the warp; for constant strides and one rule set the two agree.
#pragma once
#include "analysis/transactions.h"

namespace nw {

// Turns of a whole warp whose lane k touches the element at `first` + k * `strideBytes`. Elements
// lie in one word of a bank, or in several whole ones; none may lie over a part of another (the
// stride is 0 or at least an element): nothing otherwise.
std::optional<BankTurns> stridedBankTurns(int64_t strideBytes, int elementBytes,
                                          const DeviceSpec &device, int64_t first = 0);

// How many times as long as without conflicts: the paper's gcd(stride, banks) where elements are as
// wide as banks and as many lanes are looked at as there are banks. Asked for a stride in elements.
int bankConflictDegree(int64_t strideElements, int elementBytes, const DeviceSpec &device);

} // namespace nw
