// Degrees, and the decision tree.
#include "plan/share_conflicts.h"
#include "analysis/bank_conflicts.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>

namespace nw::share {

const char *nameOf(RemovalKind kind) {
  switch (kind) {
  case RemovalKind::None:
    return "none";
  case RemovalKind::FieldArrays:
    return "an array for each field";
  case RemovalKind::Padding:
    return "padding";
  case RemovalKind::Transpose:
    return "transpose";
  case RemovalKind::AccessReorder:
    return "access reorder";
  case RemovalKind::ThreadRemap:
    return "thread remap";
  }
  return "";
}

int channelDegree(int64_t bytes, const DeviceSpec &device) {
  bytes = std::abs(bytes);
  if (device.memoryChannels == 0 || bytes < device.channelBytes)
    return 1;
  std::vector<int> blocks(size_t(device.memoryChannels), 0);
  for (int64_t k = 0; k < device.memoryChannels; k++)
    blocks[size_t(k * bytes / device.channelBytes % device.memoryChannels)]++;
  return *std::ranges::max_element(blocks);
}

namespace {

using DegreeWithPad = std::function<int(int pad)>; // of the rows, by that many elements

// The fewest columns that leave the smallest degree; 0 where none helps.
int bestPad(int most, const DegreeWithPad &degree) {
  int best = 0;
  for (int pad = 1; pad < most; pad++)
    if (degree(pad) < degree(best))
      best = pad;
  return best;
}

Removal diagonal(Removal r, const std::string &reason) {
  r.kind = RemovalKind::ThreadRemap;
  r.placement = {{{1, 0}, {1, 1}}};
  r.why = reason + ": neighbours are placed along the diagonal, Q = [[1,0],[1,1]]";
  return r;
}

// The last two branches.
Removal reorderOrRemap(const ConflictFacts &f, Removal r, const std::string &reason,
                       const RemovalOptions &options) {
  if (!f.isAssociative)
    return diagonal(r, reason + ", nothing is reduced that could be reordered");
  if (f.isFloatingPoint && !options.reorderFloatingPoint)
    return diagonal(r, reason + ", the reduction is of floating point and must keep its order");
  r.kind = RemovalKind::AccessReorder;
  r.why = reason + ", the operation is associative: each thread starts at its own offset";
  return r;
}

Removal byTree(const ConflictFacts &f, Removal r, const std::string &conflict, int mostPad,
               const DegreeWithPad &degree, const RemovalOptions &options) {
  if (f.isArrayOfStructs) {
    r.kind = RemovalKind::FieldArrays;
    r.why = conflict +
            ", it is an array of structs: an array for each field lets neighbours touch neighbours";
    return r;
  }
  if (f.rank < 2 || std::abs(f.stride) <= 1)
    return reorderOrRemap(
        f, r,
        fmt::format("{}, {}", conflict,
                    f.rank < 2 ? "it has one dimension" : "neighbouring threads touch neighbours"),
        options);
  if (std::abs(f.stride) == f.width) {
    r.kind = RemovalKind::Transpose;
    r.why = fmt::format(
        "{}, neighbouring threads are a whole row of the array apart ({}): it is transposed",
        conflict, f.width);
    return r;
  }
  if (!options.padding)
    return reorderOrRemap(f, r, conflict + ", padding is switched off", options);
  r.pad = bestPad(mostPad, degree);
  if (r.pad == 0)
    return reorderOrRemap(f, r, conflict + ", no padding of the rows helps", options);
  r.kind = RemovalKind::Padding;
  r.why = fmt::format(
      "{}, the stride of {} is less than the array's width of {}: {} padding column{} make{} it {}",
      conflict, std::abs(f.stride), f.width, r.pad, r.pad > 1 ? "s" : "", r.pad > 1 ? "" : "s",
      degree(r.pad));
  return r;
}

// The stride when rows get longer; lanes that stay in a row do not notice.
int64_t paddedStride(const ConflictFacts &f, int pad) {
  int64_t rows = f.rowLength > 0 ? f.stride / f.rowLength : 0;
  return f.stride + rows * pad;
}

} // namespace

Removal removeBankConflicts(const ConflictFacts &f, const DeviceSpec &device,
                            const RemovalOptions &options) {
  Removal r;
  r.degree = bankConflictDegree(f.stride, f.elementBytes, device);
  if (r.degree <= 1) {
    r.why = fmt::format("{}: no bank conflict at a stride of {}", f.array, f.stride);
    return r;
  }
  auto degree = [&](int pad) {
    return bankConflictDegree(paddedStride(f, pad), f.elementBytes, device);
  };
  return byTree(f, r, fmt::format("{}: {} threads wait for one bank", f.array, r.degree),
                device.banks, degree, options);
}

Removal removeChannelConflicts(const ConflictFacts &f, int64_t blockBytes, const DeviceSpec &device,
                               const RemovalOptions &options) {
  Removal r;
  r.degree = channelDegree(blockBytes, device);
  if (r.degree <= 1) {
    r.why = device.memoryChannels == 0
                ? fmt::format("{}: the device spreads all strides over its channels", f.array)
                : fmt::format("{}: blocks {} bytes apart use all channels", f.array, blockBytes);
    return r;
  }
  int64_t rowBytes = f.rowLength * f.elementBytes;
  int mostPad = device.memoryChannels * device.channelBytes / f.elementBytes;
  auto degree = [&](int pad) {
    return channelDegree(blockBytes + (rowBytes ? blockBytes / rowBytes : 0) * pad * f.elementBytes,
                         device);
  };
  return byTree(f, r,
                fmt::format("{}: {} of {} neighbouring blocks wait for one channel", f.array,
                            r.degree, device.memoryChannels),
                mostPad, degree, options);
}

} // namespace nw::share
