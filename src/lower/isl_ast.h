// isl's syntax trees to ours. All integers made here have the given index type.
#pragma once
#include "ir/program.h"

namespace nw {

class AstReader {
public:
  AstReader(const Program &program, Type indexType) : program(program), indexType(indexType) {}

  ExprP expr(const isl::ast_expr &e) const;
  // `user` makes the statement for an instance: it gets the statement's name and its iterators'
  // values.
  StmtP
  stmt(const isl::ast_node &n,
       const std::function<StmtP(const std::string &, const std::vector<ExprP> &)> &user) const;

  // A condition over parameters as an expression; null when it is always true under `context`.
  ExprP condition(const isl::set &set, const isl::set &context) const;
  ExprP value(const isl::pw_aff &value, const isl::set &context) const;

private:
  ExprP operation(const isl::ast_expr &e) const;
  ExprP newValue(const isl::pw_aff &value, const isl::set &context) const;
  const Program &program;
  Type indexType;
  // Launches and kernels that run several steps ask for the same bounds.
  struct Known {
    isl::pw_aff value;
    isl::set context;
    ExprP read;
  };
  mutable std::vector<Known> known;
};

} // namespace nw
