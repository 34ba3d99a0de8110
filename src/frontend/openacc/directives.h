// OpenACC directives as plain values: what a pragma of the source says, in its own words, and
// nothing of Clang. Text of expressions is the user's, so that it can stand in the rewritten file
// where the pragma stood.
#pragma once
#include "support/location.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::openacc {

// What _OPENACC is under -fopenacc: Clang's number (3.4), said to Clang and to the system's
// compiler alike, which must take the same branches of the source.
inline constexpr const char *kVersion = "202506";
inline constexpr const char *kDefinition = "-D_OPENACC=202506";

enum class DirectiveKind {
  Parallel,
  Kernels,
  Serial, // compute constructs
  ParallelLoop,
  KernelsLoop,
  SerialLoop, // combined with a loop
  Loop,
  Data,
  EnterData,
  ExitData,
  HostData,
  Update, // data
  Wait,
  Init,
  Shutdown,
  Set,
  Cache,
  Atomic,
  Routine,
  Declare,
};

enum class DataKind {
  Copy,
  CopyIn,
  CopyOut,
  Create,
  Present,
  NoCreate,
  DevicePtr,
  Attach,
  Detach,
  Delete,
  UseDevice, // of host_data
  Host,
  Device,       // of update: `self` and `host` are the same
  FirstPrivate, // of compute constructs
};

// [start:length] as it is written; an empty start is 0, an empty length is the rest of the
// dimension. A plain subscript [k] has the length "1". "?" is what comes out of a macro and has no
// text.
struct Section {
  std::string start, length;
};

// One variable of a data clause.
struct DataClause {
  DataKind kind = DataKind::Copy;
  bool always = false, zero = false, readOnly = false; // modifiers
  std::string variable;                                // as the source spells it: A, or p->cells
  std::string text;                                    // the whole item: A[0:n]
  bool isPointer = false; // else an array (dimensions > 0) or a scalar or struct
  int dimensions =
      0; // subscripts that reach a scalar or a struct: 2 for float A[n][m], 1 for float *p
  bool isParameter =
      false; // of the function: an array parameter is a pointer whose first extent is unknown
  bool isBitField = false;
  bool mayLieInArray = false;       // v[k].n, p->n, and what is behind a reference or this
  int computedIn = 0;               // use_device: the line that computes with the address; 0: none
  std::vector<std::string> extents; // of an array's dimensions, as C text; empty text where unknown
                                    // (the first of a pointer)
  std::vector<Section> sections;    // one for each subscript that is given; none: all of it
  Location at;                      // of the item
};

struct ReductionItem {
  std::string op; // + * max min & | ^ && ||
  std::string variable;
  Location at;
};

// A variable in a clause that is not about data.
struct NamedItem {
  std::string variable;
  Location at;
};

// What is said about a loop: by a `loop` directive or one combined with it.
struct LoopClauses {
  bool isSeq = false, isAuto = false, isIndependent = false;
  bool gang = false, worker = false, vector = false;
  int collapse = 1;
  bool collapseForce = false;
  int tiles = 0; // how many sizes `tile` has; it belongs to as many loops
  std::vector<NamedItem> privates;
  std::vector<ReductionItem> reductions;
};

// A clause that changes nothing here, or not all that it asks for.
struct Unheard {
  std::string name; // num_gangs
  std::string why;
  Location at;
};

struct Directive {
  DirectiveKind kind = DirectiveKind::Loop;
  Location at;
  std::string function; // that it stands in
  unsigned beginOffset = 0,
           endOffset =
               0; // in the main file: from '#' to the end of its last line, without the line break
  bool inMainFile = false; // offsets are meaningful: it is no _Pragma, and in no header
  unsigned blockBegin = 0, blockEnd = 0; // of the statement that it belongs to, with its semicolon;
                                         // both 0 where there is none
  bool blockIsCompound = false;          // { … }
  std::optional<std::string> condition;  // if(…)
  std::optional<std::string>
      self; // self(…) of a compute construct; empty text: without a condition
  std::optional<std::string> async; // async(…); empty text: without an argument
  bool hasWait = false;             // a wait clause
  bool finalize = false, ifPresent = false;
  std::optional<std::string> defaultTo; // default(none), default(present)
  std::vector<DataClause> data;
  LoopClauses loop;
  std::vector<NamedItem> privates;       // of a compute construct that is not combined with a loop
  std::vector<ReductionItem> reductions; // likewise
  std::vector<Unheard> unheard;
  bool isCompute() const { return kind <= DirectiveKind::SerialLoop; }
  bool isCombined() const {
    return kind >= DirectiveKind::ParallelLoop && kind <= DirectiveKind::SerialLoop;
  }
};

const char *nameOf(DirectiveKind kind); // "parallel loop"
const char *nameOf(DataKind kind);      // "copyin"

} // namespace nw::openacc
