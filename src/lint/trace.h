// What one thread of a kernel does, in order: accesses with their addresses, conditions, barriers,
// loops. A trace is made once for each kernel; it knows nothing of devices.
#pragma once
#include "ir/written_kernel.h"
#include "lint/symbol.h"

namespace nw::lint {

struct Subscript {
  SymbolP index;
  int64_t bytes = 1; // from one value to the next
};

// Where an access goes: an array, and how far into it.
struct Address {
  std::string base;  // the array, as it is printed; empty: not known
  int variable = -1; // the array or the pointer; -1 for a pointer that is not a variable
  written::Space space = written::Space::Local;
  std::vector<Subscript> subscripts;
  int64_t offset = 0;  // bytes of members
  std::string members; // as in .x
  SymbolP hidden; // bytes that the text of the base tells already, as in (&a[i])[j]; null: none
  bool isRestrict = false;
};

std::string textOf(const Address &address);
// In bytes from the beginning of the array.
SymbolP offsetOf(const Address &address);
bool isSame(const Address &a, const Address &b);

enum class Touch { Load, Store, Atomic };

struct Access {
  Address address;
  Touch touch = Touch::Load;
  int64_t bytes = 0;
  std::string type;
  std::vector<SymbolP> guards; // conditions around it, all of which hold
  std::vector<int> loops;      // around it, outermost first
  int order = 0;
  Location at;
  int length = 1;
  bool isVolatile = false;
};

struct Condition {
  SymbolP value;
  std::vector<SymbolP> guards;
  std::vector<int> loops;
  bool hasWork = false; // one of its sides touches memory, loops or calls
  int order = 0;
  Location at;
  int length = 1;
};

struct LoopCounter {
  std::string name;
  int id = 0;
  SymbolP start, next; // what it begins with, and what it is after an iteration
};

struct LoopFacts {
  std::vector<LoopCounter> counters;
  SymbolP condition;      // to go on; null where there is none
  bool isLeft = false;    // also by break or return
  int begin = 0, end = 0; // orders of what is inside
  Location at;
};

struct Trace {
  std::vector<Access> accesses;
  std::vector<Condition> conditions;
  std::vector<int> barriers; // orders
  std::vector<LoopFacts> loops;
};

Trace traceOf(const written::Kernel &kernel);

} // namespace nw::lint
