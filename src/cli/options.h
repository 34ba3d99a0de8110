// Flags that compile and check share.
#pragma once
#include "cli/device_option.h"
#include "driver/pipeline.h"
#include <CLI/CLI.hpp>

namespace nw {

struct CommonFlags {
  std::string floatingPoint = "reduce", contraction, offload = "auto", device;
  std::vector<std::string> includes, definitions, standard;
  bool quiet = false;
  bool noVectors = false;
  int ilp = 1;
  bool noStaging = false, noPadding = false, noRegisterTiles = false;
  std::string policy = "default", coalesce, share = "predict";
  bool noSpread = false;
  bool noJoining = false;
  bool noRenaming = false;
  bool openacc = false;
  Limits limits;
};

void addCommonFlags(CLI::App &app, CommonFlags &flags);
void apply(const CommonFlags &flags, CompileOptions &options);
// Parses; -1 to go on, else the exit status (help asked for, or a mistake, which has been said).
int parse(CLI::App &app, std::vector<std::string> arguments);
FloatingPoint floatingPointOf(const std::string &word);

} // namespace nw
