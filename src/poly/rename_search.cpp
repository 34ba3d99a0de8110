// The search for snapshots and expansions.
#include "poly/rename_search.h"
#include "poly/parameter_sizes.h"
#include "support/isl_pieces.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace nw {

namespace {

constexpr size_t kMostRenamings = 6, kMostSubscripts = 5;
constexpr int64_t kMostConstant =
    16; // elements of an expanded array that may come with each element of an array that is there

isl::union_map none(const Program &p) { return isl::union_map(p.isl->get(), "{ }"); }

bool haveSameLoops(const Statement &a, const Statement &b, size_t count) {
  return a.loops.size() >= count && b.loops.size() >= count &&
         std::equal(a.loops.begin(), a.loops.begin() + long(count), b.loops.begin());
}

// The pairs of m whose first `count` iterators are the same.
isl::map inOneIteration(isl::map m, size_t count) {
  for (size_t d = 0; d < count; d++)
    m = isl::manage(isl_map_equate(m.release(), isl_dim_in, unsigned(d), isl_dim_out, unsigned(d)));
  return m;
}

bool isWithin(const isl::map &m, size_t level) {
  return m.is_subset(isl::manage(
      isl_map_equate(m.copy(), isl_dim_in, unsigned(level), isl_dim_out, unsigned(level))));
}

bool isPlainArray(const Array &a) {
  return a.kind == ArrayKind::Memory && !a.isOwn() && !a.isScalar() && !a.slots &&
         !a.variable.type.isStruct() && !a.extents.empty() &&
         std::all_of(a.extents.begin() + 1, a.extents.end(),
                     [](const ExprP &e) { return e != nullptr; });
}

// Whether renaming can tell the element from all others that the body has of the array.
bool isSpelledOut(const Statement &s, const Access &access) {
  if (!access.isCertain || !access.relation.is_single_valued())
    return false;
  for (const Access &other : s.accesses)
    if (&other != &access && other.array == access.array && other.isWrite == access.isWrite)
      for (const ExprP &a : other.spellings)
        for (const ExprP &b : access.spellings)
          if (sameTree(a, b))
            return false;
  size_t spelled = 0, known = 0;
  auto count = [&](const ExprP &e) {
    if (e->kind == ExprKind::Var && e->name == access.array)
      spelled++;
    return true;
  };
  walkExprs(s.body, count);
  for (const Access &other : s.accesses)
    if (other.array == access.array)
      known += other.spellings.size();
  return spelled == known;
}

class Search {
public:
  Search(const Program &p, const Dependences &d)
      : p(p), dependences(d), order(sourceOrder(p)), sizes(p) {}

  std::vector<Renaming> run() {
    for (auto &[name, array] : p.arrays)
      if (isPlainArray(array) && isWritten(name) && hasFalseDependences(name)) {
        if (std::optional<Renaming> r = expansion(array))
          found.push_back(*r);
        else
          snapshots(array);
      }
    if (found.size() > kMostRenamings)
      found.clear();
    return found;
  }

private:
  bool isWritten(const std::string &array) const {
    return std::any_of(p.statements.begin(), p.statements.end(), [&](const Statement &s) {
      return std::any_of(s.accesses.begin(), s.accesses.end(),
                         [&](const Access &a) { return a.array == array && a.isWrite; });
    });
  }

  bool hasFalseDependences(const std::string &array) const {
    return std::any_of(dependences.all.begin(), dependences.all.end(), [&](const Dependence &d) {
      return d.array == array && d.kind != Dependence::Flow;
    });
  }

  // ---- snapshots ----

  // A write of the same instance may come before the read, unless the body is one assignment, which
  // reads first.
  static bool readsFirst(const Statement &s, const Access &read) {
    if (s.body->kind == StmtKind::Assign)
      return true;
    for (const Access &a : s.accesses)
      if (a.isWrite && a.array == read.array && !a.relation.intersect(read.relation).is_empty())
        return false;
    return true;
  }

  // Where all values come from that instances of the statement read of the array: writer -> [reader
  // -> element]. It does not matter which of the reads it is, so that all are asked for at once:
  // the 49 of a stencil are one box.
  const std::vector<isl::map> &sourcesOf(const Statement &s, const std::string &array) const {
    auto [at, isNew] = sources.try_emplace({s.name, array});
    if (isNew) {
      isl::union_map reads = none(p);
      for (const Access &a : s.accesses)
        if (a.array == array && !a.isWrite)
          reads = reads.unite(isl::union_map(a.relation));
      at->second = mapsOf(valueFlow(p, array, inFewerPieces(reads), order).sources);
    }
    return at->second;
  }

