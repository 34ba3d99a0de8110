// Tiles.
// Over 500 lines: one class; its parts share the tile that they build. Moves take its place
// (docs/roadmap.md).
#include "lower/tiles.h"
#include "ir/evaluate.h"
#include "ir/linear_tree.h"
#include "lower/block_values.h"
#include "lower/speculation.h"
#include "lower/staging.h"
#include "poly/parameter_sizes.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

ExprP coordinate(const char *name, const Type &t) { return node(ExprKind::Builtin, {}, t, name); }

class Tiling {
public:
  Tiling(const TileSite &site, const TilePlan &plan, const DeviceSpec &device)
      : site(site), p(site.context.program), plan(plan), device(device),
        type(site.context.indexType) {
    const std::string &x = site.step.parallel[site.x].name,
                      y = hasY() ? site.step.parallel[site.y].name : "";
    names = {x,
             y,
             unique(x + "_tile"),
             unique(y + "_tile"),
             unique(x + "_point"),
             unique(y + "_point"),
             unique(plan.strip + "_strip"),
             unique(plan.strip + "_rest"),
             unique(plan.strip + "_next"),
             unique(x + "_unshifted"),
             unique(y + "_unshifted")};
    view = withBlockValues(site.step, site.outer, site.view, site.view);
    exact = hasY() ? valuesOf(view, {site.step.parallel[site.y], site.step.parallel[site.x]})
                   : valuesOf(view, {site.step.parallel[site.x]});
  }

  std::optional<TileKernel> run(std::string &why) {
    if (isl_set_n_basic_set(exact.get()) != 1 ||
        isl_set_involves_locals(exact.get()) != isl_bool_false) {
      why = "its points are no convex set";
      return std::nullopt;
    }
    for (size_t d : dimensions())
      for (const ExprP &e : {site.box.first[d], site.box.count[d]})
        for (const std::string &outer : site.context.dimensions)
          if (mentions(e, outer)) {
            why = "its size changes with the loops around it";
            return std::nullopt;
          }
    View inside = view;
    inside.context = inside.context.intersect(pointIn(names.y, names.x));
    if (asksForStrip())
      inside.context = inside.context.intersect(hasStrip());
    for (size_t d : dimensions())
      inside = fixed(inside, site.step.parallel[d], site.step.parallel[d].name);
    code = instances(site.context, inside, site.step.inside, site.step.insideNames);
    isPoint = site.context.reader.condition(pointIn(names.y, names.x), view.context);
    if (isShifted()) {
      isPoint = binary(">=", var(names.x, type), var(names.xUnshifted, type), kI32);
      if (hasY())
        isPoint = binary("&&", binary(">=", var(names.y, type), var(names.yUnshifted, type), kI32),
                         isPoint, kI32);
    }
    ExprP isWhole = hasNoEdges() ? nullptr : site.context.reader.condition(whole(), view.context);
    if (hasNoEdges() && !isBox()) {
      why = "its points are no box";
      return std::nullopt;
    }
    bool isNeverWhole = isWhole && isWhole->kind == ExprKind::Int && isWhole->integer == 0;
    StmtP edge = isWhole ? body(true) : nullptr, inner = isNeverWhole ? edge : body(false);
    if ((plan.vectorBytes && wide.empty()) || (hasNoEdges() && isCut)) {
      why = isCut ? "how long its strip is, is not known before the launch"
                  : "nothing of it can be loaded by several elements at once";
      return std::nullopt;
    }
    for (auto &[array, unit] : wide)
      if (const std::vector<ExprP> &extents = p.arrays.at(array).extents;
          extents.size() > 1 && extents.back()->kind == ExprKind::Int &&
          extents.back()->integer % unit != 0) {
        why = fmt::format("rows of {} are no multiple of {} elements", array, unit);
        return std::nullopt;
      }
    if (asksForStrip() && stripped.empty()) {
      why = "it has no strips";
      return std::nullopt;
    }
    ExprP moreThanStrips = asksForStrip() ? conditionBesideStrips() : nullptr;
    if (moreThanStrips && !isOfHost(moreThanStrips)) {
      why = "its strips depend on what the host does not know";
      return std::nullopt;
    }
    if (!plan.staged.empty() && shared.empty()) {
      why = "nothing of it can be staged";
      return std::nullopt;
    }
    if (bytesShared() > device.sharedBytes) {
      why = "its copies need more shared memory than the device has";
      return std::nullopt;
    }
    TileKernel made;
    std::vector<StmtP> all(shared.begin(), shared.end());
    BlockValues outer =
        blockValues(site.step, site.outer, site.box, type,
                    [&](const std::string &name, const ExprP &e) { return launched(name, e); });
    all.insert(all.end(), outer.declarations.begin(), outer.declarations.end());
    made.threads[2] = outer.many;
    auto first = [&](size_t d, const char *block, int64_t size) {
      ExprP tile = size == 1 ? coordinate(block, type)
                             : binary("*", coordinate(block, type), intConst(size, type), type);
      ExprP from = launched(site.step.parallel[d].name + "_first", site.box.first[d]);
      return from->kind == ExprKind::Int && from->integer == 0 ? tile
                                                               : binary("+", from, tile, type);
    };
    if (hasY())
      declareTile(all, site.y, names.yTile, names.yUnshifted, first(site.y, "block.y", height()),
                  height());
    declareTile(all, site.x, names.xTile, names.xUnshifted, first(site.x, "block.x", width()),
                width());
    all.push_back(isWhole && !isNeverWhole ? ifElse(isWhole, inner, edge) : inner);
    made.body = block(all);
    ExprP tilesX = tiles(site.x, width()), tilesY = hasY() ? tiles(site.y, height()) : nullptr,
          many = hasY() ? binary("*", tilesX, tilesY, kI64) : tilesX;
    for (size_t d : site.outer)
      many = binary("*", many, cast(site.box.count[d], kI64), kI64);
    auto threadsOf = [](const ExprP &tiles, int block) {
      return block == 1 ? tiles : binary("*", tiles, intConst(block), kI64);
    };
    made.threads[0] = threadsOf(tilesX, plan.block[0]);
    made.threads[1] = hasY() ? threadsOf(tilesY, plan.block[1]) : intConst(1);
    if (hasY())
      require(made, binary("<=", tilesY, intConst(std::min(device.gridLimit[1], 65535LL)), kI32));
    if (!site.outer.empty())
      require(made, binary("<=", made.threads[2], intConst(std::min(device.gridLimit[2], 65535LL)),
                           kI32));
    if (plan.profitableFrom > 1)
      made.profitableIf = binary(">=", many, intConst(plan.profitableFrom), kI32);
    if (moreThanStrips)
      require(made, moreThanStrips);
    if (plan.vectorBytes)
      requireWhole(made);
    if (isShifted())
      requireWholeTile(made);
    if (isImpossible) {
      why = "its sizes are no multiples of tiles and strips, or less than one";
      return std::nullopt;
    }
    made.summary =
        hasY() ? fmt::format(
                     "tiles of {} x {} values of {} and {}, {} x {} in a thread, blocks of {}x{}",
                     width(), height(), names.x, names.y, plan.threadTile[0], plan.threadTile[1],
                     plan.block[0], plan.block[1])
               : fmt::format("tiles of {} values of {}, {} in a thread, blocks of {}", width(),
                             names.x, plan.threadTile[0], plan.block[0]);
    for (size_t d : site.outer)
      made.summary += fmt::format(", a value of {} each", site.step.parallel[d].name);
    if (!shared.empty()) {
      made.summary += "; in shared memory:";
      for (const StagedArray &a : plan.staged)
        if (copied.count(a.array))
          made.summary += " " + a.array;
      if (!plan.strip.empty())
        made.summary += fmt::format(", {} values of {} at a time", plan.stripLength, plan.strip);
      if (plan.vectorBytes)
        made.summary += fmt::format(", loads of {} bytes", plan.vectorBytes);
      if (isShifted())
        made.summary += "; the last tiles are shifted inwards";
    }
    return made;
  }

private:
  struct Names {
    std::string x, y, xTile, yTile, xPoint, yPoint, strip, rest, next, xUnshifted, yUnshifted;
  };

