// Staging.
#include "lower/staging.h"
#include "kernel/window.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

namespace {

// One subscript: a dimension of the tile plus a number, or something that all threads of the block agree on.
struct Subscript {
  enum Kind { Row, Column, Strip, Fixed } kind = Fixed;
  int64_t offset = 0;
  ExprP fixed;
};

// References that differ by constants only share a box.
struct Group {
  std::vector<Subscript> form;      // offsets are the smallest
  std::vector<int64_t> most;        // the largest
  std::vector<ExprP> references;
};

ExprP bare(ExprP e) {
  while (e->kind == ExprKind::Cast && e->type.isInteger() && bitsOf(e->type.scalar) >= 32)
    e = e->args[0];
  return e;
}

class ArrayStaging {
public:
  ArrayStaging(const TileSite &site, const TileBox &box, const StagedArray &plan, const TilePlan &tile, const Type &type)
      : site(site), p(site.context.program), box(box), plan(plan), vectors(tile.inside ? kNeighbours : tile.vectors), isSingle(tile.inside), type(type) {}

  void run(Staging &out) {
    auto found = p.arrays.find(plan.array);
    if (found == p.arrays.end())
      return;
    const Array &array = found->second;
    rank = array.extents.size();
    if (array.kind != ArrayKind::Memory || array.isScalar() || array.slots || array.variable.type.isStruct() || !array.flatSizes.empty() || rank == 0 || isWritten() || !findLimits())
      return;
    collect(out.code);
    int number = 0;
    for (const Group &g : groups) {
      if (vectors && !isThere(g)) // then nobody asks
        continue;
      std::string name = plan.array + "_tile" + (number ? std::to_string(number + 1) : "");
      while (p.region.variables.count(name) || site.context.dimensions.count(name) || p.arrays.count(name))
        name = "nw_" + name;
      number++;
      stage(g, name, out);
    }
  }

private:
  bool isWritten() const {
    for (const std::string &name : site.step.statements)
      for (const Access &a : p.find(name)->accesses)
        if (a.array == plan.array && a.isWrite)
          return true;
    return false;
  }

  // The elements that the step reads lie in a box whose first and last are read: so all of the box is memory of the array.
  bool findLimits() {
    isl::set touched;
    for (const isl::set &s : setsOf(site.view.domain))
      for (const Access &a : p.find(tupleOf(s))->accesses)
        if (a.array == plan.array) {
          if (!a.isCertain) // what is read under a condition need not be there
            return false;
          isl::set range = unnamed(a.relation.intersect_domain(s).range()).intersect_params(site.view.context);
          touched = touched.is_null() ? range : touched.unite(range);
        }
    if (touched.is_null() || dimsOf(touched) != int(rank))
      return false;
    touched = touched.coalesce();
    isl::set low = touched, high = touched;
    for (int d = 0; d < int(rank); d++) {
      isl::pw_aff first = lowest(touched, d), last = highest(touched, d);
      ranges.push_back({first, last});
      limits.push_back(site.context.reader.value(last, site.view.context));
      low = low.intersect(isAt(touched, d, first));
      high = high.intersect(isAt(touched, d, last));
    }
    any = onlyParams(touched);
    return any.is_subset(onlyParams(low)) && any.is_subset(onlyParams(high));
  }

  // Whether all points of the step have their elements of the box, for all sizes.
  bool isThere(const Group &g) const {
    for (size_t d = 0; d < rank; d++) {
      if (g.form[d].kind != Subscript::Row && g.form[d].kind != Subscript::Column)
        continue;
      isl::set values = valuesOf(site.view, {site.step.parallel[g.form[d].kind == Subscript::Row ? site.y : site.x]}).intersect_params(site.view.context);
      auto moved = [&](const isl::pw_aff &v, int64_t by) { return v.add(constantOn(isl::manage(isl_pw_aff_get_domain_space(v.get())), intVal(v.ctx(), long(by)))); };
      isl::pw_aff first = moved(lowest(values, 0), g.form[d].offset), last = moved(highest(values, 0), g.most[d]);
      isl::set inside = ranges[d].first.le_set(first).intersect(last.le_set(ranges[d].second));
      if (!onlyParams(values).intersect(any).is_subset(inside))
        return false;
    }
    return true;
  }

