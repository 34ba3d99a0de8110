// Snapshots and expansions.
#include "poly/rename.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// The statement with `element` in place of every expression that is read, or written.
StmtP withElements(const StmtP &s, const std::function<ExprP(const ExprP &)> &read,
                   const std::function<ExprP(const ExprP &)> &written) {
  auto copy = std::make_shared<Stmt>(*s);
  for (size_t k = 0; k < s->exprs.size(); k++)
    copy->exprs[k] = rewrite(s->exprs[k], s->kind == StmtKind::Assign && k == 0 ? written : read);
  for (StmtP &b : copy->body)
    b = withElements(b, read, written);
  if (s->loop.start)
    copy->loop.start = rewrite(s->loop.start, read);
  if (s->loop.condition)
    copy->loop.condition = rewrite(s->loop.condition, read);
  return copy;
}

class Renamer {
public:
  Renamer(const Program &p, size_t count) : out(p), scale(2 * int(count) + 2) {
    madeOf(out, p, Rewriting::Renaming);
    for (Statement &s : out.statements) // so that there is room between any two
      for (int &element : s.order)
        element = (element + 1) * scale;
    for (const SourceLoop &l : p.loops)
      isWide |= bitsOf(l.type.scalar) > 32 || l.type.scalar == Scalar::U32;
    for (const Parameter &q : p.parameters)
      isWide |= bitsOf(q.type.scalar) > 32 || q.type.scalar == Scalar::U32;
  }

  void snapshot(const Renaming &r) {
    const Array array = out.arrays.at(r.array);
    Array own = ownArray(array, r.array + "_before", array.extents, 0);
    Statement first = out.statements[r.reads[0].first];
    isl::set instances; // [iterators of the loops around, subscripts]
    for (auto [k, n] : r.reads) {
      Statement &s = out.statements[k];
      Access &a = s.accesses[n];
      isl::set one = isl::manage(isl_map_range(
          isl_map_flat_range_product(iterators(s, levelsBelow(r.depth)).release(),
                                     isl_map_reset_tuple_id(a.relation.copy(), isl_dim_out))));
      instances = instances.is_null() ? one : instances.unite(one);
      auto change = [&](const ExprP &e) {
        return std::any_of(a.spellings.begin(), a.spellings.end(),
                           [&](const ExprP &x) { return sameTree(x, e); })
                   ? withBase(e, own.name)
                   : e;
      };
      s.body = withElements(s.body, change, [](const ExprP &e) { return e; });
      if (s.reduction &&
          s.reduction->array == array.name) // it does not reduce into what it reads any more
        s.reduction.reset();
      for (ExprP &e : a.spellings)
        e = withBase(e, own.name);
      a.array = own.name;
      a.relation = namedOutput(a.relation, own.name);
    }
    Statement copy = copyStatement(
        instances, std::vector<int>(first.loops.begin(), first.loops.begin() + long(r.depth)),
        array, first.at);
    for (size_t k = 0; k < r.depth; k++)
      copy.order[k] = first.order[k];
    copy.order[r.depth] = first.order[r.depth] - 1 - made;
    remember(own);
    copyFrom(copy, array.name, r.depth, own.name, r.depth);
    size_t element = 0; // before all of the loop
    while (out.statements[element].loops.size() <= r.depth ||
           out.statements[element].loops[r.depth] != r.loop)
      element++;
    add(copy, element);
  }

  void expansion(const Renaming &r) {
    const Array array = out.arrays.at(r.array);
    Array own = ownArray(array, r.array + "_each", r.extents, int(r.levels.size()));
    size_t last = 0;
    Statement user;
    for (size_t k = 0; k < out.statements.size(); k++) {
      Statement &s = out.statements[k];
      bool uses = false;
      ExprP base = var(own.name, array.variable.type);
      for (size_t level : r.levels)
        if (level < s.loops.size())
          base = index(base, var(out.loop(s.loops[level]).counter, out.loop(s.loops[level]).type),
                       array.variable.type);
      auto change = [&](const ExprP &e) {
        return e->kind == ExprKind::Var && e->name == array.name ? base : e;
      };
      for (Access &a : s.accesses)
        if (a.array == array.name) {
          uses = true;
          a.relation = namedOutput(isl::manage(isl_map_flat_range_product(
                                       iterators(s, r.levels).release(),
                                       isl_map_reset_tuple_id(a.relation.copy(), isl_dim_out))),
                                   own.name);
          a.array = own.name;
          for (ExprP &e : a.spellings)
            e = rewrite(e, change);
        }
      if (!uses)
        continue;
      user = s;
      s.body = withElements(s.body, change, change);
      if (s.reduction && s.reduction->array == array.name) {
        s.reduction->array = own.name;
        s.reduction->target = rewrite(s.reduction->target, change);
      }
    }
    for (size_t k = 0; k < out.statements.size(); k++) // behind all of the outermost loop
      if (!out.statements[k].loops.empty() && out.statements[k].loops[0] == user.loops[0])
        last = k + 1;
    isl::set instances; // [iterators, subscripts]
    for (const isl::map &m : mapsOf(r.lastWriters)) {
      const Statement &writer = *out.find(inputTupleOf(m));
      isl::set one = isl::manage(isl_map_range(isl_map_flat_range_product(
          iterators(writer, r.levels).release(), isl_map_reset_tuple_id(m.copy(), isl_dim_out))));
      instances = instances.is_null() ? one : instances.unite(one);
    }
    if (instances.is_null() || instances.is_empty()) { // nobody looks at it
      out.arrays.erase(array.name);
      remember(own);
      return;
    }
    Statement copy = copyStatement(instances, {}, array, user.at);
    copy.order[0] = user.order[0] + 1 + made;
    remember(own);
    copyFrom(copy, own.name, 0, array.name, r.levels.size());
    add(copy, last);
  }

