// The check 'keep': elements may be in registers while a loop runs, and what becomes of the loop
// has them there. It does not ask why they were chosen.
#include "verify/checks/keeps.h"
#include "kernel/jam.h"
#include "kernel/keep.h"
#include "verify/checks/kernel_checks.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

using Elements = std::vector<ExprP>;

bool isOneOf(const ExprP &e, const Elements &elements) {
  return std::any_of(elements.begin(), elements.end(),
                     [&](const ExprP &o) { return sameTree(e, o); });
}

// Statements that neither wait for other threads nor leave the loop or skip a part of it.
bool isPlain(const Stmt &s) {
  switch (s.kind) {
  case StmtKind::Block:
  case StmtKind::Declare:
  case StmtKind::Assign:
  case StmtKind::If:
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::DoWhile:
    return true;
  default:
    return false;
  }
}

// Variables and arrays that change in the loop, but for the elements.
std::set<std::string> changedIn(const StmtP &loop, const Elements &elements) {
  std::set<std::string> names;
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      names.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare)
      names.insert(s->name);
    if (s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && !isOneOf(s->exprs[0], elements))
      names.insert(baseOf(s->exprs[0])->name);
  });
  return names;
}

// The same element in every iteration: its subscripts read nothing that changes.
bool isFixed(const ExprP &element, const std::set<std::string> &changed, const Elements &all) {
  bool is = std::none_of(changed.begin(), changed.end(),
                         [&](const std::string &name) { return mentions(element, name); });
  for (const Expr *e = element.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member;
       e = e->args[0].get())
    for (const ExprP &other : all)
      is &= e->kind != ExprKind::Index || !mentions(e->args[1], baseOf(other)->name);
  return is;
}

// Whether nothing but the elements themselves touches their arrays.
bool areAlone(const StmtP &loop, const Elements &elements) {
  bool are = true;
  walkExprs(loop, [&](const ExprP &e) {
    if (isOneOf(e, elements))
      return false;
    are &= e->kind != ExprKind::Var ||
           std::none_of(elements.begin(), elements.end(),
                        [&](const ExprP &o) { return baseOf(o)->name == e->name; });
    return are;
  });
  return are;
}

bool mayBeOne(const Elements &elements, const Offsets &offsets) {
  for (size_t k = 0; k < elements.size(); k++)
    for (size_t n = 0; n < k; n++)
      if (baseOf(elements[n])->name == baseOf(elements[k])->name &&
          !offsets.areDifferent(elements[n], elements[k]))
        return true;
  return false;
}

// A loop between constants that runs.
bool certainlyRuns(const Loop &loop) {
  const ExprP &c = loop.condition;
  if (loop.start->kind != ExprKind::Int || c->kind != ExprKind::Binary ||
      !isVar(c->args[0], loop.counter) || c->args[1]->kind != ExprKind::Int)
    return false;
  int64_t first = loop.start->integer, last = c->args[1]->integer;
  return (c->name == "<" && first < last) || (c->name == "<=" && first <= last) ||
         (c->name == ">" && first > last) || (c->name == ">=" && first >= last);
}

// An iteration of a loop that there is wherever the guard holds: the first one; or, where the guard
// asks whether low <= high, that of `low`.
struct Iteration {
  std::string counter;
  ExprP low, high; // none for the first

  // Whether the condition holds in it. What it asks of the counter must be part of the bounds.
  bool satisfies(const ExprP &condition) const {
    std::vector<ExprP> all = conjunctsOf(condition);
    return low && std::all_of(all.begin(), all.end(), [&](const ExprP &one) {
             if (one->kind != ExprKind::Binary || !isVar(one->args[0], counter) ||
                 mentions(one->args[1], counter))
               return false;
             return (one->name == ">=" && isBound(one->args[1], low, ExprKind::Max)) ||
                    (one->name == "<=" && isBound(one->args[1], high, ExprKind::Min));
           });
  }

  // Whether `bound` is at most the largest of what `of` names, or at least the smallest.
  static bool isBound(const ExprP &bound, const ExprP &of, ExprKind extreme) {
    if (bound->kind == ExprKind::Int && of->kind == ExprKind::Int)
      return extreme == ExprKind::Max ? bound->integer <= of->integer
                                      : bound->integer >= of->integer;
    return sameTree(bound, of) ||
           (of->kind == extreme && std::any_of(of->args.begin(), of->args.end(), [&](auto &a) {
              return isBound(bound, a, extreme);
            }));
  }
};

