// The check 'reductions': the threads of a block reduce what each has gathered into one value.
// What a Reduce of theirs becomes is the check 'steps'.
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/kernel_checks.h"
#include "verify/readers/block_reductions.h"
#include "verify/readers/column_sums.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

ExprP bare(ExprP e) {
  while (e->kind == ExprKind::Cast)
    e = e->args[0];
  return e;
}

std::string textOf(const ExprP &e) {
  return print(
      rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; }));
}

class ReductionCheck {
public:
  ReductionCheck(const Program &p, const Kernels &k, const SchedulePosition &position,
                 const Statement &s, std::string partial)
      : p(p), k(k), position(position), s(s), r(*s.reduction), partial(std::move(partial)) {}

  // What is wrong, or nothing.
  std::string run() {
    walkStmts(withoutKeeps(position.kernel->body), [&](const StmtP &b) {
      if (b->kind == StmtKind::Block && !b->isInstance() && problem.empty())
        look(*b);
    });
    return found ? problem : "its steps cannot be found";
  }

private:
  bool isHere(const StmtP &code) const {
    bool is = false;
    walkStmts(code, [&](const StmtP &x) {
      bool same = x->isInstance() && x->name == position.statement &&
                  x->values.size() == position.code->values.size();
      for (size_t n = 0; same && n < x->values.size(); n++)
        same = sameTree(x->values[n], position.code->values[n]);
      is |= same;
    });
    return is;
  }

  // The end of a block: { T partial = neutral; loop; reduce partial; if (…) result }
  void look(const Stmt &b) {
    std::optional<WholeReduction> whole = wholeReduction(b);
    if (!whole || whole->start->name != partial || !isHere(whole->loop))
      return;
    found = true;
    problem = wrongReduction(*whole, r, position.kernel->block);
    if (!problem.empty())
      return;
    const Stmt &result = *whole->result;
    if (isWrittenBetween(whole->loop))
      problem = "its register is written outside the instances";
    else if (isElsewhere(b))
      problem = "its register has other uses";
    else if (position.kernel->isResident())
      intoTarget(result, whole->loop);
    else
      intoPartials(result);
  }

  // Whether the block mentions the register before it begins. Outside of the block, its name is
  // another one's.
  bool isElsewhere(const Stmt &b) const {
    return std::any_of(b.body.begin(), b.body.end() - 4,
                       [&](const StmtP &s) { return mentions(s, partial); });
  }

  // Whether anything but an instance changes the register in the loop.
  bool isWrittenBetween(const StmtP &code) const {
    if (code->isInstance())
      return false;
    bool is = (code->kind == StmtKind::Assign && baseOf(code->exprs[0]) &&
               baseOf(code->exprs[0])->name == partial) ||
              (code->kind == StmtKind::Declare && code->name == partial);
    return is || std::any_of(code->body.begin(), code->body.end(),
                             [&](const StmtP &x) { return isWrittenBetween(x); });
  }

  // The target as the instance has it.
  ExprP target() const {
    return rewrite(r.target, [&](const ExprP &e) {
      for (size_t n = 0; e->kind == ExprKind::Var && n < s.loops.size(); n++)
        if (p.loop(s.loops[n]).counter == e->name)
          return position.code->values[n];
      return e;
    });
  }

  // The target, or its copy where a private variable has one for each iteration: which one is a
  // matter of the samples. `e` is in the terms of `scope`.
  bool isTarget(const ExprP &e, const AffineScope &scope) const {
    std::vector<ExprP> wanted, found;
    if (!baseOf(e) || !baseOf(r.target) || baseOf(e)->name != baseOf(r.target)->name ||
        shapeOf(r.target, wanted) != shapeOf(isPrivate(r.target) ? withoutCopy(e) : e, found))
      return false;
    AffineScope source(position.executed.ctx());
    for (const Parameter &q : p.parameters)
      source.addUnknown(q.name, q.name);
    for (size_t n = 0; n < s.loops.size(); n++)
      source.bind(p.loop(s.loops[n]).counter, position.values[n]);
    for (size_t n = 0; n < wanted.size(); n++) {
      std::optional<isl::pw_aff> a = source.value(wanted[n]), b = scope.value(found[n]);
      bool same = a && b ? bool(position.executed.is_disjoint(a->ne_set(*b)))
                         : textOf(wanted[n]) == textOf(found[n]);
      if (!same)
        return false;
    }
    return true;
  }

  bool isPrivate(const ExprP &e) const {
    auto a = baseOf(e) ? p.arrays.find(baseOf(e)->name) : p.arrays.end();
    return a != p.arrays.end() && a->second.kind == ArrayKind::Private;
  }

  // variable[copy][k] as variable[k]; the variable itself stays where kernels keep it in one
  ExprP withoutCopy(const ExprP &e) const {
    std::vector<ExprP> own, given;
    shapeOf(r.target, own);
    shapeOf(e, given);
    return given.size() == own.size() + 1 ? stripped(e) : e;
  }

  static ExprP stripped(const ExprP &e) {
    if (e->kind == ExprKind::Member)
      return member(stripped(e->args[0]), e->name, e->type);
    return e->args[0]->kind == ExprKind::Var ? e->args[0]
                                             : index(stripped(e->args[0]), e->args[1], e->type);
  }

