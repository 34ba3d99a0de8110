// nvcc as a process.
#include "driver/nvcc.h"
#include "support/diagnostics.h"
#include "support/process.h"
#include "support/text.h"
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace nw {

static constexpr int kSeconds = 120;
static constexpr size_t kLargestCubin = 64 << 20; // as in runtime/cubins.h

std::string nvccPath() {
  if (const char *given = std::getenv("NESTWARP_NVCC"))
    return given;
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

std::string nvccRelease(const std::string &compiler) {
  std::string said;
  size_t at;
  if (runLimited({compiler, "--version"}, kSeconds, said) ||
      (at = said.find("release ")) == std::string::npos)
    return "";
  return said.substr(at + 8, said.find_first_not_of("0123456789.", at + 8) - at - 8);
}

std::string nvccCubin(const std::string &compiler, const std::string &source,
                      const std::string &options, std::string &said) {
  ScratchDirectory scratch;
  std::string input = scratch.path + "/kernels.cu", output = scratch.path + "/kernels.cubin";
  writeFile(input, source);
  std::vector<std::string> line = {compiler, "-cubin"};
  std::istringstream words(options);
  for (std::string w; words >> w;)
    line.push_back(w);
  line.insert(line.end(), {"-o", output, input});
  // Options of the user's that the name of the cubin would not tell of.
  unsetenv("NVCC_APPEND_FLAGS");
  unsetenv("NVCC_PREPEND_FLAGS");
  try {
    return runLimited(line, kSeconds, said) == 0 ? readFile(output, kLargestCubin) : "";
  } catch (const UserError &e) { // none, or too large
    said += e.message;
    return "";
  }
}

} // namespace nw