// `changes`: names of what changes meanwhile.
std::vector<Iteration> certainIterations(const ExprP &guard, const Loop &loop,
                                         const std::set<std::string> &changes) {
  std::vector<Iteration> found;
  if (certainlyRuns(loop))
    found.push_back({loop.counter, {}, {}});
  const ExprP runs = whetherItRuns(loop), &c = loop.condition;
  for (const ExprP &one : conjunctsOf(guard)) {
    if (sameTree(one, runs))
      found.push_back({loop.counter, {}, {}});
    if (one->kind != ExprKind::Binary || one->name != "<=" || loop.stride || loop.step != 1 ||
        std::any_of(changes.begin(), changes.end(),
                    [&](const std::string &name) { return mentions(one, name); }))
      continue;
    Iteration it{loop.counter, one->args[0], one->args[1]};
    if (Iteration::isBound(loop.start, it.low, ExprKind::Max) && c->name == "<=" && it.satisfies(c))
      found.push_back(it);
  }
  return found;
}

// Whether the code writes the element in that iteration, whatever else it does.
bool certainlyWrites(const StmtP &s, const ExprP &element, const Iteration &iteration) {
  switch (s->kind) {
  case StmtKind::Assign:
    return sameTree(s->exprs[0], element);
  case StmtKind::Block:
    return std::any_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return certainlyWrites(b, element, iteration); });
  case StmtKind::If:
    return !s->isSpeculated && iteration.satisfies(s->exprs[0]) &&
           certainlyWrites(s->body[0], element, iteration);
  default:
    return false;
  }
}

bool areSame(const std::vector<ExprP> &a, const std::vector<ExprP> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameTree);
}

bool areSame(const Loop &a, const Loop &b) {
  return a.counter == b.counter && a.type == b.type && a.step == b.step &&
         a.isUnrolled == b.isUnrolled && a.unroll == b.unroll && a.cyclic == b.cyclic &&
         a.line.begin == b.line.begin && sameTree(a.start, b.start) &&
         sameTree(a.condition, b.condition) && sameTree(a.stride, b.stride) &&
         sameTree(a.line.before, b.line.before);
}

} // namespace

bool areSameOutside(const Stmt &a, const Stmt &b) {
  return a.kind == b.kind && a.name == b.name && a.type == b.type && a.extents == b.extents &&
         a.copyOf == b.copyOf && a.owners == b.owners && a.isSpeculated == b.isSpeculated &&
         a.isAsync == b.isAsync && a.collective.op == b.collective.op &&
         a.collective.axis == b.collective.axis && a.section.loads == b.section.loads &&
         a.section.stores == b.section.stores && a.section.unit == b.section.unit &&
         a.copy == b.copy && areSame(a.exprs, b.exprs) && areSame(a.values, b.values) &&
         a.body.size() == b.body.size() && (a.kind != StmtKind::For || areSame(a.loop, b.loop));
}

namespace {

// Holds code against the kernel that it is to be the expansion of. By induction over iterations:
// each register has what its element would have, from the load on, as long as all that the loop
// does with the element it does with the register; the store puts it back.
class Comparison {
public:
  explicit Comparison(const Kernel &kernel) {
    for (const KernelParameter &q : kernel.parameters)
      names.insert(q.name);
    walkExprs(kernel.body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Var)
        names.insert(e->name);
      return true;
    });
    walkStmts(kernel.body, [&](const StmtP &s) {
      names.insert(s->kind == StmtKind::For ? s->loop.counter : s->name);
    });
  }

  std::string difference(const StmtP &wanted, const StmtP &code) const {
    if (wanted->kind == StmtKind::Keep)
      return ofKeep(*wanted, code);
    if (!areSameOutside(*wanted, *code))
      return "other code: " + print(code, 0);
    for (size_t k = 0; k < wanted->body.size(); k++)
      if (std::string what = difference(wanted->body[k], code->body[k]); !what.empty())
        return what;
    return "";
  }

