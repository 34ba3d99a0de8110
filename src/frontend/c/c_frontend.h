// The C and C++ front end: parses a file with Clang and hands over every run of statements that may
// be offloaded, as trees. This header is the only one of the C front end that the rest sees; it
// names nothing of Clang.
#pragma once
#include "frontend/openacc/directives.h"
#include "frontend/openacc/share_hint.h"
#include "ir/region.h"
#include "support/diagnostics.h"
#include "support/limits.h"
#include <set>

namespace nw {

struct ParseRequest {
  std::string file;
  std::vector<std::string> arguments; // -I, -D, -std=… as the user gave them
  std::string function;               // take this function only; empty: all
  std::optional<std::string> text;    // instead of what the file contains
  Watch *watch = nullptr; // once a limit is reached, everything that follows is left out
  bool openacc = false;   // OpenACC's directives are read
};

// One statement of the user's, convertible to trees. Items of a Sequence follow each other without
// anything between.
struct Item {
  StmtP tree;
  Location at;
  bool hasLoop = false;
  bool marked = false;
  unsigned beginOffset = 0, endOffset = 0;
  std::set<std::string> liveAfter; // local scalars and arrays that may be read after this item
  std::string countersAfter;       // text that sets loop counters that are read later
  std::optional<openacc::Directive> construct; // the compute construct around it
  std::optional<openacc::ShareHint> share;     // arrays under the names that trees have
};

struct Sequence {
  std::string function;
  std::vector<Item> items;
  std::map<std::string, Variable> variables;
  std::vector<Struct> structs;
  std::vector<Function> functions;
};

// A function of the file, as a caller sees it.
struct Signature {
  std::string name;
  std::vector<Variable> parameters;
  Type result = typeOf(Scalar::Void);
};

// What follows from it: the file's text and everything convertible in it, in source order.
struct ParsedFile {
  std::string file, source;
  bool isCxx = false;
  std::optional<bool> charIsUnsigned; // what the source takes plain char for
  bool failed = false;                // syntax errors; Clang has said them
  std::vector<Sequence> sequences;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> functionsSeen;
  std::vector<Signature> signatures; // of functions whose parameters can be described
  std::vector<openacc::Directive>
      directives; // of the functions that were looked at, in source order
};

ParsedFile parseC(const ParseRequest &request);

} // namespace nw
