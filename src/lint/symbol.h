// An integer of a kernel, as an expression over what a launch gives: indices, sizes, arguments, and
// counters of loops. Symbols are what is left of a thread's variables when each is replaced by what
// it was set to (lite: the address of an access, by backward dataflow).
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nw::lint {

struct Symbol;
using SymbolP = std::shared_ptr<const Symbol>;

enum class SymbolKind {
  Number,    // value
  Thread,    // threadIdx; axis
  Block,     // blockIdx; axis
  BlockSize, // blockDim; axis
  GridSize,  // gridDim; axis
  Argument,  // of the kernel; name
  Counter,  // a variable that a loop changes by the same for all threads: name, id; args[0] is what
            // it begins with
  Unknown,  // depends on data, or on too much: name, id; the same for all threads of a warp unless
            // `differs`
  Operator, // name; args: one, two, or the three of ?:
};

struct Symbol {
  SymbolKind kind = SymbolKind::Number;
  std::vector<SymbolP> args;
  std::string name;
  int64_t value = 0;
  int axis = 0, id = 0;
  bool differs = false; // from thread to thread of a warp
  int nodes = 1;
};

SymbolP number(int64_t value);
SymbolP index(SymbolKind kind, int axis);
SymbolP argument(std::string name);
SymbolP counter(std::string name, int id, SymbolP start);
SymbolP unknown(std::string name, int id, bool differs);
// Computes what is known; what gets too long becomes unknown.
SymbolP applied(const std::string &op, std::vector<SymbolP> args);

// As C spells it.
std::string textOf(const SymbolP &s);
// The same value wherever both are computed in the same iteration by the same thread.
bool isSame(const SymbolP &a, const SymbolP &b);
// Whether any part of it fulfils the condition.
bool anyPart(const SymbolP &s, const std::function<bool(const Symbol &)> &condition);
bool dependsOnData(const SymbolP &s); // in a way that differs within a warp

// What a thread sees. Sizes that nobody gave are kAssumedSize, as in explain.
inline constexpr int64_t kAssumedSize = 1024;
struct Surroundings {
  std::array<int64_t, 3> thread = {0, 0, 0}, block = {0, 0, 0}, blockSize = {1, 1, 1};
  const std::map<std::string, int64_t> *sizes = nullptr; // by name of an argument
  std::map<int, int64_t> counters;                       // by id; others are what they begin with
};
// Nothing where it depends on data that differ from thread to thread, or leaves 64 bits.
std::optional<int64_t> valueOf(const SymbolP &s, const Surroundings &around);

// How much it grows from one thread to the next along an axis, where that is the same for all; null
// where it is not.
SymbolP growthAlong(const SymbolP &s, int axis);
// How much it grows with a counter; the same.
SymbolP growthWith(const SymbolP &s, int counter);
// Whether a part of a symbol decides how far threads are apart, and is not only added for all.
bool decides(const Symbol &whole, const SymbolP &part);
// Names of what is the same for all threads and decides how far apart they are: sizes that had to
// be assumed.
std::vector<std::string> decidingNames(const SymbolP &s);

} // namespace nw::lint
