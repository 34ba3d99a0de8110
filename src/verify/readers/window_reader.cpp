// The check 'windows': a window holds the elements that it stands for, may load and store them, and
// lies where its wide accesses need it. Instances inside are then read as if they touched the array
// itself.
#include "kernel/window.h"
#include "verify/readers/kernel_reader.h"
#include "verify/readers/unknowns.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// The set over as many dimensions as there are values, with a relation between each dimension and
// its value.
template <class Relate>
isl::set setOf(const std::vector<isl::pw_aff> &values, const isl::set &when, const Relate &relate) {
  isl::space space = anonymousSpace(when.ctx(), int(values.size()));
  isl::set graph = isl::set::universe(space).intersect_params(when);
  for (size_t n = 0; n < values.size(); n++) {
    isl_space *target =
        isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(values[n].get()));
    graph = meet(graph, relate(dimensionOn(space, int(n)),
                               isl::manage(isl_pw_aff_insert_domain(values[n].copy(), target)), n));
  }
  return graph;
}

// Without the unknowns that have come up since there were `first` of them.
isl::set withoutLater(const isl::set &s, int first) {
  return withoutUnknowns(
      s, [&](const std::string &unknown) { return *numberOfUnknown(unknown) < first; });
}

// Whether the variable is read, and not only assigned to.
bool isRead(const StmtP &code, const std::string &name) {
  bool found = false;
  auto look = [&](const ExprP &e) { found |= mentions(e, name); };
  walkStmts(code, [&](const StmtP &s) {
    for (size_t k = 0; k < s->exprs.size(); k++) {
      bool isTarget = s->kind == StmtKind::Assign && k == 0 && baseOf(s->exprs[0]) &&
                      baseOf(s->exprs[0])->name == name;
      if (!isTarget)
        look(s->exprs[k]);
      else
        for (const Expr *e = s->exprs[0].get(); e->kind == ExprKind::Index; e = e->args[0].get())
          look(e->args[1]);
    }
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition})
        look(e);
  });
  return found;
}

bool isAssigned(const StmtP &code, const std::string &name) {
  bool found = false;
  walkStmts(code, [&](const StmtP &s) {
    found |=
        s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && baseOf(s->exprs[0])->name == name;
  });
  return found;
}

} // namespace

static std::string originName(const std::string &window, size_t d) {
  return fmt::format("{}@{}", window, d);
}

// What is wrong with the shape of the window, or nothing.
std::string KernelReader::wrongWindow(const Stmt &s) const {
  std::optional<std::vector<ExprP>> subscripts =
      s.exprs.size() == 2 ? subscriptsOf(s.exprs[0]) : std::nullopt;
  if (!subscripts || subscripts->empty() || s.body.size() != 1 || s.exprs[1]->kind != ExprKind::Int)
    return "is not a section of an array";
  auto array = p.arrays.find(baseOf(s.exprs[0])->name);
  bool isBuffer = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                              [&](const KernelParameter &q) {
                                return q.buffer >= 0 && q.name == baseOf(s.exprs[0])->name;
                              });
  if (array == p.arrays.end() || array->second.kind != ArrayKind::Memory || !isBuffer ||
      !array->second.flatSizes.empty() || array->second.slots ||
      array->second.extents.size() != subscripts->size() || s.extents.size() != subscripts->size())
    return "is not a section of an array";
  if (!(s.type == s.exprs[0]->type) || !(s.type == array->second.variable.type) ||
      s.type.isStruct())
    return "has elements of another type";
  int64_t unit = s.section.unit, phase = s.exprs[1]->integer;
  if (unit < 1 || unit > 4 || (unit & (unit - 1)) != 0 || phase < 0 || phase >= unit ||
      std::any_of(s.extents.begin(), s.extents.end(), [](int64_t e) { return e < 1 || e > 4096; }))
    return "has no valid size";
  if (!s.section.loads && !s.section.stores)
    return "neither loads nor stores";
  if (kernel.isResident())
    return "is in a kernel with barriers, where other threads may write its elements meanwhile";
  return "";
}

bool KernelReader::isWritten(const std::string &array) const {
  bool found = false;
  walkStmts(kernel.body, [&](const StmtP &s) {
    found |= (s->kind == StmtKind::Assign || s->kind == StmtKind::Copy) && baseOf(s->exprs[0]) &&
             baseOf(s->exprs[0])->name == array;
    found |= s->kind == StmtKind::Window && s->section.stores && baseOf(s->exprs[0]) &&
             baseOf(s->exprs[0])->name == array;
  });
  return found;
}

