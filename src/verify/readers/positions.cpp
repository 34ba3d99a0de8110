// Host steps to positions; the code of kernels is read by KernelReader.
#include "verify/readers/block_reductions.h"
#include "verify/readers/host_products.h"
#include "verify/readers/kernel_reader.h"
#include "verify/readers/unknowns.h"
#include <fmt/format.h>

namespace nw {

namespace {

// A part of a report.
struct Range {
  size_t positions, positionsEnd, combinations, combinationsEnd;
};

// An alternative of a choice, in place of a part of what was read of the fallbacks.
struct Replacement {
  PositionReport report;
  Range replaced;
};

template <class T>
void addOutside(std::vector<T> &to, const std::vector<T> &from, size_t first, size_t last) {
  to.insert(to.end(), from.begin(), from.begin() + long(first));
  to.insert(to.end(), from.begin() + long(last), from.end());
}

class HostReader {
public:
  HostReader(const Program &p, const Kernels &k) : p(p), k(k) {}

  std::vector<PositionReport> run() {
    Frame f(p.isl->get());
    for (const Parameter &q : p.parameters)
      f.scope.addUnknown(q.name, q.name);
    out.context = p.context;
    if (k.assumptions)
      assume(k.assumptions, f.scope);
    if (!out.context.is_subset(p.assumptions))
      out.findings.push_back(
          {"assumptions", "the run-time check accepts sizes for which the model is wrong"});
    f.executed = f.certain = out.context;
    for (const Buffer &b : k.buffers)
      for (const ExprP &e : {b.low, b.high, b.touched})
        widthsOnHost(withoutExtents(e), f);
    step(k.host, f);
    for (Replacement &r : replacements)
      addAround(r);
    std::vector<PositionReport> all = {std::move(out)};
    for (Replacement &r : replacements)
      all.push_back(std::move(r.report));
    return all;
  }

private:
  // Numbers of 32 bits that the host computes keep their values, too.
  void widthsOnHost(const ExprP &e, const Frame &f) {
    if (std::string lost = e ? lostIn(e, f.scope, f.executed) : ""; !lost.empty())
      out.findings.push_back(
          {"widths", fmt::format("the host: {} may not fit into 32 bits", lost)});
  }

  void launchValue(const ExprP &e, const Frame &f) {
    widthsOnHost(e, f);
    if (std::string beyond = productBeyond64(e, f.scope, f.executed, k.assumptions);
        !beyond.empty())
      out.findings.push_back(
          {"widths", fmt::format("the host: {} may not fit into 64 bits", beyond)});
  }

  // Extents that the source declares are computed by the source as well, and fit, or the source is
  // undefined.
  ExprP withoutExtents(const ExprP &e) const {
    return rewrite(e, [&](const ExprP &x) -> ExprP {
      for (auto &[name, array] : p.arrays)
        for (const ExprP &extent : array.extents)
          if (extent && extent->kind != ExprKind::Int && sameTree(extent, x))
            return intConst(0, x->type);
      return x;
    });
  }

  // Conjuncts that are not affine say nothing that the checks could use.
  void assume(const ExprP &e, const AffineScope &scope) {
    if (e->kind == ExprKind::Binary && e->name == "&&") {
      assume(e->args[0], scope);
      assume(e->args[1], scope);
    } else if (std::optional<isl::set> c = scope.condition(e))
      out.context = meet(out.context, *c);
  }

  // The sizes for which the alternative has to be right; nothing where they cannot be read. What
  // only keeps its grid within the limits of the device is left out: it is right without that, too,
  // and for more sizes that is easier to prove.
  std::optional<isl::set> legalSizes(const HostAlternative &a, const AffineScope &scope) {
    ExprP legalIf = withoutRoom(a.legalIf, firstLaunch(a.body));
    return legalIf ? chosen(legalIf, scope) : std::optional(out.context);
  }

