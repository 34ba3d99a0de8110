// Steps of reductions.
#include "kernel/reduction_steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace nw {

namespace {

ExprP lane(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }

ExprP sum(const ExprP &a, const ExprP &b) { return binary("+", a, b, kI32); }

std::string sharedName(const Type &t, const char *what = "reduction") {
  return fmt::format("nw_{}_{}{}", what,
                     t.isFloat()            ? "f"
                     : isUnsigned(t.scalar) ? "u"
                                            : "i",
                     bitsOf(t.scalar));
}

const char *const kTurn = "nw_turn"; // which half of the slots of warps is used next

class Steps {
public:
  Steps(const std::array<int, 3> &block, int warp, int mostInGroup, bool mayTakeTurns)
      : block(block), warp(warp), mostInGroup(mostInGroup), mayTakeTurns(mayTakeTurns) {}

  StmtP rewritten(const StmtP &s) {
    if (s->kind == StmtKind::Reduce)
      return isOfWarps(*s) ? warps({s}) : steps(*s);
    auto copy = std::make_shared<Stmt>(*s);
    copy->body.clear();
    for (size_t n = 0; n < s->body.size(); n++) {
      std::vector<StmtP> group; // reductions that follow each other have a barrier together
      for (; n < s->body.size() && s->body[n]->kind == StmtKind::Reduce && isOfWarps(*s->body[n]);
           n++)
        group.push_back(s->body[n]);
      if (group.empty())
        copy->body.push_back(rewritten(s->body[n]));
      else {
        copy->body.push_back(warps(group));
        n--;
      }
    }
    return copy;
  }

  struct SharedArray {
    Type type;
    int64_t elements;
  };
  std::map<std::string, SharedArray> arrays; // in shared memory
  bool takesTurns = false;

private:
  StmtP steps(const Stmt &s) {
    int width = widthOf(s);
    bool isExchange = s.collective.axis != 1 && width <= warp && warp % width == 0;
    return isExchange ? exchanges(s, width) : tree(s);
  }

  // How many threads put their values together.
  int widthOf(const Stmt &s) const {
    return s.collective.axis == kAllThreads ? block[0] * block[1] * block[2]
                                            : block[size_t(s.collective.axis)];
  }

  // Several warps, which are all of the block.
  bool isOfWarps(const Stmt &s) const {
    int width = widthOf(s);
    return s.collective.axis != 1 && width == block[0] * block[1] * block[2] && warp > 1 &&
           width > warp && width % warp == 0;
  }

  // The number of the thread in the block.
  ExprP threadNumber() const {
    ExprP number = lane("local.x");
    if (block[1] > 1)
      number = sum(binary("*", lane("local.y"), intConst(block[0], kI32), kI32), number);
    if (block[2] > 1)
      number = sum(binary("*", lane("local.z"), intConst(int64_t(block[0]) * block[1], kI32), kI32),
                   number);
    return number;
  }

  // Each warp by exchanges; then its first thread leaves the result, and after a barrier every
  // thread takes those of all warps. Slots take turns: those of one turn are written again after
  // the barrier of the next, which nobody passes before all have read them.
  StmtP warps(const std::vector<StmtP> &group) {
    int64_t many = widthOf(*group[0]) / warp, half = int64_t(mostInGroup) * many;
    takesTurns = mayTakeTurns;
    ExprP number = threadNumber();
    std::vector<StmtP> code, stores, takes;
    ExprP turn = takesTurns ? var(kTurn, kI32) : intConst(0, kI32);
    for (size_t k = 0; k < group.size(); k++) {
      const Stmt &s = *group[k];
      std::string name = sharedName(s.type, "warps");
      arrays[name] = {s.type, 2 * half};
      ExprP own = var(s.name, s.type);
      auto slot = [&](const ExprP &at) {
        return index(var(name, s.type), sum(sum(turn, intConst(int64_t(k) * many, kI32)), at),
                     s.type);
      };
      code.push_back(exchanges(s, warp));
      stores.push_back(assign(slot(binary("/", number, intConst(warp, kI32), kI32)), own));
      takes.push_back(assign(own, slot(intConst(0, kI32))));
      auto others = std::make_shared<Stmt>(
          *forLoop("nw_warp", kI32, intConst(1, kI32),
                   binary("<", var("nw_warp", kI32), intConst(many, kI32), kI32), intConst(1, kI32),
                   assign(own, reducedBy(s.collective.op, own, slot(var("nw_warp", kI32))))));
      others->loop.isUnrolled = true;
      takes.push_back(others);
    }
    code.push_back(ifElse(
        binary("==", binary("%", number, intConst(warp, kI32), kI32), intConst(0, kI32), kI32),
        block_(stores)));
    code.push_back(marker(StmtKind::Barrier));
    code.insert(code.end(), takes.begin(), takes.end());
    if (takesTurns)
      code.push_back(assign(turn, binary("-", intConst(half, kI32), turn, kI32)));
    return block_(code);
  }

