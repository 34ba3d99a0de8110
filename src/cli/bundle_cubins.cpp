// Cubins by nvcc.
#include "cli/bundle_cubins.h"
#include "cli/nvcc.h"
#include "support/text.h"
#include "tune/cubins.h"
#include <cstdio>
#include <fmt/format.h>

namespace nw {

std::vector<std::string> cubinArchitectures(const std::string &word, const std::optional<DeviceSpec> &device) {
  if (!word.empty())
    return word == "none" ? std::vector<std::string>() : architecturesOf(word);
  if (!device)
    return {"sm_90"};
  if (device->kind != DeviceKind::Cuda || !device->architecture.starts_with("sm_"))
    return {};
  return {device->architecture};
}

BundleCubins makeCubins(const std::vector<KernelSource> &sources, const std::vector<std::string> &architectures) {
  if (architectures.empty())
    return {"none were asked for", {}};
  std::string compiler = nvccPath();
  if (compiler.empty()) {
    std::fprintf(stderr, "nestwarp: nvcc is not found: the bundle has no cubins, and the other machine compiles the kernels\n");
    return {"nvcc was not found where the bundle was written", {}};
  }
  BundleCubins all;
  int failures = 0;
  for (const std::string &architecture : architectures)
    for (const KernelSource &s : sources)
      for (const std::string &options : cudaOptions(s.text, s.options, architecture)) {
        std::string name = cubinName(s.text, options, architecture), said;
        if (all.files.count(name))
          continue;
        if (std::string bytes = nvccCubin(compiler, s.text, options, said); !bytes.empty())
          all.files[name] = bytes;
        else if (failures++ == 0)
          std::fprintf(stderr, "nestwarp: nvcc makes no cubin for %s; the other machine compiles these kernels: %s\n", architecture.c_str(), lineOf(said, 1).c_str());
      }
  all.about = fmt::format("{} by nvcc {}{}", joined(architectures, ", "), nvccRelease(compiler), failures ? fmt::format("; {} were refused", failures) : "");
  return all;
}

} // namespace nw