  bool hasY() const { return site.y != SIZE_MAX; }
  std::vector<size_t> dimensions() const {
    return hasY() ? std::vector{site.x, site.y} : std::vector{site.x};
  }
  int64_t width() const { return int64_t(plan.block[0]) * plan.threadTile[0]; }
  int64_t height() const { return int64_t(plan.block[1]) * plan.threadTile[1]; }

  std::string unique(std::string name) const {
    while (p.region.variables.count(name) || site.context.dimensions.count(name) ||
           p.arrays.count(name))
      name = "nw_" + name;
    return name;
  }

  ExprP launched(const std::string &name, const ExprP &e) {
    int nodes = 0;
    walk(e, [&](const ExprP &) { return ++nodes < 5; });
    return nodes < 5 ? e : site.launchValue("nw_" + name, e);
  }

  ExprP tiles(size_t d, int64_t size) const {
    if (size == 1)
      return cast(site.box.count[d], kI64);
    return binary("/", binary("+", cast(site.box.count[d], kI64), intConst(size - 1), kI64),
                  intConst(size), kI64);
  }

  isl::set pointIn(const std::string &y, const std::string &x) const {
    return onlyParams(hasY() ? equateToParam(equateToParam(exact, 0, y), 1, x)
                             : equateToParam(exact, 0, x));
  }

