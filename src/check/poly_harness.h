// The C text of nestwarp check --poly: region functions that run a region in source order and then
// its kernels, both instrumented, and the driver that keeps and compares their records.
#pragma once
#include "check/check_harness.h"
#include "check/shadow.h"

namespace nw {

// One way in which the kernels of a region are run.
struct PolyForm {
  std::string name; // as launched, plain launches
  Instrumented code;
};

struct PolyRegion {
  RecordLayout layout;
  Instrumented source;
  std::vector<PolyForm> forms;
};

PolyRegion polyRegion(const CompiledRegion &region);

// Takes the place of the file with the region functions.
std::string polyFile(const Compilation &compilation, const std::vector<PolyRegion> &regions);
std::string polyDriverText(const CheckedFunction &f,
                           const std::map<std::string, std::string> &sizes, bool isDouble,
                           const std::vector<std::string> &libraries);

// A line of the driver's report.
struct PolyViolation {
  int region = 0;
  std::string form,
      kind; // kind: read, missing, repeated, foreign, or final for an element after the region
  uint64_t writer = 0, expected = 0, found = 0;
  int site = -1;
  std::string array;
  long long element = 0, many = 0; // many: of all kinds, in this run of the region
};

struct PolyReport {
  long long instances = 0, reads = 0;
  std::vector<PolyViolation> violations;
};

PolyReport readPolyReport(const std::string &text);

} // namespace nw
