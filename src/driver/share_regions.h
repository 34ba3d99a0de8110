// A region with a share hint: the paper's tiles, with as many elements in a thread as are predicted
// to be fastest, held against the proposed plan. (share)
#pragma once
#include "driver/pipeline.h"

namespace nw {

struct HintedRegion {
  std::optional<CompiledRegion>
      region;                     // with the hint's tiles; nothing where the proposed plan is taken
  std::vector<std::string> lines; // what was decided and why, for explain
  std::vector<std::string> undone; // what of the hint is not carried out
};

// `obeys`: the tiles are taken wherever they can be made, also where the proposed plan is predicted
// to be faster. Throws UserError for hints that contradict themselves.
HintedRegion withHint(const CompiledRegion &proposed, const openacc::ShareHint &hint,
                      const DeviceSpec &device, bool obeys);

} // namespace nw
