// Cubins by nvcc.
#include "check/bundle_cubins.h"
#include "driver/nvcc.h"
#include "support/parallel.h"
#include "support/text.h"
#include "tune/cubins.h"
#include <cstdio>
#include <fmt/format.h>
#include <set>

namespace nw {

std::vector<std::string> cubinArchitectures(const std::string &word,
                                            const std::optional<DeviceSpec> &device) {
  if (!word.empty())
    return word == "none" ? std::vector<std::string>() : architecturesOf(word);
  if (!device)
    return {"sm_90"};
  if (device->kind != DeviceKind::Cuda || !device->architecture.starts_with("sm_"))
    return {};
  return {device->architecture};
}

BundleCubins makeCubins(const std::vector<KernelSource> &sources,
                        const std::vector<std::string> &architectures) {
  if (architectures.empty())
    return {"none were asked for", {}};
  std::string compiler = nvccPath();
  if (compiler.empty()) {
    std::fprintf(stderr, "nestwarp: nvcc was not found: the bundle has no cubins, and the other "
                         "machine will compile the kernels\n");
    return {"nvcc was not found where the bundle was written", {}};
  }
  struct Wanted {
    std::string name, options, architecture;
    const std::string *text;
  };
  std::vector<Wanted> wanted;
  std::set<std::string> names;
  for (const std::string &architecture : architectures)
    for (const KernelSource &s : sources) {
      std::string options = cudaOptions(s.options, architecture);
      if (std::string name = cubinName(s.text, options, architecture); names.insert(name).second)
        wanted.push_back({name, options, architecture, &s.text});
    }
  // Each answer begins with whether it is a cubin, or what nvcc says.
  auto answers = inProcesses(wanted.size(), [&](size_t k) {
    std::string said, bytes = nvccCubin(compiler, *wanted[k].text, wanted[k].options, said);
    return bytes.empty() ? "-" + said : "+" + bytes;
  });
  BundleCubins all;
  int failures = 0;
  for (size_t k = 0; k < wanted.size(); k++)
    if (answers[k] && answers[k]->starts_with("+"))
      all.files[wanted[k].name] = answers[k]->substr(1);
    else if (failures++ == 0)
      std::fprintf(stderr,
                   "nestwarp: nvcc could not make a cubin for %s; the other machine will compile "
                   "these kernels: %s\n",
                   wanted[k].architecture.c_str(),
                   answers[k] ? lineOf(answers[k]->substr(1), 1).c_str() : "");
  all.about = fmt::format("{} by nvcc {}{}", joined(architectures, ", "), nvccRelease(compiler),
                          failures ? fmt::format("; {} were refused", failures) : "");
  return all;
}

} // namespace nw
