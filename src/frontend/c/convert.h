// Clang's trees to ours. One Converter serves one function of the user's; it collects the
// variables, structs and device functions that the converted statements need. Anything it cannot
// take ends in a Refusal.
#pragma once
#include "frontend/c/c_frontend.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtOpenACC.h"
#include <unordered_map>

namespace nw {

struct Refusal {
  std::string code, message, help;
  clang::SourceLocation at;
};

class Converter {
public:
  Converter(clang::ASTContext &context, const clang::FunctionDecl *function);

  // Converts one statement of the function's body. Throws Refusal.
  StmtP convert(const clang::Stmt *s);

  // The function's parameters and result. Throws Refusal where one has no counterpart.
  Signature signature();

  // The body of a CUDA kernel, as one thread runs it: threadIdx.x and the like are variables of
  // those names, returns have become conditions, and variables that only name an index are what
  // they name. Loops that begin and go on by thread have a stride. Throws Refusal.
  StmtP convertKernel();
  // Variables that name an index, as in int i = blockIdx.x * blockDim.x + threadIdx.x, with what
  // they name.
  std::vector<std::pair<std::string, ExprP>> indices;

  // The data and compute constructs around the statement that is converted, innermost last; the
  // last is a compute construct, or there are none.
  std::vector<const clang::OpenACCConstructStmt *> around;

  std::map<std::string, Variable> variables;
  std::vector<Struct> structs;
  std::vector<Function> functions;
  // Names by declaration; counters of canonical loops are among them.
  std::string nameOf(const clang::VarDecl *v);
  std::vector<std::pair<std::string, const clang::VarDecl *>> declarations() const;
  Location locate(clang::SourceLocation at) const;

  struct Pointer {
    ExprP base, offset;
  };
  bool isAddressTaken(const clang::VarDecl *v) const { return addressTaken.count(v) != 0; }
  bool isCounter(const clang::VarDecl *v) const { return counters.count(v) != 0; }
  bool isInside(const clang::VarDecl *v) const { return inside.count(v) != 0; }
  bool isModified(const clang::VarDecl *v) const { return modified.count(v) != 0; }

  // Variables that clauses of the last statement made private to iterations, with the names that
  // they have elsewhere.
  struct Private {
    const clang::VarDecl *variable;
    std::string name;
    clang::SourceLocation at;
  };
  std::vector<Private> privates;

private:
  using Prelude = std::vector<StmtP>;

  // Everything that follows walks trees by recursion.
  void refuseDeep(const clang::Stmt *s);
  StmtP statement(const clang::Stmt *s);
  // `endsLoop`: nothing of the loop's body follows the list, so that a continue in it may become an
  // else.
  StmtP blockOf(llvm::ArrayRef<const clang::Stmt *> list, bool endsLoop);
  StmtP forLoop(const clang::Stmt *s);
  StmtP declaration(const clang::Stmt *s);
  StmtP strideLoop(const clang::Stmt *s);
  // What a directive says about the loops below it.
  void noteLoops(const clang::Stmt *s);
  const clang::VarDecl *wholeVariable(const clang::Expr *item, const char *clause);
  ReductionClause reductionClause(const clang::Expr *item,
                                  const std::vector<openacc::ReductionItem> &items);
  // What the compute construct around says about an outermost loop of it: reductions.
  void noteConstructsReductions(const clang::Stmt *loop);
  // Its private arrays are private to iterations of its outermost independent loops.
  void noteConstructsPrivates(const clang::Stmt *outermost, const clang::Stmt *innermost);
  // Gives the variable another name until the names are put back, and declares that one.
  StmtP declarePrivate(const clang::VarDecl *v, clang::SourceLocation at);
  StmtP whileLoop(const clang::Stmt *s);
  StmtP effects(const clang::Expr *e);
  void assignment(const clang::Expr *e, Prelude &out);

  ExprP value(const clang::Expr *e, Prelude *out);
  ExprP castValue(const clang::Expr *e, Prelude *out);
  ExprP unaryValue(const clang::Expr *e, Prelude *out);
  ExprP binaryValue(const clang::Expr *e, Prelude *out);
  ExprP callValue(const clang::Expr *e, Prelude *out);
  bool isFromLibrary(const clang::FunctionDecl *callee) const;
  std::string numberName(const clang::FunctionDecl *callee, const clang::CallExpr *c) const;
  ExprP threadIndex(const clang::Expr *e) const;
  ExprP deviceCall(const clang::Expr *e, Prelude *out);
  bool namesIndex(const clang::VarDecl *v, const ExprP &value) const;
  bool endsIteration(const clang::Stmt *s) const;
  ExprP lvalue(const clang::Expr *e, Prelude *out);
  Pointer pointer(const clang::Expr *e, Prelude *out);
  ExprP variableRef(const clang::VarDecl *v, clang::SourceLocation at);
  ExprP invariant(const clang::Expr *e, bool isPointer);
  bool isInvariantChain(const clang::Expr *e) const;
  bool isStable(const clang::Expr *e) const;
  ExprP returned(llvm::ArrayRef<const clang::Stmt *> list, int budget);
  std::string deviceFunction(const clang::FunctionDecl *callee, clang::SourceLocation at);

  Type typeOfValue(clang::QualType t, clang::SourceLocation at);
  int64_t naturalAlignment(const Type &type) const;
  std::string structOf(const clang::RecordDecl *r, clang::SourceLocation at);
  Variable describe(const clang::VarDecl *v, const std::string &name);
  ExprP extentExpr(const clang::Expr *e);
  ExprP saidExtent(const clang::VarDecl *v);
  std::string fresh(const std::string &wish);
  [[noreturn]] void refuse(const char *code, clang::SourceLocation at, std::string message,
                           std::string help = {});

  clang::ASTContext &context;
  const clang::FunctionDecl *function;
  std::unordered_map<const clang::VarDecl *, std::string> names;
  std::set<std::string> usedNames;
  std::unordered_map<const clang::VarDecl *, ExprP>
      substitution; // parameters of a function being inlined
  std::vector<const clang::FunctionDecl *> inlining;
  std::set<const clang::FunctionDecl *>
      notInlined; // known to be too large for it, or to be more than an expression
  std::unordered_map<const clang::VarDecl *, Pointer>
      rows; // pointers that only name a part of an array
  std::set<const clang::VarDecl *> inside, modified, addressTaken, counters;
  std::vector<const clang::VarDecl *>
      openCounters; // of the loops around the statement being converted
  std::set<const clang::FieldDecl *> modifiedFields;
  std::unordered_map<const clang::FunctionDecl *, std::string> deviceFunctions;
  bool inDeviceFunction = false;
  bool inKernel = false; // a CUDA kernel's body is converted
  int innerLoops = 0;    // how many loops are open
  int promisedLoops = 0; // how many of them are promised to be independent
  std::set<const clang::VarDecl *>
      assigned; // of a kernel: whatever changes after its declaration, also in headers of loops
  struct LoopNote {
    Promise promise = Promise::None;
    std::vector<ReductionClause> reductions;
    std::vector<std::pair<const clang::VarDecl *, clang::SourceLocation>> privates;
  };
  std::unordered_map<const clang::Stmt *, LoopNote> loopNotes;
};

} // namespace nw
