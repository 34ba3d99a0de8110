// Chooses the schedule of a program: source order with distribution, and isl's where source order has no parallelism.
#pragma once
#include "poly/steps.h"

namespace nw {

Schedule schedule(const Program &program, const Dependences &dependences, bool relaxed);

// Whether the first schedule leaves shorter chains of sequential steps than the second.
bool isBetter(const Program &program, const Step &step, const Program &otherProgram, const Step &other);

// Whether a sequential loop stands around another, or whole loops run in a single thread: splitting may help.
bool hasLongChains(const Program &program, const Step &step);

// Whether whole loops of the step run in a single thread.
bool isMostlySerial(const Program &program, const Step &step);

} // namespace nw
