// How many unused elements go after each row of an array in shared memory (affine, Algorithm 2):
// the fewest of those for which all references to the array together cost least. A reference with n
// requests to one bank at a time costs C(n) = t_start + t_request * n; both times are the device's
// (sharedStartCycles, sharedRequestCycles).
#pragma once
#include "device/device_spec.h"
#include <vector>

namespace nw {

// A reference to an array in shared memory: how far apart neighbouring threads are in it. Rows are
// those of the last dimension, whatever dimensions stand before it.
struct SharedReference {
  int64_t rows = 0;    // rows from one thread to the next
  int64_t columns = 0; // elements of a row from one thread to the next
  double weight = 1;   // how often it is executed, against the others
};

struct Padding {
  int elements = 0; // after each row
  double cost = 0;  // of all references, with them
  double costBefore = 0;
  std::vector<int> degrees; // of each reference, with them
  std::vector<int> degreesBefore;
};

// For rows of `rowElements` elements. Tries 0 to banks - 1.
Padding choosePadding(const std::vector<SharedReference> &references, int64_t rowElements,
                      int elementBytes, const DeviceSpec &device);

} // namespace nw