  // The outermost loop such that the read sees what the array held before it: how many loops stand
  // around that loop.
  std::optional<size_t> scopeOf(const Statement &s, const Access &read) const {
    isl::set looks = isl::manage(isl_map_wrap(read.relation.copy())); // [reader -> element]
    std::vector<isl::map> pairs;
    for (const isl::map &m : sourcesOf(s, read.array)) {
      isl::map own = m.intersect_range(looks);
      if (!own.is_empty())
        pairs.push_back(isl::manage(isl_map_range_factor_domain(own.copy())));
    }
    for (size_t d = 0; d < s.loops.size(); d++) {
      bool isBefore = true;
      for (const isl::map &m : pairs)
        isBefore &= !haveSameLoops(*p.find(inputTupleOf(m)), s, d + 1) ||
                    bool(inOneIteration(m, d).is_empty());
      if (isBefore)
        return d;
    }
    return std::nullopt;
  }

  // Whether another instance in the loop overwrites what is read.
  bool isOverwritten(const Statement &s, const Access &read, size_t depth) const {
    for (const Statement &w : p.statements)
      for (const Access &a : w.accesses)
        if (a.isWrite && a.array == read.array && haveSameLoops(w, s, depth + 1)) {
          isl::map pairs = inOneIteration(read.relation.apply_range(a.relation.reverse()), depth);
          if (!(w.name == s.name ? pairs.subtract(identityOn(s.domain)) : pairs).is_empty())
            return true;
        }
    return false;
  }

  void snapshots(const Array &array) {
    std::vector<Renaming> all;
    for (size_t k = 0; k < p.statements.size(); k++) {
      const Statement &s = p.statements[k];
      for (size_t n = 0; n < s.accesses.size(); n++) {
        const Access &a = s.accesses[n];
        if (a.array != array.name || a.isWrite || s.loops.empty() || !isSpelledOut(s, a) ||
            !readsFirst(s, a))
          continue;
        std::optional<size_t> depth = scopeOf(s, a);
        if (!depth || !isOverwritten(s, a, *depth))
          continue;
        auto same = std::find_if(all.begin(), all.end(), [&](const Renaming &r) {
          return r.depth == *depth && r.loop == s.loops[*depth];
        });
        if (same == all.end()) {
          Renaming r{Renaming::Snapshot, array.name, s.loops[*depth], *depth, {}, {}, {}, none(p)};
          same = all.insert(all.end(), r);
        }
        same->reads.push_back({k, n});
      }
    }
    found.insert(found.end(), all.begin(), all.end());
  }

  // ---- expansions ----

  std::vector<const Statement *> usersOf(const std::string &array) const {
    std::vector<const Statement *> users;
    for (const Statement &s : p.statements)
      if (std::any_of(s.accesses.begin(), s.accesses.end(),
                      [&](const Access &a) { return a.array == array; }))
        users.push_back(&s);
    return users;
  }

  // How many loops the statements share such that no value of the array passes from one iteration
  // of them to another; 0 where values come from before the region.
  static size_t depthOf(const std::vector<const Statement *> &users, const ValueFlow &flow) {
    if (!flow.none.is_empty())
      return 0;
    size_t common = users[0]->loops.size();
    for (const Statement *s : users)
      while (!haveSameLoops(*users[0], *s, common))
        common--;
    for (const isl::map &m : mapsOf(flow.sources)) {
      isl::map pair = isl::manage(isl_map_range_factor_domain(m.copy()));
      for (size_t d = 0; d < common; d++)
        if (!isWithin(pair, d))
          common = d;
    }
    return common;
  }