  // The condition without parts x <= number, where the launch has x or a multiple of x rows of
  // threads.
  static ExprP withoutRoom(const ExprP &e, const HostStep &launch) {
    if (!e || e->kind != ExprKind::Binary)
      return e;
    if (e->name == "&&") {
      ExprP a = withoutRoom(e->args[0], launch), b = withoutRoom(e->args[1], launch);
      return a && b ? binary("&&", a, b, e->type) : a ? a : b;
    }
    const ExprP &rows = launch.threads[1];
    bool isRoom = e->name == "<=" && e->args[1]->kind == ExprKind::Int && rows &&
                  (sameTree(e->args[0], rows) ||
                   (rows->kind == ExprKind::Binary && rows->name == "*" &&
                    rows->args[1]->kind == ExprKind::Int && sameTree(e->args[0], rows->args[0])));
    return isRoom ? nullptr : e;
  }

  void step(const HostStep &s, const Frame &f) {
    if (s.kind != HostKind::Loop)
      widthsOnHost(s.condition, f);
    switch (s.kind) {
    case HostKind::Sequence: {
      int site = sites++;
      for (size_t n = 0; n < s.children.size(); n++) {
        Frame inner = f;
        inner.path.push_back({PathItem::Host, f.scope.constant(int64_t(n)), site});
        step(s.children[n], inner);
      }
      return;
    }
    case HostKind::Choice:
      choice(s, f);
      return;
    case HostKind::Loop:
      skeleton(s.loop, s, f);
      return;
    case HostKind::Launch:
      launch(s, f);
      return;
    }
  }

  // The fallback, which is right everywhere; then each alternative where it is legal, whether it is
  // profitable or not: which of them the host takes may change from one time to the next.
  void choice(const HostStep &s, const Frame &f) {
    if (s.children.size() != 1) {
      out.findings.push_back({"positions", "a choice without a fallback"});
      return;
    }
    Range fallback{out.positions.size(), 0, out.combinations.size(), 0};
    step(fallbackOf(s), f);
    fallback.positionsEnd = out.positions.size();
    fallback.combinationsEnd = out.combinations.size();
    for (const HostAlternative &a : s.alternatives) {
      for (const ExprP &e : {a.legalIf, a.profitableIf})
        widthsOnHost(e, f);
      alternative(a, fallback, f);
    }
  }

  // Reads the alternative where it is legal, in place of the fallback.
  void alternative(const HostAlternative &a, Range fallback, const Frame &f) {
    if (a.runtimeDecides &&
        (a.body.kind != HostKind::Launch || !k.kernels[size_t(a.body.kernel)].isResident())) {
      out.findings.push_back(
          {"positions", "the runtime decides about what is not a launch of a resident kernel"});
      return;
    }
    std::optional<isl::set> legal = legalSizes(a, f.scope);
    if (!legal) {
      out.findings.push_back({"positions", "a condition cannot be read: " + print(a.legalIf)});
      return;
    }
    Frame here = f;
    here.executed = meet(f.executed, *legal);
    here.certain = meet(f.certain, *legal);
    PositionReport part;
    part.isPart = !a.runtimeDecides;
    part.context = meet(out.context, withoutUnknowns(*legal));
    std::swap(out, part);
    const HostAlternative *outer = reading;
    reading = &a;
    step(a.body, here);
    reading = outer;
    std::swap(out, part);
    // What it replaces, there.
    std::vector<SchedulePosition> replaced(out.positions.begin() + long(fallback.positions),
                                           out.positions.begin() + long(fallback.positionsEnd));
    for (SchedulePosition &position : replaced)
      position.executed = meet(position.executed, *legal);
    if (part.isPart && !doTheSame(part.positions, replaced, here.path.size()))
      part.findings.push_back(
          {"cover",
           fmt::format("{} does not execute the instances of the launches that it replaces",
                       k.kernels[size_t(firstLaunch(a.body).kernel)].name)});
    if (outer) { // whose positions are not those of the fallbacks
      part.findings.push_back({"positions", "a choice inside an alternative of another"});
      fallback = {0, 0, 0, 0};
    }
    replacements.push_back({std::move(part), fallback});
  }

  // What was read of the fallbacks that go on beside the alternative.
  void addAround(Replacement &r) const {
    PositionReport &report = r.report;
    addOutside(report.isPart ? report.around : report.positions, out.positions,
               r.replaced.positions, r.replaced.positionsEnd);
    if (!report.isPart)
      addOutside(report.combinations, out.combinations, r.replaced.combinations,
                 r.replaced.combinationsEnd);
  }

