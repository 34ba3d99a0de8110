// Copies of boxes.
#include "kernel/box_copy.h"
#include "kernel/window.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

StmtP boxCopy(std::string name, Type counterType, std::vector<int64_t> extents, BoxCopy how,
              ExprP to, ExprP from, ExprP isThere) {
  auto s = std::make_shared<Stmt>(*marker(StmtKind::Copy));
  s->name = std::move(name);
  s->type = std::move(counterType);
  s->extents = std::move(extents);
  s->copy = std::move(how);
  s->exprs = {std::move(to), std::move(from)};
  if (isThere)
    s->exprs.push_back(std::move(isThere));
  return s;
}

int64_t positionsOf(const std::vector<int64_t> &extents) {
  int64_t all = 1;
  for (int64_t x : extents)
    all *= x;
  return all;
}

static constexpr int64_t kMostPositions = int64_t(1) << 20;

// A[e][f] of plain integer expressions.
static bool isPlainElement(const ExprP &e, const Stmt &copy) {
  std::vector<ExprP> subscripts;
  bool is = elementOf(e, subscripts) && !subscripts.empty();
  for (const ExprP &s : subscripts)
    walk(s, [&](const ExprP &x) {
      bool isCounter = x->kind == ExprKind::Var &&
                       std::count(copy.copy.counters.begin(), copy.copy.counters.end(), x->name);
      is &= x->type.isInteger() && (!isCounter || x->type == copy.type) &&
            (x->kind == ExprKind::Int || x->kind == ExprKind::Var || x->kind == ExprKind::Cast ||
             x->kind == ExprKind::Binary || x->kind == ExprKind::Min || x->kind == ExprKind::Max ||
             x->kind == ExprKind::Builtin);
      return is;
    });
  return is;
}

std::string wrongCopy(const Stmt &s) {
  const BoxCopy &how = s.copy;
  bool isWide = s.type.isInteger() && bitsOf(s.type.scalar) >= 32;
  if (s.exprs.size() < 2 || s.exprs.size() > 3 || !isWide || s.extents.empty() ||
      how.counters.size() != s.extents.size() || !(s.exprs[0]->type == s.exprs[1]->type))
    return "has no box";
  int64_t all = 1;
  for (int64_t x : s.extents) {
    if (x < 1 || x > kMostPositions || (all *= x) > kMostPositions)
      return "has no box of a valid size";
  }
  if (std::set<std::string>(how.counters.begin(), how.counters.end()).size() != s.extents.size())
    return "has two counters of one name";
  int64_t threads = int64_t(how.threads[0]) * how.threads[1];
  if (how.threads[0] < 1 || how.threads[1] < 1 || threads > kMostPositions)
    return "has no threads";
  bool isLoad = s.exprs[0]->kind == ExprKind::Var, isPut = s.exprs[1]->kind == ExprKind::Var;
  if ((isLoad && isPut) || (!isLoad && !isPlainElement(s.exprs[0], s)) ||
      (!isPut && !isPlainElement(s.exprs[1], s)))
    return "moves no elements";
  bool isOneByOne = how.unit == 1 && how.width == 1;
  if (!isLoad && !isPut)
    return isOneByOne ? "" : "takes neighbours without registers";
  if (how.unit < 1 || s.extents.back() % how.unit != 0 || all % (threads * how.unit) != 0 ||
      s.isAsync)
    return "does not have equally many positions for each thread";
  return how.width == 1 || (isLoad && how.width == how.unit) ? ""
                                                             : "has accesses of no valid width";
}

std::vector<std::string> namesOf(const Stmt &s) {
  std::vector<std::string> names = s.copy.counters;
  for (const char *part : {"_element", "_turn", "_part", "_wide"})
    names.push_back(s.name + part);
  return names;
}

namespace {

// One copy, expanded.
class Expansion {
public:
  explicit Expansion(const Stmt &s)
      : s(s), how(s.copy), type(s.type), positions(positionsOf(s.extents)),
        threads(int64_t(how.threads[0]) * how.threads[1]), element(s.name + "_element"),
        turn(s.name + "_turn") {}

  StmtP run() const {
    bool isLoad = s.exprs[0]->kind == ExprKind::Var, isPut = s.exprs[1]->kind == ExprKind::Var;
    if (!isLoad && !isPut)
      return inALoop();
    if (how.unit > 1)
      return isLoad ? loadedTogether() : putOneByOne();
    auto ofTurn = [&](const ExprP &e) {
      return e->kind == ExprKind::Var ? index(e, var(turn, type), e->type) : e;
    };
    return inTurns(assign(ofTurn(s.exprs[0]), ofTurn(s.exprs[1])));
  }

private:
  // for (e = number of the thread; e < positions; e += threads) to = from
  StmtP inALoop() const {
    auto move = std::make_shared<Stmt>(*assign(s.exprs[0], s.exprs[1]));
    move->isAsync = s.isAsync;
    std::vector<StmtP> code = position();
    code.push_back(guarded(move));
    auto loop = std::make_shared<Stmt>(*forLoop(element, type, thread(), below(element, positions),
                                                intConst(threads, type), block(code)));
    loop->loop.isUnrolled = s.isAsync && positions % threads == 0;
    return loop;
  }