  static isl::set isAt(const isl::set &like, int d, const isl::pw_aff &value) {
    isl::space space = like.get_space();
    isl_space *target = isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(value.get()));
    isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(value.copy(), target));
    return dimensionOn(space, d).eq_set(lifted);
  }

  std::optional<Subscript> subscript(const ExprP &given) const {
    ExprP e = bare(given);
    Subscript s;
    if (e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") && bare(e->args[1])->kind == ExprKind::Int && bitsOf(e->type.scalar) >= 32) {
      std::optional<Subscript> inner = subscript(e->args[0]);
      if (inner && inner->kind != Subscript::Fixed) {
        inner->offset += e->name == "+" ? bare(e->args[1])->integer : -bare(e->args[1])->integer;
        return inner;
      }
    }
    if (e->kind == ExprKind::Var && (e->name == box.y || e->name == box.x || (e->name == box.strip && !box.strip.empty()))) {
      s.kind = e->name == box.y ? Subscript::Row : e->name == box.x ? Subscript::Column : Subscript::Strip;
      return s;
    }
    bool same = true; // constants, parameters and loops of the host
    walk(e, [&](const ExprP &x) {
      bool isHost = x->kind == ExprKind::Var && std::any_of(p.parameters.begin(), p.parameters.end(), [&](const Parameter &q) { return q.name == x->name; });
      same &= x->kind == ExprKind::Int || x->kind == ExprKind::Cast || x->kind == ExprKind::Binary || isHost;
      return same;
    });
    if (!same)
      return std::nullopt;
    s.fixed = e;
    return s;
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
      std::optional<Subscript> x = subscript(s);
      if (!x)
        return;
      moves |= x->kind == Subscript::Row || x->kind == Subscript::Column;
      inStrip |= x->kind == Subscript::Strip;
      one.form.push_back(*x);
      one.most.push_back(x->offset);
    }
    if (!moves || (!box.strip.empty() && !inStrip))
      return;
    one.references = {e};
    for (Group &g : groups)
      if (isAlike(g, one)) {
        for (size_t d = 0; d < rank; d++) {
          g.form[d].offset = std::min(g.form[d].offset, one.form[d].offset);
          g.most[d] = std::max(g.most[d], one.most[d]);
        }
        g.references.push_back(e);
        return;
      }
    groups.push_back(one);
  }

  static bool isAlike(const Group &a, const Group &b) {
    for (size_t d = 0; d < a.form.size(); d++)
      if (a.form[d].kind != b.form[d].kind || (a.form[d].kind == Subscript::Fixed && !sameTree(a.form[d].fixed, b.form[d].fixed)))
        return false;
    return true;
  }

  int64_t extent(const Group &g, size_t d) const {
    int64_t halo = g.most[d] - g.form[d].offset;
    switch (g.form[d].kind) {
    case Subscript::Row: return box.height + halo;
    case Subscript::Column: return box.width + halo;
    case Subscript::Strip: return box.length + halo;
    default: return 1;
    }
  }

  // The first of the box along a dimension, where it is not fixed.
  ExprP first(const Group &g, size_t d) const {
    const Subscript &s = g.form[d];
    ExprP start = var(s.kind == Subscript::Row ? box.yFirst : s.kind == Subscript::Column ? box.xFirst : box.stripFirst, type);
    return moved(start, s.offset);
  }

  ExprP moved(const ExprP &e, int64_t by) const {
    return by == 0 ? e : by > 0 ? binary("+", e, intConst(by, type), type) : binary("-", e, intConst(-by, type), type);
  }

  // Dimensions of the copy: the strip's first, so that neighbours in the tile are neighbours in memory.
  std::vector<size_t> layout(const Group &g) const {
    std::vector<size_t> order;
    for (bool strip : {true, false})
      for (size_t d = 0; d < rank; d++)
        if (g.form[d].kind != Subscript::Fixed && (g.form[d].kind == Subscript::Strip) == strip)
          order.push_back(d);
    return order;
  }

  void stage(const Group &g, const std::string &name, Staging &out) {
    std::vector<size_t> order = layout(g);
    Type element = g.references[0]->type;
    std::vector<int64_t> extents;
    for (size_t d : order)
      extents.push_back(extent(g, d));
    if (extents.size() > 1)
      extents.back() += plan.padding;
    auto declaration = std::make_shared<Stmt>(*declare(name, element, extents, {}));
    declaration->kind = StmtKind::Shared;
    out.shared.push_back(declaration);
    copy(g, name, element, order, out);
    out.code = rewriteExprs(out.code, [&](const ExprP &e) -> ExprP {
      bool is = e->kind == ExprKind::Index && std::any_of(g.references.begin(), g.references.end(), [&](const ExprP &r) { return sameTree(r, e); });
      return is ? staged(placeOf(g, name, element, order, e), e) : e;
    });
  }

  ExprP placeOf(const Group &g, const std::string &name, const Type &element, const std::vector<size_t> &order, const ExprP &reference) const {
    std::vector<ExprP> subscripts;
    isReference(reference, subscripts);
    ExprP place = var(name, element);
    for (size_t d : order) {
      Subscript own = *subscript(subscripts[d]);
      ExprP value = var(own.kind == Subscript::Row ? box.y : own.kind == Subscript::Column ? box.x : box.strip, type);
      ExprP start = var(own.kind == Subscript::Row ? box.yFirst : own.kind == Subscript::Column ? box.xFirst : box.stripFirst, type);
      place = index(place, moved(binary("-", value, start, type), own.offset - g.form[d].offset), element);
    }
    return swizzled(g, order, place);
  }

  // copy[row][column] as copy[row][column ^ row % swizzle], where that stays in the row: elements of a column lie in different banks then.
  ExprP swizzled(const Group &g, const std::vector<size_t> &order, const ExprP &place) const {
    if (plan.swizzle < 2 || order.size() < 2 || !(type == kI32) || (extent(g, order.back()) + plan.padding) % plan.swizzle != 0)
      return place;
    const ExprP &row = place->args[0]->args[1], &column = place->args[1];
    return index(place->args[0], binary("^", column, binary("&", row, intConst(plan.swizzle - 1, type), type), type), place->type);
  }

  // for (e = number of the thread; e < size of the box; e += threads) copy[…] = array[…], the array's last subscript running fastest. Where
  // threads have equally many elements, they load all of theirs before any is stored.
  void copy(const Group &g, const std::string &name, const Type &element, const std::vector<size_t> &order, Staging &out) {
    std::string counter = name + "_element", next = name + "_next", turn = name + "_turn";
    int threads = box.threads[0] * box.threads[1];
    ExprP rest = var(counter, type), number = node(ExprKind::Builtin, {}, type, "lane.x");
    if (box.threads[1] > 1)
      number = binary("+", binary("*", node(ExprKind::Builtin, {}, type, "lane.y"), intConst(box.threads[0], type), type), number, type);
    std::vector<size_t> moving;
    for (size_t d = 0; d < rank; d++)
      if (g.form[d].kind != Subscript::Fixed)
        moving.push_back(d);
    std::map<size_t, ExprP> at;
    std::vector<StmtP> code;
    int64_t size = 1;
    for (size_t n = moving.size(); n-- > 0;) {
      size_t d = moving[n];
      int64_t many = extent(g, d);
      ExprP here = n == 0 ? rest : binary("%", rest, intConst(many, type), type);
      std::string own = fmt::format("{}_{}", name, n);
      code.push_back(declare(own, type, {}, {here}));
      at[d] = var(own, type);
      rest = binary("/", rest, intConst(many, type), type);
      size *= many;
    }
    ExprP from = var(plan.array, element), to = var(name, element), isThere;
    for (size_t d = 0; d < rank; d++) {
      ExprP value = g.form[d].kind == Subscript::Fixed ? g.form[d].fixed : binary("+", first(g, d), at.at(d), type);
      bool mayBeBeyond = g.form[d].kind == Subscript::Strip ? box.atEnd : g.form[d].kind != Subscript::Fixed && box.atEdge;
      if (mayBeBeyond) {
        ExprP inside = binary("<=", value, limits[d], kI32);
        isThere = isThere ? binary("&&", isThere, inside, kI32) : inside;
      }
      from = index(from, value, element);
    }
    for (size_t d : order)
      to = index(to, at.at(d), element);
    to = swizzled(g, order, to);
    auto guarded = [&](const StmtP &move) { return isThere ? ifElse(isThere, move) : move; };
    if (box.isAsync) {
      auto move = std::make_shared<Stmt>(*assign(to, from));
      move->isAsync = true;
      code.push_back(guarded(move));
      auto loop = std::make_shared<Stmt>(*forLoop(counter, type, number, binary("<", var(counter, type), intConst(size, type), kI32), intConst(threads, type), block(code)));
      loop->loop.isUnrolled = size % threads == 0;
      out.copies.push_back(loop);
      return;
    }
    int64_t unit = isThere ? 1 : unitOf(g, element, size / threads), turns = size / threads / unit;
    if (size % threads != 0 || turns > kMostTurns) {
      code.push_back(guarded(assign(to, from)));
      out.copies.push_back(forLoop(counter, type, number, binary("<", var(counter, type), intConst(size, type), kI32), intConst(threads, type), block(code)));
      return;
    }
    auto inTurns = [&](const StmtP &move) {
      ExprP first = binary("+", number, binary("*", var(turn, type), intConst(threads, type), type), type);
      std::vector<StmtP> all = {declare(counter, type, {}, {unit == 1 ? first : binary("*", first, intConst(unit, type), type)})};
      all.insert(all.end(), code.begin(), code.end());
      all.push_back(guarded(move));
      return unrolled(turn, turns, block(all));
    };
    if (unit > 1) {
      if (!isSingle)
        out.wide[plan.array] = std::max(out.wide[plan.array], int(unit));
      std::string part = name + "_part", together = name + "_wide";
      ExprP k = var(part, type), waiting = index(var(next, element), binary("+", binary("*", var(turn, type), intConst(unit, type), type), k, type), element), mine = var(together, element), there = var(name, element);
      for (size_t d = 0; d < rank; d++)
        mine = index(mine, d + 1 == rank ? k : intConst(0, type), element);
      for (size_t d : order)
        there = index(there, d + 1 == rank ? binary("+", at.at(d), k, type) : at.at(d), element);
      there = swizzled(g, order, there);
      std::vector<int64_t> extents(rank, 1);
      extents.back() = unit;
      Section section;
      section.loads = true;
      section.unit = isSingle ? 1 : unit;
      out.loads.push_back(declare(next, element, {turns * unit}, {}));
      out.loads.push_back(inTurns(window(together, from, extents, section, 0, unrolled(part, unit, assign(waiting, mine)))));
      out.copies.push_back(inTurns(unrolled(part, unit, assign(there, waiting))));
      return;
    }
    ExprP waiting = index(var(next, element), var(turn, type), element);
    out.loads.push_back(declare(next, element, {turns}, {}));
    out.loads.push_back(inTurns(assign(waiting, from)));
    out.copies.push_back(inTurns(assign(to, waiting)));
  }

  StmtP unrolled(const std::string &counter, int64_t count, const StmtP &body) const {
    auto loop = std::make_shared<Stmt>(*forLoop(counter, type, intConst(0, type), binary("<", var(counter, type), intConst(count, type), kI32), intConst(1, type), body));
    loop->loop.isUnrolled = true;
    return loop;
  }

  // How many elements a thread loads together: they are neighbours in a row of the box, and lie at a multiple of as many where one load moves them. `each`: elements of a thread.
  int64_t unitOf(const Group &g, const Type &element, int64_t each) const {
    const Subscript &last = g.form[rank - 1];
    int64_t unit = vectors / bytesOf(element.scalar);
    std::optional<int64_t> start = last.kind == Subscript::Strip ? box.stripStart : std::nullopt;
    if (last.kind == Subscript::Row || last.kind == Subscript::Column)
      if (const ExprP &first = site.box.first[last.kind == Subscript::Row ? site.y : site.x]; first->kind == ExprKind::Int)
        start = first->integer;
    bool isAligned = start && (*start + last.offset) % unit == 0 && last.offset >= 0 && *start >= 0;
    return unit > 1 && unit <= 4 && (isSingle || isAligned) && extent(g, rank - 1) % unit == 0 && each % unit == 0 ? unit : 1;
  }

  static constexpr int kNeighbours = 16; // bytes, of which one address is enough, whatever their alignment
  static constexpr int64_t kMostTurns = 16; // registers of a thread for what is under way

  const TileSite &site;
  const Program &p;
  const TileBox &box;
  const StagedArray &plan;
  int vectors;   // bytes of neighbours that a thread loads
  bool isSingle; // one by one
  Type type;
  size_t rank = 0;
  std::vector<ExprP> limits; // the last of each subscript that is read
  std::vector<std::pair<isl::pw_aff, isl::pw_aff>> ranges; // the first and the last
  isl::set any;              // sizes for which anything is read
  std::vector<Group> groups;
};

} // namespace

Staging stageReads(const TileSite &site, const TilePlan &plan, const TileBox &box, const StmtP &code, const Type &indexType) {
  Staging out;
  out.code = code;
  for (const StagedArray &a : plan.staged)
    ArrayStaging(site, box, a, plan, indexType).run(out);
  return out;
}

} // namespace nw