  // Whether the instances are the same for all values of the host's loops around.
  bool doTheSame(const std::vector<SchedulePosition> &a, const std::vector<SchedulePosition> &b,
                 size_t around) const {
    auto executed = [&](const std::vector<SchedulePosition> &positions) {
      std::map<std::string, isl::map> all;
      for (const SchedulePosition &position : positions) {
        std::vector<isl::pw_aff> values;
        for (size_t n = 0; n < around && n < position.coordinates.size(); n++)
          values.push_back(position.coordinates[n].value);
        isl::map where = relationTo(position, values, position.executed);
        auto [at, isNew] = all.emplace(position.statement, where);
        if (!isNew)
          at->second = at->second.unite(where);
      }
      return all;
    };
    std::map<std::string, isl::map> first = executed(a), second = executed(b);
    return first.size() == second.size() &&
           std::all_of(first.begin(), first.end(), [&](const auto &one) {
             auto other = second.find(one.first);
             return other != second.end() && one.second.is_equal(other->second);
           });
  }

  // The host's loops and guards around the steps of a Loop.
  void skeleton(const StmtP &s, const HostStep &h, Frame f) {
    switch (s->kind) {
    case StmtKind::For:
      if (enterLoop(*s, f, PathItem::Host, sites, unknowns, out.findings))
        skeleton(s->body[0], h, f);
      return;
    case StmtKind::If:
      for (size_t n = 0; n < s->body.size(); n++) {
        Frame branch = f;
        if (restrictFrame(branch, n == 0 ? s->exprs[0] : unary("!", s->exprs[0], kI32),
                          out.findings))
          skeleton(s->body[n], h, branch);
      }
      return;
    case StmtKind::Block:
      if (s->body.empty()) {
        step(h.children[0], f);
        return;
      }
      {
        int site = sites++; // one piece of a loop after the other
        for (size_t n = 0; n < s->body.size(); n++) {
          const StmtP &b = s->body[n];
          if (b->kind == StmtKind::Declare) {
            declareValue(*b, f);
            continue;
          }
          Frame inner = f;
          inner.path.push_back({PathItem::Host, f.scope.constant(int64_t(n)), site});
          skeleton(b, h, inner);
        }
      }
      return;
    default:
      out.findings.push_back(
          {"positions", "a host loop contains a statement that the verifier does not know"});
    }
  }

  void launch(const HostStep &s, Frame f) {
    const Kernel &kernel = k.kernels[s.kernel];
    bool writes = false; // an empty kernel does no harm, nor does a reduction of nothing
    walkStmts(kernel.body, [&](const StmtP &x) {
      writes |= x->kind == StmtKind::Leave ||
                ((x->kind == StmtKind::Assign || x->kind == StmtKind::Copy) &&
                 baseOf(x->exprs[0]) && p.arrays.count(baseOf(x->exprs[0])->name));
    });
    if (!containsInstance(kernel.body) && writes)
      out.findings.push_back(
          {"positions", kernel.name + ": a kernel without instances leaves or writes results"});
    if (kernel.isResident() && !(reading && reading->runtimeDecides))
      out.findings.push_back(
          {"positions",
           kernel.name + ": a resident kernel in a shape that the runtime has not chosen"});
    if (s.condition) {
      std::optional<isl::set> when = chosen(s.condition, f.scope);
      if (!when) {
        out.findings.push_back({"positions", "a condition cannot be read: " + print(s.condition)});
        return;
      }
      f.executed = meet(f.executed, *when);
      f.certain = meet(f.certain, *when);
    }
    for (const ExprP &e : s.threads)
      launchValue(e, f);
    for (const KernelParameter &q : kernel.parameters)
      if (q.buffer < 0)
        launchValue(q.value, f);
    KernelReader(p, kernel, s, f, sites, unknowns, out, reading).run();
  }

