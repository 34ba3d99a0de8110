// What nvcc says of kernels.
#include "driver/compiler_report.h"
#include "driver/nvcc.h"
#include "estimate/ptx.h"
#include "support/diagnostics.h"
#include "support/process.h"
#include "support/text.h"
#include <filesystem>

namespace nw {

static constexpr int kSeconds = 60;

CompilerReport compilerReport(const std::vector<EmittedRegion> &regions, const EmitOptions &options,
                              const std::string &architecture) {
  CompilerReport out;
  std::string compiler = nvccPath();
  if (compiler.empty() || architecture.empty() || regions.empty())
    return out;
  try {
    ScratchDirectory scratch;
    writeFile(scratch.path + "/kernels.cu", kernelText(regions, Language::Cuda, options));
    std::vector<std::string> line = {compiler,
                                     "-cubin",
                                     "-arch=" + architecture,
                                     "-Xptxas",
                                     "-v",
                                     "-keep",
                                     "-keep-dir",
                                     scratch.path,
                                     "-o",
                                     scratch.path + "/kernels.cubin",
                                     scratch.path + "/kernels.cu"};
    if (options.floatingPoint == FloatingPoint::Fast)
      line.push_back("-use_fast_math");
    std::string said;
    if (runLimited(line, kSeconds, said) != 0)
      return out;
    out.kernels = resourcesFromReport(said);
    if (std::filesystem::exists(scratch.path + "/kernels.ptx"))
      for (auto &[name, loops] : innermostLoopsOfPtx(readFile(scratch.path + "/kernels.ptx")))
        if (auto known = out.kernels.find(name); known != out.kernels.end())
          known->second.loops = loops;
    if (!out.kernels.empty())
      out.compiler = compiler + " " + architecture;
  } catch (const UserError &) { // no temporary directory: the model does
  }
  return out;
}

} // namespace nw
