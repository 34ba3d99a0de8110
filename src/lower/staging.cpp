// Staging.
// Over 500 lines: one class; its parts share the tile that they build. Moves take its place
// (docs/roadmap.md).
#include "lower/staging.h"
#include "ir/flat_subscript.h"
#include "ir/linear_tree.h"
#include "kernel/box_copy.h"
#include "lower/tile_subscripts.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

namespace {

// References that differ by constants only share a box.
struct Group {
  std::vector<TileSubscript> pattern; // offsets are the smallest
  std::vector<int64_t> most;          // the largest
  std::vector<ExprP> references;
};

class ArrayStaging {
public:
  ArrayStaging(const TileSite &site, const TileBox &box, const StagedArray &plan,
               const TilePlan &tile, const Type &type)
      : site(site), p(site.context.program), box(box), plan(plan),
        vectors(tile.tail == Tail::ShiftInwards ? kNeighbours : tile.vectorBytes),
        isSingle(tile.tail == Tail::ShiftInwards), type(type) {}

  void run(Staging &out) {
    auto found = p.arrays.find(plan.array);
    if (found == p.arrays.end())
      return;
    const Array &array = found->second;
    rank = array.extents.size();
    if (array.kind != ArrayKind::Memory || array.isScalar() || array.slots ||
        array.variable.type.isStruct() || !array.flatSizes.empty() || rank == 0)
      return;
    bool isWritten = isTouched(true);
    reader.emplace(p, box, type,
                   isWritten ? block({})
                             : out.code); // slots that are stored do not follow counters
    if (isWritten)
      return storeLater(out);
    byPoints = !findLimits();
    if (byPoints && (!box.mayStore || vectors || !isReadByAll()))
      return;
    collect(out.code);
    int number = 0;
    for (const Group &g : groups) {
      if ((vectors && !isThere(g)) || (byPoints && !hasOneElementForEach(g))) // then nobody asks
        continue;
      std::string name = plan.array + "_tile" + (number ? std::to_string(number + 1) : "");
      while (p.region.variables.count(name) || site.context.dimensions.count(name) ||
             p.arrays.count(name))
        name = "nw_" + name;
      number++;
      stage(g, name, out);
    }
  }

private:
  bool isTouched(bool isWrite) const {
    for (const std::string &name : site.step.statements)
      for (const Access &a : p.find(name)->accesses)
        if (a.array == plan.array && a.isWrite == isWrite)
          return true;
    return false;
  }

  // Whether the array is read at each point, in each way: then the elements that the points of a
  // tile have are there, whatever lies between them.
  bool isReadByAll() const {
    isl::set points = valuesOf(site.view, site.step.parallel);
    for (const isl::set &s : setsOf(site.view.domain))
      for (const Access &a : p.find(tupleOf(s))->accesses)
        if (a.array == plan.array &&
            (!a.isCertain ||
             !s.intersect_params(site.view.context).is_subset(a.relation.domain()) ||
             !points.is_subset(
                 valuesOf(restrictTo(site.view, p, {tupleOf(s)}), site.step.parallel))))
          return false;
    return true;
  }

  // The positions of a box, as a Copy has them: extents and counters, and the counter of each
  // subscript that moves.
  struct Positions {
    std::vector<int64_t> extents;
    BoxCopy how;
    std::map<size_t, ExprP> at;
  };

  // ---- stores: the points write to shared memory, and the block brings a box of them to the array
  // ----

  void storeLater(Staging &out) {
    if (isTouched(false) || !box.mayStore || vectors)
      return;
    findTarget(out.code, true);
    if (!isOneTarget || groups.size() != 1 || !hasOneElementForEach(groups[0]))
      return;
    std::string name = plan.array + "_tile";
    while (p.region.variables.count(name) || site.context.dimensions.count(name) ||
           p.arrays.count(name))
      name = "nw_" + name;
    const Group &g = groups[0];
    std::vector<size_t> order = layout(g);
    Type element = g.references[0]->type;
    declareCopy(g, name, element, order, out);
    storeBox(g, name, element, order, out);
    replaceReferences(g, name, element, order, out);
  }

