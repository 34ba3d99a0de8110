// How much memory a box of iterations touches (affine, "data space accessed": the union of the
// images of references). Boxes and strides instead of exact sets, so that it can be asked for any
// size without counting points.
#pragma once
#include <cstdint>
#include <vector>

namespace nw {

// `count` iterations of a loop, or threads, or blocks, each `bytes` away from the one before. 0:
// they touch the same.
struct Stride {
  double bytes = 0;
  double count = 1;
};

// Distinct aligned segments of the given size that elements of `elementBytes` in the box touch.
// Strides that reach no further than what the smaller ones cover make one longer piece; others make
// more pieces.
double segmentsTouched(int elementBytes, std::vector<Stride> box, double segmentBytes);

} // namespace nw