void KernelReader::window(const StmtP &given, const Frame &outer) {
  const Stmt &s = *given;
  auto refuse = [&](const std::string &what) {
    out.findings.push_back({"windows", fmt::format("{}: {} {}", kernel.name, s.name, what)});
  };
  if (std::string wrong = wrongWindow(s); !wrong.empty())
    return refuse(wrong);
  Frame f = outer;
  if (f.windows.count(s.name) || f.locals.count(s.name))
    return refuse("hides a variable");
  std::vector<isl::pw_aff> origin;
  std::vector<ExprP> subscripts = *subscriptsOf(s.exprs[0]);
  for (size_t d = 0; d < subscripts.size(); d++) {
    std::optional<isl::pw_aff> v = f.scope.value(subscripts[d]);
    if (!v)
      return refuse("begins at an unknown element: " + print(subscripts[d]));
    widths(subscripts[d], f);
    origin.push_back(*v);
    f.scope.bind(originName(s.name, d), *v);
  }
  const std::string &array = baseOf(s.exprs[0])->name;
  if (s.section.loads)
    if (std::string wrong = wrongLoads(s, origin, f); !wrong.empty())
      refuse(wrong);
  if (isWritten(array)) {
    if (!s.section.stores)
      refuse("keeps elements that are written elsewhere");
    if (mentions(s.body[0], array))
      refuse(
          fmt::format("stands for elements of {}, which its code also touches by itself", array));
  }
  if (!s.section.loads && isRead(s.body[0], s.name))
    refuse("is read, but nothing is loaded into it");
  if (!s.section.stores && isAssigned(s.body[0], s.name))
    refuse("is written, but not stored");
  if (std::string wrong = wrongAlignment(s, origin, f); !wrong.empty())
    refuse(wrong);
  int number = windows++, known = unknowns;
  f.windows.emplace(s.name, WindowFrame{given, number, true});
  stmt(s.body[0], f);
  if (!s.section.stores)
    return;
  // Whatever is stored has been written, by this thread, in every case.
  isl::set all =
      setOf(origin, f.executed, [&](const isl::pw_aff &x, const isl::pw_aff &, size_t d) {
        return meet(x.ge_set(constantLike(x, 0)), x.lt_set(constantLike(x, s.extents[d])));
      });
  auto written = writtenElements.find(number);
  if (written == writtenElements.end() || !all.is_subset(withoutLater(written->second, known)))
    refuse("stores elements that are not certainly written");
}

isl::pw_aff KernelReader::constantLike(const isl::pw_aff &x, int64_t value) {
  return constantOn(isl::manage(isl_pw_aff_get_domain_space(x.get())),
                    intVal(x.ctx(), std::to_string(value)));
}

// Elements may be loaded that some instance of the kernel's statements certainly reads: they are
// there, and have a value.
std::string KernelReader::wrongLoads(const Stmt &s, const std::vector<isl::pw_aff> &origin,
                                     const Frame &f) const {
  std::set<std::string> here;
  walkStmts(kernel.body, [&](const StmtP &x) {
    if (x->isInstance())
      here.insert(x->name);
  });
  const std::string &array = baseOf(s.exprs[0])->name;
  isl::set read = isl::set::empty(anonymousSpace(f.executed.ctx(), int(origin.size())));
  for (const Statement &statement : p.statements)
    for (const Access &a : statement.accesses)
      if (here.count(statement.name) && a.array == array && !a.isWrite && a.isCertain &&
          a.relation.is_single_valued())
        read = read.unite(unnamed(a.relation.intersect_domain(statement.domain).range()));
  isl::set loaded =
      setOf(origin, f.executed, [&](const isl::pw_aff &x, const isl::pw_aff &first, size_t d) {
        return meet(x.ge_set(first), x.lt_set(first.add(constantLike(first, s.extents[d]))));
      });
  loaded = withoutUnknowns(loaded);
  isl::set beyond = loaded.subtract(read.coalesce());
  return beyond.is_empty()
             ? ""
             : fmt::format("loads elements of {} that no instance certainly reads: {}", array,
                           inShort(beyond));
}