  // The one assignment to the array, which every point makes.
  void findTarget(const StmtP &s, bool isCertain) {
    if (s->kind == StmtKind::Assign) {
      std::vector<ExprP> subscripts;
      if (const Expr *base = baseOf(s->exprs[0]); base && base->name == plan.array) {
        isOneTarget = isCertain && groups.empty() && isReference(s->exprs[0], subscripts);
        if (isOneTarget)
          add(s->exprs[0], subscripts);
      }
    }
    bool isPoint = s->kind == StmtKind::If && box.isPoint && sameTree(s->exprs[0], box.isPoint) &&
                   s->body.size() == 1;
    for (const StmtP &b : s->body)
      findTarget(b, isCertain && (s->kind != StmtKind::If || isPoint) &&
                        (s->kind != StmtKind::For || s->loop.isUnrolled));
  }

  // Each point of the tile, and each value of the strip, has an element of its own: the box has
  // slots for these, and no others.
  bool hasOneElementForEach(const Group &g) const {
    int rows = box.height == 1, columns = box.width == 1, strips = box.strip.empty();
    for (size_t d = 0; d < g.pattern.size(); d++) {
      const TileSubscript &s = g.pattern[d];
      if (g.most[d] != s.offset)
        return false;
      rows += s.kind == TileSubscript::Row;
      columns += s.kind == TileSubscript::Column &&
                 box.width > 1; // one value may be in any number of subscripts
      strips += s.kind == TileSubscript::Strip;
      if (s.kind == TileSubscript::Inside || s.counters)
        return false;
    }
    return rows == 1 && columns == 1 && strips == 1;
  }

  // array[…] = copy[…] for the points that are there.
  void storeBox(const Group &g, const std::string &name, const Type &element,
                const std::vector<size_t> &order, Staging &out) {
    Positions m = positions(g, name);
    ExprP from = var(name, element), to = var(plan.array, element), isThere = pointIsThere(g, m);
    for (size_t d = 0; d < rank; d++)
      to = index(to,
                 g.pattern[d].kind == TileSubscript::Fixed
                     ? g.pattern[d].fixed
                     : binary("+", first(g, d), m.at.at(d), type),
                 element);
    for (size_t d : order)
      from = index(from, m.at.at(d), element);
    out.stores.push_back(
        boxCopy(name, type, m.extents, m.how, to, swizzled(g, order, from), isThere));
  }

  // That the point whose element is moved is there; null: all are.
  ExprP pointIsThere(const Group &g, const Positions &m) const {
    ExprP isThere;
    std::map<std::string, ExprP> at; // the point
    for (size_t d = 0; d < rank; d++) {
      const TileSubscript &s = g.pattern[d];
      if (s.kind == TileSubscript::Row || s.kind == TileSubscript::Column ||
          s.kind == TileSubscript::Strip)
        at[s.kind == TileSubscript::Row      ? box.y
           : s.kind == TileSubscript::Column ? box.x
                                             : box.strip] =
            binary("+",
                   var(s.kind == TileSubscript::Row      ? box.yFirst
                       : s.kind == TileSubscript::Column ? box.xFirst
                                                         : box.stripFirst,
                       type),
                   m.at.at(d), type);
    }
    at.emplace(box.y, var(box.yFirst, type)); // where the tile has one value
    at.emplace(box.x, var(box.xFirst, type));
    for (const ExprP &asked :
         {box.atEdge ? box.isPoint : nullptr, box.atEnd ? box.inStrip : nullptr})
      if (asked) {
        ExprP is = rewrite(asked, [&](const ExprP &e) {
          return e->kind == ExprKind::Var && at.count(e->name) ? cast(at.at(e->name), e->type) : e;
        });
        isThere = isThere ? binary("&&", isThere, is, kI32) : is;
      }
    return isThere;
  }

  // The elements that the step reads lie in a box whose first and last are read: so all of the box
  // is memory of the array.
  bool findLimits() {
    isl::set touched;
    for (const isl::set &s : setsOf(site.view.domain))
      for (const Access &a : p.find(tupleOf(s))->accesses)
        if (a.array == plan.array) {
          if (!a.isCertain) // what is read under a condition need not be there
            return false;
          isl::set range =
              unnamed(a.relation.intersect_domain(s).range()).intersect_params(site.view.context);
          touched = touched.is_null() ? range : touched.unite(range);
        }
    if (touched.is_null() || dimsOf(touched) != int(rank))
      return false;
    touched = touched.coalesce();
    isl::set low = touched, high = touched;
    for (int d = 0; d < int(rank); d++) {
      isl::pw_aff first = lowest(touched, d), last = highest(touched, d);
      ranges.push_back({first, last});
      lows.push_back(site.context.reader.value(first, site.view.context));
      limits.push_back(site.context.reader.value(last, site.view.context));
      low = low.intersect(isAt(touched, d, first));
      high = high.intersect(isAt(touched, d, last));
    }
    any = onlyParams(touched);
    return hasWholeRows() || (any.is_subset(onlyParams(low)) && any.is_subset(onlyParams(high)));
  }