  // That all points of the tile are there: its corners are, and the points are a convex set.
  isl::set whole() const {
    isl::set all = view.context;
    if (!hasY()) {
      for (int64_t right : {int64_t(0), width() - 1})
        all = all.intersect(
            onlyParams(equateToParam(translated(exact, 0, -long(right)), 0, names.xTile)));
      return all;
    }
    for (int64_t down : {int64_t(0), height() - 1})
      for (int64_t right : {int64_t(0), width() - 1})
        all = all.intersect(onlyParams(equateToParam(
            equateToParam(translated(translated(exact, 0, -long(down)), 1, -long(right)), 0,
                          names.yTile),
            1, names.xTile)));
    return all;
  }

  // Whether the points are all of those between the first and the last of each dimension.
  bool isBox() const { return isBoxIn(valuesOf(site.view, site.step.parallel), site.view.context); }

  int64_t bytesShared() const {
    int64_t bytes = 0;
    for (const StmtP &s : shared) {
      int64_t elements = bytesOf(s->type.scalar);
      for (int64_t x : s->extents)
        elements *= x;
      bytes += elements;
    }
    return bytes;
  }

  // Of values that are the same for all threads of a block: those of dimensions of which it has
  // one, and of loops that all of its points run through together.
  std::set<std::string> outerNames() const {
    std::set<std::string> all(around.begin(), around.end());
    for (size_t d : site.outer)
      all.insert(site.step.parallel[d].name);
    return all;
  }

  // Whether tiles have no edges.
  bool hasNoEdges() const { return plan.tail != Tail::Guard; }
  bool isShifted() const { return plan.tail == Tail::ShiftInwards; }

  // Where the tile begins. One that would not lie inside is shifted inwards, and has the points as
  // its own that it had before.
  void declareTile(std::vector<StmtP> &all, size_t d, const std::string &tile,
                   const std::string &unshifted, const ExprP &first, int64_t size) {
    if (!isShifted()) {
      all.push_back(declare(tile, type, {}, {first}));
      return;
    }
    ExprP last = launched(site.step.parallel[d].name + "_last", site.box.last[d]);
    auto [rest, number] = splitNumber(last);
    ExprP most = number == -1 ? plusNumber(rest, -size, type) : plusNumber(last, 1 - size, type);
    all.push_back(declare(unshifted, type, {}, {first}));
    all.push_back(
        declare(tile, type, {}, {node(ExprKind::Min, {var(unshifted, type), most}, type)}));
  }

  // Whether the host asks if there is a whole strip, so that the kernel need not.
  bool asksForStrip() const {
    return isShifted() || (hasNoEdges() && plan.vectorBytes && !plan.strip.empty());
  }

  // The sizes for which the loop that is cut into strips has the values of one.
  isl::set hasStrip() const {
    isl::set values(p.isl->get(), "{ [x] : false }");
    const std::vector<std::string> &names = site.step.insideNames;
    int level = int(std::find(names.begin(), names.end(), plan.strip) - names.begin());
    for (const isl::map &m : mapsOf(site.step.inside.intersect_domain(view.domain))) {
      int dims = int(isl_map_dim(m.get(), isl_dim_out));
      if (level >= dims)
        continue;
      isl::set own = unnamed(m.range());
      own = projectOut(projectOut(own, level + 1, dims - level - 1), 0, level);
      if (!isl_set_is_singleton(own.get())) // others stand before or behind the loop
        values = values.unite(own);
    }
    isl::map back(p.isl->get(), fmt::format("{{ [x] -> [x - {}] }}", plan.stripLength - 1));
    isl::set found = onlyParams(values.intersect(values.apply(back)));
    return found.is_empty() ? isl::set(p.isl->get(), "{ : }") : found;
  }

  // What hasStrip() takes for granted beyond the lengths for which the host asks: conditions on
  // sizes around the loop, and that loops around it run. Null: nothing.
  ExprP conditionBesideStrips() const {
    isl::set known = view.context.intersect(
        isl::manage(isl_union_set_params(view.domain.copy()))); // a launch has some instance
    ParameterSizes sizes(p);
    for (const ExprP &values : stripped) {
      ExprP wide = rewrite(values, [](const ExprP &e) {
        return e->kind == ExprKind::Binary ? binary(e->name, e->args[0], e->args[1], kI64)
               : e->kind == ExprKind::Cast ? cast(e->args[0], kI64)
                                           : e;
      });
      if (std::optional<isl::pw_aff> many = sizes.value(wide))
        known = known.intersect(many->ge_set(
            many->sub(*many).add_constant(intVal(p.isl->get(), long(plan.stripLength)))));
    }
    return site.context.reader.condition(hasStrip(), known);
  }

  void require(TileKernel &made, const ExprP &is) {
    if (std::optional<int64_t> known = evaluate(is, {}))
      isImpossible |= *known == 0;
    else
      made.legalIf = made.legalIf ? binary("&&", is, made.legalIf, kI32) : is;
  }

