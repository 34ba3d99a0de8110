// Trees to the interpreter's compact code.
#pragma once
#include "verify/interpreter/code.h"
#include <unordered_map>

namespace nw {

class Translator {
public:
  Translator(const Region &region, Arithmetic arithmetic, Code &code)
      : region(region), arithmetic(arithmetic), code(code), scopes(1) {
    code.wraps = region.wraps;
  }

  // An expression and its type in C.
  struct Typed {
    int32_t node;
    Scalar type;
  };

  Typed expr(const ExprP &e);
  int32_t converted(const ExprP &e, Scalar type);
  int32_t condition(const ExprP &e); // a node whose integer is not 0 where the condition holds
  int32_t stmt(const StmtP &s);

  // Names of the innermost scope. Frame variables give their first slot, arrays their number.
  int32_t bindFrame(const std::string &name, const Type &type,
                    const std::vector<int64_t> &extents = {});
  void rebindFrame(const std::string &name, const Type &type, int32_t slot) {
    scopes.back()[name] = {true, slot, type, {}};
  }
  int32_t bindArray(const std::string &name, const Type &type, const std::vector<ExprP> &extents);
  int32_t bindShared(const std::string &name, const Type &type,
                     const std::vector<int64_t> &extents);
  void openScope() { scopes.emplace_back(); }
  void closeScope() { scopes.pop_back(); }
  // Names of the original are unique, and may be used outside the block that declares them.
  bool keepNames = false;

  // A struct by value, as the argument of a kernel.
  int32_t lvalueOf(const ExprP &e);

private:
  struct Symbol {
    bool inFrame;
    int32_t base;
    Type type;
    std::vector<int64_t>
        extents; // of an array; those of arrays in memory are known when they are bound
  };
  struct LValue {
    int32_t node;
    Type type;
  };

  LValue lvalue(const ExprP &e);
  void finishLValue(LValueNode &made, Type &type, std::vector<int64_t> pending, bool runtimeDims,
                    const std::vector<const Expr *> &steps);
  const Symbol &find(const std::string &name) const;
  Typed binary(const ExprP &e);
  Typed unary(const ExprP &e);
  Typed call(const ExprP &e);
  Typed coordinate(const ExprP &e);
  int32_t function(const std::string &name);
  int32_t convert(Typed value, Scalar to);
  int32_t add(ExprNode n);
  int32_t add(StmtNode n);
  int32_t list(const std::vector<int32_t> &nodes, StmtNode n);
  int32_t assignTo(const ExprP &target, const ExprP &value);
  int32_t declaration(const StmtP &s);
  int32_t forStmt(const StmtP &s);
  int32_t reduce(const StmtP &s);
  int64_t widthOf(const Type &t) const { return int64_t(slotsOf(region, t).size()); }
  Kind kindOf(Scalar s) const;
  bool isLValue(const ExprP &e) const;

  const Region &region;
  Arithmetic arithmetic;
  Code &code;
  std::vector<std::unordered_map<std::string, Symbol>> scopes;
  std::unordered_map<std::string, int32_t> functions;
  int32_t currentFunction = -1;
};

} // namespace nw
