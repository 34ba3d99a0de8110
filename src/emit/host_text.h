// The host side: region functions in C (the same text for every target; preludes and the runtime
// differ below it), and the user's file with its regions replaced by calls.
#pragma once
#include "emit/kernel_text.h"
#include "support/text_brackets.h"

namespace nw {

// int nw_mm_0(void *A, …): checks, copies, launches. 0 means that the caller must run the original
// loops. And int nw_mm_0_on_device(void *A, …, void *stream): the same for arrays that are on the
// device.
std::string regionFunction(const EmittedRegion &region, const EmitOptions &options);
// Its prototype, without a semicolon.
std::string regionPrototype(const EmittedRegion &region);
std::string devicePrototype(const EmittedRegion &region);
// The names of the former's parameters, in order.
std::vector<std::string> regionParameters(const EmittedRegion &region);

// A header with the prototypes of all entries for arrays on the device.
std::string deviceHeader(const std::vector<EmittedRegion> &regions, const EmitOptions &options);

// What data directives of the source become: calls of the runtime around blocks and in place of
// directives.
struct DataText {
  bool isCarriedOut =
      false; // else every region copies what it needs, and data directives mean nothing
  std::vector<TextBracket> brackets;
  std::string prototypes;
};

// The original file with calls in place of its regions, and prototypes at its top. The loops of a
// construct that stays on the host are told of the arrays that may be on the device.
std::string hostFile(const std::string &source, const std::string &file, bool isCxx,
                     const std::vector<EmittedRegion> &regions, const EmitOptions &options = {},
                     const DataText &data = {});

// The file that goes with it and the runtime: kernels as strings, and the region functions.
std::string runtimeFile(const std::vector<EmittedRegion> &regions, const EmitOptions &options);
std::string cudaFile(const std::vector<EmittedRegion> &regions, const EmitOptions &options);
std::string openclFile(const std::vector<EmittedRegion> &regions, const EmitOptions &options);

} // namespace nw
