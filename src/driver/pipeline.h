// The table of contents: file to trees, trees to Programs, Programs to Schedules, Plans and
// Kernels, region by region.
#pragma once
#include "device/device_spec.h"
#include "driver/compiler_flags.h"
#include "emit/host_text.h"
#include "frontend/cuda/cuda_frontend.h"
#include "kernel/kernel.h"
#include "plan/planner.h"
#include <functional>

namespace nw {

// A plan for a region that was found by measuring.
struct TunedPlan {
  Plan plan;
  std::string about; // "tuned on ... at n=4096, 1.12 x the proposed one"
};

struct CompileOptions {
  std::string file;
  std::vector<std::string> arguments; // for Clang
  std::string function;               // --function
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  bool contract = true;
  bool wraps = false;                               // signed arithmetic wraps around: -fwrapv
  std::vector<CompilerMeaning::HostFlag> hostFlags; // flags that keep the file on the host
  bool always = false;                              // --offload=always
  bool lines = false;                               // --line-info
  bool renaming = true;                             // --no-renaming
  bool openacc = false; // -fopenacc; no argument of Clang's, since other compilers must not see it
  bool carriesData = false; // what comes of it does what data directives say: of cc alone
  bool obeysShare = false; // --share=obey: tiles of share hints are taken wherever they can be made
  PlanOptions planning;    // --ilp, --policy
  std::string planFile;    // --plan
  bool isForSchedule = false; // Program, dependences and schedule are all that is wanted
  bool keepsHistory = false;  // the Program after each pass is kept, for --emit=program@NAME
  std::string entryPrefix;    // of region functions
  unsigned long operations = Limits{}.operations; // of isl, for one region, where there is no watch
  std::optional<DeviceSpec> device; // to plan for; the limits that all devices share if not given
  std::function<std::optional<TunedPlan>(const Program &)>
      tuned; // the plan to take instead of the proposed one, where there is one and it still fits
  std::function<void(Plan &, const RegionFacts &, const DeviceSpec &)>
      varyPlan;                    // may change the plan of a region, as a plan file may
  std::optional<std::string> text; // instead of what the file contains
  Watch *watch = nullptr;          // over time and memory; its limits hold for isl, too
};

// One region with every stage it went through.
struct CompiledRegion {
  Program program;
  Dependences dependences;
  Schedule schedule;
  RegionFacts facts; // that the plan is made from
  Plan plan;
  Kernels kernels;
  bool isLowered = false;                               // the Kernels are there
  std::vector<std::pair<std::string, Program>> history; // after each pass, where that was asked for
  std::string entry, where;
  std::string alias;              // the entry without its prefix; empty where it has none
  std::vector<std::string> share; // what became of a share hint, for explain
  std::string tuned; // what is to be said of a plan that was found by measuring; empty: it is the
                     // proposed one, or one that was given
};

struct Compilation {
  ParsedFile parsed;
  bool isCuda = false;
  std::string loops; // of a CUDA file: its kernels as functions of loops, in which regions stand
  std::vector<CudaKernel> kernels; // of a CUDA file
  std::vector<CudaLaunch> launches;
  std::vector<TextRange> annotations;
  MacroNames macros;
  // The C text in which regions stand.
  const std::string &text() const { return isCuda ? loops : parsed.source; }
  std::vector<CompiledRegion> regions;
  std::vector<Diagnostic> diagnostics; // in source order
  std::vector<EmittedRegion> emitted() const;
  EmitOptions emitOptions;
};

Compilation compile(const CompileOptions &options);

// What flags of the C compiler say. `floatingPoint` is set before: flags that contradict
// --fp=strict are a UserError.
void takeMeaning(const CompilerMeaning &meaning, CompileOptions &options);

} // namespace nw
