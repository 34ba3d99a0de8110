// Files of the source tree that the build puts into the program: texts that generated code begins
// with, headers for the front end, the catalogue of devices. cmake/embed.cmake writes the list.
#pragma once
#include <string>
#include <vector>

namespace nw {

struct EmbeddedFile {
  const char *name; // the path below src
  const char *text;
};

const std::vector<EmbeddedFile> &embeddedFiles();

// The text of a file; asking for one that is not there is a bug, which ends the program.
std::string embedded(const std::string &name);

} // namespace nw