  void intoTarget(const Stmt &last, const StmtP &loop) {
    ExprP wanted = target();
    walkStmts(loop, [&](const StmtP &x) {
      const std::string &name = x->kind == StmtKind::For ? x->loop.counter : x->name;
      if ((x->kind == StmtKind::For || x->kind == StmtKind::Declare) && mentions(wanted, name))
        problem = "its target changes inside the loop";
    });
    ExprP added = addedTo(r, last);
    if (!added || !isVar(added, partial) || !isTarget(last.exprs[0], *position.inside))
      problem = fmt::format("it ends in {}, not in {}", print(last.exprs[0]), print(wanted));
  }

  // partial[block.x], and the kernel that follows takes these.
  void intoPartials(const Stmt &last) {
    const ExprP &to = last.exprs[0];
    if (to->kind != ExprKind::Index || to->args[0]->kind != ExprKind::Var ||
        bare(to->args[1])->kind != ExprKind::Builtin || bare(to->args[1])->name != "block.x") {
      problem = "the partial results do not lie one after the other: " + print(to);
      return;
    }
    int buffer = bufferOf(*position.kernel, to->args[0]->name);
    if (!isVar(last.exprs[1], partial))
      problem = "a partial result is not what the block has reduced: " + print(last.exprs[1]);
    else if (buffer < 0 || !isForPartials(k.buffers[size_t(buffer)]))
      problem = to->args[0]->name + " is not a buffer for partial results";
    else if (sequence(k.host, buffer) == 0 && problem.empty())
      problem = "nothing uses the partial results";
  }

  static int bufferOf(const Kernel &kernel, const std::string &name) {
    for (const KernelParameter &q : kernel.parameters)
      if (q.name == name)
        return q.buffer;
    return -1;
  }

  // In the host's terms.
  static ExprP outside(const Kernel &kernel, const ExprP &e) {
    return rewrite(e, [&](const ExprP &x) {
      for (const KernelParameter &q : kernel.parameters)
        if (x->kind == ExprKind::Var && q.name == x->name && q.buffer < 0 && q.value)
          return q.value;
      return x;
    });
  }

  // How many launches of the reduction are followed by one of the kernel that combines.
  int sequence(const HostStep &h, int buffer) {
    int count = 0;
    forEachPart(h, [&](const HostStep &one) {
      count += sequence(one, buffer);
      if (one.kind != HostKind::Launch || &k.kernels[size_t(one.kernel)] != position.kernel)
        return;
      for (int d : {1, 2})
        if (bare(one.threads[size_t(d)])->kind != ExprKind::Int ||
            bare(one.threads[size_t(d)])->integer != 1)
          problem = "blocks of several rows share partial results";
      bool follows = h.kind == HostKind::Sequence && &one != &h.children.back() &&
                     (&one + 1)->kind == HostKind::Launch;
      if (!follows)
        problem = "nothing uses the partial results";
      else
        combine(k.kernels[size_t((&one + 1)->kernel)], buffer);
      count++;
    });
    return count;
  }

  // { T all = neutral; for (b = …) all = all op partial[b]; reduce all; if (…) target = target op
  // all }. How many there are is looked at where the launch is read.
  void combine(const Kernel &c, int buffer) {
    std::optional<WholeReduction> whole = wholeReduction(*c.body);
    if (!whole || c.body->body.size() != 4) {
      problem = "the partial results are not combined by one reduction";
      return;
    }
    problem = wrongReduction(*whole, r, c.block);
    const std::string &all = whole->start->name;
    StmtP step = alone(whole->loop->body[0]);
    bool isStep = step->kind == StmtKind::Assign && isVar(step->exprs[0], all);
    ExprP from = isStep ? addedTo(r, *step) : nullptr, added = addedTo(r, *whole->result);
    bool isNext = from && from->kind == ExprKind::Index && from->args[0]->kind == ExprKind::Var &&
                  bufferOf(c, from->args[0]->name) == buffer &&
                  isVar(bare(from->args[1]), whole->loop->loop.counter);
    bool isTaken =
        added && isVar(added, all) && isTarget(outside(c, whole->result->exprs[0]), *position.host);
    if (problem.empty() && (!isNext || !isTaken))
      problem = fmt::format("the partial results are taken wrongly: {} = {}",
                            print(whole->result->exprs[0]), print(whole->result->exprs[1]));
  }

  const Program &p;
  const Kernels &k;
  const SchedulePosition &position;
  const Statement &s;
  const Reduction &r;
  std::string partial, problem;
  bool found = false;
};

} // namespace

std::vector<Finding> checkReductions(const Program &p, const Kernels &k,
                                     const PositionReport &report) {
  std::vector<Finding> findings;
  for (const SchedulePosition &position : report.positions) {
    const Statement *s = p.find(position.statement);
    std::string partial = s && s->reduction ? partialOf(position, *s->reduction) : "";
    if (partial.empty() || position.code->values.size() != s->loops.size())
      continue;
    if (isBlockReduction(*position.kernel, partial) || isColumnSum(*position.kernel, partial))
      continue; // of rows and columns of threads: see block_reductions
    if (std::string problem = ReductionCheck(p, k, position, *s, partial).run(); !problem.empty())
      findings.push_back({"reductions", fmt::format("{} in {}: {}", position.statement,
                                                    position.kernel->name, problem)});
  }
  for (const Finding &f : checkBlockReductions(p, k, report))
    findings.push_back(f);
  return findings;
}

} // namespace nw
