// Shadow elements.
#include "check/shadow_elements.h"
#include "support/diagnostics.h"

namespace nw {

static const Struct &structOf(const Type &type, const std::vector<Struct> &structs) {
  for (const Struct &s : structs)
    if (s.name == type.structName)
      return s;
  throw InternalError{"the struct " + type.structName + " is not known"};
}

static int64_t elementsOf(const std::vector<int64_t> &extents, size_t from) {
  int64_t count = 1;
  for (size_t k = from; k < extents.size(); k++)
    count *= extents[k];
  return count;
}

int64_t scalarsIn(const Type &type, const std::vector<Struct> &structs) {
  if (!type.isStruct())
    return 1;
  int64_t count = 0;
  for (const Field &f : structOf(type, structs).fields)
    count += scalarsIn(f.type, structs) * elementsOf(f.extents, 0);
  return count;
}

ShadowElements::ShadowElements(const Program &program, const StmtP &body,
                               const std::set<std::string> &buffers)
    : program(program), carriers(buffers) {
  for (auto &[name, array] : program.arrays)
    carriers.insert(name);
  while (grow(body, nullptr)) {
  }
}

// Adds variables that are filled from carriers; `local` are those of the instance around, whose
// values are its own.
bool ShadowElements::grow(const StmtP &s, const std::set<std::string> *local) {
  std::set<std::string> own;
  if (s->isInstance()) {
    auto note = [&](const StmtP &x) {
      if (x->kind == StmtKind::Declare)
        own.insert(x->name);
    };
    walkStmts(program.find(s->name)->body, note);
    for (const StmtP &b : s->body)
      note(b);
    local = &own;
  }
  bool grown = false;
  if (s->kind == StmtKind::Assign)
    if (const Expr *base = baseOf(s->exprs[0]))
      if (local ? !local->count(base->name) : isFromData(s->exprs[1]))
        grown |= carriers.insert(base->name).second;
  if (s->kind == StmtKind::Declare && (!local || !local->count(s->name)) && s->exprs.size() == 1 &&
      isFromData(s->exprs[0]))
    grown |= carriers.insert(s->name).second;
  for (const StmtP &b : s->body)
    grown |= grow(b, local);
  return grown;
}

const Expr *ShadowElements::carrierOf(const ExprP &lvalue) const {
  if (lvalue->kind != ExprKind::Var && lvalue->kind != ExprKind::Index &&
      lvalue->kind != ExprKind::Member && lvalue->kind != ExprKind::Staged)
    return nullptr;
  const Expr *base = baseOf(lvalue);
  return base && carries(base->name) ? base : nullptr;
}

bool ShadowElements::isFromData(const ExprP &e) const {
  switch (e->kind) {
  case ExprKind::Var:
  case ExprKind::Index:
  case ExprKind::Member:
  case ExprKind::Staged:
    return carrierOf(e) != nullptr;
  case ExprKind::Cast:
    return isFromData(e->args[0]);
  case ExprKind::Select:
    return isFromData(e->args[1]) || isFromData(e->args[2]);
  case ExprKind::Binary:
  case ExprKind::Call:
    for (const ExprP &a : e->args)
      if (isFromData(a))
        return true;
    return false;
  default:
    return false;
  }
}

bool ShadowElements::isStruct(const std::string &name) const {
  auto a = program.arrays.find(name);
  return a != program.arrays.end() && a->second.variable.type.isStruct();
}

int64_t ShadowElements::scalarsOf(const std::string &name) const {
  auto a = program.arrays.find(name);
  return a == program.arrays.end() ? 1 : scalarsIn(a->second.variable.type, program.region.structs);
}

std::vector<ExprP> ShadowElements::of(const ExprP &lvalue) const {
  std::vector<const Expr *> path; // from the base outwards
  const Expr *e = lvalue.get();
  auto isStep = [](ExprKind k) {
    return k == ExprKind::Index || k == ExprKind::Member || k == ExprKind::Staged;
  };
  for (; isStep(e->kind); e = e->args[0].get())
    if (e->kind != ExprKind::Staged) // what is staged has its account in faster memory
      path.insert(path.begin(), e);
  ExprP shadow = var(shadowName(e->name), kWho), slot = intConst(0);
  bool inside = false; // an element of a struct, by now
  std::vector<int64_t> extents;
  size_t taken = 0;
  Type type = e->type;
  const std::vector<Struct> &structs = program.region.structs;
  for (const Expr *step : path) {
    if (step->kind == ExprKind::Member) {
      for (const Field &f : structOf(type, structs).fields) {
        if (f.name == step->name) {
          extents = f.extents;
          taken = 0;
          type = f.type;
          break;
        }
        slot = binary("+", slot, intConst(scalarsIn(f.type, structs) * elementsOf(f.extents, 0)),
                      kI64);
      }
      inside = true;
    } else if (inside) {
      ExprP size = intConst(scalarsIn(type, structs) * elementsOf(extents, ++taken));
      slot = binary("+", slot, binary("*", cast(step->args[1], kI64), size, kI64), kI64);
    } else {
      shadow = index(shadow, step->args[1], kWho);
    }
  }
  if (!isStruct(e->name))
    return {shadow};
  std::vector<ExprP> all;
  int64_t count = scalarsIn(type, structs) * elementsOf(extents, taken);
  for (int64_t k = 0; k < count; k++)
    all.push_back(index(shadow, binary("+", slot, intConst(k), kI64), kWho));
  return all;
}

} // namespace nw
