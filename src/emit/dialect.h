// How a language spells what trees say. One table per target; the printing of trees is shared.
#pragma once
#include "kernel/kernel.h"
#include <set>

namespace nw {

enum class Language { HostC, Cuda, OpenCl };

struct Dialect {
  Language language = Language::HostC;
  bool contract = true;   // whether a*b + c may become one operation
  bool wraps = false;     // signed arithmetic wraps around: it is spelled without a sign
  std::string lines = {}; // the file whose lines statements name in front of them; empty: none do
  // The text for a name of the user's: itself, unless the language has taken it.
  std::string name(const std::string &given) const;
  std::string type(const Type &t) const;
  std::string builtin(const std::string &coordinate, const Type &t) const;
  std::string function(const std::string &name, const Type &t) const;
  std::string integer(int64_t value, const Type &t) const;
  std::string number(double value, const Type &t) const;
};

// Printing of trees in a dialect. `extents` tell how buffers with several dimensions are indexed:
// those with extents that are not constant are flattened.
class TreePrinter {
public:
  TreePrinter(const Dialect &dialect, const std::vector<KernelParameter> *parameters = nullptr)
      : dialect(dialect), parameters(parameters) {}
  std::string expr(const ExprP &e) const { return print(e, 0); }
  std::string stmt(const StmtP &s, int indent) const;
  // A parameter or variable declaration, as in float (*A)[83].
  std::string declaration(const Type &t, const std::string &name,
                          const std::vector<int64_t> &extents) const;

private:
  std::string print(const ExprP &e, int outer) const;
  std::string step(const Loop &loop) const;
  std::string plainStmt(const StmtP &s, int indent) const;
  std::string location(const ExprP &e) const;
  std::string window(const StmtP &s, int indent) const;
  const Dialect &dialect;
  const std::vector<KernelParameter> *parameters;
};

bool hasConstantRows(const KernelParameter &p);

} // namespace nw