  // That there is a tile and a strip.
  void requireWholeTile(TileKernel &made) {
    std::vector<std::pair<ExprP, int64_t>> all = {{site.box.count[site.x], width()}};
    if (hasY())
      all.push_back({site.box.count[site.y], height()});
    for (const ExprP &values : stripped)
      all.push_back({values, plan.stripLength});
    for (const auto &[count, least] : all)
      require(made, binary(">=", cast(count, kI64), intConst(least), kI32));
  }

  // That tiles and strips divide the sizes, and rows of what is loaded the units.
  void requireWhole(TileKernel &made) {
    std::vector<ExprP> all;
    auto divides = [&](int64_t unit, const ExprP &e) {
      ExprP is = binary("==", binary("%", cast(e, kI64), intConst(unit), kI64), intConst(0), kI32);
      if (std::none_of(all.begin(), all.end(), [&](const ExprP &o) { return sameTree(o, is); }))
        all.push_back(is);
    };
    divides(width(), site.box.count[site.x]);
    if (hasY())
      divides(height(), site.box.count[site.y]);
    for (const ExprP &values : stripped) {
      divides(plan.stripLength, values);
      all.push_back(binary(">=", cast(values, kI64), intConst(plan.stripLength), kI32));
    }
    for (auto &[array, unit] : wide) {
      made.alignment[array] = unit * bytesOf(p.arrays.at(array).variable.type.scalar);
      if (p.arrays.at(array).extents.size() > 1)
        divides(unit, p.arrays.at(array).extents.back());
    }
    for (const ExprP &is : all)
      require(made, is);
  }

  // The code of the tile. At an edge of the points each asks whether it is there.
  StmtP body(bool isEdge) {
    atEdge = isEdge;
    kept.clear();
    std::vector<StmtP> all;
    for (const StmtP &d : site.privates) {
      std::vector<int64_t> extents = extentsOfPoints();
      extents.insert(extents.end(), d->extents.begin(), d->extents.end());
      all.push_back(declare(d->name, d->type, extents, {}));
    }
    StmtP points = isShifted() ? askedByRows(speculated(perPoint(code))) : perPoint(code);
    all.insert(all.end(), kept.begin(), kept.end());
    if (plan.strip.empty() && !plan.staged.empty())
      points = stagedAround(points);
    all.push_back(points);
    return block(all);
  }

  bool dependsOnPoint(const ExprP &e) const {
    return mentions(e, names.x) || (hasY() && mentions(e, names.y));
  }

  // The points inside of loops and conditions that are the same for all of them: they are
  // independent of each other.
  StmtP perPoint(const StmtP &s) {
    bool isLoop = s->kind == StmtKind::For && !dependsOnPoint(s->loop.start) &&
                  !dependsOnPoint(s->loop.condition);
    bool isBranch = s->kind == StmtKind::If && !dependsOnPoint(s->exprs[0]);
    if (isLoop && s->loop.counter == plan.strip && !plan.strip.empty())
      if (StmtP made = inStrips(s))
        return made;
    if (isLoop || isBranch) {
      if (isLoop)
        around.push_back(s->loop.counter);
      auto copy = std::make_shared<Stmt>(*s);
      for (StmtP &b : copy->body)
        b = perPoint(b);
      if (isLoop)
        around.pop_back();
      return copy;
    }
    if (s->kind != StmtKind::Block || s->isInstance() || !hasCommonLoop(s))
      return ofAllPoints(s);
    std::vector<StmtP> all, alike; // neighbours that go into the same loops over points
    auto close = [&] {
      if (!alike.empty())
        all.push_back(ofAllPoints(block(alike)));
      alike.clear();
    };
    for (const StmtP &b : parts(s)) {
      if (!hasCommonLoop(b)) {
        alike.push_back(b);
        continue;
      }
      close();
      all.push_back(perPoint(b));
    }
    close();
    return block(all);
  }

