// Statements of Clang to trees: declarations, assignments, branches; and the device functions that
// they call.
#include "frontend/c/acc_around.h"
#include "frontend/c/acc_reader.h"
#include "frontend/c/convert.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

void Converter::refuseDeep(const clang::Stmt *s) {
  constexpr int kDeepest = 2000;
  std::vector<std::pair<const clang::Stmt *, int>> open{{s, 0}};
  while (!open.empty()) {
    auto [top, depth] = open.back();
    open.pop_back();
    if (depth > kDeepest)
      refuse("NW0113", top->getBeginLoc(),
             fmt::format("statements or expressions are nested more than {} deep here", kDeepest),
             "compute a part of it in a separate statement");
    for (const clang::Stmt *c : top->children())
      if (c)
        open.push_back({c, depth + 1});
  }
}

StmtP Converter::convert(const clang::Stmt *s) {
  inside.clear();
  rows.clear();
  loopNotes.clear();
  privates.clear();
  innerLoops = promisedLoops = 0; // a refusal leaves loops open
  refuseDeep(s);
  // Everything declared below belongs to the statement.
  std::vector<const clang::Stmt *> open{s};
  while (!open.empty()) {
    const clang::Stmt *top = open.back();
    open.pop_back();
    if (!top)
      continue;
    if (const auto *d = dyn_cast<DeclStmt>(top))
      for (const Decl *decl : d->decls())
        if (const auto *v = dyn_cast<VarDecl>(decl))
          inside.insert(v);
    for (const clang::Stmt *c : top->children())
      open.push_back(c);
  }
  return statement(s);
}

// Whether control always leaves the current iteration at the end of the statement.
// What a kernel's thread does ends with a return, as an iteration does with a continue.
bool Converter::endsIteration(const clang::Stmt *s) const {
  if (isa<ContinueStmt>(s))
    return true;
  if (const auto *r = dyn_cast<ReturnStmt>(s))
    return inKernel && innerLoops == 0 && !r->getRetValue();
  if (const auto *b = dyn_cast<CompoundStmt>(s))
    return !b->body_empty() && endsIteration(b->body_back());
  return false;
}

StmtP Converter::blockOf(llvm::ArrayRef<const clang::Stmt *> list, bool endsLoop) {
  std::vector<StmtP> out;
  for (size_t k = 0; k < list.size(); k++) {
    const clang::Stmt *s = list[k];
    if (isa<NullStmt>(s))
      continue;
    if (endsLoop && inKernel && isa<ReturnStmt>(s) && endsIteration(s))
      break; // nothing that follows is reached
    // if (c) { …; continue; } rest   becomes   if (c) {…} else {rest}
    if (const auto *i = dyn_cast<IfStmt>(s);
        endsLoop && i && !i->getElse() && endsIteration(i->getThen()) && k + 1 < list.size()) {
      std::vector<StmtP> taken;
      ExprP cond = value(i->getCond(), &out);
      if (const auto *b = dyn_cast<CompoundStmt>(i->getThen())) {
        std::vector<const clang::Stmt *> before(b->body_begin(), b->body_end() - 1);
        taken.push_back(blockOf(before, false));
      }
      StmtP rest = blockOf(list.slice(k + 1), true);
      ExprP inverse = unary("!", cond, kI32);
      out.push_back(taken.empty() ? ifElse(inverse, rest, nullptr, locate(s->getBeginLoc()))
                                  : ifElse(cond, block(taken), rest, locate(s->getBeginLoc())));
      break;
    }
    StmtP made = statement(s);
    // What one statement of the source became stands beside its neighbours: declarations must stay
    // visible.
    if (made->kind == StmtKind::Block && !isa<CompoundStmt>(s))
      out.insert(out.end(), made->body.begin(), made->body.end());
    else
      out.push_back(made);
  }
  return block(out);
}

