// A value that is loaded once in front of an inner loop (`float v = x[row]; for (j …) y[row * n +
// j] = v * 2;`) is a variable that one thread sets and all iterations of the loop read: it ties
// them to that thread. Where the array that it comes from is written nowhere, the loop may as well
// load it itself.
#pragma once
#include "ir/region.h"

namespace nw {

// The region with such values in place of the variables, within loops that store elements and
// change no variable from outside: those that may be shared out. That an array which is not written
// under its name is not written under another one is what regions are asked before they run
// (Kernels::mayAlias).
Region withForwardedLoads(Region region);

} // namespace nw
