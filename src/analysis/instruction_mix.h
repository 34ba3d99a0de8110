// Instructions by what executes them. The model of time asks for shares and sums, never for single
// instructions (principles, section 4: "the percentage of its instructions that are floating point
// operations").
#pragma once

namespace nw {

struct InstructionMix {
  double fma = 0, add = 0, multiply = 0; // 32-bit floating point
  double fp64 = 0;                       // 64-bit, fused or not
  double fp64Fma = 0;                    // those of fp64 that are fused
  double special = 0;                    // reciprocals, square roots, sines, conversions
  double integer = 0;                    // addresses, counters, comparisons
  double loadGlobal = 0, storeGlobal = 0;
  double loadShared = 0, storeShared = 0;
  double branch = 0;
  double barrier = 0;

  double total() const {
    return fma + add + multiply + fp64 + special + integer + loadGlobal + storeGlobal + loadShared +
           storeShared + branch + barrier;
  }
  // Operations on numbers, a fused multiply-add being two.
  double flops() const { return 2 * fma + add + multiply + fp64 + fp64Fma; }
  InstructionMix scaled(double by) const {
    return {fma * by,         add * by,     multiply * by,   fp64 * by,        fp64Fma * by,
            special * by,     integer * by, loadGlobal * by, storeGlobal * by, loadShared * by,
            storeShared * by, branch * by,  barrier * by};
  }
  InstructionMix &operator+=(const InstructionMix &o) {
    fma += o.fma, add += o.add, multiply += o.multiply, fp64 += o.fp64, fp64Fma += o.fp64Fma,
        special += o.special, integer += o.integer;
    loadGlobal += o.loadGlobal, storeGlobal += o.storeGlobal, loadShared += o.loadShared,
        storeShared += o.storeShared;
    branch += o.branch, barrier += o.barrier;
    return *this;
  }
};

} // namespace nw