  // Of those loops: the ones that the array alone keeps from being parallel.
  std::vector<size_t> levelsOf(const std::string &array, const Statement &user,
                               size_t depth) const {
    struct Pair {
      bool isOfArray;
      isl::map relation;
    };
    std::vector<Pair> pairs;
    for (const Dependence &d : dependences.all)
      for (const isl::map &m : mapsOf(d.relation))
        pairs.push_back({d.array == array, m});
    std::vector<size_t> levels;
    for (size_t level = 0; level < depth; level++) {
      bool isFree = true, isKept = false;
      std::vector<Pair> inside;
      for (const Pair &x : pairs)
        if (haveSameLoops(*p.find(inputTupleOf(x.relation)), user, level + 1) &&
            haveSameLoops(*p.find(outputTupleOf(x.relation)), user, level + 1)) {
          bool is = isWithin(x.relation, level);
          isFree &= is || x.isOfArray;
          isKept |= !is && x.isOfArray;
          inside.push_back(x);
        }
      if (isFree && isKept)
        levels.push_back(level);
      pairs.clear();
      for (const Pair &x : inside) // a loop that runs in order settles what it carries
        if (isl::map rest = isl::manage(isl_map_equate(
                x.relation.copy(), isl_dim_in, unsigned(level), isl_dim_out, unsigned(level)));
            !rest.is_empty())
          pairs.push_back({x.isOfArray, rest});
    }
    return levels;
  }

  std::optional<Renaming> expansion(const Array &array) {
    if (!array.flatSizes.empty())
      return std::nullopt;
    std::vector<const Statement *> users = usersOf(array.name);
    isl::union_map reads = none(p), writes = none(p);
    for (const Statement *s : users)
      for (const Access &a : s->accesses)
        if (a.array == array.name) {
          if (!isSpelledOut(*s, a) || (a.isWrite && !a.isMust))
            return std::nullopt;
          (a.isWrite ? writes : reads) =
              (a.isWrite ? writes : reads).unite(isl::union_map(a.relation));
        }
    if (reads.is_empty())
      return std::nullopt;
    size_t depth = depthOf(users, valueFlow(p, array.name, inFewerPieces(reads), order));
    std::vector<size_t> levels =
        depth ? levelsOf(array.name, *users[0], depth) : std::vector<size_t>();
    if (levels.empty())
      return std::nullopt;
    Renaming r{Renaming::Expansion, array.name, 0, 0, {}, levels, {}, none(p)};
    isl::set when = isl::set::empty(isl::manage(isl_space_params_alloc(p.isl->get().get(), 0)));
    std::vector<std::vector<ExprP>> wanted; // for each extent: bounds to choose from
    for (size_t level : levels) {
      isl::set values;
      for (const Statement *s : users) {
        isl::set one = unnamed(projectOut(
            projectOut(unnamed(s->domain), int(level) + 1, int(s->loops.size() - level) - 1), 0,
            int(level)));
        values = values.is_null() ? one : values.unite(one);
        when = when.unite(onlyParams(s->domain));
      }
      wanted.push_back(sizes.countsOf(values));
    }
    for (const ExprP &e :
         array.extents) // of a pointer: as many as are written, which is as many as are touched
      wanted.push_back(e ? std::vector<ExprP>{e}
                         : sizes.countsOf(projectOut(unnamed(rangeOf(writes)), 1,
                                                     int(array.extents.size()) - 1)));
    r.extents = noLargerThanAnother(array, wanted, when);
    if (r.extents.empty())
      return std::nullopt;
    if (isVisibleAfter(array)) {
      std::optional<isl::union_map> last = lastWriters(array, writes);
      if (!last)
        return std::nullopt;
      r.lastWriters = *last;
    }
    return r;
  }

  static isl::set rangeOf(const isl::union_map &accesses) {
    isl::set all;
    for (const isl::map &m : mapsOf(accesses)) {
      isl::set one = m.range();
      all = all.is_null() ? one : all.unite(one);
    }
    return all;
  }

  // Extents such that memory for them is at most that of an array which is there, times a small
  // constant: each is at most one of that array's. Nothing where there is no such array.
  std::vector<ExprP> noLargerThanAnother(const Array &array,
                                         const std::vector<std::vector<ExprP>> &wanted,
                                         const isl::set &when) const {
    std::vector<ExprP> chosen(wanted.size());
    int64_t constant = 1;
    std::vector<size_t> open;
    for (size_t k = 0; k < wanted.size(); k++) {
      if (wanted[k].empty())
        return {};
      ExprP x = wanted[k][0];
      while (x->kind == ExprKind::Cast)
        x = x->args[0];
      bool isSmall = x->kind == ExprKind::Int && x->integer >= 1 && x->integer <= kMostConstant &&
                     constant * x->integer <= kMostConstant;
      if (isSmall) {
        constant *= x->integer;
        chosen[k] = wanted[k][0];
      } else {
        open.push_back(k);
      }
    }
    for (auto &[name, other] : p.arrays) {
      if (other.kind != ArrayKind::Memory || other.isOwn() || name == array.name ||
          other.elementBytes < array.elementBytes)
        continue;
      std::vector<ExprP> there = extentsOf(other);
      std::vector<size_t> element(there.size());
      std::iota(element.begin(), element.end(), 0);
      if (there.size() < open.size() || there.size() > kMostSubscripts ||
          std::count(there.begin(), there.end(), nullptr))
        continue;
      do {
        bool fits = true;
        for (size_t k = 0; k < open.size() && fits; k++) {
          auto bound =
              std::find_if(wanted[open[k]].begin(), wanted[open[k]].end(), [&](const ExprP &e) {
                return sizes.isAtMost(e, there[element[k]], when);
              });
          fits = bound != wanted[open[k]].end();
          if (fits)
            chosen[open[k]] = *bound;
        }
        for (size_t k = open.size(); k < element.size() && fits;
             k++) // rows of no elements would hold nothing
          fits = sizes.isAtMost(intConst(1), there[element[k]], when);
        if (fits)
          return chosen;
      } while (std::next_permutation(element.begin(), element.end()));
    }
    return {};
  }