StmtP Converter::effects(const clang::Expr *e) {
  std::vector<StmtP> out;
  e = e->IgnoreParens();
  if (const auto *c = dyn_cast<CastExpr>(e); c && c->getCastKind() == CK_ToVoid)
    return effects(c->getSubExpr());
  const auto *b = dyn_cast<BinaryOperator>(e);
  const auto *u = dyn_cast<UnaryOperator>(e);
  if (const auto *k = dyn_cast<CXXOperatorCallExpr>(e); k && k->getOperator() == OO_Equal &&
                                                        k->getNumArgs() == 2 &&
                                                        k->getArg(0)->getType()->isRecordType()) {
    const clang::Expr *from = k->getArg(1)->IgnoreParenImpCasts();
    out.push_back(assign(lvalue(k->getArg(0), &out), lvalue(from, &out), locate(e->getExprLoc())));
  } else if (b && b->getOpcode() == BO_Comma) {
    out.push_back(effects(b->getLHS()));
    out.push_back(effects(b->getRHS()));
  } else if ((b && b->isAssignmentOp()) || (u && u->isIncrementDecrementOp())) {
    assignment(e, out);
  } else if (e->HasSideEffects(context)) {
    value(e, &out); // a call or the like: refuses with the reason
    if (out.empty())
      refuse("NW0104", e->getExprLoc(),
             "this statement has a side effect that cannot run on a device");
  }
  return out.size() == 1 ? out[0] : block(out);
}

// One assignment, compound assignment, increment or decrement as a plain assignment in the types
// that C prescribes.
void Converter::assignment(const clang::Expr *e, Prelude &out) {
  Location where = locate(e->getExprLoc());
  if (const auto *u = dyn_cast<UnaryOperator>(e)) {
    if (u->getType()->isPointerType())
      refuse("NW0103", e->getExprLoc(), "a pointer moves through the array here",
             "index the array with the loop counter");
    ExprP target = lvalue(u->getSubExpr(), &out);
    Type wide = target->type;
    if (wide.isInteger() && bitsOf(wide.scalar) < 32)
      wide = kI32;
    ExprP one = wide.isFloat() ? floatConst(1, wide) : intConst(1, wide);
    ExprP sum = binary(u->isIncrementOp() ? "+" : "-", cast(target, wide), one, wide);
    if (target->type.scalar == Scalar::Bool)
      sum = binary("!=", sum, intConst(0, wide), kI32);
    out.push_back(assign(target, cast(sum, target->type), where));
    return;
  }
  const auto *b = cast<BinaryOperator>(e);
  if (b->getLHS()->getType()->isPointerType())
    refuse("NW0103", e->getExprLoc(), "a pointer is assigned in the nest",
           "index the array directly");
  if (b->getOpcode() == BO_Assign) {
    ExprP right = value(b->getRHS(), &out);
    ExprP target = lvalue(b->getLHS(), &out);
    out.push_back(assign(target, nw::cast(right, target->type), where));
    return;
  }
  const auto *c = cast<CompoundAssignOperator>(b);
  ExprP right = value(c->getRHS(), &out);
  ExprP target = lvalue(c->getLHS(), &out);
  Type wide = typeOfValue(c->getComputationLHSType(), e->getExprLoc());
  Type result = typeOfValue(c->getComputationResultType(), e->getExprLoc());
  std::string op =
      BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(c->getOpcode()))
          .str();
  ExprP computed = nw::at(binary(op, nw::cast(target, wide), right, result), where);
  if (target->type.scalar == Scalar::Bool)
    computed = binary("!=", computed,
                      result.isFloat() ? floatConst(0, result) : intConst(0, result), kI32);
  out.push_back(assign(target, nw::cast(computed, target->type), where));
}

// Whether every variable in the expression keeps its value (loop counters keep theirs within an
// iteration).
bool Converter::isStable(const clang::Expr *e) const {
  if (inKernel && threadIndex(e))
    return true;
  if (const auto *d = dyn_cast<DeclRefExpr>(e))
    if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
      return v->getType()->isArrayType() ||
             (!modified.count(v) &&
              (!assigned.count(v) || std::count(openCounters.begin(), openCounters.end(), v)) &&
              (!v->hasGlobalStorage() || v->getType()->isPointerType()) &&
              (!counters.count(v) || std::count(openCounters.begin(), openCounters.end(), v)));
  if (const auto *s = dyn_cast<ArraySubscriptExpr>(e); s && !s->getType()->isArrayType())
    return false;
  for (const clang::Stmt *c : e->children())
    if (const auto *sub = dyn_cast_or_null<clang::Expr>(c); sub && !isStable(sub))
      return false;
  return true;
}