  // Rows of declared arrays (not those that were recovered from flattened subscripts) are there as
  // a whole, and subscripts of certain accesses stay in them: so are all elements between the rows
  // that are touched.
  bool hasWholeRows() const {
    const std::vector<ExprP> &extents = p.arrays.at(plan.array).extents;
    return !isDelinearized(p.arrays.at(plan.array)) &&
           std::all_of(extents.begin() + 1, extents.end(), [&](const ExprP &e) {
             ExprP x = e ? withoutWideCasts(e) : nullptr;
             return x && (x->kind == ExprKind::Int ||
                          (x->kind == ExprKind::Var &&
                           std::any_of(p.parameters.begin(), p.parameters.end(),
                                       [&](const Parameter &q) { return q.name == x->name; })));
           });
  }

  // Whether all points of the step have their elements of the box on the low or the high side, for
  // all sizes.
  bool isThere(const Group &g, size_t d, bool isHigh) const {
    if (g.pattern[d].uniform && g.pattern[d].kind != TileSubscript::Inside)
      return false;
    if (g.pattern[d].kind != TileSubscript::Row && g.pattern[d].kind != TileSubscript::Column)
      return true;
    isl::set values =
        valuesOf(site.view,
                 {site.step.parallel[g.pattern[d].kind == TileSubscript::Row ? site.y : site.x]})
            .intersect_params(site.view.context);
    auto moved = [&](const isl::pw_aff &v, int64_t by) {
      return v.add(
          constantOn(isl::manage(isl_pw_aff_get_domain_space(v.get())), intVal(v.ctx(), long(by))));
    };
    isl::set inside = isHigh
                          ? moved(highest(values, 0), g.most[d]).le_set(ranges[d].second)
                          : ranges[d].first.le_set(moved(lowest(values, 0), g.pattern[d].offset));
    return onlyParams(values).intersect(any).is_subset(inside);
  }

  bool isThere(const Group &g) const {
    for (size_t d = 0; d < rank; d++)
      if (!isThere(g, d, false) || !isThere(g, d, true))
        return false;
    return true;
  }

