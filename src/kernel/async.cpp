// Copies under way.
#include "kernel/async.h"

namespace nw {

bool hasAsync(const StmtP &body) {
  bool has = false;
  walkStmts(body, [&](const StmtP &s) { has |= s->kind == StmtKind::Assign && s->isAsync; });
  return has;
}

StmtP withWaits(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->isAsync |= s->kind == StmtKind::Barrier;
  for (StmtP &b : copy->body)
    b = withWaits(b);
  return copy;
}

} // namespace nw
