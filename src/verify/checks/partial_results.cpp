// The check of partial results, a part of 'reductions': what blocks leave in a buffer is taken by
// the next launch, all of it, once; and what both ends become does that. Which of them are left
// where, and what they hold, is looked at where launches are read.
#include "verify/checks/partial_results.h"
#include "kernel/keep.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/keeps.h"
#include "verify/checks/kernel_checks.h"
#include "verify/readers/reduction_parts.h"
#include <fmt/format.h>
#include <span>

namespace nw {

namespace {

bool isEnd(const Stmt &s) { return s.kind == StmtKind::Leave || s.kind == StmtKind::Take; }

const KernelParameter *parameterOf(const Kernel &kernel, const ExprP &e) {
  for (const KernelParameter &q : kernel.parameters)
    if (isVar(e, q.name))
      return &q;
  return nullptr;
}

bool isOne(const ExprP &e, int64_t number = 1) {
  return e->kind == ExprKind::Int && e->integer == number;
}

bool isAlways(const ExprP &guard) { return guard->kind == ExprKind::Int && guard->integer != 0; }

bool areEqual(const ExprP &a, const ExprP &b) { return a && b ? sameTree(a, b) : !a && !b; }

// ---- the nodes ----

// What is wrong with an end by itself, and with where it stands: no loop runs through it but one
// over columns.
std::string wrongPlace(const StmtP &s, bool isInside) {
  if (isEnd(*s) && (isInside || (!leftBy(*s) && !takenBy(*s))))
    return print(s, 0);
  bool isLoop = s->kind == StmtKind::For
                    ? s->loop.cyclic.turns < 1
                    : s->isInstance() || s->kind == StmtKind::While ||
                          s->kind == StmtKind::DoWhile || s->kind == StmtKind::Keep;
  for (const StmtP &b : s->body)
    if (std::string wrong = wrongPlace(b, isInside || isLoop); !wrong.empty())
      return wrong;
  return "";
}

// Both ends of a buffer.
struct Ends {
  const Kernel *from = nullptr, *to = nullptr;
  LeftResult left;
  TakenResults taken;
};

class HandoverCheck {
public:
  HandoverCheck(const Kernels &k, const Buffer &buffer, size_t number)
      : k(k), buffer(buffer), number(int(number)) {}

  // What is wrong, or nothing.
  std::string run() {
    int uses = 0, leaves = 0, takes = 0;
    for (const Kernel &kernel : k.kernels) {
      uses += usesOf(kernel.body, buffer.name);
      walkStmts(kernel.body, [&](const StmtP &s) {
        std::optional<LeftResult> left = leftBy(*s);
        std::optional<TakenResults> taken = takenBy(*s);
        if (left && left->buffer->name == buffer.name)
          leaves++, ends.from = &kernel, ends.left = *left;
        if (taken && taken->buffer->name == buffer.name)
          takes++, ends.to = &kernel, ends.taken = *taken;
      });
    }
    if (leaves == 0 && takes == 0)
      return "";
    if (leaves != 1 || takes != 1 || uses != 2 || ends.from == ends.to)
      return "it is not left by one kernel and taken by another";
    if (std::string problem = agreement(); !problem.empty())
      return problem;
    launches(k.host);
    return pairs > 0 ? problem : "no launch leaves anything in it";
  }

private:
  // What both kernels say of the buffer.
  std::string agreement() const {
    const KernelParameter *here = parameterOf(*ends.from, ends.left.buffer),
                          *there = parameterOf(*ends.to, ends.taken.buffer);
    if (!here || !there || here->buffer != number || there->buffer != number)
      return "it is another buffer in one of the kernels";
    if (!(ends.left.buffer->type == buffer.element) || !(ends.taken.buffer->type == buffer.element))
      return "it has elements of another type";
    if (ends.from->isResident() || ends.to->isResident())
      return "a kernel with barriers of the grid has an end of it";
    bool hasColumns = bool(ends.left.columns);
    if (hasColumns != bool(ends.taken.columns) || hasColumns == (ends.taken.axis == kAllThreads))
      return "its rows are left and taken differently";
    return !hasColumns || areEqual(columns(), argument(*ends.to, ends.taken.columns))
               ? ""
               : "its rows have different lengths";
  }

