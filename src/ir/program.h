// The Program: what the source says, in the polyhedral model, and nothing about GPUs. Arrays with
// extents, parameters, statements with a domain, access maps and a typed body.
#pragma once
#include "ir/region.h"
#include "support/isl_tools.h"

namespace nw {

struct Access {
  std::string array;
  isl::map relation; // S[iterators] -> array[subscripts], restricted to the domain
  bool isWrite = false;
  bool isCertain = true; // not under a condition that the model cannot see
  bool isMust = false;   // happens whenever the instance is executed, at exactly one element
  std::vector<ExprP>
      spellings; // how the body spells it: A[i][j], and what else means the same elements
};

// x = x op value, where nothing else in the body touches x.
enum class ReductionKind { Sum, Product, Min, Max, And, Or, Xor };

struct Reduction {
  std::string array;
  ReductionKind kind;
  ExprP target; // the lvalue that is updated
  Type type;
  bool byFunction = false; // fmin or fmax rather than a comparison: they treat NaN differently
};

// A for loop of the source. Loops that enclose a statement are its dimensions.
struct SourceLoop {
  int id;
  std::string counter;
  Type type;
  int64_t step;
  Location at;
  Promise promise = Promise::None;
  std::vector<ReductionClause> reductions = {};
};

struct Statement {
  std::string name;       // S0, S1, … in source order
  isl::set domain;        // S0[i, j]
  std::vector<int> loops; // ids, outermost first
  std::vector<int> order; // position among siblings at each level, loops.size() + 1 numbers
  StmtP body;
  std::vector<Access> accesses;
  std::optional<Reduction> reduction;
  Location at;
  double operations = 1; // per instance, roughly
  bool isCopy = false; // none of the source's: an element of one array becomes that of another, see
                       // poly/rename.h
};

// Where an array lives in the source program.
enum class ArrayKind {
  Memory,  // the user's memory: arrays, pointers, scalars that are live in or out; or memory of our
           // own, see standsFor
  Private, // declared in (or as good as declared in) loops: one copy per iteration of
           // `privateDepth` loops
};

struct Array {
  std::string name;
  Variable variable;
  ArrayKind kind = ArrayKind::Memory;
  int privateDepth = 0;          // leading subscripts of its access maps that are iterators
  std::vector<int> privateLoops; // those loops
  std::vector<ExprP> extents;    // of the subscripts that follow; null where unknown
  std::vector<ExprP>
      flatSizes; // recovered from flattened subscripts: sizes of the inner dimensions, while bodies
                 // have the one subscript; see isDelinearized
  int64_t elementBytes = 4;
  int slots = 0; // of a struct: number of scalars in it, the last subscript; 0 for plain elements
  std::string standsFor; // memory of our own, on the device alone: the array whose values it holds
  int leading =
      0; // of such memory: subscripts that it has in front of that array's, which are iterators
  bool isScalar() const { return !variable.isArray(); }
  bool isOwn() const { return !standsFor.empty(); }
};

struct Parameter {
  std::string name;
  ExprP value; // how the host computes it
  Type type;
};

// How a Program was made of the one before it; the verifier has a check for each.
enum class Rewriting {
  Splitting,         // statements in parts, see poly/split.h
  Renaming,          // memory of our own, see poly/rename.h
  ScalarReplacement, // elements in variables while they are reduced into, see
                     // poly/scalar_replacement.h
  Accumulation,      // sums of elements in variables, see poly/accumulate.h
  Delinearization,   // rows of arrays that the source subscripts as one, see poly/delinearize.h
};

struct Program {
  SharedContext isl;
  Region region;
  std::vector<Parameter> parameters; // integers that domains and subscripts depend on
  std::vector<SourceLoop> loops;
  std::vector<Statement> statements;
  std::map<std::string, Array> arrays;
  isl::set context;     // what is always true of the parameters
  isl::set assumptions; // what must be checked at run time for the model to be right
  std::vector<std::string> valueScalars; // read-only scalars that bodies use, passed by value
  std::shared_ptr<const Program> before; // that this one was made of by `rewriting`, for the
                                         // verifier; none where the source is as it was built
  Rewriting rewriting = Rewriting::Splitting;

  const SourceLoop &loop(int id) const { return loops[id]; }
  const Statement *find(const std::string &statement) const;
};

// A name that nothing in the program has: the wanted one, with as many underscores behind it as
// that takes.
std::string freshName(const Program &program, std::string wanted);
// Sets where `made` comes from.
void madeOf(Program &made, const Program &before, Rewriting by);

// Pseudo-C that a user can read: arrays, parameters, statements with domains and accesses.
std::string print(const Program &program);
// C text of trees, in the user's names.
std::string print(const ExprP &e);
std::string print(const StmtP &s, int indent);

} // namespace nw