private:
  // [if (guard)] { loads; loop; stores }
  std::string ofKeep(const Stmt &keep, const StmtP &code) const {
    const ExprP &guard = keep.exprs[0];
    bool asks = guard->kind != ExprKind::Int || guard->integer == 0;
    const Stmt *all = code.get();
    if (asks) {
      if (code->kind != StmtKind::If || code->isSpeculated || code->body.size() != 1 ||
          !sameTree(code->exprs[0], guard))
        return "registers without their guard";
      all = code->body[0].get();
    }
    Elements elements = keptElements(keep);
    if (all->kind != StmtKind::Block || all->isInstance() ||
        all->body.size() != 2 * elements.size() + 1)
      return "registers without loads, a loop and stores";
    std::map<std::string, ExprP> registers;
    for (size_t k = 0; k < elements.size(); k++)
      if (std::string what =
              ofElement(elements[k], *all->body[k], *all->body[elements.size() + 1 + k], registers);
          !what.empty())
        return what;
    return ofLoop(keep.body[0], all->body[elements.size()], registers);
  }

  // T register = element; … element = register;
  std::string ofElement(const ExprP &element, const Stmt &load, const Stmt &store,
                        std::map<std::string, ExprP> &registers) const {
    bool isLoad = load.kind == StmtKind::Declare && load.extents.empty() && load.copyOf.empty() &&
                  load.type == element->type && load.exprs.size() == 1 &&
                  sameTree(load.exprs[0], element);
    if (!isLoad)
      return "a register does not begin with " + print(element);
    if (names.count(load.name) || !registers.emplace(load.name, element).second)
      return load.name + " is the name of two variables";
    bool isStore = store.kind == StmtKind::Assign && !store.isAsync &&
                   sameTree(store.exprs[0], element) && isVar(store.exprs[1], load.name) &&
                   store.exprs[1]->type == element->type;
    return isStore ? "" : load.name + " is not stored to " + print(element);
  }

  // With the elements put back it is the loop, and no element is beside its register.
  std::string ofLoop(const StmtP &wanted, const StmtP &loop,
                     const std::map<std::string, ExprP> &registers) const {
    std::string beside;
    for (const auto &[name, element] : registers)
      walkExprs(loop, [&](const ExprP &e) {
        if (sameTree(e, element) || (isVar(e, name) && !(e->type == element->type)))
          beside = print(e) + " is beside the register of " + print(element);
        return beside.empty();
      });
    if (!beside.empty())
      return beside;
    return difference(wanted, rewriteExprs(loop, [&](const ExprP &e) {
                        auto found =
                            e->kind == ExprKind::Var ? registers.find(e->name) : registers.end();
                        return found == registers.end() ? e : found->second;
                      }));
  }

  std::set<std::string> names;
};

bool hasKeeps(const StmtP &code) {
  bool has = false;
  walkStmts(code, [&](const StmtP &s) { has |= s->kind == StmtKind::Keep; });
  return has;
}

} // namespace

std::string illegalKeep(const Stmt &keep, const StmtP &kernel) {
  if (std::string wrong = wrongKeep(keep); !wrong.empty())
    return wrong;
  const StmtP &loop = keep.body[0];
  if (loop->loop.line.before) // a thread whose first value lies in front of the loop may have none
    return "around a loop that begins at a line";
  Elements elements = keptElements(keep);
  bool arePlain = true;
  walkStmts(loop, [&](const StmtP &s) {
    arePlain &=
        isPlain(*s) && (s->kind != StmtKind::Assign || !isVar(s->exprs[0], loop->loop.counter));
  });
  if (!arePlain)
    return "while threads wait for each other, or leave";
  std::set<std::string> changed = changedIn(loop, elements);
  for (const ExprP &e : elements)
    if (!isFixed(e, changed, elements))
      return "for another element in each iteration: " + print(e);
  if (!areAlone(loop, elements) || mayBeOne(elements, Offsets(withoutKeeps(kernel))))
    return "beside other uses of their arrays";
  for (const ExprP &e : elements)
    changed.insert(baseOf(e)->name);
  std::vector<Iteration> iterations = certainIterations(keep.exprs[0], loop->loop, changed);
  for (const ExprP &e : elements)
    if (std::none_of(iterations.begin(), iterations.end(),
                     [&](const Iteration &one) { return certainlyWrites(loop->body[0], e, one); }))
      return "that are stored though the loop may not write " + print(e);
  return "";
}

std::string wrongRegisters(const Kernel &kernel, const StmtP &code) {
  return Comparison(kernel).difference(kernel.body, code);
}

std::vector<Finding> checkKeeps(const Kernel &kernel) {
  if (!hasKeeps(kernel.body))
    return {};
  std::vector<Finding> findings;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind != StmtKind::Keep)
      return;
    if (std::string wrong = illegalKeep(*s, kernel.body); !wrong.empty())
      findings.push_back({"keep", fmt::format("{}: registers {}", kernel.name, wrong)});
  });
  if (!findings.empty())
    return findings;
  if (std::string wrong = wrongRegisters(kernel, withKeptRegisters(kernel).body); !wrong.empty())
    findings.push_back({"keep", fmt::format("{}: {}", kernel.name, wrong)});
  return findings;
}

} // namespace nw
