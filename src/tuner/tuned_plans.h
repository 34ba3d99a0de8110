// Plans that were found by measuring, for the commands that compile: --tuned=auto|off, --db FILE.
#pragma once
#include "driver/pipeline.h"
#include "tune/database.h"
#include <CLI/CLI.hpp>

namespace nw {

struct TunedFlags {
  std::string use = "auto", database;
};

void addTunedFlags(CLI::App &app, TunedFlags &flags);

// The device that plans are made for, as results are keyed by it.
std::string plannedName(const std::optional<DeviceSpec> &device);

// Makes `options` take plans from the database, unless it is switched off or a file of plans is
// given. `sizes` are NAME=VALUE settings, as given; `backend` is cuda or opencl, or empty where the
// code is for both.
void useTunedPlans(CompileOptions &options, const TunedFlags &flags,
                   const std::map<std::string, std::string> &sizes, const std::string &backend);

} // namespace nw