  std::vector<ExprP> extentsOf(const Array &array) const {
    std::vector<ExprP> all = array.extents;
    if (all.empty())
      return {};
    if (!array.flatSizes.empty() || !all[0])
      all[0] = touchedRows(array);
    all.insert(all.end(), array.flatSizes.begin(), array.flatSizes.end());
    return all;
  }

  // Rows of an array without a first extent that certainly exist; null where that is not known.
  ExprP touchedRows(const Array &array) const {
    isl::set rows;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array.name && a.isCertain && !array.slots) {
          isl::set range = unnamed(a.relation.range()),
                   one = projectOut(range, 1, dimsOf(range) - 1);
          rows = rows.is_null() ? one : rows.unite(one);
        }
    std::vector<ExprP> counts = rows.is_null() ? std::vector<ExprP>() : sizes.countsOf(rows);
    return counts.empty() ? nullptr : counts[0];
  }

  // Who writes each element last, where all writes are certain.
  std::optional<isl::union_map> lastWriters(const Array &array,
                                            const isl::union_map &writes) const {
    int deepest = 0;
    for (const isl::map &m : mapsOf(order))
      deepest = int(isl_map_dim(m.get(), isl_dim_out));
    isl::set elements = rangeOf(writes);
    isl::set end = named(isl::set::universe(anonymousSpace(p.isl->get(), 0)), "nw_end");
    isl::map looks = isl::manage(isl_map_from_domain_and_range(end.copy(), elements.copy()));
    std::string time = "nw_end[] -> [";
    for (int k = 0; k < deepest; k++)
      time += k ? ", 0" : std::to_string(1 << 30);
    isl::union_map after = order.unite(isl::union_map(p.isl->get(), "{ " + time + "] }"));
    ValueFlow flow = valueFlow(p, array.name, isl::union_map(looks), after);
    if (!flow.none.is_empty())
      return std::nullopt;
    isl::union_map last = none(p);
    for (const isl::map &m : mapsOf(flow.sources)) // writer -> [end -> element]
      last = last.unite(isl::union_map(isl::manage(isl_map_range_factor_range(m.copy()))));
    return last;
  }

  const Program &p;
  const Dependences &dependences;
  isl::union_map order;
  mutable std::map<std::pair<std::string, std::string>, std::vector<isl::map>> sources;
  ParameterSizes sizes;
  std::vector<Renaming> found;
};

} // namespace

ValueFlow valueFlow(const Program &p, const std::string &array, const isl::union_map &reads,
                    const isl::union_map &order) {
  isl::union_map must = none(p), may = none(p);
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses)
      if (a.array == array && a.isWrite) {
        may = may.unite(isl::union_map(a.relation));
        if (a.isMust)
          must = must.unite(isl::union_map(a.relation));
      }
  isl::union_flow flow = isl::union_access_info(reads)
                             .set_must_source(must)
                             .set_may_source(may)
                             .set_schedule_map(order)
                             .compute_flow();
  return {flow.full_may_dependence(), flow.may_no_source()};
}

bool isVisibleAfter(const Array &a) {
  bool isLocal = a.variable.storage == Storage::Local && !a.variable.isPointer,
       isByValue = a.variable.storage == Storage::Parameter && !a.variable.isPointer;
  return a.variable.liveAfter || !(isLocal || isByValue);
}

std::vector<Renaming> findRenamings(const Program &p, const Dependences &d) {
  return Search(p, d).run();
}

} // namespace nw
