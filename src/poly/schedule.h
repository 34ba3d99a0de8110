// Chooses the schedule of a program: source order with distribution, and isl's where source order
// has no parallelism.
#pragma once
#include "poly/steps.h"

namespace nw {

Schedule schedule(const Program &program, const Dependences &dependences, bool relaxed);

// Whether the first schedule leaves shorter chains of sequential steps than the second.
bool isBetter(const Program &program, const Step &step, const Program &otherProgram,
              const Step &other);

// Whether the first schedule leaves no statement of the other program in more sequential loops, and
// one in fewer; or needs no wavefronts, which are longer than the loops they are made of. Copies
// (Statement::isCopy) that only the first program has run in parallel, but for the loops that they
// stand in.
bool leavesShorterChains(const Program &program, const Schedule &schedule,
                         const Program &otherProgram, const Schedule &other);

// All loops of the source's statements that are in order, or inside a thread.
int chainsIn(const Program &program, const Step &step);

// Whether a sequential loop stands around another, or whole loops run in a single thread: splitting
// may help.
bool hasLongChains(const Program &program, const Step &step);

// Whether whole loops of the step run in a single thread.
bool isMostlySerial(const Program &program, const Step &step);

} // namespace nw
