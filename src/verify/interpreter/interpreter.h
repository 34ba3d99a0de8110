// An interpreter of the original trees and of the kernel IR, on small memories: the reference of
// the fuzzer and of the mutation tests, and the part of the verifier that works by running. It sees
// more than a device shows: races between threads, reads of elements that nobody has set, accesses
// outside buffers, barriers that not all threads reach.
#pragma once
#include "kernel/kernel.h"
#include "verify/finding.h"

namespace nw {

// How floating-point data are computed.
enum class Arithmetic {
  Exact, // as C does
  Field, // as random elements of a prime field: sums and products may be reassociated, everything
         // else must be the same term
};

// One scalar value. Structs are stored slot by slot.
struct Value {
  Type type;
  int64_t integer = 0; // integers as C has them; elements of the field
  double number = 0;   // floating point under Arithmetic::Exact
  bool isSet = true;   // false: nobody has written it
};

// The user's memory of one run: every variable of the region. Elements come into being when they
// are touched, with a value that is a function of seed, variable and index, so that two memories of
// one seed agree.
struct SampleInput {
  std::map<std::string, int64_t> scalars; // of integer variables; others are made up
  uint64_t seed = 1;
  Arithmetic arithmetic = Arithmetic::Field;
  int64_t smallest = 0, largest = 7; // of made-up integer data
  bool counts = false; // elements of integer arrays are their own numbers instead: all differ
  // Elements given from outside (array name, flat number of the scalar slot) instead of made up.
  std::map<std::pair<std::string, int64_t>, Value> elements = {};
};

// What a run left behind, and what was wrong on the way.
struct RunResult {
  enum class Kind {
    Finished,
    Refused, // the region function would have returned 0: assumptions or overlap
    Invalid, // the original itself does something undefined on this input
    TooLong, // more steps than allowed
  } kind = Kind::Finished;
  std::string why; // Invalid: what is undefined; Refused: which test failed
  std::map<std::pair<std::string, int64_t>, Value> memory; // slots that differ from the input
  std::map<std::string, std::pair<int64_t, int64_t>>
      touched; // of each array: first and last flat element, kernels: ranges copied, unless the
               // arrays are on the device
  std::map<std::string, int64_t> declared; // original only: elements of arrays of known extents;
                                           // negative: of a row of the others
  std::vector<Finding> findings; // kernels only: races, uninitialised, bounds, barriers, resources
  int64_t steps = 0;
  bool usedResident = false; // whether the resident form of a choice was run
};

// How resident kernels are launched.
enum class ResidentShape { OneBlock, Grid };

struct RunLimits {
  int64_t steps = 2000000; // statements and iterations, of all threads together
  FormSelection selection; // of alternatives that are legal, whatever the addresses
  ResidentShape residentShape = ResidentShape::OneBlock;
  // Blocks and grids cut down to a few threads, so that small inputs need several of each: what a
  // kernel computes must not depend on them, unless its shared memory is made for one shape. 0: as
  // planned.
  int smallBlock = 0;
  bool countOnly = false; // plain launches are counted as steps, roughly, and not run
  // Of the device; more is a finding.
  int64_t blockThreads = 1024;
  int64_t sharedBytes = 48 * 1024;
  std::array<int64_t, 3> grid = {2147483647, 65535, 65535};
};

RunResult runOriginal(const Region &region, const SampleInput &input, const RunLimits &limits = {});
RunResult runKernels(const Program &program, const Kernels &kernels, const SampleInput &input,
                     const RunLimits &limits = {});

// Elements in which the kernels' memory differs from the original's, for what the original leaves
// visible: the first few, in words ("result"). Numbers under Arithmetic::Exact may differ by the
// given share, where sums were reordered. Also ranges that are copied although neither the
// declaration nor an access says that they exist ("transfers").
std::vector<Finding> compareRuns(const Region &region, const RunResult &original,
                                 const RunResult &kernels, double tolerance = 0);

} // namespace nw
