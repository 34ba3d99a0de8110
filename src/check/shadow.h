// Instrumented kernels: the same loops, guards, barriers and launches, but every statement instance
// also looks who wrote what it reads, records that, and signs what it writes. Held against the
// records of a run in source order they show every dependence that was not kept, whatever the data.
#pragma once
#include "check/record_layout.h"
#include "check/shadow_elements.h"

namespace nw {

// The reads of a statement's body, in the order in which its instances record them.
std::vector<ReadSite> readSites(const Program &program, const Statement &statement);

struct Instrumented {
  Program program; // with the functions that the kernels call
  Kernels kernels;
};

struct InstrumentOptions {
  bool isSource = false;  // the run in source order: it also records when instances run
  bool copiesBack = true; // whether the user's arrays get the results
  std::string suffix;     // of the names of the kernels
};

Instrumented instrument(const Program &program, const Kernels &kernels, const RecordLayout &layout,
                        const InstrumentOptions &options);

} // namespace nw
