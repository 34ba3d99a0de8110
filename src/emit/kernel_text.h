// Kernels as CUDA C++ or OpenCL C text.
#pragma once
#include "emit/dialect.h"
#include "kernel/expand.h"
#include <map>
#include <optional>
#include <set>

namespace nw {

// One region with everything its text needs.
struct EmittedRegion {
  const Program *program;
  const Kernels *kernels;
  std::string entry; // name of the region's function on the host
  std::string where; // file:line, or file:line (2) for the second of a line
  std::string alias =
      {}; // the same name for users, where `entry` has a mark of the file's position
  std::string tuned = {}; // what is to be said of its plan
};

enum class FloatingPoint { Strict, Reduce, Fast };

struct EmitOptions {
  std::string file;
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  bool contract = true;
  bool always = false;      // offload whatever the model says
  bool lines = false;       // kernels say from which lines they come, for profilers
  std::string linkage = {}; // in front of region functions
  std::string kernelLinkage = "extern \"C\" "; // in front of CUDA kernels
  std::optional<bool> charIsUnsigned = {};     // plain char in the source; none: nobody asks
  bool compiledElsewhere = false; // the host file, with flags that only its text can choose
  bool onDeviceOnly = false;      // region functions have no entry for arrays on the host
  bool presentTable =
      false; // the runtime below has one: arrays of OpenACC constructs are looked up there
  std::set<int> requirePresent =
      {}; // regions, by number, whose arrays must be there: default(present)
  std::map<int, std::set<std::string>> devicePointers =
      {}; // regions, by number: variables that hold addresses on the device
};

// What expansion has to know of the language.
ExpandTarget expandTarget(Language language);

// A struct, and a function that kernels call, in a language.
std::string structText(const Struct &s, const Dialect &d);
std::string functionText(const Function &f, const Dialect &d);

// The device text of all regions. Structs and functions that several regions share appear once.
std::string kernelText(const std::vector<EmittedRegion> &regions, Language language,
                       const EmitOptions &options);

} // namespace nw
