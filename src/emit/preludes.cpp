// Prelude texts.
#include "emit/preludes.h"
#include "support/embedded.h"

namespace nw {

std::string kernelPrelude(const std::string &body, Language language, bool contract,
                          bool usesDouble) {
  std::string out;
  auto uses = [&](const char *word) { return body.find(word) != std::string::npos; };
  if (language == Language::OpenCl) {
    if (usesDouble)
      out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    if (!contract)
      out += "#pragma OPENCL FP_CONTRACT OFF\n";
  }
  if (uses("nw_min("))
    out += "#define nw_min(a, b) ((a) < (b) ? (a) : (b))\n";
  if (uses("nw_max("))
    out += "#define nw_max(a, b) ((a) > (b) ? (a) : (b))\n";
  if (uses("nw_floor_div("))
    out += "#define nw_floor_div(a, b) ((a) >= 0 ? (a) / (b) : -((-(a) + (b) - 1) / (b)))\n";
  if (language == Language::Cuda && uses("nw_copy_async("))
    out += "\n" + embedded("emit/text/kernel_async.cu");
  if (language == Language::Cuda && uses("nw_grid_barrier("))
    out += "\n" + embedded("emit/text/kernel_grid_barrier.cu");
  return out.empty() ? out : out + "\n";
}

std::string cudaHostPrelude() { return embedded("emit/text/host_cuda.cu"); }

std::string openclHostPrelude() { return embedded("emit/text/host_opencl.c"); }

} // namespace nw
