// Steps of folds.
#include "kernel/fold_steps.h"
#include <fmt/format.h>

namespace nw {

namespace {

ExprP lane(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }

ExprP sum(const ExprP &a, const ExprP &b) { return binary("+", a, b, kI32); }

std::string sharedName(const Type &t) { return fmt::format("nw_fold_{}{}", t.isFloat() ? "f" : isUnsigned(t.scalar) ? "u" : "i", bitsOf(t.scalar)); }

class Steps {
public:
  Steps(const std::array<int, 3> &block, int warp) : block(block), warp(warp) {}

  StmtP rewritten(const StmtP &s) {
    if (s->kind == StmtKind::Fold)
      return steps(*s);
    auto copy = std::make_shared<Stmt>(*s);
    for (StmtP &b : copy->body)
      b = rewritten(b);
    return copy;
  }

  std::map<std::string, Type> arrays; // in shared memory

private:
  StmtP steps(const Stmt &s) {
    bool isExchange = s.collective.axis == 0 && block[0] <= warp && warp % block[0] == 0;
    return isExchange ? exchanges(s) : tree(s);
  }

  // Each thread takes what its counterpart has: after as many steps as the width has bits, all have everything.
  StmtP exchanges(const Stmt &s) {
    std::vector<StmtP> code;
    ExprP own = var(s.name, s.type);
    bool isChoice = s.collective.op == "<" || s.collective.op == ">"; // which would ask for the other value twice, and by some threads only
    for (int distance = block[0] / 2; distance > 0; distance /= 2) {
      ExprP given = call(kExchange, {own, intConst(distance, kI32)}, s.type), other = var("nw_other", s.type);
      if (isChoice)
        code.push_back(block_({declare(other->name, s.type, {}, {given}), assign(own, foldedBy(s.collective.op, own, other))}));
      else
        code.push_back(assign(own, foldedBy(s.collective.op, own, given)));
    }
    return block_(code);
  }

  // Half of the slots take what the other half has, until one is left.
  StmtP tree(const Stmt &s) {
    std::string name = sharedName(s.type);
    arrays[name] = s.type;
    ExprP shared = var(name, s.type), own = var(s.name, s.type);
    int along = s.collective.axis, width = block[size_t(along)], apart = along == 0 ? 1 : block[0];
    ExprP here = block[1] > 1 ? sum(binary("*", lane("lane.y"), intConst(block[0], kI32), kI32), lane("lane.x")) : lane("lane.x");
    ExprP number = lane(along == 0 ? "lane.x" : "lane.y");
    ExprP first = along == 1 ? lane("lane.x") : block[1] > 1 ? binary("*", lane("lane.y"), intConst(block[0], kI32), kI32) : intConst(0, kI32);
    auto slot = [&](const ExprP &at) { return index(shared, at, s.type); };
    std::vector<StmtP> code = {assign(slot(here), own), marker(StmtKind::Barrier)};
    for (int half = width / 2; half > 0; half /= 2) {
      ExprP other = slot(sum(here, intConst(int64_t(half) * apart, kI32)));
      code.push_back(ifElse(binary("<", number, intConst(half, kI32), kI32), assign(slot(here), foldedBy(s.collective.op, slot(here), other))));
      code.push_back(marker(StmtKind::Barrier));
    }
    code.push_back(assign(own, slot(first)));
    code.push_back(marker(StmtKind::Barrier)); // until all have it, nobody may use the slots again
    return block_(code);
  }

  static StmtP block_(std::vector<StmtP> code) { return nw::block(std::move(code)); }

  const std::array<int, 3> &block;
  int warp;
};

} // namespace

std::string foldOperator(ReductionKind kind, bool byFunction) {
  switch (kind) {
  case ReductionKind::Sum: return "+";
  case ReductionKind::Product: return "*";
  case ReductionKind::Min: return byFunction ? "fmin" : "<";
  case ReductionKind::Max: return byFunction ? "fmax" : ">";
  case ReductionKind::And: return "&";
  case ReductionKind::Or: return "|";
  case ReductionKind::Xor: return "^";
  }
  return "";
}

ExprP foldedBy(const std::string &op, const ExprP &a, const ExprP &b) {
  if (op == "fmin" || op == "fmax")
    return call(op, {a, b}, a->type);
  if (op == "<" || op == ">")
    return select(binary(op, b, a, kI32), b, a, a->type);
  return binary(op, a, b, a->type);
}

StmtP foldStmt(const std::string &variable, const Type &type, const std::string &op, int axis) {
  auto made = std::make_shared<Stmt>(*marker(StmtKind::Fold));
  made->name = variable;
  made->type = type;
  made->collective = {op, axis};
  return made;
}

bool hasFolds(const StmtP &body) {
  bool found = false;
  walkStmts(body, [&](const StmtP &s) { found |= s->kind == StmtKind::Fold; });
  return found;
}

int64_t foldBytes(const StmtP &body, const std::array<int, 3> &block) {
  std::map<std::string, Type> types;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Fold)
      types[sharedName(s->type)] = s->type;
  });
  int64_t bytes = 0;
  for (auto &[name, type] : types)
    bytes += int64_t(block[0]) * block[1] * bytesOf(type.scalar);
  return bytes;
}

StmtP withFoldSteps(const StmtP &body, const std::array<int, 3> &block, int warp) {
  if (!hasFolds(body))
    return body;
  Steps steps(block, warp);
  StmtP changed = steps.rewritten(body);
  std::vector<StmtP> all;
  for (auto &[name, type] : steps.arrays) {
    auto made = std::make_shared<Stmt>(*declare(name, type, {int64_t(block[0]) * block[1]}, {}));
    made->kind = StmtKind::Shared;
    all.push_back(made);
  }
  if (all.empty())
    return changed;
  all.push_back(changed);
  return nw::block(all);
}

} // namespace nw
