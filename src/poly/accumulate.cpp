// Sums that are accumulated in a variable.
#include "poly/accumulate.h"
#include <algorithm>

namespace nw {

namespace {

// Positions among siblings are made room between.
constexpr int kRoom = 3;
const char *const kFirst = "_first", *const kLast = "_last";

isl::set withoutLevels(isl::set s, const std::vector<size_t> &levels) {
  for (size_t n = levels.size(); n-- > 0;)
    s = projectOut(s, int(levels[n]), 1);
  return s;
}

isl::map withoutLevels(isl::map m, const std::vector<size_t> &levels, const std::string &name) {
  for (size_t n = levels.size(); n-- > 0;)
    m = projectOutInputs(m, int(levels[n]), 1);
  return namedInput(m, name);
}

isl::map unnamedOutput(const isl::map &m) {
  return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out));
}

const isl::map *mapOf(const std::vector<isl::map> &all, const std::string &statement) {
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const isl::map &m) { return inputTupleOf(m) == statement; });
  return found == all.end() ? nullptr : &*found;
}

size_t dimensionsOf(const isl::map &times) { return size_t(isl_map_dim(times.get(), isl_dim_out)); }

// The dimensions of the times up to the first that varies.
std::vector<long> constantsOf(const isl::map &times) {
  std::vector<long> values;
  for (size_t d = 0; d < dimensionsOf(times); d++) {
    isl::val v = isl::manage(isl_map_plain_get_val_if_fixed(times.get(), isl_dim_out, unsigned(d)));
    std::optional<long> value = longOf(v);
    if (!value)
      break;
    values.push_back(*value);
  }
  return values;
}

// All instances at one time.
isl::map at(const isl::set &domain, const std::vector<long> &time) {
  isl_map *m = isl_map_from_domain(domain.copy());
  m = isl_map_add_dims(m, isl_dim_out, unsigned(time.size()));
  for (size_t d = 0; d < time.size(); d++)
    m = isl_map_fix_si(m, isl_dim_out, unsigned(d), int(time[d]));
  return isl::manage(m);
}

// The loops of a sum, by their levels.
struct Sum {
  std::vector<size_t> reduced; // over which it sums up
  std::vector<size_t> outer;   // of which a thread has one value
};

class Accumulation {
public:
  Accumulation(const Program &program, const PaysToAccumulate &pays) : p(program), pays(pays) {}

  std::optional<ScalarReplaced> run(const Schedule &schedule) {
    ScalarReplaced out{p, schedule};
    collect(out.schedule.root);
    if (sums.empty())
      return std::nullopt;
    out.program.statements.clear();
    for (Statement s : p.statements) {
      for (int &position : s.order)
        position *= kRoom;
      if (auto sum = sums.find(s.name); sum != sums.end())
        split(s, sum->second, out.program);
      else
        out.program.statements.push_back(s);
    }
    addToSteps(out.schedule.root, out.program);
    madeOf(out.program, p, Rewriting::Accumulation);
    return out;
  }

private:
  void collect(const Step &s) {
    for (const Step &c : s.children)
      collect(c);
    if (s.kind != StepKind::Parallel || s.parallel.size() < 2)
      return;
    for (const std::string &name : s.statements)
      if (std::optional<Sum> sum = sumOf(s, *p.find(name)); sum && pays(s, *p.find(name)))
        sums.emplace(name, *sum);
  }

  // How the statement sums up, where its element is one of a thread.
  std::optional<Sum> sumOf(const Step &step, const Statement &s) const {
    if (!s.reduction || s.reduction->kind != ReductionKind::Sum || !isPlain(s))
      return std::nullopt;
    std::vector<isl::map> threads = mapsOf(threadsOf(step));
    const isl::map *thread = mapOf(threads, s.name);
    if (!thread)
      return std::nullopt;
    Sum sum;
    isl::set apart = isl::manage(isl_set_detect_equalities(
        isl_map_deltas(thread->apply_range(thread->reverse()).release())));
    for (size_t k = 0; k < s.loops.size(); k++) {
      isl::val v =
          isl::manage(isl_set_plain_get_val_if_fixed(apart.get(), isl_dim_set, unsigned(k)));
      (longOf(v) == 0 ? sum.outer : sum.reduced).push_back(k);
    }
    for (size_t k : sum.reduced)
      if (mentions(s.reduction->target, p.loop(s.loops[k]).counter))
        return std::nullopt;
    if (sum.reduced.empty() || isTouchedIn(s.loops[sum.reduced[0]], s))
      return std::nullopt;
    // One sum for each thread; several of one element in different iterations of loops around.
    isl::map around = identityOn(s.domain);
    around =
        isl::manage(isl_map_project_out(around.release(), isl_dim_out, unsigned(sum.reduced[0]),
                                        unsigned(s.loops.size() - sum.reduced[0])));
    isl::map element = isl::manage(isl_map_flat_range_product(
        unnamedOutput(around).release(), unnamedOutput(writeOf(s).relation).release()));
    bool isOne = withoutLevels(*thread, sum.reduced, s.name).is_injective() &&
                 withoutLevels(element, sum.reduced, s.name).is_injective();
    return isOne ? std::optional(sum) : std::nullopt;
  }

