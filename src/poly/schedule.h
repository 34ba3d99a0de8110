// Chooses the schedule of a program: source order with distribution, and isl's where source order has no parallelism.
#pragma once
#include "poly/steps.h"

namespace nw {

Schedule schedule(const Program &program, const Dependences &dependences, bool relaxed);

// Whether whole loops of the step run in a single thread.
bool isMostlySerial(const Program &program, const Step &step);

} // namespace nw
