// What --emit prints: any stage of a compilation, and what each named pass leaves.
#pragma once
#include "driver/pipeline.h"

namespace nw {

// Plans of all regions as JSON, for --plan.
std::string planText(const Compilation &compilation);

// Throws UserError where there is no such stage or pass: program, deps, schedule, facts, plan,
// kernels, cuda, opencl, program@PASS, kernels@PASS.
void refuseUnknownStage(const std::string &stage);
// Whether the compilation has to keep what each pass left.
bool needsHistory(const std::string &stage);
// Whether the stage comes before plans and kernels: then none are made.
bool isOfSchedule(const std::string &stage);
std::string stageText(const Compilation &compilation, const std::string &stage);

} // namespace nw
