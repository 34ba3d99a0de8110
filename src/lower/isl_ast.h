// isl's syntax trees to ours. All integers made here have the given index type.
#pragma once
#include "ir/program.h"

namespace nw {

class AstReader {
public:
  AstReader(const Program &program, Type indexType) : program(program), indexType(indexType) {}

  ExprP expr(const isl::ast_expr &e) const;
  // Makes the statement for an instance: of the statement's name, its iterators' values, and the
  // counters of the loops around it: what is the same in all of them is the same for each instance.
  using Instantiate = std::function<StmtP(const std::string &, const std::vector<ExprP> &,
                                          const std::vector<std::string> &)>;
  StmtP stmt(const isl::ast_node &n, const Instantiate &user,
             const std::vector<std::string> &loops = {}) const;

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
