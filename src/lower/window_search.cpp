// The search for windows.
#include "lower/window_search.h"
#include "kernel/window.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int64_t kMostElements = 160; // of one window: more would not stay in registers
constexpr int64_t kMostInVector = 4;

// An element in the code.
struct Use {
  ExprP access;
  std::vector<LinearSum> subscripts;
  bool isWrite, isCertain; // certain: in every point
};

class Search {
public:
  explicit Search(const WindowSearch &s) : s(s), p(s.context.program), type(s.context.indexType) {}

  std::optional<std::vector<FoundWindow>> run() {
    stmt(s.code, true);
    if (failed)
      return std::nullopt;
    std::vector<FoundWindow> all;
    for (auto &[array, list] : uses) {
      bool isWritten =
          std::any_of(list.begin(), list.end(), [](const Use &u) { return u.isWrite; });
      if (isWritten ? !written(array, list, all) : !read(array, list, all))
        return std::nullopt;
    }
    return all;
  }

private:
  // ---- what the code touches ----

  void stmt(const StmtP &x, bool isCertain) {
    switch (x->kind) {
    case StmtKind::Block:
      for (const StmtP &b : x->body)
        stmt(b, isCertain);
      return;
    case StmtKind::Declare:
      declared.insert(x->name);
      for (const ExprP &e : x->exprs)
        expr(e, false, isCertain);
      return;
    case StmtKind::Assign:
      expr(x->exprs[0], true, isCertain);
      expr(x->exprs[1], false, isCertain);
      return;
    case StmtKind::If:
      expr(x->exprs[0], false, isCertain);
      for (const StmtP &b : x->body)
        stmt(b, false);
      return;
    case StmtKind::For:
      loop(x);
      return;
    default:
      failed = true;
    }
  }

  void loop(const StmtP &x) {
    std::optional<std::pair<int64_t, int64_t>> range = numbersOf(x->loop);
    if (!range) {
      failed = true;
      return;
    }
    auto [known, isNew] = counters.emplace(x->loop.counter, *range);
    failed |= !isNew && known->second != *range;
    stmt(x->body[0], false);
  }