  static isl::set isAt(const isl::set &like, int d, const isl::pw_aff &value) {
    isl::space space = like.get_space();
    isl_space *target =
        isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(value.get()));
    isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(value.copy(), target));
    return dimensionOn(space, d).eq_set(lifted);
  }

  // A[i][l], all subscripts of it.
  bool isReference(const ExprP &e, std::vector<ExprP> &subscripts) const {
    const Expr *x = e.get();
    for (; x->kind == ExprKind::Index; x = x->args[0].get())
      subscripts.insert(subscripts.begin(), x->args[1]);
    return x->kind == ExprKind::Var && x->name == plan.array && subscripts.size() == rank;
  }

  void collect(const StmtP &code) {
    walkExprs(code, [&](const ExprP &e) {
      std::vector<ExprP> subscripts;
      if (e->kind == ExprKind::Index && isReference(e, subscripts))
        add(e, subscripts);
      return true;
    });
  }

  void add(const ExprP &e, const std::vector<ExprP> &subscripts) {
    Group one;
    bool moves = false, inStrip = false;
    for (const ExprP &s : subscripts) {
      std::optional<TileSubscript> x = reader->read(s);
      if (!x)
        return;
      moves |= x->kind == TileSubscript::Row || x->kind == TileSubscript::Column ||
               x->kind == TileSubscript::Inside;
      inStrip |= x->kind == TileSubscript::Strip;
      one.pattern.push_back(*x);
      one.most.push_back(x->most);
    }
    if ((!moves && !inStrip) || (!box.strip.empty() && !inStrip))
      return;
    one.references = {e};
    for (Group &g : groups)
      if (isAlike(g, one)) {
        for (size_t d = 0; d < rank; d++) {
          g.pattern[d].offset = std::min(g.pattern[d].offset, one.pattern[d].offset);
          g.most[d] = std::max(g.most[d], one.most[d]);
        }
        g.references.push_back(e);
        return;
      }
    groups.push_back(one);
  }

  static bool isAlike(const Group &a, const Group &b) {
    for (size_t d = 0; d < a.pattern.size(); d++)
      if (a.pattern[d].kind != b.pattern[d].kind ||
          (a.pattern[d].kind == TileSubscript::Fixed &&
           !sameTree(a.pattern[d].fixed, b.pattern[d].fixed)) ||
          bool(a.pattern[d].uniform) != bool(b.pattern[d].uniform) ||
          (a.pattern[d].uniform && !sameTree(a.pattern[d].uniform, b.pattern[d].uniform)))
        return false;
    return true;
  }

  int64_t extent(const Group &g, size_t d) const {
    int64_t halo = g.most[d] - g.pattern[d].offset;
    switch (g.pattern[d].kind) {
    case TileSubscript::Row:
      return box.height + halo;
    case TileSubscript::Column:
      return box.width + halo;
    case TileSubscript::Strip:
      return box.length + halo;
    case TileSubscript::Inside:
      return halo + 1;
    default:
      return 1;
    }
  }

  // The first of the box along a dimension, where it is not fixed.
  ExprP first(const Group &g, size_t d) const {
    const TileSubscript &s = g.pattern[d];
    if (s.kind == TileSubscript::Inside)
      return s.uniform ? moved(s.uniform, s.offset) : intConst(s.offset, type);
    ExprP start = var(s.kind == TileSubscript::Row      ? box.yFirst
                      : s.kind == TileSubscript::Column ? box.xFirst
                                                        : box.stripFirst,
                      type);
    return moved(s.uniform ? binary("+", s.uniform, start, type) : start, s.offset);
  }

  ExprP moved(const ExprP &e, int64_t by) const { return plusNumber(e, by, type); }

  // Dimensions of the copy: the strip's first, then those of loops inside a point, so that
  // neighbours in the tile are neighbours in memory.
  std::vector<size_t> layout(const Group &g) const {
    auto rankOf = [&](size_t d) {
      TileSubscript::Kind kind = g.pattern[d].kind;
      return kind == TileSubscript::Strip ? 0 : kind == TileSubscript::Inside ? 1 : 2;
    };
    std::vector<size_t> order;
    for (size_t d = 0; d < rank; d++)
      if (g.pattern[d].kind != TileSubscript::Fixed)
        order.push_back(d);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
    return order;
  }

  void stage(const Group &g, const std::string &name, Staging &out) {
    std::vector<size_t> order = layout(g);
    Type element = g.references[0]->type;
    declareCopy(g, name, element, order, out);
    copy(g, name, element, order, out);
    replaceReferences(g, name, element, order, out);
  }

  void declareCopy(const Group &g, const std::string &name, const Type &element,
                   const std::vector<size_t> &order, Staging &out) const {
    std::vector<int64_t> extents;
    for (size_t d : order)
      extents.push_back(extent(g, d));
    if (extents.size() > 1)
      extents.back() += plan.padding;
    auto declaration = std::make_shared<Stmt>(*declare(name, element, extents, {}));
    declaration->kind = StmtKind::Shared;
    out.shared.push_back(declaration);
    out.arrays.insert(plan.array);
  }

  void replaceReferences(const Group &g, const std::string &name, const Type &element,
                         const std::vector<size_t> &order, Staging &out) const {
    out.code = rewriteExprs(out.code, [&](const ExprP &e) -> ExprP {
      bool is =
          e->kind == ExprKind::Index && std::any_of(g.references.begin(), g.references.end(),
                                                    [&](const ExprP &r) { return sameTree(r, e); });
      return is ? staged(elementFor(g, name, element, order, e), e) : e;
    });
  }

  ExprP elementFor(const Group &g, const std::string &name, const Type &element,
                   const std::vector<size_t> &order, const ExprP &reference) const {
    std::vector<ExprP> subscripts;
    isReference(reference, subscripts);
    ExprP slot = var(name, element);
    for (size_t d : order) {
      TileSubscript own = *reader->read(subscripts[d]);
      if (own.kind == TileSubscript::Inside) {
        slot = index(slot, moved(own.counters, own.number - g.pattern[d].offset), element);
        continue;
      }
      ExprP value = var(own.kind == TileSubscript::Row      ? box.y
                        : own.kind == TileSubscript::Column ? box.x
                                                            : box.strip,
                        type);
      ExprP start = var(own.kind == TileSubscript::Row      ? box.yFirst
                        : own.kind == TileSubscript::Column ? box.xFirst
                                                            : box.stripFirst,
                        type);
      ExprP at = binary("-", value, start, type);
      slot = index(slot,
                   moved(own.counters ? binary("+", at, own.counters, type) : at,
                         own.number - g.pattern[d].offset),
                   element);
    }
    return swizzled(g, order, slot);
  }

  // copy[row][column] as copy[row][column ^ row % swizzle], where that stays in the row: elements
  // of a column lie in different banks then.
  ExprP swizzled(const Group &g, const std::vector<size_t> &order, const ExprP &slot) const {
    if (plan.swizzle < 2 || order.size() < 2 || !(type == kI32) ||
        (extent(g, order.back()) + plan.padding) % plan.swizzle != 0)
      return slot;
    const ExprP &row = slot->args[0]->args[1], &column = slot->args[1];
    return index(
        slot->args[0],
        binary("^", column, binary("&", row, intConst(plan.swizzle - 1, type), type), type),
        slot->type);
  }

  Positions positions(const Group &g, const std::string &name) const {
    Positions m;
    m.how.threads = box.threads;
    for (size_t d = 0; d < rank; d++)
      if (g.pattern[d].kind != TileSubscript::Fixed) {
        m.how.counters.push_back(fmt::format("{}_{}", name, m.extents.size()));
        m.extents.push_back(extent(g, d));
        m.at[d] = var(m.how.counters.back(), type);
      }
    return m;
  }

  // Whether each column of the tile has its own: then it is there where the column's point is.
  bool isOfPoint(const Group &g, size_t d) const {
    const TileSubscript &s = g.pattern[d];
    return s.kind == TileSubscript::Column && s.uniform && g.most[d] == s.offset && box.height == 1;
  }

  ExprP pointAt(const ExprP &column) const {
    return rewrite(box.isPoint, [&](const ExprP &e) {
      if (isVar(e, box.y))
        return cast(var(box.yFirst, type), e->type);
      return isVar(e, box.x) ? cast(binary("+", var(box.xFirst, type), column, type), e->type) : e;
    });
  }

  // That some value of the strip reads what lies here along its subscript.
  ExprP valueIsThere(const Group &g, size_t d, const ExprP &at) const {
    ExprP value =
        moved(binary("+", var(box.stripFirst, type), at, type), g.pattern[d].offset - g.most[d]);
    return rewrite(box.inStrip,
                   [&](const ExprP &e) { return isVar(e, box.strip) ? cast(value, e->type) : e; });
  }

  // copy[…] = array[…], the array's last subscript running fastest. Where threads have equally many
  // elements, they load all of theirs before any is stored.
  void copy(const Group &g, const std::string &name, const Type &element,
            const std::vector<size_t> &order, Staging &out) {
    Positions m = positions(g, name);
    ExprP from = var(plan.array, element), to = var(name, element), isThere;
    for (size_t d = 0; d < rank; d++) {
      ExprP value = g.pattern[d].kind == TileSubscript::Fixed
                        ? g.pattern[d].fixed
                        : binary("+", first(g, d), m.at.at(d), type);
      if (g.pattern[d].kind == TileSubscript::Inside && !g.pattern[d].uniform)
        value = moved(m.at.at(d), g.pattern[d].offset);
      for (const ExprP &inside : askedOf(g, d, value, m))
        if (!byPoints)
          isThere = isThere ? binary("&&", isThere, inside, kI32) : inside;
      from = index(from, value, element);
    }
    if (byPoints)
      isThere = pointIsThere(g, m);
    for (size_t d : order)
      to = index(to, m.at.at(d), element);
    to = swizzled(g, order, to);
    int64_t size = positionsOf(m.extents), threads = int64_t(box.threads[0]) * box.threads[1];
    if (!box.isAsync)
      m.how.unit = isThere ? 1 : unitOf(g, element, size / threads);
    int64_t turns = size / threads / m.how.unit;
    if (box.isAsync || size % threads != 0 || turns > kMostTurns) {
      m.how.unit = 1;
      auto all = std::make_shared<Stmt>(*boxCopy(name, type, m.extents, m.how, to, from, isThere));
      all->isAsync = box.isAsync;
      out.copies.push_back(all);
      return;
    }
    m.how.width = isSingle ? 1 : m.how.unit;
    if (m.how.width > 1)
      out.wide[plan.array] = std::max(out.wide[plan.array], int(m.how.unit));
    ExprP next = var(name + "_next", element);
    out.loads.push_back(declare(next->name, element, {turns * m.how.unit}, {}));
    out.loads.push_back(boxCopy(name, type, m.extents, m.how, next, from, isThere));
    m.how.width = 1; // of accesses to memory
    out.copies.push_back(boxCopy(name, type, m.extents, m.how, to, next, isThere));
  }

  // What decides whether the value of a subscript is there.
  std::vector<ExprP> askedOf(const Group &g, size_t d, const ExprP &value,
                             const Positions &m) const {
    bool mayBeBeyond = g.pattern[d].kind == TileSubscript::Strip
                           ? box.atEnd
                           : g.pattern[d].kind != TileSubscript::Fixed &&
                                 g.pattern[d].kind != TileSubscript::Inside &&
                                 (box.atEdge || !isThere(g, d, true));
    std::vector<ExprP> asked;
    if (isOfPoint(g, d)) {
      if (box.atEdge && box.isPoint)
        asked.push_back(pointAt(m.at.at(d)));
      mayBeBeyond = false;
    } else if (!isThere(g, d, false))
      asked.push_back(binary(">=", value, lows[d], kI32));
    if (mayBeBeyond)
      asked.push_back(g.pattern[d].kind == TileSubscript::Strip
                          ? valueIsThere(g, d, m.at.at(d))
                          : binary("<=", value, limits[d], kI32));
    return asked;
  }

  // How many elements a thread loads together: they are neighbours in a row of the box, and lie at
  // a multiple of as many where one load moves them. `each`: elements of a thread.
  int64_t unitOf(const Group &g, const Type &element, int64_t each) const {
    const TileSubscript &last = g.pattern[rank - 1];
    int64_t unit = vectors / bytesOf(element.scalar); // 0 without wide loads
    if (unit <= 1 || unit > 4)
      return 1;
    std::optional<int64_t> start =
        last.kind == TileSubscript::Strip ? box.stripStart : std::nullopt;
    if (last.kind == TileSubscript::Row || last.kind == TileSubscript::Column)
      if (const ExprP &first = site.box.first[last.kind == TileSubscript::Row ? site.y : site.x];
          first->kind == ExprKind::Int)
        start = first->integer;
    bool isAligned = start && !last.uniform && (*start + last.offset) % unit == 0 &&
                     last.offset >= 0 && *start >= 0;
    bool isWhole = extent(g, rank - 1) % unit == 0 && each % unit == 0;
    return (isSingle || isAligned) && isWhole ? unit : 1;
  }

  static constexpr int kNeighbours =
      16; // bytes, of which one address is enough, whatever their alignment
  static constexpr int64_t kMostTurns = 16; // registers of a thread for what is under way

  const TileSite &site;
  const Program &p;
  const TileBox &box;
  const StagedArray &plan;
  int vectors;   // bytes of neighbours that a thread loads
  bool isSingle; // one by one
  Type type;
  size_t rank = 0;
  std::vector<ExprP> lows, limits; // the first and the last of each subscript that is read
  std::vector<std::pair<isl::pw_aff, isl::pw_aff>> ranges; // the first and the last
  isl::set any;                                            // sizes for which anything is read
  std::optional<TileSubscripts> reader;
  std::vector<Group> groups;
  bool isOneTarget = false; // of an array that is written
  bool byPoints =
      false; // what is read has gaps: of the copy, only what points of the tile have is there
};

} // namespace

Staging stageArrays(const TileSite &site, const TilePlan &plan, const TileBox &box,
                    const StmtP &code, const Type &indexType) {
  Staging out;
  out.code = code;
  for (const StagedArray &a : plan.staged)
    ArrayStaging(site, box, a, plan, indexType).run(out);
  return out;
}

} // namespace nw
