// Which of the results that are known for a region is the one to take.
#pragma once
#include "tune/database.h"

namespace nw {

// Of the back end that is wanted (cuda or opencl; where the code is for both, it is empty: cuda,
// else opencl) and the device that was measured last, the result that is nearest to the wanted
// sizes. Where nothing of one device is near enough, another's will do: it was measured, and the
// proposed plan was not. `all` has the newest first.
std::optional<TunedResult> resultFor(const std::vector<TunedResult> &all,
                                     const std::string &backend, const Sizes &wanted);

} // namespace nw
