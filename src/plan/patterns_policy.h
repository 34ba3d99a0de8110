// Which memory each array goes to by the rules of *patterns* (section IV, Algorithm 1):
// --policy=patterns. Decides from access patterns and sizes alone; no time is estimated.
#pragma once
#include "analysis/access_pattern.h"
#include "device/device_spec.h"

namespace nw {

// The paper's memory spaces. Local is shared memory.
enum class PatternSpace { Constant, Local, Global, Texture };

// An array and all of its references under one mapping.
struct ArrayPatterns {
  std::string array;
  std::vector<AccessPattern> references;
  int64_t elementBytes = 4;
  std::optional<int64_t>
      bytes; // that the references can reach; nothing where it depends on a parameter or on data
  bool isRead() const;
  bool isWritten() const;
};

struct SpaceChoice {
  std::string array;
  std::vector<PatternSpace> picks; // of Algorithm 1, one for each reference
  PatternSpace algorithm =
      PatternSpace::Global; // what the precedence makes of them: Algorithm 1's own answer
  // The answer as section VI gives it for mv: where the data are, and whether strips of them are
  // prefetched to local memory. Staged exactly where Algorithm 1 says local. Of a staged array, the
  // backing is texture where all work groups read the same strips (no inter-thread pattern: a cache
  // serves them all) and where strips have no unit stride to copy along; else global. Written
  // arrays that are staged stay in global memory.
  PatternSpace backing = PatternSpace::Global;
  bool isStaged = false;
  std::string reason;
};

// `constantBytes`: what is left of the device's constant memory.
SpaceChoice chooseSpace(const ArrayPatterns &array, int64_t constantBytes,
                        const DeviceSpec &device);
// In the order given; each array that goes to constant memory leaves less of it for those that
// follow. On devices without a read-only path, texture becomes global.
std::vector<SpaceChoice> chooseSpaces(const std::vector<ArrayPatterns> &arrays,
                                      const DeviceSpec &device);

// The one of several picks that counts: read-only data texture, global, local, constant; data that
// are read and written global, local; write-only data texture, global, local (section IV).
PatternSpace preferredSpace(const std::vector<PatternSpace> &picks, bool isRead, bool isWritten);

// The references of accessPatterns by array, in the order of first reference.
std::vector<ArrayPatterns> arrayPatterns(const Program &program, const ThreadMapping &mapping,
                                         const std::vector<std::string> &statements = {});

const char *nameOf(PatternSpace space);       // "constant", "local", "global", "texture"
std::string print(const SpaceChoice &choice); // "a: global, staged in local (prefetch)"

} // namespace nw
