// Lint: from the kernels of a file to findings, and to text or SARIF.
#pragma once
#include "lint/findings.h"

namespace nw::lint {

struct Options {
  DeviceSpec device;
  std::optional<std::array<int64_t, 3>> block; // instead of what the file tells
  std::map<std::string, int64_t> sizes;
  int registers = 0;    // of a thread; 0: not known
  bool listAll = false; // every access
};

// Sorted by location, each once.
Findings lint(const written::File &file, const Options &options);
int warningsIn(const Findings &found);

std::string toText(const Findings &found, const written::File &file);
// SARIF 2.1.0.
std::string toSarif(const Findings &found, const written::File &file);

} // namespace nw::lint
