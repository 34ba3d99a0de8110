// The C text that nestwarp check compiles and runs: wrappers that call the original, the generated and a wider
// version of a function, and a driver that fills inputs and compares outputs.
#pragma once
#include "cli/pipeline.h"

namespace nw {

// An argument or a global array that the check fills before and compares after a call.
struct CheckedObject {
  std::string name;
  Type type;
  bool isGlobal = false;
  bool isArray = false;
  std::string count; // number of elements, C text over the scalar parameters
};

struct CheckedFunction {
  Signature signature;
  std::vector<CheckedObject> objects; // parameters in order, then globals
  bool hasPrepare = false;            // prepare_NAME with the same parameters
};

// How the three versions are told apart.
enum class Version { Original, Generated, Wider };

// C text that includes `file` and defines nw_call(void **) and nw_global(int).
std::string wrapperText(const CheckedFunction &f, const std::string &file, Version version, bool isDouble);
// The driver: sizes are "n=129" settings by name.
std::string driverText(const CheckedFunction &f, const std::map<std::string, std::string> &sizes, bool exact, bool isDouble, const std::string &directory);

} // namespace nw