  // Each thread takes what its counterpart has: after as many steps as the width has bits, all have
  // everything.
  StmtP exchanges(const Stmt &s, int width) {
    std::vector<StmtP> code;
    ExprP own = var(s.name, s.type);
    bool isChoice = s.collective.op == "<" ||
                    s.collective.op ==
                        ">"; // which would ask for the other value twice, and by some threads only
    for (int distance = width / 2; distance > 0; distance /= 2) {
      ExprP given = call(kExchange, {own, intConst(distance, kI32)}, s.type),
            other = var("nw_other", s.type);
      if (isChoice)
        code.push_back(block_({declare(other->name, s.type, {}, {given}),
                               assign(own, reducedBy(s.collective.op, own, other))}));
      else
        code.push_back(assign(own, reducedBy(s.collective.op, own, given)));
    }
    return block_(code);
  }

  // Half of the slots take what the other half has, until one is left.
  StmtP tree(const Stmt &s) {
    std::string name = sharedName(s.type);
    arrays[name] = {s.type, int64_t(block[0]) * block[1] * block[2]};
    ExprP shared = var(name, s.type), own = var(s.name, s.type);
    int along = s.collective.axis, width = widthOf(s), apart = along == 1 ? block[0] : 1;
    bool isOfAll = along == kAllThreads, hasRows = block[1] > 1 && !isOfAll;
    ExprP here = threadNumber();
    ExprP number = isOfAll ? here : lane(along == 0 ? "local.x" : "local.y");
    ExprP first = along == 1 ? lane("local.x")
                  : hasRows  ? binary("*", lane("local.y"), intConst(block[0], kI32), kI32)
                             : intConst(0, kI32);
    auto slot = [&](const ExprP &at) { return index(shared, at, s.type); };
    std::vector<StmtP> code = {assign(slot(here), own), marker(StmtKind::Barrier)};
    for (int half = width / 2; half > 0; half /= 2) {
      ExprP other = slot(sum(here, intConst(int64_t(half) * apart, kI32)));
      code.push_back(ifElse(binary("<", number, intConst(half, kI32), kI32),
                            assign(slot(here), reducedBy(s.collective.op, slot(here), other))));
      code.push_back(marker(StmtKind::Barrier));
    }
    code.push_back(assign(own, slot(first)));
    code.push_back(marker(StmtKind::Barrier)); // until all have it, nobody may use the slots again
    return block_(code);
  }

  static StmtP block_(std::vector<StmtP> code) { return nw::block(std::move(code)); }

  const std::array<int, 3> &block;
  int warp, mostInGroup;
  bool mayTakeTurns;
};

// Most reductions that follow each other.
int longestRun(const StmtP &body) {
  int longest = 1;
  walkStmts(body, [&](const StmtP &s) {
    int run = 0;
    for (const StmtP &b : s->body)
      longest = std::max(longest, run = b->kind == StmtKind::Reduce ? run + 1 : 0);
  });
  return longest;
}

} // namespace

static ExprP identityOf(ReductionKind kind, const Type &t) {
  double infinity = std::numeric_limits<double>::infinity();
  auto parse = [&](const std::string &text) { // from the lowest long long to the highest unsigned
    bool isNegative = text[0] == '-';
    uint64_t magnitude = std::stoull(isNegative ? text.substr(1) : text);
    return intConst(int64_t(isNegative ? 0 - magnitude : magnitude), t);
  };
  switch (kind) {
  case ReductionKind::Sum:
    return t.isFloat() ? floatConst(0, t) : intConst(0, t);
  case ReductionKind::Product:
    return t.isFloat() ? floatConst(1, t) : intConst(1, t);
  case ReductionKind::Min:
    return t.isFloat() ? floatConst(infinity, t) : parse(highestOf(t.scalar));
  case ReductionKind::Max:
    return t.isFloat() ? floatConst(-infinity, t) : parse(lowestOf(t.scalar));
  case ReductionKind::And:
    return intConst(t.scalar == Scalar::Bool ? 1 : -1, t);
  case ReductionKind::Or:
  case ReductionKind::Xor:
    return intConst(0, t);
  }
  return nullptr;
}

