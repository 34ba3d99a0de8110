// A Region is what a front end hands over: a sequence of statement trees cut out of one function,
// the variables they touch, and where they stand in the file. Nothing polyhedral yet, and nothing
// of Clang any more.
#pragma once
#include "ir/tree.h"
#include <map>

namespace nw {

enum class Storage { Local, Parameter, Global };

// A variable that the region touches. Names are unique within a region (shadowed ones are renamed).
struct Variable {
  std::string name;     // in trees and in generated code
  std::string spelling; // in the user's source
  Type type;            // of an element
  std::vector<ExprP>
      extents; // of an array; the first is null for a pointer or an array of unknown extent
  bool isPointer = false; // a pointer (also an array parameter): may alias
  bool isRestrict = false;
  bool isConst = false;    // elements are never written by anybody
  bool inside = false;     // declared within the region
  bool liveAfter = true;   // may be read after the region before it is written
  bool isRegister = false; // declared so: its address cannot be taken
  std::string
      guard; // of a stand-in such as m->cells: C text that must be true before it may be evaluated
  bool addressKnown = true; // a scalar whose address may be held by somebody else (globals, &x)
  Storage storage = Storage::Local;
  bool isArray() const { return isPointer || !extents.empty(); }
};

// A function whose body is visible, without side effects, to be emitted as a device function.
struct Function {
  std::string name;
  Type result;
  std::vector<Variable> parameters;
  StmtP body;
};

struct Region {
  std::string function; // the enclosing function
  int number = 0;       // counts the regions of the file
  Location at;
  bool marked = false; // #pragma scop, or --function
  bool isConstruct =
      false;          // of an OpenACC compute construct: its arrays may be on the device already
  bool wraps = false; // signed arithmetic wraps around: -fwrapv
  bool isOnDevice = false; // of a CUDA kernel: its pointers are the device's, and nothing is copied
  std::string condition; // C text: the nest stays on the host where it is 0; empty: nothing to ask
  std::vector<StmtP> body;
  std::map<std::string, Variable> variables;
  std::vector<Struct> structs;             // in an order in which they can be defined
  std::vector<Function> functions;         // callees before callers
  unsigned beginOffset = 0, endOffset = 0; // of the text in the main file
  std::string countersAfter; // C text that gives outer loop counters their final values, or empty
};

} // namespace nw
