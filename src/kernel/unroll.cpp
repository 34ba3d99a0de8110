// Loops to unroll.
#include "kernel/unroll.h"

namespace nw {

// Whether each thread runs through it by itself, and through no other loop inside.
static bool isInnermost(const StmtP &loop) {
  bool is = !loop->loop.stride && loop->loop.cyclic.turns == 0;
  for (const StmtP &b : loop->body)
    walkStmts(b, [&](const StmtP &s) {
      is &= s->kind != StmtKind::For && s->kind != StmtKind::While &&
            s->kind != StmtKind::DoWhile && s->kind != StmtKind::Barrier &&
            s->kind != StmtKind::GridBarrier && s->kind != StmtKind::Copy;
    });
  return is;
}

StmtP withUnrolledLoops(const StmtP &code, int many) {
  auto copy = std::make_shared<Stmt>(*code);
  for (StmtP &b : copy->body)
    b = withUnrolledLoops(b, many);
  bool isAsked = code->kind == StmtKind::For && !code->loop.isUnrolled && code->loop.unroll == 0;
  if (isAsked && isInnermost(code))
    copy->loop.unroll = many;
  return copy;
}

} // namespace nw