  // Where the condition holds. Parts that are not affine, and depend on what the host got alone,
  // may hold or not: each is a parameter of its own, the same wherever the part comes again.
  std::optional<isl::set> chosen(const ExprP &e, const AffineScope &scope) {
    if (std::optional<isl::set> c = scope.condition(e))
      return c;
    if (e->kind == ExprKind::Unary && e->name == "!") {
      std::optional<isl::set> a = chosen(e->args[0], scope);
      return a ? std::optional(a->complement()) : std::nullopt;
    }
    if (e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||")) {
      std::optional<isl::set> a = chosen(e->args[0], scope), b = chosen(e->args[1], scope);
      if (!a || !b)
        return std::nullopt;
      return e->name == "&&" ? meet(*a, *b) : a->unite(*b);
    }
    bool isKnown = true;
    walk(e, [&](const ExprP &x) {
      bool isScalar = x->kind == ExprKind::Var &&
                      std::any_of(k.scalars.begin(), k.scalars.end(),
                                  [&](const Parameter &q) { return q.name == x->name; });
      isKnown &= isScalar || x->kind == ExprKind::Int || x->kind == ExprKind::Cast ||
                 x->kind == ExprKind::Binary || x->kind == ExprKind::Min ||
                 x->kind == ExprKind::Max || x->kind == ExprKind::FloorDiv ||
                 x->kind == ExprKind::Unary || x->kind == ExprKind::Select;
      return isKnown;
    });
    if (!isKnown)
      return std::nullopt;
    size_t number = 0;
    while (number < choices.size() && !sameTree(choices[number], e))
      number++;
    if (number == choices.size())
      choices.push_back(e);
    AffineScope unknown = scope;
    return unknown.addUnknown("choice", fmt::format("choice!{}", number)).gt_set(scope.constant(0));
  }

  std::vector<ExprP> choices; // parts of conditions that are not affine
  const Program &p;
  const Kernels &k;
  const HostAlternative *reading = nullptr; // the alternative whose launches are being read
  PositionReport out;
  std::vector<Replacement> replacements;
  int sites = 0, unknowns = 0;
};

} // namespace

// Merging pieces takes a while, and pays where there are many.
static isl::set inFewPieces(const isl::set &s) {
  return isl_set_n_basic_set(s.get()) > 4 ? s.coalesce() : s;
}

std::vector<PositionReport> readPositions(const Program &p, const Kernels &k) {
  std::vector<PositionReport> reports = HostReader(p, k).run();
  for (PositionReport &report : reports) {
    addTargets(p, report);
    if (!report.findings.empty())
      continue; // kernels that are wrong, or made anew
    for (SchedulePosition &position : report.positions)
      position.executed = inFewPieces(position.executed);
  }
  return reports;
}

// The part of the graph whose dimensions from `first` on have these values.
static isl::set withValues(isl::set graph, const std::vector<isl::pw_aff> &values, int first) {
  isl::space space = graph.get_space();
  for (size_t n = 0; n < values.size(); n++) {
    isl_space *target =
        isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(values[n].get()));
    isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(values[n].copy(), target));
    graph = meet(graph, dimensionOn(space, first + int(n)).eq_set(lifted));
  }
  return graph;
}

// The instances' iterators in terms of the unknowns, over all unknowns in `when`, with room for
// `more` values.
static isl::set iteratorsOf(const SchedulePosition &position, const isl::set &when, int more) {
  isl::space space = anonymousSpace(when.ctx(), int(position.values.size()) + more);
  return withValues(isl::set::universe(space).intersect_params(when), position.values, 0);
}

// The same for one value: asked for again and again, mostly for the same set.
static const isl::set &iteratorsOf(const SchedulePosition &position, const isl::set &when) {
  if (position.iterators.is_null() || position.iteratorsWhen.get() != when.get()) {
    position.iterators = iteratorsOf(position, when, 1);
    position.iteratorsWhen = when;
  }
  return position.iterators;
}

isl::map relationTo(const SchedulePosition &position, const std::vector<isl::pw_aff> &values,
                    const isl::set &when) {
  int iterators = int(position.values.size());
  isl::set graph = withValues(values.size() == 1 ? iteratorsOf(position, when)
                                                 : iteratorsOf(position, when, int(values.size())),
                              values, iterators);
  // Unknowns other than the program's parameters are quantified away.
  graph = withoutUnknowns(graph);
  isl_map *m = isl_map_move_dims(isl_map_from_range(graph.release()), isl_dim_in, 0, isl_dim_out, 0,
                                 iterators);
  return isl::manage(isl_map_set_tuple_name(m, isl_dim_in, position.statement.c_str()));
}

} // namespace nw