  void expr(const ExprP &e, bool isTarget, bool isCertain) {
    if (e->kind == ExprKind::Index) {
      const Expr *base = baseOf(e);
      auto array = base ? p.arrays.find(base->name) : p.arrays.end();
      std::optional<std::vector<ExprP>> subscripts = subscriptsOf(e);
      if (array != p.arrays.end() && array->second.kind == ArrayKind::Memory) {
        if (!subscripts) {
          failed |= isTarget; // of a struct
          loose.insert(base->name);
        } else {
          for (const ExprP &x : *subscripts)
            expr(x, false, false);
          element(e, array->second, *subscripts, isTarget, isCertain);
          return;
        }
      }
    } else if (e->kind == ExprKind::Var && p.arrays.count(e->name) &&
               p.arrays.at(e->name).kind == ArrayKind::Memory) {
      failed |= isTarget; // a scalar in memory
      return;
    }
    bool isConditional = e->kind == ExprKind::Select ||
                         (e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||"));
    for (size_t k = 0; k < e->args.size(); k++)
      expr(e->args[k], isTarget && e->kind == ExprKind::Member,
           isCertain && !(isConditional && k > 0));
  }

  void element(const ExprP &e, const Array &array, const std::vector<ExprP> &subscripts,
               bool isWrite, bool isCertain) {
    Use use{e, {}, isWrite, isCertain};
    bool isRegular = array.flatSizes.empty() && !array.slots &&
                     array.extents.size() == subscripts.size() && !e->type.isStruct() &&
                     e->type.scalar != Scalar::Bool && e->type.scalar != Scalar::Void;
    for (size_t d = 0; d < subscripts.size() && isRegular; d++) {
      std::optional<LinearSum> affine = linearSumOf(subscripts[d]);
      isRegular = affine && isPlain(*affine, d + 1 == subscripts.size());
      if (affine)
        use.subscripts.push_back(*affine);
    }
    const std::string &name = baseOf(e)->name;
    if (!isRegular) {
      failed |= isWrite;
      loose.insert(name);
    } else if (std::none_of(uses[name].begin(), uses[name].end(), [&](const Use &u) {
                 return sameTree(u.access, e) && u.isWrite == isWrite &&
                        (u.isCertain || !isCertain);
               }))
      uses[name].push_back(use);
  }

  // Whether neighbouring points touch neighbouring elements: x moves the last subscript by one and
  // no other, y moves by one what it moves; everything else stays the same in the tile or is a
  // counter between constants.
  bool isPlain(const LinearSum &affine, bool isLast) const {
    const std::vector<std::string> &d = s.tile.dimensions;
    if (affine.factorOf(d[0]) != (isLast ? 1 : 0))
      return false;
    if (d.size() > 1 && affine.factorOf(d[1]) != 0 && affine.factorOf(d[1]) != 1)
      return false;
    for (auto &[name, factor] : affine.factors)
      if (declared.count(name) || (!counters.count(name) && !isOutside(name)))
        return false;
    return true;
  }

  bool isOutside(const std::string &name) const {
    return std::count(s.tile.dimensions.begin(), s.tile.dimensions.end(), name) ||
           s.context.dimensions.count(name) ||
           std::any_of(p.parameters.begin(), p.parameters.end(),
                       [&](const Parameter &q) { return q.name == name; });
  }

  // ---- windows ----

  // What does not change in the tile: without points, counters and constants.
  LinearSum fixedPart(LinearSum affine) const {
    for (const std::string &d : s.tile.dimensions)
      affine = affine.without(d);
    for (auto &[name, range] : counters)
      affine = affine.without(name);
    affine.constant = 0;
    return affine;
  }

  // The subscript where the tile's first point takes the place of a point.
  LinearSum atFirst(const LinearSum &affine) const {
    LinearSum out = fixedPart(affine);
    for (size_t n = 0; n < s.tile.dimensions.size(); n++)
      if (int64_t factor = affine.factorOf(s.tile.dimensions[n]))
        out = out + LinearSum{{{s.tile.firsts[n], factor}}, 0};
    return out;
  }

  // Smallest and largest value beyond that.
  std::pair<int64_t, int64_t> range(const LinearSum &affine) const {
    int64_t low = affine.constant, high = affine.constant;
    for (size_t n = 0; n < s.tile.dimensions.size(); n++)
      high += affine.factorOf(s.tile.dimensions[n]) * (s.tile.points[n] - 1);
    for (auto &[name, values] : counters) {
      int64_t factor = affine.factorOf(name);
      low += std::min(factor * values.first, factor * values.second);
      high += std::max(factor * values.first, factor * values.second);
    }
    return {low, high};
  }

  // Rows of other planes have windows of their own: what lies between them need not be read.
  bool isSameSection(const Use &a, const Use &b) const {
    for (size_t d = 0; d < a.subscripts.size(); d++)
      if (!(atFirst(a.subscripts[d]) == atFirst(b.subscripts[d])) ||
          (isOfPlane(a.subscripts[d]) && a.subscripts[d].constant != b.subscripts[d].constant))
        return false;
    return true;
  }

  // Whether a dimension of the step moves it that has one value in a tile.
  bool isOfPlane(const LinearSum &affine) const {
    return std::any_of(s.step.parallel.begin(), s.step.parallel.end(), [&](const Dimension &d) {
      return affine.factorOf(d.name) != 0 &&
             !std::count(s.tile.dimensions.begin(), s.tile.dimensions.end(), d.name);
    });
  }

  std::string freshName(const std::string &array) {
    std::string name = array + "_window";
    for (int k = 1; taken.count(name) || p.region.variables.count(name) ||
                    s.context.dimensions.count(name) || p.arrays.count(name);
         k++)
      name = fmt::format("{}_window{}", array, k);
    taken.insert(name);
    return name;
  }

  FoundWindow windowOf(const std::string &array, const std::vector<Use> &list) {
    FoundWindow w;
    w.name = freshName(array);
    w.array = array;
    w.firsts = s.tile.firsts;
    ExprP origin = var(array, list[0].access->type);
    for (size_t d = 0; d < list[0].subscripts.size(); d++) {
      std::pair<int64_t, int64_t> all = range(list[0].subscripts[d]);
      for (const Use &u : list) {
        std::pair<int64_t, int64_t> one = range(u.subscripts[d]);
        all = {std::min(all.first, one.first), std::max(all.second, one.second)};
      }
      LinearSum low = atFirst(list[0].subscripts[d]);
      low.constant = all.first;
      w.low.push_back(low);
      w.extents.push_back(all.second - all.first + 1);
      origin = index(origin, expressionOf(low, type), list[0].access->type);
    }
    w.origin = origin;
    for (const Use &u : list) {
      ExprP element = var(w.name, u.access->type);
      for (size_t d = 0; d < u.subscripts.size(); d++)
        element = index(element, expressionOf(u.subscripts[d] - w.low[d], type), u.access->type);
      w.accesses.push_back({u.access, element});
    }
    w.section.unit = unitOf(array, w);
    int64_t last = w.low.back().constant;
    w.phase = ((last % w.section.unit) + w.section.unit) % w.section.unit;
    return w;
  }

  // Only the first point of the tile is known to lie at a multiple; so nothing else may move the
  // last subscript.
  int64_t unitOf(const std::string &array, const FoundWindow &w) const {
    const Array &a = p.arrays.at(array);
    int64_t unit =
        std::max<int64_t>(1, std::min<int64_t>({s.tile.points[0], kMostInVector,
                                                s.bytes / bytesOf(w.origin->type.scalar)}));
    LinearSum rest = w.low.back().without(s.tile.firsts[0]);
    if (unit < 2 || !rest.factors.empty() || w.extents.back() < 2)
      return 1;
    if (a.extents.size() > 1)
      while (unit > 1 && a.extents.back()->kind == ExprKind::Int &&
             a.extents.back()->integer % unit != 0)
        unit /= 2;
    return unit;
  }

  static int64_t elementsOf(const FoundWindow &w) {
    int64_t all = 1;
    for (int64_t e : w.extents)
      all *= e;
    return all;
  }

  bool read(const std::string &array, const std::vector<Use> &list, std::vector<FoundWindow> &out) {
    std::vector<std::vector<Use>> sections;
    for (const Use &u : list) {
      auto same =
          std::find_if(sections.begin(), sections.end(),
                       [&](const std::vector<Use> &other) { return isSameSection(other[0], u); });
      if (same == sections.end())
        sections.push_back({u});
      else
        same->push_back(u);
    }
    for (const std::vector<Use> &section : sections) {
      FoundWindow w = windowOf(array, section);
      w.section.loads = true;
      if (elementsOf(w) <= kMostElements)
        out.push_back(w);
    }
    return true;
  }

  // Every point its own element, which it certainly writes.
  bool written(const std::string &array, const std::vector<Use> &list,
               std::vector<FoundWindow> &out) {
    if (loose.count(array))
      return false;
    bool isCertain = false;
    for (const Use &u : list) {
      for (size_t d = 0; d < u.subscripts.size(); d++)
        if (!(u.subscripts[d] == list[0].subscripts[d]))
          return false;
      isCertain |= u.isWrite && u.isCertain;
    }
    FoundWindow w = windowOf(array, list);
    int64_t points = 1;
    for (int n : s.tile.points)
      points *= n;
    if (!isCertain || elementsOf(w) != points)
      return false;
    w.section.stores = true;
    w.section.loads =
        std::any_of(list.begin(), list.end(), [](const Use &u) { return !u.isWrite; });
    out.push_back(w);
    return true;
  }

  const WindowSearch &s;
  const Program &p;
  Type type;
  std::map<std::string, std::pair<int64_t, int64_t>> counters;
  std::set<std::string> declared, loose, taken;
  std::map<std::string, std::vector<Use>> uses;
  bool failed = false;
};

} // namespace

isl::map FoundWindow::elements(isl::ctx ctx, size_t dimensions) const {
  std::set<std::string> names;
  std::string inputs, outputs, conditions;
  for (size_t n = 0; n < dimensions; n++)
    inputs += (n ? ", " : "") + firsts[n];
  for (size_t d = 0; d < low.size(); d++) {
    for (auto &[name, factor] : low[d].factors)
      if (std::find(firsts.begin(), firsts.end(), name) == firsts.end())
        names.insert(name);
    outputs += fmt::format("{}nw_e{}", d ? ", " : "", d);
    conditions += fmt::format("{}{} <= nw_e{} < {} + {}", d ? " and " : "", textOf(low[d]), d,
                              textOf(low[d]), extents[d]);
  }
  std::string parameters;
  for (const std::string &name : names)
    parameters += (parameters.empty() ? "" : ", ") + name;
  return isl::map(
      ctx, fmt::format("[{}] -> {{ [{}] -> [{}] : {} }}", parameters, inputs, outputs, conditions));
}

std::optional<std::vector<FoundWindow>> findWindows(const WindowSearch &search) {
  return Search(search).run();
}

} // namespace nw
