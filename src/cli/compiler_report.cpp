// nvcc as a process.
#include "cli/compiler_report.h"
#include "cli/process.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace nw {

static constexpr int kSeconds = 60;

static std::string nvcc() {
  if (const char *given = std::getenv("NESTWARP_NVCC"))
    return given; // may be empty: none
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find(':', begin), path.size());
    std::string file = path.substr(begin, end - begin) + "/nvcc";
    if (access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  const char *usual = "/usr/local/cuda/bin/nvcc";
  return access(usual, X_OK) == 0 ? usual : "";
}

CompilerReport compilerReport(const std::vector<EmittedRegion> &regions, const EmitOptions &options, const std::string &architecture) {
  CompilerReport out;
  std::string compiler = nvcc();
  if (compiler.empty() || architecture.empty() || regions.empty())
    return out;
  try {
    ScratchDirectory scratch;
    writeFile(scratch.path + "/kernels.cu", kernelText(regions, Language::Cuda, options));
    std::vector<std::string> line = {compiler, "-cubin", "-arch=" + architecture, "-Xptxas", "-v", "-o", scratch.path + "/kernels.cubin", scratch.path + "/kernels.cu"};
    if (options.floatingPoint == FloatingPoint::Fast)
      line.push_back("-use_fast_math");
    std::string said;
    if (runLimited(line, kSeconds, said) != 0)
      return out;
    out.kernels = resourcesFromReport(said);
    if (!out.kernels.empty())
      out.compiler = compiler + " " + architecture;
  } catch (const UserError &) { // no temporary directory: the model does
  }
  return out;
}

} // namespace nw