StmtP Converter::declaration(const clang::Stmt *s) {
  std::vector<StmtP> out;
  for (const Decl *d : cast<DeclStmt>(s)->decls()) {
    const auto *v = dyn_cast<VarDecl>(d);
    if (!v) {
      if (isa<TypedefNameDecl>(d) || isa<TagDecl>(d))
        continue;
      refuse("NW0104", d->getLocation(), "this declaration cannot run on a device");
    }
    if (v->hasGlobalStorage())
      refuse("NW0104", v->getLocation(), "a static variable is declared inside the nest",
             "declare it before the nest");
    if (v->getType()->isPointerType()) {
      if (!v->getInit() || modified.count(v) || addressTaken.count(v) || !isStable(v->getInit()))
        refuse("NW0103", v->getLocation(),
               "the pointer '" + v->getNameAsString() + "' changes in the nest",
               "index the array directly");
      rows[v] = pointer(v->getInit(), &out);
      continue;
    }
    if (inKernel && v->getInit() && isStable(v->getInit()))
      if (Prelude effects; ExprP named = value(v->getInit(), &effects))
        if (effects.empty() && namesIndex(v, named)) {
          named = nw::cast(named, typeOfValue(v->getType().getUnqualifiedType(), v->getLocation()));
          indices.push_back({nameOf(v), named});
          substitution[v] = named;
          continue;
        }
    std::string name = nameOf(v);
    Variable made = describe(v, name);
    made.inside = true;
    made.liveAfter = false;
    std::vector<int64_t> extents;
    int64_t count = 1;
    for (const ExprP &x : made.extents) {
      if (!x || x->kind != ExprKind::Int)
        refuse("NW0107", v->getLocation(),
               "the array '" + name + "' declared in the nest has no constant size",
               "declare it before the nest, or give it a constant size");
      extents.push_back(x->integer);
      constexpr int64_t kMostElements = 4096;
      if (x->integer < 0 || x->integer > kMostElements || (count *= x->integer) > kMostElements)
        refuse("NW0107", v->getLocation(),
               "the array '" + name +
                   "' declared in the nest is too large to be private to a thread");
    }
    variables[name] = made;
    std::vector<ExprP> init;
    if (const clang::Expr *given = v->getInit(); given && !(isa<CXXConstructExpr>(given))) {
      std::function<void(const clang::Expr *, QualType)> flatten = [&](const clang::Expr *e,
                                                                       QualType t) {
        if (const auto *a = context.getAsConstantArrayType(t)) {
          const auto *list = dyn_cast<InitListExpr>(e->IgnoreParens());
          for (uint64_t k = 0; k < a->getSize().getZExtValue(); k++)
            if (list && k < list->getNumInits())
              flatten(list->getInit(k), a->getElementType());
            else if (isa<ImplicitValueInitExpr>(e) || list)
              flatten(list && list->getArrayFiller() ? list->getArrayFiller() : e,
                      a->getElementType());
            else
              refuse("NW0104", e->getExprLoc(), "this initialiser cannot run on a device");
          return;
        }
        if (const auto *r = t->getAsRecordDecl()) {
          if (const auto *list = dyn_cast<InitListExpr>(e->IgnoreParens())) {
            unsigned k = 0;
            for (const FieldDecl *f : r->fields()) {
              if (f->getType()->isArrayType() || f->getType()->isRecordType())
                refuse("NW0104", e->getExprLoc(),
                       "this initialiser of a struct cannot run on a device");
              if (k < list->getNumInits())
                flatten(list->getInit(k++), f->getType());
            }
            return;
          }
          init.push_back(value(e, &out));
          return;
        }
        Type type = typeOfValue(t.getUnqualifiedType(), e->getExprLoc());
        if (isa<ImplicitValueInitExpr>(e) ||
            (isa<InitListExpr>(e) && cast<InitListExpr>(e)->getNumInits() == 0))
          init.push_back(type.isFloat() ? floatConst(0, type) : intConst(0, type));
        else if (const auto *list = dyn_cast<InitListExpr>(e))
          flatten(list->getInit(0), t);
        else
          init.push_back(nw::cast(value(e, &out), type));
      };
      flatten(given, v->getType());
    }
    out.push_back(declare(name, made.type, extents, init, locate(v->getLocation())));
  }
  return out.size() == 1 ? out[0] : block(out);
}

