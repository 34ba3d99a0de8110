// When a resident kernel is worthwhile: the numbers of runtime/resident_rule.h, for the model.
#pragma once
#include <cstdint>

namespace nw {

constexpr int64_t kSmallBlock = 256, kRoundsInASmallBlock = 2, kRoundsInABlock = 6,
                  kRoundsInAGrid = 8;

// How often all threads of a block may take a value of the widest step; for more there is a grid.
constexpr int64_t roundsInABlock(int64_t threads) {
  return threads < kSmallBlock ? kRoundsInASmallBlock : kRoundsInABlock;
}

} // namespace nw