// Wide accesses lie at multiples of their size: the last subscript by itself, rows and the buffer
// because the host has asked.
std::string KernelReader::wrongAlignment(const Stmt &s, const std::vector<isl::pw_aff> &origin,
                                         const Frame &f) const {
  int64_t unit = s.section.unit;
  if (unit == 1)
    return "";
  isl::pw_aff from = origin.back().sub(f.scope.constant(phaseOf(s)));
  isl::pw_aff rest =
      isl::manage(isl_pw_aff_mod_val(from.copy(), intVal(from.ctx(), long(unit)).release()));
  if (!f.executed.is_disjoint(rest.ne_set(f.scope.constant(0))))
    return fmt::format("does not begin {} elements after a multiple of {}", phaseOf(s), unit);
  const std::string &array = baseOf(s.exprs[0])->name;
  auto parameter =
      std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                   [&](const KernelParameter &q) { return q.buffer >= 0 && q.name == array; });
  int64_t bytes = unit * bytesOf(s.type.scalar);
  bool isAsked =
      alternative &&
      std::any_of(alternative->aligned.begin(), alternative->aligned.end(), [&](auto &one) {
        return one.first == parameter->buffer && one.second % bytes == 0;
      });
  if (!isAsked)
    return fmt::format("needs {} to begin at a multiple of {} bytes, which the host does not check",
                       array, bytes);
  if (parameter->extents.size() < 2)
    return "";
  std::optional<isl::pw_aff> row =
      parameter->extents.back() ? start.scope.value(parameter->extents.back()) : std::nullopt;
  if (!row)
    return fmt::format("has rows of {} whose length cannot be read", array);
  isl::pw_aff left =
      isl::manage(isl_pw_aff_mod_val(row->copy(), intVal(row->ctx(), long(unit)).release()));
  return f.executed.is_disjoint(left.ne_set(f.scope.constant(0)))
             ? ""
             : fmt::format("needs rows of {} that are multiples of {} elements, which the host "
                           "does not check",
                           array, unit);
}

// Elements of windows in an instance are elements of the array again.
void KernelReader::undoWindows(SchedulePosition &position, const Frame &f) {
  noteWritten(position.code, f);
  for (auto &[name, frame] : f.windows) {
    const Stmt &w = *frame.code;
    position.code = rewriteExprs(position.code, [&, &window = name](const ExprP &e) -> ExprP {
      if (e->kind != ExprKind::Index || !baseOf(e) || baseOf(e)->name != window)
        return e;
      std::optional<std::vector<ExprP>> subscripts = subscriptsOf(e);
      if (!subscripts || subscripts->size() != w.extents.size())
        return e;
      ExprP element = var(baseOf(w.exprs[0])->name, w.type);
      for (size_t d = 0; d < subscripts->size(); d++) {
        const ExprP &x = (*subscripts)[d];
        std::optional<isl::pw_aff> v = f.scope.value(x);
        if (!v ||
            !f.executed.is_disjoint(
                v->lt_set(f.scope.constant(0)).unite(v->ge_set(f.scope.constant(w.extents[d])))))
          out.findings.push_back({"windows", fmt::format("{}: {} may lie outside of {}",
                                                         kernel.name, print(e), window)});
        widths(x, f);
        element =
            index(element, binary("+", var(originName(window, d), x->type), x, x->type), w.type);
      }
      return element;
    });
    if (mentions(position.code, name))
      out.findings.push_back(
          {"windows", fmt::format("{}: {} is used as a whole", kernel.name, name)});
  }
}

// Elements of windows that the instance writes in every case.
void KernelReader::noteWritten(const StmtP &code, const Frame &f) {
  if (code->kind == StmtKind::Block)
    for (const StmtP &b : code->body)
      noteWritten(b, f);
  if (code->kind != StmtKind::Assign || !baseOf(code->exprs[0]) ||
      code->exprs[0]->kind != ExprKind::Index)
    return;
  auto found = f.windows.find(baseOf(code->exprs[0])->name);
  std::optional<std::vector<ExprP>> subscripts = subscriptsOf(code->exprs[0]);
  if (found == f.windows.end() || !found->second.isUnguarded || !subscripts ||
      subscripts->size() != found->second.code->extents.size())
    return;
  std::vector<isl::pw_aff> values;
  for (const ExprP &x : *subscripts) {
    std::optional<isl::pw_aff> v = f.scope.value(x);
    if (!v)
      return;
    values.push_back(*v);
  }
  isl::set here = setOf(values, f.executed, [](const isl::pw_aff &x, const isl::pw_aff &v, size_t) {
    return x.eq_set(v);
  });
  auto [at, isNew] = writtenElements.emplace(found->second.number, here);
  if (!isNew)
    at->second = at->second.unite(here);
}

} // namespace nw
