// The C text that nestwarp check compiles and runs: wrappers that call the original, the generated
// and a wider version of a function, and a driver that fills inputs and compares outputs; and how
// its report is read.
#pragma once
#include "check/check_settings.h"
#include "driver/pipeline.h"
#include <set>

namespace nw {

// What made-up integers of an array must keep to, since subscripts depend on them.
struct ValueRange {
  int64_t low = 0;
  std::string high;         // C text over the scalar parameters; empty: any
  bool isAscending = false; // they are the bounds of loops: none is below the one before
  bool operator==(const ValueRange &) const = default;
};

// An argument or a global array that the check fills before and compares after a call.
struct CheckedObject {
  std::string name;
  Type type;
  bool isGlobal = false;
  bool isArray = false;
  std::string count;               // number of elements, C text over the scalar parameters
  std::vector<ExprP> extents = {}; // as declared; null where unknown
  std::vector<ValueRange> ranges = {};
};

struct CheckedFunction {
  Signature signature;
  std::vector<CheckedObject> objects; // parameters in order, then globals
  bool hasPrepare = false;            // prepare_NAME with the same parameters
  std::string source;                 // of the whole file
};

// How a function fared. The worst of them decides the exit status of the command.
enum class Verdict { Same, NothingRan, Different };
int statusOf(Verdict worst);

// How the three versions are told apart.
enum class Version { Original, Generated, Wider };

// The element type as the driver stores it for a version.
std::string storedType(const Type &type, Version version, bool isDouble);

// C text that includes `file` and defines nw_call(void **) and nw_global(int).
std::string wrapperText(const CheckedFunction &f, const std::string &file, Version version,
                        bool isDouble);

// Whether all sizes of these runs are small: then optimizing takes longer than it saves.
bool hasSmallSizes(const CheckedFunction &f, const std::vector<CheckSettings> &runs);

// Compiles STEM.c to STEM.so in the directory, with `more` words at the end of the line; the
// compiler's status.
int buildLibrary(const std::string &stem, const std::vector<std::string> &flags,
                 const std::string &directory, const std::vector<std::string> &more);

// Compiles the text that calls the runtime, which is the same for all functions, in the directory,
// unless that was done before; the object's path.
std::string regionsObject(const std::string &text, const std::vector<std::string> &flags,
                          const std::string &directory);

struct DriverOptions {
  bool isExact = false;        // every bit counts, but those of a NaN
  bool isFast = false;         // fast math: no NaN, no infinity, and denormals may be flushed
  bool isDouble = false;       // the wider type is long double
  bool callsFunctions = false; // of math.h, which devices compute a few units off
};

// The driver: loads original.so, generated.so and wider.so from `directory`. Sizes are "n=129"
// settings by name, or C text over `nw_run`. It is called with the name of its report and the kind
// of data, ordinary or special; then, if need be, 0 or how often to time the generated code, and
// the number of the run.
std::string driverText(const CheckedFunction &f, const std::map<std::string, std::string> &sizes,
                       const DriverOptions &options, const std::string &directory);

// Parts of it, for drivers that do something else: data and calls; how results are compared; and a
// main that describes the function's data and then calls nw_check, which `core` defines.
std::string driverData();
std::string driverComparison();
std::string driverSource(const CheckedFunction &f, const std::map<std::string, std::string> &sizes,
                         bool isDouble, const std::vector<std::string> &libraries,
                         const std::string &core);

// An object whose values differ. The numbers are as printed; `wider` is "-" where it was not
// computed.
struct CheckDifference {
  int object = 0; // among the arrays and globals of the function, in order; the result comes last
  long long element = 0, differing = 0, count = 0;
  std::string original, generated, wider;
};

// What the driver wrote.
struct CheckReport {
  std::map<std::string, long long> scalars; // integer parameters
  std::set<std::string> stages;             // calls that came back: original, generated
  long long onDevice = 0, onHost = 0;       // executions of regions
  std::string where, reason;                // of the last one that stayed on the host
  std::string device;                       // in words
  std::string outside;                      // the subscript with which the original left an array
  std::vector<CheckDifference> differences;
};

CheckReport readReport(const std::string &text);

} // namespace nw
