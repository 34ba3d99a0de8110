// The engine of nestwarp cc and nestwarp c++: sources are rewritten, compiled by the system's
// compiler together with their kernels, and linked with the runtime.
#pragma once
#include "driver/compiler_line.h"
#include "driver/pipeline.h"

namespace nw {

// The flags of nestwarp's own.
struct CcSettings {
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  std::string saveTemps; // a folder for what is generated; empty: it is not kept
  bool remarks = false, quiet = false;
  bool always = false;     // --offload=always
  bool lines = false;      // --line-info
  bool obeysShare = false; // --share=obey
  Limits limits;
  // Makes the options take plans that were found by measuring.
  std::function<void(CompileOptions &)> usePlans;
};

// Does what the line asks for; the exit status.
int runCc(const CompilerLine &line, const CcSettings &settings);

} // namespace nw
