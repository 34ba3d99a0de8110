// A region as the algorithms of the papers look at it: what explain --policy=NAME asks them about.
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"
#include "poly/dependences.h"
#include "poly/schedule.h"

namespace nw::papers {

struct PaperRegion {
  const Program &program; // that was scheduled
  const Dependences &dependences;
  const Schedule &schedule;
  const Plan &plan; // the default's
  const DeviceSpec &device;
  std::map<std::string, int64_t> sizes; // of the program's parameters
  bool isRelaxed = true;                // reductions may be reordered
  int registers = 0;                    // of a thread
  std::string registersBy;              // who says so
  std::map<std::string, double> given;  // figures in the place of the model's, see givenNames
  std::vector<int> groupSizes;          // threads of a work group to try; empty: powers of two
};

// What may be given: figures that came from the compiler, the device or the measurements of a
// paper's time.
const std::vector<std::string> &givenNames();

using Lines = std::vector<std::string>;

// The Program as the front end built it, before rewritings that help the default.
const Program &sourceOf(const Program &program);

// How many values the dimension of a set has at most at these sizes; nothing where it has no end.
std::optional<int64_t> extentOf(const isl::set &set, int dimension,
                                const std::map<std::string, int64_t> &sizes);

// Bytes of the smallest box that holds all that the program touches of an array at these sizes.
std::optional<int64_t> bytesOf(const Program &program, const std::string &array,
                               const std::map<std::string, int64_t> &sizes);

// 1 thread, 3 threads
std::string counted(int64_t number, const std::string &what);
std::string listed(const std::vector<std::string> &names, const std::string &none = "none");

} // namespace nw::papers
