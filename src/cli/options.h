// Flags that compile and check share.
#pragma once
#include "cli/device_option.h"
#include "driver/pipeline.h"
#include <CLI/CLI.hpp>

namespace nw {

struct CommonFlags {
  std::string floatingPoint = "reduce", contraction, offload = "auto", device;
  std::vector<std::string> includes, definitions, standard;
  std::vector<std::string> compiler; // flags of the C compiler that change what programs mean
  bool quiet = false;
  bool noVectors = false;
  int ilp = 1;
  bool noStaging = false, noPadding = false, noRegisterTiles = false;
  std::string policy = "default", coalesce, share = "predict";
  bool noBlockReduction = false;
  bool noFusion = false;
  bool noRenaming = false;
  bool openacc = false;
  Limits limits;
};

// `policies`: those that the command knows beside the ones that make plans.
void addCommonFlags(CLI::App &app, CommonFlags &flags,
                    const std::vector<std::string> &policies = {});
void apply(const CommonFlags &flags, CompileOptions &options);
// Parses; -1 to go on, else the exit status (help asked for, or a mistake, which has been said).
// Flags of the C compiler are not the app's: they go to `flags`, where there are some.
int parse(CLI::App &app, std::vector<std::string> arguments, CommonFlags *flags = nullptr);
FloatingPoint floatingPointOf(const std::string &word);

} // namespace nw