StmtP Converter::statement(const clang::Stmt *s) {
  switch (s->getStmtClass()) {
  case clang::Stmt::CompoundStmtClass: {
    std::vector<const clang::Stmt *> list(cast<CompoundStmt>(s)->body_begin(),
                                          cast<CompoundStmt>(s)->body_end());
    return blockOf(list, false);
  }
  case clang::Stmt::NullStmtClass:
    return block({});
  case clang::Stmt::ForStmtClass:
    return forLoop(s);
  case clang::Stmt::WhileStmtClass:
  case clang::Stmt::DoStmtClass:
    return whileLoop(s);
  case clang::Stmt::DeclStmtClass:
    return declaration(s);
  case clang::Stmt::AttributedStmtClass:
    return statement(cast<AttributedStmt>(s)->getSubStmt());
  case clang::Stmt::OpenACCLoopConstructClass:
  case clang::Stmt::OpenACCCombinedConstructClass:
    noteLoops(s);
    return statement(statementOf(cast<OpenACCConstructStmt>(s)));
  case clang::Stmt::OpenACCComputeConstructClass:
    return statement(statementOf(cast<OpenACCConstructStmt>(s)));
  case clang::Stmt::OpenACCCacheConstructClass:
    return block({}); // a wish
  case clang::Stmt::IfStmtClass: {
    const auto *i = cast<IfStmt>(s);
    if (i->getConditionVariable() || i->getInit())
      refuse("NW0104", s->getBeginLoc(), "a variable is declared in a condition");
    std::vector<StmtP> out;
    ExprP cond = value(i->getCond(), &out);
    StmtP then = statement(i->getThen());
    StmtP otherwise = i->getElse() ? statement(i->getElse()) : nullptr;
    StmtP made = ifElse(cond, then, otherwise, locate(s->getBeginLoc()));
    if (out.empty())
      return made;
    out.push_back(made);
    return block(out);
  }
  case clang::Stmt::BreakStmtClass:
  case clang::Stmt::ContinueStmtClass: {
    auto made = std::make_shared<nw::Stmt>();
    made->kind = isa<BreakStmt>(s) ? StmtKind::Break : StmtKind::Continue;
    made->at = locate(s->getBeginLoc());
    return made;
  }
  case clang::Stmt::ReturnStmtClass: {
    if (!inDeviceFunction)
      refuse("NW0108", s->getBeginLoc(), "a return leaves the nest",
             "let the loop run to its end, or search after it");
    auto made = std::make_shared<nw::Stmt>();
    made->kind = StmtKind::Return;
    const clang::Expr *e = cast<ReturnStmt>(s)->getRetValue();
    if (!e)
      refuse("NW0105", s->getBeginLoc(), "the called function returns nothing");
    made->exprs = {value(e, nullptr)};
    return made;
  }
  case clang::Stmt::GotoStmtClass:
  case clang::Stmt::LabelStmtClass:
  case clang::Stmt::SwitchStmtClass:
    refuse("NW0108", s->getBeginLoc(), "the nest contains a goto, a label or a switch",
           "use if and else");
  default:
    if (const auto *e = dyn_cast<clang::Expr>(s))
      return effects(e);
    refuse("NW0104", s->getBeginLoc(),
           std::string("this statement (") + s->getStmtClassName() + ") cannot run on a device");
  }
}

std::string Converter::deviceFunction(const FunctionDecl *callee, SourceLocation at) {
  if (auto known = deviceFunctions.find(callee); known != deviceFunctions.end())
    return known->second;
  // C++ has overloads and templates of one name: they are told apart by their types and positions.
  std::string wish = "nw_device_" + callee->getNameAsString();
  if (context.getLangOpts().CPlusPlus)
    wish += "_" + llvm::utohexstr(llvm::hash_value(callee->getType().getAsString() +
                                                   callee->getQualifiedNameAsString()) &
                                      0xffffff,
                                  true);
  std::string name = fresh(wish);
  deviceFunctions.emplace(callee, name);
  Converter inner(context, callee);
  inner.inDeviceFunction = true;
  inner.deviceFunctions = deviceFunctions;
  inner.usedNames = usedNames;
  inner.inlining = inlining;
  inner.inlining.push_back(callee);
  inner.inlining.push_back(function);
  inner.notInlined = notInlined;
  Function made;
  made.name = name;
  made.result = typeOfValue(callee->getReturnType().getUnqualifiedType(), at);
  for (const ParmVarDecl *p : callee->parameters()) {
    std::string parameter = inner.nameOf(p);
    inner.variables.emplace(parameter, inner.describe(p, parameter));
    made.parameters.push_back(inner.variables[parameter]);
  }
  made.body = inner.convert(callee->getBody());
  deviceFunctions.insert(inner.deviceFunctions.begin(), inner.deviceFunctions.end());
  for (Function &f : inner.functions)
    if (std::none_of(functions.begin(), functions.end(),
                     [&](const Function &g) { return g.name == f.name; }))
      functions.push_back(f);
  for (Struct &s : inner.structs)
    if (std::none_of(structs.begin(), structs.end(),
                     [&](const Struct &g) { return g.name == s.name; }))
      structs.push_back(s);
  usedNames.insert(inner.usedNames.begin(), inner.usedNames.end());
  functions.push_back(made);
  return name;
}

} // namespace nw
