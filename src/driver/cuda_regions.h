// Kernels of a CUDA file as regions: their loops as C text, what has to hold for their subscripts,
// and what annotations wish.
#pragma once
#include "driver/pipeline.h"
#include "frontend/cuda/wrapping.h"

namespace nw {

// What has to hold for the subscripts of each kernel to be what they seem, by function.
using NoWraps = std::map<std::string, NoWrap>;

// Puts a parsed CUDA file into the compilation: kernels are regions of functions of loops, whose
// text is made here.
NoWraps takeCuda(CudaFile file, Compilation &out);

// Adds what has to hold to what the region assumes. The verifier need not know: it is one more
// thing that is asked.
void assumeNothingWraps(CompiledRegion &region, const NoWraps &noWraps);

// As many threads on a multiprocessor as an annotation of the kernel wishes, in blocks of the size
// that they have here.
void applyMinBlocks(CompiledRegion &region, const std::vector<CudaKernel> &kernels,
                    const DeviceSpec &device);

} // namespace nw
