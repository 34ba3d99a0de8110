// What nestwarp check does with one function, whether it runs here or, from a bundle, on another
// machine.
#pragma once
#include "check/check_harness.h"
#include "check/check_settings.h"

namespace nw {

// How the driver fared on one kind of data.
struct CheckOutcome {
  std::string data;
  int status = 0;
  CheckReport report;
};

// Whether the function has an offloaded nest and can be called.
bool isCheckable(const Compilation &c, const Signature &signature);
// Parameters and globals of a function, with their sizes as far as they are known; throws a
// UserError where they are not.
CheckedFunction describeFunction(const Compilation &c, const Signature &signature,
                                 const std::map<std::string, std::string> &extents);
// Whether any nest has a value of type float.
bool computesInFloat(const Compilation &c);
// The kinds of data to run on.
std::vector<std::string> dataFor(const Compilation &c, const CheckedFunction &f,
                                 const CheckSettings &settings);
// How results of the function are compared.
DriverOptions driverOptions(const Compilation &c, const CheckedFunction &f,
                            FloatingPoint floatingPoint);
// The file with its subscripts guarded, as the original is run; `name` is what it calls itself.
// Nothing where that cannot be made.
std::optional<std::string> guardedSource(const Compilation &c, const CompileOptions &options,
                                         const std::string &name);
// The harness, file by file. `source` and `rewritten` are how the wrappers include them,
// `libraries` is where the driver finds these.
std::map<std::string, std::string>
checkTexts(const Compilation &c, const CheckedFunction &f, const CheckSettings &settings,
           const std::string &source, const std::string &rewritten, const std::string &libraries);
// Says how the function fared, under the name `title`, or else its own. A difference counts
// whatever the status is.
Verdict judge(const Compilation &c, const CheckedFunction &f,
              const std::vector<CheckOutcome> &outcomes, const std::string &file,
              const std::string &title = "");

} // namespace nw