  // The host's value of a kernel's argument.
  static ExprP argument(const Kernel &kernel, const ExprP &e) {
    const KernelParameter *q = parameterOf(kernel, e);
    return q && q->buffer < 0 && q->type == kI64 ? q->value : nullptr;
  }
  ExprP columns() const {
    return ends.left.columns ? argument(*ends.from, ends.left.columns) : nullptr;
  }

  bool isLaunchOf(const HostStep &h, const Kernel *kernel) const {
    return h.kind == HostKind::Launch && &k.kernels[size_t(h.kernel)] == kernel;
  }

  // Each launch that leaves is followed by one that takes, and the other way round.
  void launches(const HostStep &h) {
    forEachPart(h, [&](const HostStep &one) {
      bool leaves = isLaunchOf(one, ends.from), takes = isLaunchOf(one, ends.to);
      bool isPart = (leaves || takes) && h.kind == HostKind::Sequence;
      const HostStep *next = isPart && &one != &h.children.back() ? &one + 1 : nullptr,
                     *before = isPart && &one != &h.children.front() ? &one - 1 : nullptr;
      if ((leaves && (!next || !isLaunchOf(*next, ends.to))) ||
          (takes && (!before || !isLaunchOf(*before, ends.from))))
        problem = "the kernel that combines its partial results does not follow directly";
      else if (leaves && problem.empty())
        problem = pair(one, *next);
      pairs += leaves;
      launches(one);
    });
  }

  std::string pair(const HostStep &from, const HostStep &to) const {
    size_t axis = size_t(ends.left.axis);
    ExprP rows = argument(*ends.to, ends.taken.rows), columns = this->columns();
    if (!areEqual(rows, blocksOf(from.threads[axis], from.limit[axis], ends.from->block[axis])))
      return "not the partial results of all blocks are combined";
    ExprP size = columns ? binary("*", rows, columns, kI64) : intConst(from.limit[axis]);
    if (!isOne(buffer.low, 0) || !sameTree(buffer.high, size))
      return "the memory for its partial results has another size";
    return columns ? ofColumns(to) : ofOne(from, to);
  }

  // One result for each block, whenever the kernel is launched; one block takes them.
  std::string ofOne(const HostStep &from, const HostStep &to) const {
    const std::array<int, 3> &block = ends.to->block;
    bool isRow = ends.left.axis == 0 && isOne(from.threads[1]) && isOne(from.threads[2]) &&
                 from.limit[0] > 0;
    if (!isRow || buffer.touched)
      return "blocks share partial results";
    bool isOneBlock = block[1] == 1 && block[2] == 1 && isAlways(ends.taken.guard) &&
                      alone(ends.to->body)->kind == StmtKind::Take;
    for (size_t d = 0; d < 3; d++)
      isOneBlock &= isOne(to.threads[d], block[d]);
    return isOneBlock && areEqual(from.condition, to.condition)
               ? ""
               : "its partial results are not combined by one block";
  }

  // A column of threads that share the rows out is one block high.
  std::string ofColumns(const HostStep &to) const {
    bool isOneBlock =
        isOne(to.threads[1], ends.to->block[1]) && isOne(to.threads[2]) && ends.to->block[2] == 1;
    return ends.taken.axis == kOneThread || isOneBlock
               ? ""
               : "its partial results are combined by several blocks";
  }

  const Kernels &k;
  const Buffer &buffer;
  int number;
  Ends ends;
  int pairs = 0;
  std::string problem;
};

// ---- what the nodes become ----

// Holds code against the kernel that it is to be the expansion of.
class Comparison {
public:
  explicit Comparison(const Kernel &kernel) : kernel(kernel) {}

  std::string difference(const StmtP &wanted, const StmtP &code) const {
    if (isEnd(*wanted))
      return ofEnd(*wanted, {&code, 1});
    if (wanted->kind == StmtKind::Block)
      return ofBlock(*wanted, *code);
    if (!areSameOutside(*wanted, *code))
      return "other code: " + print(code, 0);
    for (size_t n = 0; n < wanted->body.size(); n++)
      if (std::string what = difference(wanted->body[n], code->body[n]); !what.empty())
        return what;
    return "";
  }

private:
  // What takes results by several threads becomes four statements.
  static size_t lengthOf(const Stmt &s) {
    return s.kind == StmtKind::Take && s.collective.axis != kOneThread ? 4 : 1;
  }