  Program finished() {
    std::stable_sort(copies.begin(), copies.end(),
                     [](auto &a, auto &b) { return a.first > b.first; });
    for (auto &[element, copy] : copies)
      out.statements.insert(out.statements.begin() + long(element), copy);
    return std::move(out);
  }

private:
  static std::vector<size_t> levelsBelow(size_t depth) {
    std::vector<size_t> levels(depth);
    for (size_t k = 0; k < depth; k++)
      levels[k] = k;
    return levels;
  }

  // S[i, j, k] -> [i, k] for the levels 0 and 2.
  isl::map iterators(const Statement &s, const std::vector<size_t> &levels) const {
    isl::map m = isl::manage(isl_map_from_domain_and_range(
        s.domain.copy(), isl_set_universe(anonymousSpace(out.isl->get(), 0).release())));
    for (size_t level : levels) {
      isl::map one =
          isl::manage(isl_map_from_pw_aff(dimensionOn(s.domain.get_space(), int(level)).release()))
              .intersect_domain(s.domain);
      m = isl::manage(isl_map_flat_range_product(m.release(), one.release()));
    }
    return m;
  }

  static ExprP withBase(const ExprP &element, const std::string &name) {
    return rewrite(element, [&](const ExprP &e) {
      return e->kind == ExprKind::Var && e->name == baseOf(element)->name ? var(name, e->type) : e;
    });
  }

  Array ownArray(const Array &of, const std::string &name, const std::vector<ExprP> &extents,
                 int leading) const {
    Array own = of;
    own.name = freshName(out, name);
    own.standsFor = of.name;
    own.leading = leading;
    own.extents = extents;
    Variable v;
    v.name = v.spelling = own.name;
    v.type = of.variable.type;
    v.extents = extents;
    v.inside = true;
    v.liveAfter = v.addressKnown = false;
    own.variable = v;
    return own;
  }

  // A statement over these instances inside of the given loops; the other dimensions get loops of
  // their own.
  Statement copyStatement(const isl::set &instances, const std::vector<int> &around,
                          const Array &array, const Location &at) {
    Statement s;
    s.name = fmt::format("T{}", made);
    s.isCopy = true;
    s.at = at;
    s.operations = 3;
    s.domain = named(instances.coalesce(), s.name);
    s.loops = around;
    for (size_t k = around.size(); k < size_t(dimsOf(instances)); k++) {
      int id = int(out.loops.size());
      out.loops.push_back({id, freshName(out, fmt::format("{}_{}", array.name, k - around.size())),
                           isWide ? kI64 : kI32, 1, at});
      s.loops.push_back(id);
    }
    s.order.assign(s.loops.size() + 1, 0);
    return s;
  }

  // Its body and accesses: its iterators from `fromFirst` on are subscripts of `from`, those from
  // `toFirst` on are subscripts of `to`.
  void copyFrom(Statement &s, const std::string &from, size_t fromFirst, const std::string &to,
                size_t toFirst) const {
    auto access = [&](const std::string &name, size_t first, bool isWrite) {
      std::vector<size_t> levels;
      const Type &type = out.arrays.at(name).variable.type;
      const std::vector<ExprP> &flat = out.arrays.at(name).flatSizes;
      ExprP element = at(var(name, type), s.at), row;
      for (size_t k = first; k < s.loops.size(); k++) {
        levels.push_back(k);
        ExprP subscript = var(out.loop(s.loops[k]).counter, out.loop(s.loops[k]).type);
        if (!flat.empty()) // all subscripts as one
          row = row ? binary("+", binary("*", row, cast(flat[k - first - 1], kI64), kI64),
                             cast(subscript, kI64), kI64)
                    : cast(subscript, kI64);
        else
          element = at(index(element, subscript, type), s.at);
      }
      if (row)
        element = at(index(element, row, type), s.at);
      s.accesses.push_back(
          {name, namedOutput(iterators(s, levels), name), isWrite, true, isWrite, {element}});
      return element;
    };
    ExprP source = access(from, fromFirst, false), target = access(to, toFirst, true);
    s.body = assign(target, source, s.at);
  }

  void remember(const Array &own) {
    out.region.variables[own.name] = own.variable;
    out.arrays.emplace(own.name, own);
  }

  void add(const Statement &copy, size_t element) {
    copies.push_back({element, copy});
    made++;
  }

  Program out;
  int scale, made = 0;
  std::vector<std::pair<size_t, Statement>> copies; // and the statement before which each stands
  bool isWide = false;
};

} // namespace

Program withRenamings(const Program &p, const std::vector<Renaming> &all) {
  Renamer renamer(p, all.size());
  for (const Renaming &r : all)
    r.kind == Renaming::Snapshot ? renamer.snapshot(r) : renamer.expansion(r);
  return renamer.finished();
}

} // namespace nw
