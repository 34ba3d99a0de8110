// The check 'reductions': the threads of a block reduce what each has gathered into one value.
// The steps between the loop and the value are run for every thread of a block, with the threads
// whose values a slot of shared memory holds in place of the values.
#include "verify/checks/kernel_checks.h"
#include "verify/readers/block_reductions.h"
#include "verify/readers/kept_registers.h"
#include "verify/readers/reduction_parts.h"
#include "verify/readers/row_registers.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

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

// What the steps after the loop do, one thread after the other between barriers.
class BlockRun {
public:
  BlockRun(const Kernel &kernel, const Reduction &r, const std::string &partial)
      : kernel(kernel), r(r), partial(partial) {
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Shared && s->extents.size() == 1 && s->type == r.type)
        shared.emplace(s->name, std::vector<Slot>(size_t(std::max<int64_t>(s->extents[0], 0))));
    });
  }

  // The assignment that takes the value of the whole block; nothing, with `problem` set, where the
  // steps are wrong.
  const Stmt *run(const std::vector<StmtP> &steps) {
    for (const StmtP &s : steps) {
      if (s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier) {
        for (auto &[name, slots] : shared)
          for (Slot &slot : slots)
            slot.writer = slot.reader = kNobody;
        continue;
      }
      for (int t = 0; t < threads && problem.empty(); t++)
        step(*s, t);
    }
    if (problem.empty() && !last)
      problem = "nothing uses its result";
    return problem.empty() ? last : nullptr;
  }

  std::string problem;

private:
  static constexpr int kNobody = -1, kSeveral = -2;
  struct Slot {
    std::vector<int> from;                  // threads whose values it holds
    int writer = kNobody, reader = kNobody; // since the last barrier
  };

  void step(const Stmt &s, int t) {
    switch (s.kind) {
    case StmtKind::Block:
      for (const StmtP &b : s.body)
        step(*b, t);
      return;
    case StmtKind::If: {
      std::optional<int64_t> c = number(s.exprs[0], t);
      if (!c || s.body.size() != 1)
        problem = "a condition cannot be read: " + print(s.exprs[0]);
      else if (*c)
        step(*s.body[0], t);
      return;
    }
    case StmtKind::Assign:
      assign(s, t);
      return;
    default:
      problem = "a step that the verifier does not know";
    }
  }

  void assign(const Stmt &s, int t) {
    const ExprP &to = s.exprs[0], &value = s.exprs[1];
    bool toShared = to->kind == ExprKind::Index && to->args[0]->kind == ExprKind::Var &&
                    shared.count(to->args[0]->name);
    if (!toShared)
      return takeResult(s, t);
    std::vector<int> from;
    if (value->kind == ExprKind::Var && value->name == partial)
      from = {t};
    else if (auto parts = reduced(r, value)) {
      for (const ExprP &part : {parts->first, parts->second})
        if (Slot *slot = read(part, t))
          from.insert(from.end(), slot->from.begin(), slot->from.end());
    } else
      problem = "a step does not reduce: " + print(value);
    Slot *slot = problem.empty() ? slotOf(to, t) : nullptr;
    if (!slot)
      return;
    if ((slot->writer != kNobody && slot->writer != t) ||
        (slot->reader != kNobody && slot->reader != t))
      problem = "threads collide in " + print(to);
    slot->writer = t;
    slot->from = std::move(from);
  }

  // Partial result of the block, or the target itself.
  void takeResult(const Stmt &s, int t) {
    if (last) {
      problem = "its result is used twice";
      return;
    }
    ExprP added = addedTo(r, s);
    Slot *slot = read(added ? added : s.exprs[1], t);
    if (!slot)
      return;
    std::vector<int> from = slot->from, all(static_cast<size_t>(threads));
    std::sort(from.begin(), from.end());
    std::iota(all.begin(), all.end(), 0);
    if (from != all)
      problem =
          fmt::format("its result contains the values of {} threads instead of each of {} once",
                      from.size(), threads);
    last = &s;
  }

  Slot *read(const ExprP &e, int t) {
    Slot *slot = slotOf(e, t);
    if (!slot)
      return nullptr;
    if (slot->writer != kNobody && slot->writer != t)
      problem = "threads collide in " + print(e);
    slot->reader = slot->reader == kNobody || slot->reader == t ? t : kSeveral;
    return slot;
  }

  Slot *slotOf(const ExprP &e, int t) {
    if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var ||
        !shared.count(e->args[0]->name)) {
      problem = "a step cannot be read: " + print(e);
      return nullptr;
    }
    std::vector<Slot> &slots = shared.at(e->args[0]->name);
    std::optional<int64_t> at = number(e->args[1], t);
    if (!at || *at < 0 || *at >= int64_t(slots.size())) {
      problem = print(e) + " lies outside the shared array, or cannot be read";
      return nullptr;
    }
    return &slots[size_t(*at)];
  }

  // An integer expression of the thread's number in its block.
  std::optional<int64_t> number(const ExprP &e, int t) const {
    const std::array<int, 3> &b = kernel.block;
    switch (e->kind) {
    case ExprKind::Int:
      return e->integer;
    case ExprKind::Cast:
      return e->type.isInteger() && bitsOf(e->type.scalar) >= 32 ? number(e->args[0], t)
                                                                 : std::nullopt;
    case ExprKind::Builtin:
      if (e->name == "local.x")
        return t % b[0];
      if (e->name == "local.y")
        return t / b[0] % b[1];
      return e->name == "local.z" ? std::optional<int64_t>(t / b[0] / b[1]) : std::nullopt;
    case ExprKind::Binary:
      break;
    default:
      return std::nullopt;
    }
    std::optional<int64_t> x = number(e->args[0], t), y = number(e->args[1], t);
    if (!x || !y)
      return std::nullopt;
    if (e->name == "+")
      return *x + *y;
    if (e->name == "-")
      return *x - *y;
    if (e->name == "*")
      return *x * *y;
    if (e->name == "^")
      return *x ^ *y;
    if (e->name == "<")
      return *x < *y;
    if (e->name == "<=")
      return *x <= *y;
    if (e->name == "==")
      return *x == *y;
    if (e->name == "&&")
      return *x && *y;
    return std::nullopt;
  }

  const Kernel &kernel;
  const Reduction &r;
  std::string partial;
  int threads;
  std::map<std::string, std::vector<Slot>> shared;
  const Stmt *last = nullptr;
};