  std::string ofBlock(const Stmt &wanted, const Stmt &code) const {
    size_t length = 0, at = 0;
    for (const StmtP &s : wanted.body)
      length += lengthOf(*s);
    bool isSame = wanted.isInstance()
                      ? areSameOutside(wanted, code)
                      : code.kind == StmtKind::Block && !code.isInstance() &&
                            code.isAsync == wanted.isAsync && code.body.size() == length;
    if (!isSame)
      return "other code: " + print(std::make_shared<Stmt>(code), 0);
    for (const StmtP &s : wanted.body) {
      std::span<const StmtP> here = std::span(code.body).subspan(at, lengthOf(*s));
      if (std::string what = isEnd(*s) ? ofEnd(*s, here) : difference(s, here[0]); !what.empty())
        return what;
      at += here.size();
    }
    return "";
  }

  std::string ofEnd(const Stmt &wanted, std::span<const StmtP> code) const {
    if (code.size() == 1 && lengthOf(wanted) == 4)
      code = code[0]->body;
    std::optional<LeftResult> left = leftBy(wanted);
    std::optional<TakenResults> taken = takenBy(wanted);
    bool is = left                                        ? isLeft(*left, *code[0])
              : !taken || code.size() != lengthOf(wanted) ? false
              : taken->axis == kOneThread                 ? isTakenByEach(*taken, code[0])
                                                          : isTakenTogether(*taken, code);
    return is ? "" : print(std::make_shared<Stmt>(wanted), 0) + " becomes other code";
  }

  // buffer[row], or buffer[row * columns + column] in 64 bits.
  static bool isCell(const ExprP &e, const ExprP &buffer, const ExprP &columns,
                     const std::function<bool(const ExprP &)> &isRow,
                     const std::function<bool(const ExprP &)> &isColumn) {
    if (e->kind != ExprKind::Index || !sameTree(e->args[0], buffer))
      return false;
    if (!columns)
      return isRow(e->args[1]);
    const ExprP &sum = e->args[1];
    auto is = [](const ExprP &x, const char *op) {
      return x->kind == ExprKind::Binary && x->name == op && x->type == kI64;
    };
    return is(sum, "+") && isColumn(sum->args[1]) && is(sum->args[0], "*") &&
           isRow(sum->args[0]->args[0]) && sameTree(sum->args[0]->args[1], columns);
  }

  static bool isLeft(const LeftResult &left, const Stmt &code) {
    const char *row = left.axis == 0 ? "block.x" : "block.y";
    return code.kind == StmtKind::Assign && !code.isAsync && sameTree(code.exprs[1], left.value) &&
           isCell(
               code.exprs[0], left.buffer, left.columns,
               [&](const ExprP &e) { return isBuiltin(e, row); },
               [&](const ExprP &e) { return sameTree(e, left.column); });
  }

  // The code, which is to be asked for where the guard holds.
  static StmtP guarded(const ExprP &guard, const StmtP &code) {
    if (isAlways(guard))
      return code;
    bool is = code->kind == StmtKind::If && code->body.size() == 1 && !code->isSpeculated &&
              sameTree(code->exprs[0], guard);
    return is ? code->body[0] : nullptr;
  }

  bool isNew(const std::string &name) const {
    return usesOf(kernel.body, name) == 0 && !parameterOf(kernel, var(name, kI64));
  }

  // for (row = first; row < rows; row += apart) into = into op cell
  bool isOverRows(const TakenResults &t, const StmtP &code, const ExprP &into, int64_t apart,
                  const std::function<bool(const ExprP &)> &isFirst) const {
    if (!code || code->kind != StmtKind::For)
      return false;
    const Loop &l = code->loop;
    const ExprP &c = l.condition;
    const Stmt &step = *code->body[0];
    bool isLoop = l.type == kI64 && isFirst(l.start) && l.step == apart && !l.stride &&
                  l.cyclic.turns == 0 && c->kind == ExprKind::Binary && c->name == "<" &&
                  isVar(c->args[0], l.counter) && sameTree(c->args[1], t.rows) && isNew(l.counter);
    if (!isLoop || step.kind != StmtKind::Assign || step.isAsync || !sameTree(step.exprs[0], into))
      return false;
    bool isStep = false;
    walk(step.exprs[1], [&](const ExprP &e) {
      bool isCellHere = isCell(
          e, t.buffer, t.columns, [&](const ExprP &x) { return isVar(x, l.counter); },
          [](const ExprP &x) { return isBuiltin(x, "thread.x"); });
      isStep |= isCellHere && sameTree(step.exprs[1], reducedBy(t.op, into, e));
      return !isCellHere;
    });
    return isStep;
  }