  // Each thread has equally many positions, which it takes in as many turns.
  StmtP inTurns(const StmtP &move) const {
    ExprP first =
        binary("+", thread(), binary("*", var(turn, type), intConst(threads, type), type), type);
    if (how.unit > 1)
      first = binary("*", first, intConst(how.unit, type), type);
    std::vector<StmtP> all = {declare(element, type, {}, {first})}, code = position();
    all.insert(all.end(), code.begin(), code.end());
    all.push_back(guarded(move));
    return unrolled(turn, positions / threads / how.unit, block(all));
  }

  // registers = neighbours in memory, by a window.
  StmtP loadedTogether() const {
    std::string together = s.name + "_wide";
    const Type &of = s.exprs[1]->type;
    size_t rank = subscriptsOf(s.exprs[1]).value().size();
    ExprP mine = var(together, of);
    for (size_t d = 0; d < rank; d++)
      mine = index(mine, d + 1 == rank ? part() : intConst(0, type), of);
    std::vector<int64_t> extents(rank, 1);
    extents.back() = how.unit;
    Section section;
    section.loads = true;
    section.unit = how.width;
    return inTurns(window(together, s.exprs[1], extents, section, 0,
                          unrolled(part()->name, how.unit, assign(waiting(s.exprs[0]), mine))));
  }

  StmtP putOneByOne() const {
    const std::string &last = how.counters.back();
    ExprP there = rewrite(s.exprs[0], [&](const ExprP &e) {
      return isVar(e, last) ? binary("+", e, part(), type) : e;
    });
    return inTurns(unrolled(part()->name, how.unit, assign(there, waiting(s.exprs[1]))));
  }

  ExprP part() const { return var(s.name + "_part", type); }

  // The register of the thread's turn and part.
  ExprP waiting(const ExprP &registers) const {
    ExprP first = binary("*", var(turn, type), intConst(how.unit, type), type);
    return index(registers, binary("+", first, part(), type), registers->type);
  }

  // The position that the element's number stands for.
  std::vector<StmtP> position() const {
    std::vector<StmtP> all;
    ExprP rest = var(element, type);
    for (size_t n = s.extents.size(); n-- > 0;) {
      ExprP many = intConst(s.extents[n], type);
      all.push_back(
          declare(how.counters[n], type, {}, {n == 0 ? rest : binary("%", rest, many, type)}));
      rest = binary("/", rest, many, type);
    }
    return all;
  }

  // The number of the thread in its block.
  ExprP thread() const {
    ExprP x = node(ExprKind::Builtin, {}, type, "local.x");
    if (how.threads[1] == 1)
      return x;
    ExprP y = node(ExprKind::Builtin, {}, type, "local.y");
    return binary("+", binary("*", y, intConst(how.threads[0], type), type), x, type);
  }

  StmtP guarded(const StmtP &move) const {
    return s.exprs.size() > 2 ? ifElse(s.exprs[2], move) : move;
  }
  ExprP below(const std::string &counter, int64_t end) const {
    return binary("<", var(counter, type), intConst(end, type), kI32);
  }
  StmtP unrolled(const std::string &counter, int64_t count, const StmtP &body) const {
    auto loop = std::make_shared<Stmt>(
        *forLoop(counter, type, intConst(0, type), below(counter, count), intConst(1, type), body));
    loop->loop.isUnrolled = true;
    return loop;
  }

  const Stmt &s;
  const BoxCopy &how;
  const Type &type;
  int64_t positions, threads;
  std::string element, turn;
};

} // namespace

StmtP withoutCopies(const StmtP &code) {
  if (code->kind == StmtKind::Copy)
    return wrongCopy(*code).empty() ? Expansion(*code).run() : code;
  std::shared_ptr<Stmt> changed;
  for (size_t k = 0; k < code->body.size(); k++)
    if (StmtP b = withoutCopies(code->body[k]); b != code->body[k]) {
      if (!changed)
        changed = std::make_shared<Stmt>(*code);
      changed->body[k] = b;
    }
  return changed ? StmtP(changed) : code;
}

Kernel withoutCopies(Kernel kernel) {
  kernel.body = withoutCopies(kernel.body);
  return kernel;
}

} // namespace nw