class ReductionCheck {
public:
  ReductionCheck(const Program &p, const Kernels &k, const SchedulePosition &position,
                 const Statement &s, std::string partial)
      : p(p), k(k), position(position), s(s), r(*s.reduction), partial(std::move(partial)) {}

  // What is wrong, or nothing.
  std::string run() {
    walkStmts(withoutKeptRegisters(position.kernel->body), [&](const StmtP &b) {
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

  // { T partial = neutral; loop; steps }
  void look(const Stmt &b) {
    size_t at = 0;
    while (at < b.body.size() &&
           !(b.body[at]->kind == StmtKind::Declare && b.body[at]->name == partial))
      at++;
    if (at + 1 >= b.body.size() || b.body[at + 1]->kind != StmtKind::For || !isHere(b.body[at + 1]))
      return;
    found = true;
    const Stmt &start = *b.body[at];
    if (start.exprs.size() != 1 || !(start.type == r.type) || !isNeutral(r.kind, start.exprs[0])) {
      problem = "it does not begin with the neutral value";
      return;
    }
    if (isWrittenBetween(b.body[at + 1])) {
      problem = "its register is written outside the instances";
      return;
    }
    BlockRun block(*position.kernel, r, partial);
    const Stmt *last = block.run({b.body.begin() + long(at) + 2, b.body.end()});
    problem = block.problem;
    if (last)
      position.kernel->isResident() ? intoTarget(*last, b.body[at + 1]) : intoPartials(*last);
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
    if (!addedTo(r, last) || !isTarget(last.exprs[0], *position.inside))
      problem = fmt::format("it ends in {}, not in {}", print(last.exprs[0]), print(wanted));
  }

  // partial[block.x], and the kernel that follows takes these, one after the other.
  void intoPartials(const Stmt &last) {
    const ExprP &to = last.exprs[0];
    if (to->kind != ExprKind::Index || to->args[0]->kind != ExprKind::Var ||
        bare(to->args[1])->kind != ExprKind::Builtin || bare(to->args[1])->name != "block.x") {
      problem = "the partial results do not lie one after the other: " + print(to);
      return;
    }
    int buffer = bufferOf(*position.kernel, to->args[0]->name);
    if (addedTo(r, last))
      problem = "a partial result is added to an uninitialised value: " + print(to);
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

  void combine(const Kernel &c, int buffer) {
    StmtP loop = withoutKeptRegisters(c.body);
    StmtP step = loop->kind == StmtKind::For ? loop->body[0] : nullptr;
    while (step && step->kind == StmtKind::Block && step->body.size() == 1)
      step = step->body[0];
    if (!step || step->kind != StmtKind::Assign) {
      problem = "the partial results are not combined in order";
      return;
    }
    ExprP from = addedTo(r, *step);
    bool ofTarget = isTarget(outside(c, step->exprs[0]), *position.host);
    bool isNext = from && from->kind == ExprKind::Index && from->args[0]->kind == ExprKind::Var &&
                  bufferOf(c, from->args[0]->name) == buffer &&
                  bare(from->args[1])->kind == ExprKind::Var &&
                  bare(from->args[1])->name == loop->loop.counter;
    if (!ofTarget || !isNext)
      problem = fmt::format("the partial results are taken wrongly: {} = {}", print(step->exprs[0]),
                            print(step->exprs[1]));
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
      continue; // see block_reductions
    if (std::string problem = ReductionCheck(p, k, position, *s, partial).run(); !problem.empty())
      findings.push_back({"reductions", fmt::format("{} in {}: {}", position.statement,
                                                    position.kernel->name, problem)});
  }
  for (const Finding &f : checkBlockReductions(p, k, report))
    findings.push_back(f);
  return findings;
}

} // namespace nw
