// Programs held against each other.
#include "verify/rewriting/same_program.h"
#include <algorithm>

namespace nw {

static int signOf(int x) { return (x > 0) - (x < 0); }

bool sameOrNone(const ExprP &a, const ExprP &b) { return a && b ? sameTree(a, b) : !a && !b; }

bool sameExprs(const std::vector<ExprP> &a, const std::vector<ExprP> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameOrNone);
}

bool sameCode(const StmtP &a, const StmtP &b) {
  return a->kind == b->kind && a->name == b->name && a->type == b->type &&
         a->extents == b->extents && sameExprs(a->exprs, b->exprs) &&
         sameExprs(a->values, b->values) && a->loop.counter == b->loop.counter &&
         a->loop.step == b->loop.step && sameOrNone(a->loop.start, b->loop.start) &&
         sameOrNone(a->loop.condition, b->loop.condition) &&
         sameOrNone(a->loop.stride, b->loop.stride) &&
         std::equal(a->body.begin(), a->body.end(), b->body.begin(), b->body.end(), sameCode);
}

bool sameReduction(const std::optional<Reduction> &a, const std::optional<Reduction> &b) {
  return a && b ? a->array == b->array && a->kind == b->kind && sameTree(a->target, b->target) &&
                      a->type == b->type && a->byFunction == b->byFunction
                : !a && !b;
}

const Access *accessTo(const Statement &s, const std::string &array) {
  auto found = std::find_if(s.accesses.begin(), s.accesses.end(),
                            [&](const Access &a) { return a.array == array; });
  return found == s.accesses.end() ? nullptr : &*found;
}

bool sameUse(const Access &a, const Access &b) {
  return a.array == b.array && a.isWrite == b.isWrite && a.isMust == b.isMust &&
         a.isCertain == b.isCertain;
}

bool sameArray(const Array &a, const Array &b) {
  return a.kind == b.kind && a.leading == b.leading && a.standsFor == b.standsFor &&
         a.privateDepth == b.privateDepth && a.privateLoops == b.privateLoops &&
         a.slots == b.slots && a.elementBytes == b.elementBytes &&
         a.variable.type == b.variable.type && a.variable.isPointer == b.variable.isPointer &&
         a.variable.liveAfter == b.variable.liveAfter && sameExprs(a.extents, b.extents) &&
         sameExprs(a.flatSizes, b.flatSizes);
}

bool sameArrays(const Program &now, const Program &then) {
  return std::all_of(then.arrays.begin(), then.arrays.end(), [&](auto &entry) {
    auto found = now.arrays.find(entry.first);
    return found != now.arrays.end() && sameArray(found->second, entry.second);
  });
}

bool sameSurroundings(const Program &now, const Program &then) {
  bool is = now.context.is_equal(then.context) && now.assumptions.is_equal(then.assumptions) &&
            now.valueScalars == then.valueScalars &&
            now.parameters.size() == then.parameters.size() &&
            now.loops.size() >= then.loops.size();
  for (size_t k = 0; is && k < then.parameters.size(); k++)
    is = now.parameters[k].name == then.parameters[k].name &&
         sameTree(now.parameters[k].value, then.parameters[k].value) &&
         now.parameters[k].type == then.parameters[k].type;
  for (size_t k = 0; is && k < then.loops.size(); k++)
    is = now.loops[k].id == then.loops[k].id && now.loops[k].counter == then.loops[k].counter &&
         now.loops[k].step == then.loops[k].step && now.loops[k].type == then.loops[k].type;
  return is;
}

bool sameOrder(const Program &now, const Program &then) {
  for (const Statement &a : then.statements)
    for (const Statement &b : then.statements) {
      const Statement *x = now.find(a.name), *y = now.find(b.name);
      if (!x || !y || x->order.size() != a.order.size() || y->order.size() != b.order.size())
        return false;
      for (size_t k = 0; k < std::min(a.order.size(), b.order.size()); k++)
        if (signOf(a.order[k] - b.order[k]) != signOf(x->order[k] - y->order[k]))
          return false;
    }
  return true;
}

} // namespace nw