  bool isTakenByEach(const TakenResults &t, const StmtP &code) const {
    StmtP loop = guarded(t.guard, code);
    if (loop && loop->kind == StmtKind::Keep) // of which 'keep' sees whether it may be one
      loop = keptElements(*loop).size() == 1 && sameTree(keptElements(*loop)[0], t.target) &&
                     sameTree(loop->exprs[0], whetherItRuns(loop->body[0]->loop))
                 ? loop->body[0]
                 : nullptr;
    return isOverRows(t, loop, t.target, 1,
                      [](const ExprP &e) { return e->kind == ExprKind::Int && e->integer == 0; });
  }

  // T own = neutral; [if (guard)] loop; reduce own; if (first [&& guard]) target = target op own
  bool isTakenTogether(const TakenResults &t, std::span<const StmtP> code) const {
    const Type &type = t.target->type;
    const Stmt &start = *code[0], &reduce = *code[2], &last = *code[3];
    const char *lane = t.axis == 1 ? "local.y" : "local.x";
    bool isStart = start.kind == StmtKind::Declare && start.type == type && start.extents.empty() &&
                   start.exprs.size() == 1 && start.owners == 0 && start.copyOf.empty() &&
                   sameTree(start.exprs[0], identityOf(t.op, type));
    if (!isStart || !isNew(start.name))
      return false;
    ExprP own = var(start.name, type);
    bool isReduce = reduce.kind == StmtKind::Reduce && reduce.name == start.name &&
                    reduce.type == type && reduce.collective.op == t.op &&
                    reduce.collective.axis == t.axis;
    StmtP result = last.kind == StmtKind::If && last.body.size() == 1 && !last.isSpeculated
                       ? last.body[0]
                       : nullptr;
    return isReduce && result && isFirstAnd(last.exprs[0], lane, t.guard) &&
           result->kind == StmtKind::Assign && sameTree(result->exprs[0], t.target) &&
           sameTree(result->exprs[1], reducedBy(t.op, t.target, own)) &&
           isOverRows(t, guarded(t.guard, code[1]), own, kernel.block[t.axis == 1 ? 1 : 0],
                      [&](const ExprP &e) { return isBuiltin(e, lane); });
  }

  static bool isFirstAnd(const ExprP &e, const char *lane, const ExprP &guard) {
    bool isBoth = e->kind == ExprKind::Binary && e->name == "&&" && sameTree(e->args[1], guard);
    const ExprP &first = isBoth ? e->args[0] : e;
    return isBoth != isAlways(guard) && first->kind == ExprKind::Binary && first->name == "==" &&
           isBuiltin(first->args[0], lane) && first->args[1]->kind == ExprKind::Int &&
           first->args[1]->integer == 0;
  }

  const Kernel &kernel;
};

} // namespace

std::string wrongPartialResults(const Kernel &kernel, const StmtP &code) {
  return Comparison(kernel).difference(kernel.body, code);
}

std::vector<Finding> checkPartialResults(const Kernels &k) {
  std::vector<Finding> findings;
  auto say = [&](const std::string &name, const std::string &what) {
    if (!what.empty())
      findings.push_back({"reductions", fmt::format("{}: {}", name, what)});
  };
  for (const Kernel &kernel : k.kernels) {
    bool has = false;
    walkStmts(kernel.body, [&](const StmtP &s) {
      has |= isEnd(*s);
      const KernelParameter *q = isEnd(*s) && s->exprs.size() > 1
                                     ? parameterOf(kernel, s->exprs[s->kind == StmtKind::Take])
                                     : nullptr;
      if (isEnd(*s) && (!q || q->buffer < 0 || !isForPartials(k.buffers[size_t(q->buffer)])))
        say(kernel.name, "partial results are in no buffer for them");
    });
    if (std::string wrong = has ? wrongPlace(kernel.body, false) : ""; !wrong.empty())
      say(kernel.name, "partial results at the wrong place: " + wrong);
    else if (has)
      say(kernel.name, wrongPartialResults(kernel, withoutPartialResults(kernel).body));
  }
  for (size_t n = 0; n < k.buffers.size(); n++)
    if (isForPartials(k.buffers[n]))
      say(k.buffers[n].name, HandoverCheck(k, k.buffers[n], n).run());
  return findings;
}

} // namespace nw
