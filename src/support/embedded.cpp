// Embedded files.
#include "support/embedded.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace nw {

std::string embedded(const std::string &name) {
  const std::vector<EmbeddedFile> &all = embeddedFiles();
  auto found =
      std::find_if(all.begin(), all.end(), [&](const EmbeddedFile &f) { return f.name == name; });
  if (found == all.end()) {
    std::fprintf(stderr, "nestwarp: internal error: no embedded file %s\n", name.c_str());
    std::abort();
  }
  return found->text;
}

} // namespace nw