  static const Access &writeOf(const Statement &s) {
    return *std::find_if(s.accesses.begin(), s.accesses.end(),
                         [](const Access &a) { return a.isWrite; });
  }

  // Whether another statement in the loop touches the array of the sum.
  bool isTouchedIn(int loop, const Statement &sum) const {
    return std::any_of(p.statements.begin(), p.statements.end(), [&](const Statement &x) {
      return x.name != sum.name && std::count(x.loops.begin(), x.loops.end(), loop) &&
             std::any_of(x.accesses.begin(), x.accesses.end(),
                         [&](const Access &a) { return a.array == sum.reduction->array; });
    });
  }

  // Into an element of the user's memory, by a single assignment, at a width in which C computes.
  bool isPlain(const Statement &s) const {
    const Reduction &r = *s.reduction;
    const Array &array = p.arrays.at(r.array);
    bool isComputed = r.type.isFloat()
                          ? r.type.scalar == Scalar::F32 || r.type.scalar == Scalar::F64
                          : bitsOf(r.type.scalar) >= 32;
    if (s.body->kind != StmtKind::Assign || !sameTree(s.body->exprs[0], r.target) || !isComputed ||
        r.target->kind != ExprKind::Index || array.kind != ArrayKind::Memory || array.slots)
      return false;
    return std::all_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
      return a.array != r.array ||
             (a.isCertain && (a.isMust || !a.isWrite) && a.relation.is_single_valued());
    });
  }

  // S becomes: variable = 0; S with the variable; element = element + variable.
  void split(const Statement &s, const Sum &sum, Program &out) {
    const Reduction &r = *s.reduction;
    std::string name = freshName(out, r.array + "_sum");
    ExprP variable = var(name, r.type);
    declare(s, sum, name, out);
    const Access &write = writeOf(s);
    auto made = [&](const char *end, int position) {
      Statement x = s;
      x.name = s.name + end;
      x.reduction.reset();
      x.operations = 1;
      x.domain = named(withoutLevels(s.domain, sum.reduced), x.name);
      x.loops.clear();
      for (size_t k : sum.outer)
        x.loops.push_back(k < sum.reduced[0] ? s.loops[k] : copyOf(s.loops[k], out));
      x.order.assign(s.order.begin(), s.order.begin() + long(sum.reduced[0]) + 1);
      x.order.back() += position;
      x.order.resize(x.loops.size() + 1, 0);
      return x;
    };
    Statement first = made(kFirst, -1), inner = s, last = made(kLast, 1);
    auto own = [&](const Statement &x, bool isWrite) {
      isl::map relation = identityOn(x.domain);
      for (size_t n = sum.reduced.size(); x.name == s.name && n-- > 0;)
        relation = isl::manage(
            isl_map_project_out(relation.release(), isl_dim_out, unsigned(sum.reduced[n]), 1));
      return Access{name, namedOutput(relation, name), isWrite, true, isWrite, {variable}};
    };
    auto element = [&](bool isWrite) {
      Access a = write;
      a.relation = withoutLevels(write.relation, sum.reduced, last.name);
      a.isWrite = a.isMust = isWrite;
      a.spellings = {r.target};
      return a;
    };
    first.body = assign(variable, r.type.isFloat() ? floatConst(0, r.type) : intConst(0, r.type),
                        s.body->at);
    first.accesses = {own(first, true)};
    last.body = assign(r.target, binary("+", r.target, variable, r.type), s.body->at);
    last.accesses = {element(false), own(last, false), element(true)};
    inner.body =
        rewriteExprs(s.body, [&](const ExprP &e) { return sameTree(e, r.target) ? variable : e; });
    inner.reduction = Reduction{name, r.kind, variable, r.type, r.byFunction};
    for (Access &a : inner.accesses)
      if (a.array == r.array)
        a = own(s, a.isWrite);
    targets[s.name] = r.array;
    for (const Statement &x : {first, inner, last})
      out.statements.push_back(x);
  }

  // Another loop with the same counter.
  static int copyOf(int loop, Program &out) {
    SourceLoop copy = out.loop(loop);
    copy.id = int(out.loops.size());
    copy.promise = Promise::None; // it was about other statements
    copy.reductions.clear();
    out.loops.push_back(copy);
    return copy.id;
  }

  void declare(const Statement &s, const Sum &sum, const std::string &name, Program &out) const {
    Array a;
    a.name = a.variable.name = a.variable.spelling = name;
    a.variable.type = s.reduction->type;
    a.variable.inside = true;
    a.variable.liveAfter = a.variable.addressKnown = false;
    a.kind = ArrayKind::Private;
    for (size_t k : sum.outer)
      a.privateLoops.push_back(s.loops[k]);
    a.privateDepth = int(a.privateLoops.size());
    a.elementBytes = bytesOf(a.variable.type.scalar);
    out.region.variables[name] = a.variable;
    out.arrays.emplace(name, a);
  }

  // ---- when ----

  void addToSteps(Step &s, const Program &made) const {
    for (Step &c : s.children)
      addToSteps(c, made);
    for (const auto &[name, sum] : sums)
      if (std::count(s.statements.begin(), s.statements.end(), name)) {
        addTo(s.dimension, name, sum);
        for (std::vector<Dimension> *dimensions : {&s.parallel, &s.around})
          for (Dimension &d : *dimensions)
            addTo(d, name, sum);
        if (!s.inside.is_null())
          addTimes(s, name, made);
        s.statements.push_back(name + kFirst);
        s.statements.push_back(name + kLast);
      }
  }

  static void addTo(Dimension &d, const std::string &name, const Sum &sum) {
    if (d.value.is_null())
      return;
    for (const isl::map &m : mapsOf(d.value))
      if (inputTupleOf(m) == name)
        for (const char *end : {kFirst, kLast})
          d.value = d.value.unite(isl::union_map(withoutLevels(m, sum.reduced, name + end)));
  }

  // One more dimension in front of the sum's loops: the variable is set before them, and what came
  // before goes behind them where nothing of the step is in the way.
  void addTimes(Step &s, const std::string &name, const Program &made) const {
    std::vector<isl::map> all = mapsOf(s.inside);
    const isl::map &own = *mapOf(all, name);
    std::vector<long> before = constantsOf(own);
    auto time = [&](long value) {
      std::vector<long> out = before;
      out.push_back(value);
      out.resize(dimensionsOf(own) + 1, 0);
      return out;
    };
    isl::union_map inside(p.isl->get(), "{ }");
    auto put = [&](const std::string &statement, long value) {
      inside = inside.unite(isl::union_map(at(made.find(statement)->domain, time(value))));
    };
    std::map<std::vector<long>, std::string> behind = sinking(s, all, name, before, made);
    std::set<std::string> sunk;
    long position = 1;
    for (const auto &[was, statement] : behind) {
      put(statement, position++);
      sunk.insert(statement);
    }
    put(name + kFirst, -1);
    put(name + kLast, position);
    unsigned where = unsigned(before.size());
    for (const isl::map &m : all)
      if (!sunk.count(inputTupleOf(m))) {
        isl_map *longer = isl_map_insert_dims(m.copy(), isl_dim_out, where, 1);
        inside = inside.unite(
            isl::union_map(isl::manage(isl_map_fix_si(longer, isl_dim_out, where, 0))));
      }
    s.inside = inside;
    s.insideNames.resize(std::max<size_t>(s.insideNames.size(), where));
    s.insideNames.insert(s.insideNames.begin() + where, "");
  }

  // Statements, by their times, that touch the element before the sum and can as well do so behind
  // it: no other of the step has to do with them.
  std::map<std::vector<long>, std::string> sinking(const Step &s, const std::vector<isl::map> &all,
                                                   const std::string &sum,
                                                   const std::vector<long> &before,
                                                   const Program &made) const {
    std::map<std::vector<long>, std::string> found;
    std::set<std::string> sunk;
    for (const isl::map &m : all) {
      const Statement &x = *made.find(inputTupleOf(m));
      std::vector<long> time = constantsOf(m);
      bool writesIt = std::any_of(x.accesses.begin(), x.accesses.end(), [&](const Access &a) {
        return a.isWrite && a.array == targets.at(sum);
      });
      if (writesIt && time.size() == dimensionsOf(m) && time < before &&
          found.emplace(time, x.name).second)
        sunk.insert(x.name);
    }
    for (const std::string &name : sunk)
      for (const std::string &other : s.statements)
        if (!sunk.count(other) && conflict(*made.find(name), *made.find(other)))
          return {};
    return found;
  }

  // Whether one touches an array that the other writes.
  static bool conflict(const Statement &a, const Statement &b) {
    for (const Access &x : a.accesses)
      for (const Access &y : b.accesses)
        if (x.array == y.array && (x.isWrite || y.isWrite))
          return true;
    return false;
  }

  const Program &p;
  const PaysToAccumulate &pays;
  std::map<std::string, Sum> sums;
  std::map<std::string, std::string> targets; // arrays of the sums
};

} // namespace

std::optional<ScalarReplaced> accumulate(const Program &program, const Schedule &schedule,
                                         const PaysToAccumulate &pays) {
  return Accumulation(program, pays).run(schedule);
}

} // namespace nw