  // What a block has one after the other, with the parts of blocks in it that declare nothing.
  static std::vector<StmtP> parts(const StmtP &s) {
    std::vector<StmtP> all;
    for (const StmtP &b : s->body) {
      bool isOpen = b->kind == StmtKind::Block && !b->isInstance() &&
                    std::none_of(b->body.begin(), b->body.end(),
                                 [](const StmtP &x) { return x->kind == StmtKind::Declare; });
      std::vector<StmtP> inner = isOpen ? parts(b) : std::vector<StmtP>{b};
      all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
  }

  bool hasCommonLoop(const StmtP &s) const {
    if (s->isInstance())
      return false;
    if (s->kind == StmtKind::For)
      return !dependsOnPoint(s->loop.start) && !dependsOnPoint(s->loop.condition);
    if (s->kind == StmtKind::If && dependsOnPoint(s->exprs[0]))
      return false;
    return std::any_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return hasCommonLoop(b); });
  }

  // Value number `point` of a dimension for this thread.
  ExprP valueAt(const std::string &tile, const std::string &point, const char *lane,
                size_t d) const {
    ExprP at = var(tile, type), k = var(point, type), run = intConst(plan.contiguous[d], type);
    if (plan.block[d] == 1 && plan.threadTile[d] == 1)
      return at;
    ExprP own = plan.contiguous[d] == 1 ? coordinate(lane, type)
                                        : binary("*", coordinate(lane, type), run, type);
    at = binary("+", at, own, type);
    if (plan.threadTile[d] == 1)
      return at;
    if (plan.threadTile[d] == plan.contiguous[d])
      return binary("+", at, k, type);
    ExprP apart = intConst(int64_t(plan.block[d]) * plan.contiguous[d], type);
    if (plan.contiguous[d] == 1)
      return binary("+", at, binary("*", k, apart, type), type);
    return binary("+", binary("+", at, binary("*", binary("/", k, run, type), apart, type), type),
                  binary("%", k, run, type), type);
  }

  StmtP ofAllPoints(const StmtP &s) {
    StmtP own = rewriteExprs(s, [&](const ExprP &e) { return withPoint(e); });
    return loopsOverPoints(own);
  }

  StmtP loopsOverPoints(const StmtP &s) {
    auto loop = [&](const std::string &counter, int count, const StmtP &inside) {
      if (count == 1)
        return inside;
      auto made = std::make_shared<Stmt>(*forLoop(
          counter, type, intConst(0, type),
          binary("<", var(counter, type), intConst(count, type), kI32), intConst(1, type), inside));
      made->loop.isUnrolled = true;
      return StmtP(made);
    };
    StmtP guarded = (atEdge || isShifted()) && isPoint ? ifElse(isPoint, s) : s;
    std::vector<StmtP> inner = {
        declare(names.x, type, {}, {valueAt(names.xTile, names.xPoint, "local.x", 0)}), guarded};
    StmtP column = loop(names.xPoint, plan.threadTile[0], block(inner));
    if (!hasY())
      return column;
    return loop(
        names.yPoint, plan.threadTile[1],
        block({declare(names.y, type, {}, {valueAt(names.yTile, names.yPoint, "local.y", 1)}),
               column}));
  }

  // Variables of a thread have an element for each of its points.
  ExprP withPoint(const ExprP &e) const {
    bool isPrivate =
        e->kind == ExprKind::Var && std::any_of(site.privates.begin(), site.privates.end(),
                                                [&](const StmtP &d) { return d->name == e->name; });
    return isPrivate ? ofPoint(e) : e;
  }

  ExprP ofPoint(const ExprP &variable) const {
    ExprP e = variable;
    if (plan.threadTile[1] > 1)
      e = index(e, var(names.yPoint, type), variable->type);
    return plan.threadTile[0] > 1 ? index(e, var(names.xPoint, type), variable->type) : e;
  }

  std::vector<int64_t> extentsOfPoints() const {
    std::vector<int64_t> all;
    for (int many : {plan.threadTile[1], plan.threadTile[0]})
      if (many > 1)
        all.push_back(many);
    return all;
  }

  // ---- strips ----

  // The loop in strips, each with its copies; the last may be shorter. Nothing where the loop is of
  // another shape.
  StmtP inStrips(const StmtP &s) {
    const Loop &l = s->loop;
    const ExprP &c = l.condition;
    bool isPlain = !l.stride && l.step == 1 && c->kind == ExprKind::Binary &&
                   (c->name == "<" || c->name == "<=") && c->args[0]->kind == ExprKind::Var &&
                   c->args[0]->name == l.counter && !mentions(c->args[1], l.counter);
    if (!isPlain)
      return nullptr;
    ExprP counter = var(l.counter, l.type), strip = var(names.strip, l.type),
          length = intConst(plan.stripLength, l.type);
    ExprP end = c->name == "<" ? c->args[1] : binary("+", c->args[1], intConst(1, l.type), l.type);
    std::vector<Kept> elements = keptElements(s);
    StmtP inside =
        rewriteExprs(s->body[0], [&](const ExprP &e) { return keptInstead(e, elements); });
    StmtP points = perPoint(inside);
    std::vector<StmtP> registers,
        ahead; // of the copies, where the next strip is loaded while one is computed
    // A round of copies and of what reads them, for the strip that begins at `first`.
    auto round = [&](const std::string &first, bool atEnd, const ExprP &condition,
                     const ExprP &hasNext) -> StmtP {
      TileBox box{names.y,
                  names.x,
                  l.counter,
                  names.yTile,
                  names.xTile,
                  first,
                  height(),
                  width(),
                  plan.stripLength,
                  threads(),
                  atEdge,
                  atEnd,
                  isAsync() && !atEnd,
                  l.start->kind == ExprKind::Int ? std::optional(l.start->integer) : std::nullopt,
                  mayStore(),
                  outerNames(),
                  isPoint,
                  binary("<", counter, end, kI32)};
      Staging staging = stageArrays(site, plan, box, points, type);
      if (staging.copies.empty() && staging.stores.empty())
        return nullptr;
      wide.insert(staging.wide.begin(), staging.wide.end());
      ExprP turn = atEnd ? intConst(0, l.type) : turnOf(l);
      if (plan.stages > 1)
        staging = inStages(staging, turn);
      note(staging);
      auto loop = std::make_shared<Stmt>(*forLoop(l.counter, l.type, var(first, l.type), condition,
                                                  intConst(1, l.type), speculated(staging.code)));
      loop->loop.isUnrolled = !atEnd && plan.stripLength <= kMostUnrolled;
      if (isAsync() && !atEnd) {
        ahead = staging.copies;
        return block({marker(StmtKind::Barrier),
                      ifElse(hasNext, ofStrip(ahead, binary("+", strip, length, l.type))), loop});
      }
      bool isPrefetched = hasNext && staging.loads.size() == 2 * staging.copies.size();
      std::vector<StmtP> all;
      if (!isPrefetched)
        all = staging.loads;
      if (plan.stages == 1 || atEnd)
        all.push_back(marker(StmtKind::Barrier));
      all.insert(all.end(), staging.copies.begin(), staging.copies.end());
      if (!staging.copies.empty())
        all.push_back(marker(StmtKind::Barrier));
      for (size_t n = 0; isPrefetched && n < staging.loads.size(); n++)
        (n % 2 ? ahead : registers).push_back(staging.loads[n]);
      if (isPrefetched)
        all.push_back(ofNextStrip(ahead, hasNext, strip, binary("+", strip, length, l.type)));
      all.push_back(loop);
      addStores(staging, all);
      return block(all);
    };
    auto isStrip = [&](const ExprP &first) {
      return binary("<=", first, binary("-", end, length, l.type), kI32);
    };
    StmtP whole =
        round(names.strip, false, binary("<", counter, binary("+", strip, length, l.type), kI32),
              plan.prefetch || isAsync() ? isStrip(binary("+", strip, length, l.type)) : nullptr);
    StmtP last;
    if (isShifted()) // a few values, straight from memory
      last = forLoop(l.counter, l.type, var(names.rest, l.type), c, intConst(1, l.type),
                     speculated(points));
    else if (whole && !plan.vectorBytes)
      last = round(names.rest, true, c, nullptr);
    if (!whole || (!last && !plan.vectorBytes))
      return nullptr;
    StmtP strips = forLoop(names.strip, l.type, l.start, isStrip(strip), length, whole);
    if (!ahead.empty()) {
      StmtP loads = ofStrip(ahead, l.start);
      registers.push_back(
          hasNoEdges() ? loads
                       : ifElse(isStrip(l.start), loads)); // the host asks whether there is a strip
      registers.push_back(strips);
      strips = block(registers);
    }
    if (plan.stages > 1) // what was there before is done with
      strips = block({marker(StmtKind::Barrier), strips});
    bool fromZero = l.start->kind == ExprKind::Int && l.start->integer == 0;
    ExprP values = fromZero ? end : binary("-", end, l.start, l.type);
    std::vector<StmtP> all;
    for (const Kept &k : elements)
      all.push_back(loopsOverPoints(assign(k.slot, k.element)));
    all.push_back(strips);
    if (hasNoEdges()) {
      stripped.push_back(values);
      isCut |= !isOfHost(values);
    }
    if (!plan.vectorBytes) {
      ExprP many = binary("*", binary("/", values, length, l.type), length, l.type);
      all.push_back(
          declare(names.rest, l.type, {}, {fromZero ? many : binary("+", l.start, many, l.type)}));
      all.push_back(ifElse(binary("<", var(names.rest, l.type), end, kI32), last));
    }
    for (const Kept &k : elements)
      all.push_back(loopsOverPoints(assign(k.element, k.slot)));
    if (elements.empty())
      return block(all);
    return ifElse(binary("<", l.start, end, kI32),
                  block(all)); // nothing is loaded or stored where the loop does not run
  }

  // Constants and parameters alone.
  bool isOfHost(const ExprP &e) const {
    bool is = true;
    walk(e, [&](const ExprP &x) {
      bool isParameter = x->kind == ExprKind::Var &&
                         std::any_of(p.parameters.begin(), p.parameters.end(),
                                     [&](const Parameter &q) { return q.name == x->name; });
      is &= isParameter || x->kind == ExprKind::Int || x->kind == ExprKind::Cast ||
            x->kind == ExprKind::Binary;
      return is;
    });
    return is;
  }

  // Copies that go on by themselves move 4 or 8 bytes.
  bool isAsync() const {
    return plan.async &&
           std::all_of(plan.staged.begin(), plan.staged.end(), [&](const StagedArray &a) {
             auto found = p.arrays.find(a.array);
             return found == p.arrays.end() || found->second.elementBytes == 4 ||
                    found->second.elementBytes == 8;
           });
  }

  // Which of two buffers a strip has: 0, 1, 0, …
  ExprP turnOf(const Loop &l) const {
    ExprP strip = var(names.strip, l.type), length = intConst(plan.stripLength, l.type);
    bool fromZero = l.start->kind == ExprKind::Int && l.start->integer == 0;
    return binary(
        "%", binary("/", fromZero ? strip : binary("-", strip, l.start, l.type), length, l.type),
        intConst(2, l.type), l.type);
  }

  // The same with two buffers for each copy, of which `turn` says the one that is meant.
  static Staging inStages(Staging s, const ExprP &turn) {
    std::set<std::string> copies;
    for (StmtP &d : s.shared) {
      copies.insert(d->name);
      auto two = std::make_shared<Stmt>(*d);
      two->extents.insert(two->extents.begin(), 2);
      d = two;
    }
    auto inTurn = [&](const ExprP &e) {
      return e->kind == ExprKind::Var && copies.count(e->name) ? index(e, turn, e->type) : e;
    };
    for (StmtP &c : s.copies)
      c = rewriteExprs(c, inTurn);
    s.code = rewriteExprs(s.code, inTurn);
    return s;
  }

  // Loads for the strip that begins at `first`.
  StmtP ofStrip(const std::vector<StmtP> &loads, const ExprP &first) const {
    return rewriteExprs(block(loads), [&](const ExprP &e) {
      return e->kind == ExprKind::Var && e->name == names.strip ? first : e;
    });
  }

  // The same for the strip after this one; if there is none, for this one again, which nobody will
  // look at.
  StmtP ofNextStrip(const std::vector<StmtP> &loads, const ExprP &hasNext, const ExprP &strip,
                    const ExprP &after) const {
    std::vector<StmtP> all = {
        declare(names.next, strip->type, {},
                {node(ExprKind::Select, {hasNext, after, strip}, strip->type)})};
    StmtP moved = ofStrip(loads, var(names.next, strip->type));
    all.insert(all.end(), moved->body.begin(), moved->body.end());
    auto underWay = std::make_shared<Stmt>(*block(all));
    underWay->isAsync = true;
    return underWay;
  }

  // ---- elements that stay in registers during the strips ----

  struct Kept {
    ExprP element; // in memory
    ExprP slot;    // the register of the point
  };

  // Elements that the loop updates, one for each point, where nothing else of their arrays is
  // touched in it.
  std::vector<Kept> keptElements(const StmtP &loop) {
    std::vector<ExprP> targets;
    std::set<std::string> changing = {loop->loop.counter}, arrays;
    walkStmts(loop, [&](const StmtP &s) {
      if (s->kind == StmtKind::For)
        changing.insert(s->loop.counter);
      if (s->kind == StmtKind::Declare)
        changing.insert(s->name);
      if (s->kind == StmtKind::Assign)
        targets.push_back(s->exprs[0]);
    });
    std::vector<Kept> all;
    for (const ExprP &t : targets) {
      const Expr *base = baseOf(t);
      if (!base || !p.arrays.count(base->name) ||
          p.arrays.at(base->name).kind != ArrayKind::Memory || !isOnePerPoint(t) ||
          !arrays.insert(base->name).second)
        continue;
      bool isAlone = std::none_of(changing.begin(), changing.end(),
                                  [&](const std::string &name) { return mentions(t, name); });
      walkExprs(loop, [&](const ExprP &e) {
        if (sameTree(e, t))
          return false;
        isAlone &= e->kind != ExprKind::Var || e->name != base->name;
        return isAlone;
      });
      if (!isAlone)
        continue;
      std::string name = unique(base->name + "_kept"); // one for each loop that is cut into strips
      while (std::any_of(kept.begin(), kept.end(), [&](const StmtP &d) { return d->name == name; }))
        name = unique(name + "_");
      kept.push_back(declare(name, t->type, extentsOfPoints(), {}));
      all.push_back({t, ofPoint(var(name, t->type))});
    }
    return all;
  }

  // A plain element with both dimensions among its subscripts.
  bool isOnePerPoint(const ExprP &element) const {
    bool ofX = false, ofY = !hasY();
    const Expr *e = element.get();
    for (; e->kind == ExprKind::Index; e = e->args[0].get()) {
      ExprP s = e->args[1];
      while (s->kind == ExprKind::Cast)
        s = s->args[0];
      ofX |= s->kind == ExprKind::Var && s->name == names.x;
      ofY |= s->kind == ExprKind::Var && hasY() && s->name == names.y;
    }
    return e->kind == ExprKind::Var && ofX && ofY && !element->type.isStruct();
  }

  ExprP keptInstead(const ExprP &e, const std::vector<Kept> &elements) const {
    for (const Kept &k : elements)
      if (sameTree(e, k.element))
        return staged(k.slot, k.element);
    return e;
  }

  // ---- staging without strips ----

  StmtP stagedAround(const StmtP &points) {
    TileBox box{names.y,  names.x,      "",         names.yTile,  names.xTile, "",
                height(), width(),      0,          threads(),    atEdge,      false,
                false,    std::nullopt, mayStore(), outerNames(), isPoint,     nullptr};
    Staging staging = stageArrays(site, plan, box, points, type);
    if (staging.copies.empty() && staging.stores.empty())
      return points;
    wide.insert(staging.wide.begin(), staging.wide.end());
    note(staging);
    std::vector<StmtP> all = staging.loads;
    all.push_back(marker(StmtKind::Barrier));
    all.insert(all.end(), staging.copies.begin(), staging.copies.end());
    if (!staging.copies.empty())
      all.push_back(marker(StmtKind::Barrier));
    all.push_back(staging.code);
    addStores(staging, all);
    return block(all);
  }

  // Forms that load ahead, by several elements or for tiles that overlap have no stores of this
  // kind.
  bool mayStore() const {
    return plan.stages == 1 && !plan.prefetch && !plan.async && !hasNoEdges();
  }

  static void addStores(const Staging &staging, std::vector<StmtP> &all) {
    if (staging.stores.empty())
      return;
    all.push_back(marker(StmtKind::Barrier));
    all.insert(all.end(), staging.stores.begin(), staging.stores.end());
  }

  std::array<int, 2> threads() const { return {plan.block[0], plan.block[1]}; }

  // The same shared arrays serve whole tiles and those at the edge.
  void note(const Staging &staging) {
    copied.insert(staging.arrays.begin(), staging.arrays.end());
    for (const StmtP &s : staging.shared)
      if (std::none_of(shared.begin(), shared.end(),
                       [&](const StmtP &x) { return x->name == s->name; }))
        shared.push_back(s);
  }

  // for y: for x: if (y is own and x is) instance, as for y: if (y is own) for x: if (x is own)
  // instance: half of the questions.
  StmtP askedByRows(const StmtP &s) const {
    auto copy = std::make_shared<Stmt>(*s);
    for (StmtP &b : copy->body)
      b = askedByRows(b);
    if (!hasY() || s->kind != StmtKind::For || s->loop.counter != names.xPoint ||
        s->body[0]->body.size() != 2)
      return copy;
    const StmtP &question = s->body[0]->body[1];
    if (question->kind != StmtKind::If || question->isSpeculated ||
        !sameTree(question->exprs[0], isPoint) || question->body[0]->kind != StmtKind::Block)
      return copy;
    copy->body = {block({s->body[0]->body[0], ifElse(isPoint->args[1], question->body[0])})};
    return ifElse(isPoint->args[0], copy);
  }

  StmtP speculated(const StmtP &s) const {
    Speculation what{isPoint, {}, isShifted() ? &site.step : nullptr};
    for (const StmtP &d : site.privates)
      if (d->extents.empty())
        what.registers.insert(d->name);
    for (const StmtP &d : kept)
      what.registers.insert(d->name);
    return nw::speculated(s, p, what);
  }

  static constexpr int kMostUnrolled =
      16; // values of a strip whose operands may all be on their way to registers

  const TileSite &site;
  const Program &p;
  const TilePlan &plan;
  const DeviceSpec &device;
  Type type;
  Names names;
  View view;      // for one value of each of the other dimensions
  isl::set exact; // [y, x]
  StmtP code;     // of one point
  ExprP isPoint;  // null: always
  bool atEdge = false;
  std::vector<std::string> around; // loops that all points run through together, outer before inner
  bool isImpossible = false;       // for sizes that are known
  std::vector<StmtP> shared, kept; // declarations
  std::set<std::string> copied;    // arrays that are staged
  std::map<std::string, int>
      wide;                    // arrays of which several elements are loaded at once, and how many
  std::vector<ExprP> stripped; // how many values the loops have that are cut into strips
  bool isCut = false;          // one of them is not known to the host
};

} // namespace

Step withDimensionInside(const Step &step, const std::string &dimension) {
  Step out = step;
  auto found = std::find_if(out.parallel.begin(), out.parallel.end(),
                            [&](const Dimension &d) { return d.name == dimension; });
  if (found == out.parallel.end())
    throw InternalError{fmt::format("no parallel dimension {}", dimension)};
  out.inside =
      isl::manage(isl_union_map_flat_range_product(found->value.copy(), step.inside.copy()));
  out.insideNames.insert(out.insideNames.begin(), dimension);
  out.parallel.erase(found);
  return out;
}

std::optional<TileKernel> tileKernel(const TileSite &site, const TilePlan &plan,
                                     const DeviceSpec &device, std::string &why) {
  return Tiling(site, plan, device).run(why);
}

} // namespace nw
