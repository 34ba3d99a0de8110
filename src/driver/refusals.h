// Nests that stay on the host although they were understood. Each throws a Diagnostic that says
// why.
#pragma once
#include "ir/program.h"
#include "poly/steps.h"

namespace nw {

// Calls of functions whose last bits differ between host and devices; for --fp=strict.
void refuseInexactCalls(const Program &program);
// The model may be right under conditions that never hold when the nest has anything to do.
void refuseImpossible(const Program &program);
// Schedules that leave nothing, or too little, to run in parallel.
void refuseSerial(const Program &program, const Schedule &schedule);

} // namespace nw
