// The check 'reductions': the threads of a block reduce what each has gathered into one value.
// What a Reduce of theirs becomes is the check 'steps'.
#include "ir/evaluate.h"
#include "kernel/keep.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/kernel_checks.h"
#include "verify/readers/block_reductions.h"
#include "verify/readers/partial_results.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

std::string textOf(const ExprP &e) {
  return print(
      rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; }));
}

// Of how many threads of a block the conditions hold; nothing where they depend on anything else.
std::optional<int> threadsOf(const std::vector<ExprP> &conditions,
                             const std::array<int, 3> &shape) {
  int many = 0;
  for (int t = 0; t < shape[0] * shape[1] * shape[2]; t++) {
    bool is = true;
    for (const ExprP &condition : conditions) {
      ExprP named = rewrite(condition, [](const ExprP &e) {
        return e->kind == ExprKind::Builtin ? var(e->name, e->type) : e;
      });
      std::optional<int64_t> value = evaluate(named, {{"local.x", t % shape[0]},
                                                      {"local.y", t / shape[0] % shape[1]},
                                                      {"local.z", t / shape[0] / shape[1]}});
      if (!value)
        return std::nullopt;
      is &= *value != 0;
    }
    many += is;
  }
  return many;
}

class ReductionCheck {
public:
  ReductionCheck(const Program &p, const Kernels &k, const PositionReport &report,
                 const SchedulePosition &position, const Statement &s, std::string partial)
      : p(p), k(k), report(report), position(position), s(s), r(*s.reduction),
        partial(std::move(partial)) {}

  // What is wrong, or nothing.
  std::string run() {
    StmtP body = withoutKeeps(position.kernel->body);
    walkStmts(body, [&](const StmtP &b) {
      if (b->kind == StmtKind::Block && !b->isInstance() && problem.empty())
        look(*b, b == body);
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
  void look(const Stmt &b, bool isWholeKernel) {
    const StmtP *last = b.body.data() + b.body.size();
    if (b.body.size() < 4 || last[-4]->kind != StmtKind::Declare || last[-4]->name != partial ||
        !isHere(last[-3]))
      return;
    found = true;
    Gathering gathering;
    problem = wrongGathering(b, partial, r, gathering);
    if (!problem.empty())
      return;
    bool isLeft = gathering.result->kind == StmtKind::Leave;
    if (gathering.reduce->collective.axis != kAllThreads)
      problem = "its values are combined differently";
    else if (threadsOf(gathering.guards, position.kernel->block) != 1)
      problem = "its result is used by several threads";
    else if (isLeft ? !isWholeKernel : !position.kernel->isResident())
      problem = "its result is not brought to its target by one block";
    else if (isLeft)
      left(*gathering.result);
    else
      intoTarget(*gathering.result, last[-3]);
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

  // Each block leaves one result, and one block takes these. That it does so next, and takes all of
  // them, is looked at in checks/partial_results.cpp.
  void left(const Stmt &result) {
    std::optional<LeftResult> one = leftBy(result);
    const Kernel *other = nullptr;
    std::optional<TakenResults> all;
    for (const Kernel &kernel : k.kernels)
      walkStmts(kernel.body, [&](const StmtP &x) {
        std::optional<TakenResults> taken = takenBy(*x);
        if (one && taken && taken->buffer->name == one->buffer->name)
          other = &kernel, all = taken;
      });
    if (!all || one->columns || !combinationOf(report, *position.kernel, partial))
      problem = "its partial results are not combined by one other kernel";
    else if (all->op != operatorOf(r) || !(all->target->type == r.type))
      problem = "its partial results are combined differently";
    else if (!isTarget(outside(*other, all->target), *position.host))
      problem = fmt::format("it ends in {}, not in {}", print(all->target), print(target()));
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

  const Program &p;
  const Kernels &k;
  const PositionReport &report;
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
  std::set<std::pair<const Kernel *, std::string>> reduced; // variables that instances reduce into
  for (const SchedulePosition &position : report.positions) {
    const Statement *s = p.find(position.statement);
    std::string partial = s && s->reduction ? partialOf(position, *s->reduction) : "";
    if (partial.empty() || position.code->values.size() != s->loops.size())
      continue;
    reduced.insert({position.kernel, partial});
    if (isBlockReduction(*position.kernel, partial) || isColumnSum(*position.kernel, partial))
      continue; // of rows and columns of threads: see block_reductions
    if (std::string problem = ReductionCheck(p, k, report, position, *s, partial).run();
        !problem.empty())
      findings.push_back({"reductions", fmt::format("{} in {}: {}", position.statement,
                                                    position.kernel->name, problem)});
  }
  for (const Combination &c : report.combinations)
    if (c.code->kind == StmtKind::Leave && !reduced.count({c.kernel, c.variable}))
      findings.push_back(
          {"reductions", fmt::format("{}: {} is left, though nothing reduces into it",
                                     c.kernel->name, c.variable)});
  for (const Finding &f : checkBlockReductions(p, k, report))
    findings.push_back(f);
  return findings;
}

} // namespace nw
