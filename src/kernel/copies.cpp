// Copies of variables.
#include "kernel/copies.h"
#include <fmt/format.h>
#include <map>

namespace nw {

Copies withCopies(const std::vector<StmtP> &declarations, const std::vector<StmtP> &codes,
                  const std::function<bool(const std::string &)> &isTaken) {
  Copies out;
  for (size_t k = 0; k < codes.size(); k++) {
    std::map<std::string, std::string> names;
    for (const StmtP &d : declarations) {
      auto copy = std::make_shared<Stmt>(*d);
      if (k > 0) {
        copy->copyOf = d->name;
        copy->name = fmt::format("{}_{}", d->name, k);
        while (isTaken(copy->name))
          copy->name = "nw_" + copy->name;
        names[d->name] = copy->name;
      }
      out.declarations.push_back(copy);
    }
    out.codes.push_back(rewriteExprs(codes[k], [&](const ExprP &e) {
      auto renamed = e->kind == ExprKind::Var ? names.find(e->name) : names.end();
      return renamed == names.end() ? e : var(renamed->second, e->type);
    }));
  }
  return out;
}

} // namespace nw
