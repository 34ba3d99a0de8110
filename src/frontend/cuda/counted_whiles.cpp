// From while to for: only where the counter is set at its declaration and at the end of each
// iteration, and is mentioned nowhere else.
#include "frontend/cuda/counted_whiles.h"
#include "frontend/cuda/own_values.h"
#include <algorithm>

namespace nw {

namespace {

bool isLaunchNumber(const ExprP &e) {
  return e->kind == ExprKind::Var && e->name.find('.') != std::string::npos;
}

// A continue would leave the step out.
bool isContinued(const StmtP &s) {
  if (s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile)
    return false;
  return s->kind == StmtKind::Continue || std::any_of(s->body.begin(), s->body.end(), isContinued);
}

// The step of counter = counter + STEP; null where the statement is something else.
ExprP stepOf(const Stmt &s, const std::string &counter) {
  if (s.kind != StmtKind::Assign || s.exprs[0]->kind != ExprKind::Var ||
      s.exprs[0]->name != counter)
    return nullptr;
  const ExprP &sum = withoutWideCasts(s.exprs[1]);
  if (sum->kind != ExprKind::Binary || sum->name != "+")
    return nullptr;
  for (int k = 0; k < 2; k++)
    if (const ExprP &own = withoutWideCasts(sum->args[k]);
        own->kind == ExprKind::Var && own->name == counter &&
        isLaunchNumber(withoutWideCasts(sum->args[1 - k])))
      return withoutWideCasts(sum->args[1 - k]);
  return nullptr;
}

// The code without its last statement, which is put into `last`.
StmtP withoutLast(const StmtP &s, StmtP &last) {
  if (s->kind != StmtKind::Block || s->body.empty()) {
    last = s;
    return block({});
  }
  auto copy = std::make_shared<Stmt>(*s);
  copy->body.back() = withoutLast(s->body.back(), last);
  return copy;
}

// The for loop, where the declaration is that of the counter; else null.
StmtP asFor(const StmtP &loop, const StmtP &declaration, const StmtP &kernel) {
  const std::string &counter = declaration->name;
  StmtP last;
  StmtP body = withoutLast(loop->body[0], last);
  ExprP step = stepOf(*last, counter);
  int sets = 0;
  walkStmts(loop, [&](const StmtP &s) {
    sets +=
        s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && baseOf(s->exprs[0])->name == counter;
  });
  if (!step || sets != 1 || isContinued(body) ||
      mentionsOf(kernel, counter) != mentionsOf(loop, counter) || !declaration->type.isInteger() ||
      bitsOf(declaration->type.scalar) < 32)
    return nullptr;
  auto made = std::make_shared<Stmt>();
  made->kind = StmtKind::For;
  made->at = loop->at;
  made->loop.counter = counter;
  made->loop.type = declaration->type;
  made->loop.start = cast(declaration->exprs[0], declaration->type);
  made->loop.condition = loop->exprs[0];
  made->loop.stride = cast(step, declaration->type);
  made->body = {body};
  return made;
}

StmtP changed(const StmtP &s, const StmtP &kernel) {
  auto copy = std::make_shared<Stmt>(*s);
  for (size_t k = 0; s->kind == StmtKind::Block && k < copy->body.size(); k++)
    for (size_t d = 0; copy->body[k]->kind == StmtKind::While && d < k; d++)
      if (const StmtP &declaration = copy->body[d]; declaration->kind == StmtKind::Declare &&
                                                    declaration->extents.empty() &&
                                                    declaration->exprs.size() == 1)
        if (StmtP made = asFor(copy->body[k], declaration, kernel)) {
          copy->body[k] = made;
          copy->body[d] = block({});
        }
  for (StmtP &b : copy->body)
    b = changed(b, kernel);
  return copy;
}

} // namespace

StmtP withCountedWhiles(const StmtP &code) { return changed(code, code); }

} // namespace nw
