// The table of contents: file to trees, trees to Programs, Programs to Schedules, Plans and Kernels, region by region.
#pragma once
#include "emit/host_text.h"
#include "frontend/c/c_frontend.h"
#include "kernel/kernel.h"
#include "plan/plan.h"

namespace nw {

struct CompileOptions {
  std::string file;
  std::vector<std::string> arguments; // for Clang
  std::string function;               // --function
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  bool contract = true;
  bool always = false;                // --offload=always
  std::string planFile;               // --plan
  std::string entryPrefix;            // of region functions
};

// One region with every stage it went through.
struct CompiledRegion {
  Program program;
  Dependences dependences;
  Schedule schedule;
  Plan plan;
  Kernels kernels;
  std::string entry, where;
};

struct Compilation {
  ParsedFile parsed;
  std::vector<CompiledRegion> regions;
  std::vector<Diagnostic> diagnostics; // in source order
  std::vector<EmittedRegion> emitted() const;
  EmitOptions emitOptions;
};

Compilation compile(const CompileOptions &options);

} // namespace nw