// fmin and fmax pass over a NaN, and give one where both are.
ExprP identityOf(const std::string &op, const Type &type) {
  using enum ReductionKind;
  if (type.isFloat() && (op == "fmin" || op == "fmax"))
    return floatConst(std::numeric_limits<double>::quiet_NaN(), type);
  for (ReductionKind kind : {Sum, Product, Min, Max, And, Or, Xor})
    for (bool byFunction : {false, true})
      if (reductionOperator(kind, byFunction) == op)
        return identityOf(kind, type);
  return nullptr;
}

std::string reductionOperator(ReductionKind kind, bool byFunction) {
  switch (kind) {
  case ReductionKind::Sum:
    return "+";
  case ReductionKind::Product:
    return "*";
  case ReductionKind::Min:
    return byFunction ? "fmin" : "<";
  case ReductionKind::Max:
    return byFunction ? "fmax" : ">";
  case ReductionKind::And:
    return "&";
  case ReductionKind::Or:
    return "|";
  case ReductionKind::Xor:
    return "^";
  }
  return "";
}

std::string operatorOf(const Reduction &r) { return reductionOperator(r.kind, r.byFunction); }

ExprP identityOf(const Reduction &r) { return identityOf(operatorOf(r), r.type); }

ExprP reducedBy(const std::string &op, const ExprP &a, const ExprP &b) {
  if (op == "fmin" || op == "fmax")
    return call(op, {a, b}, a->type);
  if (op == "<" || op == ">")
    return select(binary(op, b, a, kI32), b, a, a->type);
  return binary(op, a, b, a->type);
}

StmtP reduceStmt(const std::string &variable, const Type &type, const std::string &op, int axis) {
  auto made = std::make_shared<Stmt>(*marker(StmtKind::Reduce));
  made->name = variable;
  made->type = type;
  made->collective = {op, axis};
  return made;
}

static bool isOfThreads(const Stmt &s) {
  return s.kind == StmtKind::Reduce ||
         (s.kind == StmtKind::Take && s.collective.axis != kOneThread);
}

bool hasReductions(const StmtP &body) {
  bool found = false;
  walkStmts(body, [&](const StmtP &s) { found |= isOfThreads(*s); });
  return found;
}

int64_t reductionBytes(const StmtP &body, const std::array<int, 3> &block) {
  std::map<std::string, Type> types;
  walkStmts(body, [&](const StmtP &s) {
    if (const Type &type = s->kind == StmtKind::Take ? s->exprs[0]->type : s->type; isOfThreads(*s))
      types[sharedName(type)] = type;
  });
  int64_t bytes = 0;
  for (auto &[name, type] : types)
    bytes += int64_t(block[0]) * block[1] * block[2] * bytesOf(type.scalar);
  return bytes;
}

StmtP withReductionSteps(const StmtP &body, const std::array<int, 3> &block, int warp,
                         bool takesTurns) {
  if (!hasReductions(body))
    return body;
  Steps steps(block, warp, longestRun(body), takesTurns);
  StmtP changed = steps.rewritten(body);
  std::vector<StmtP> all;
  for (auto &[name, array] : steps.arrays) {
    auto made = std::make_shared<Stmt>(*declare(name, array.type, {array.elements}, {}));
    made->kind = StmtKind::Shared;
    all.push_back(made);
  }
  if (steps.takesTurns)
    all.push_back(declare(kTurn, kI32, {}, {intConst(0, kI32)}));
  if (all.empty())
    return changed;
  // OpenCL takes variables in shared memory in the outermost block alone.
  if (changed->kind == StmtKind::Block && !changed->isInstance())
    all.insert(all.end(), changed->body.begin(), changed->body.end());
  else
    all.push_back(changed);
  return nw::block(all);
}

} // namespace nw
