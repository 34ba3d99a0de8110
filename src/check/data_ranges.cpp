// Follows the values of integer arrays through a region's trees into subscripts.
#include "check/data_ranges.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// A value that is an element of an array plus an offset. As the bound of a loop it limits the
// counter from one side only.
struct Origin {
  std::string array;
  int64_t offset = 0;
  bool isLeast = true, isMost = true, isBound = false;
  auto operator<=>(const Origin &) const = default;
};
using Origins = std::set<Origin>;

constexpr int64_t kLargestOffset = 16; // i = i + 1 makes ever larger ones

class Follower {
public:
  explicit Follower(const Region &region) : region(region) {}

  // One subscript, the array that it is into, and which of its dimensions.
  std::function<void(const Origins &origins, const Variable &array, size_t dimension)> found;

  void run() {
    bool grown = true;
    for (int round = 0; grown && round < 8; round++) {
      grown = false;
      for (const StmtP &s : region.body)
        walkStmts(s, [&](const StmtP &x) { grown |= flow(x); });
    }
    for (const StmtP &s : region.body)
      walkExprs(s, [&](const ExprP &e) {
        if (e->kind == ExprKind::Index)
          subscript(e);
        return true;
      });
  }

private:
  const Variable *arrayOf(const ExprP &e) const {
    const Expr *base = baseOf(e);
    if (!base)
      return nullptr;
    auto v = region.variables.find(base->name);
    return v == region.variables.end() || !v->second.isArray() ? nullptr : &v->second;
  }

  Origins originsOf(const ExprP &e) const {
    switch (e->kind) {
    case ExprKind::Var:
    case ExprKind::Index:
    case ExprKind::Member: {
      const Expr *base = baseOf(e);
      Origins all;
      if (base)
        if (auto known = values.find(base->name); known != values.end())
          all = known->second;
      if (const Variable *array = arrayOf(e); array && e->type.isInteger())
        all.insert({array->name});
      return all;
    }
    case ExprKind::Binary:
      return ofBinary(e);
    case ExprKind::Select:
      return joined(originsOf(e->args[1]), originsOf(e->args[2]));
    default: {
      Origins all;
      for (const ExprP &a : e->args)
        all = joined(std::move(all), originsOf(a));
      return all;
    }
    }
  }

  Origins ofBinary(const ExprP &e) const {
    static const std::set<std::string> truths = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    if (truths.count(e->name))
      return {};
    if (e->name == "&" && e->args[1]->kind == ExprKind::Int)
      return {}; // inside whatever the data are
    if (e->name == "%")
      return asBound(originsOf(e->args[0]), true, false);
    if ((e->name == "+" || e->name == "-") && e->args[1]->kind == ExprKind::Int)
      return shifted(originsOf(e->args[0]),
                     e->name == "+" ? e->args[1]->integer : -e->args[1]->integer);
    if (e->name == "+" && e->args[0]->kind == ExprKind::Int)
      return shifted(originsOf(e->args[1]), e->args[0]->integer);
    return joined(originsOf(e->args[0]), originsOf(e->args[1]));
  }

  static Origins joined(Origins a, const Origins &b) {
    a.insert(b.begin(), b.end());
    return a;
  }

  static Origins shifted(const Origins &given, int64_t by) {
    Origins out;
    for (Origin o : given) {
      o.offset += by;
      if (std::abs(o.offset) <= kLargestOffset)
        out.insert(o);
    }
    return out;
  }

  bool gets(const std::string &name, const Origins &more) {
    if (more.empty())
      return false;
    Origins &all = values[name];
    size_t before = all.size();
    all.insert(more.begin(), more.end());
    return all.size() > before;
  }

  bool flow(const StmtP &s) {
    bool grown = false;
    if (s->kind == StmtKind::Declare)
      for (const ExprP &e : s->exprs)
        grown |= gets(s->name, originsOf(e));
    else if (s->kind == StmtKind::Assign) {
      if (const Expr *base = baseOf(s->exprs[0]))
        grown |= gets(base->name, originsOf(s->exprs[1]));
    } else if (s->kind == StmtKind::For)
      grown |= loop(s->loop);
    return grown;
  }

  // The counter is at least the start and at most the end, or the other way round.
  bool loop(const Loop &l) {
    bool isUp = l.step > 0;
    bool grown = gets(l.counter, asBound(originsOf(l.start), isUp));
    if (l.condition->kind != ExprKind::Binary)
      return grown;
    bool isLeft = mentions(l.condition->args[0], l.counter);
    bool isInclusive = l.condition->name == "<=" || l.condition->name == ">=";
    Origins end = originsOf(l.condition->args[isLeft ? 1 : 0]);
    return grown | gets(l.counter, asBound(isInclusive ? end : shifted(end, isUp ? -1 : 1), !isUp));
  }

  // The same as limits from one side.
  static Origins asBound(const Origins &given, bool isLeast, bool isOfLoop = true) {
    Origins out;
    for (Origin o : given) {
      o.isLeast &= isLeast;
      o.isMost &= !isLeast;
      o.isBound |= isOfLoop;
      out.insert(o);
    }
    return out;
  }

  void subscript(const ExprP &e) {
    const Variable *array = arrayOf(e);
    Origins origins = originsOf(e->args[1]);
    if (!array || origins.empty())
      return;
    size_t dimension = 0;
    for (const Expr *x = e->args[0].get(); x->kind != ExprKind::Var; x = x->args[0].get()) {
      if (x->kind != ExprKind::Index)
        return; // an array in a struct
      dimension++;
    }
    found(origins, *array, dimension);
  }

  const Region &region;
  std::map<std::string, Origins> values; // of variables, and of elements of arrays
};

// C text for extents, over the parameters of the function.
class Extents {
public:
  explicit Extents(const CheckedFunction &f) : f(f), print(host) {
    for (const Variable &v : f.signature.parameters)
      if (!v.isPointer)
        scalars.insert(v.name);
  }

  // Empty where it is not known.
  std::string of(const Variable &array, size_t dimension) {
    if (dimension < array.extents.size() && array.extents[dimension])
      return text(array.extents[dimension]);
    auto object = std::find_if(f.objects.begin(), f.objects.end(), [&](const CheckedObject &o) {
      return o.name == array.spelling && o.isArray;
    });
    if (dimension > 0 || object == f.objects.end() || object->count.empty())
      return "";
    std::string all = "(" + object->count + ")";
    for (size_t k = 1; k < array.extents.size(); k++) {
      std::string inner = array.extents[k] ? text(array.extents[k]) : "";
      if (inner.empty())
        return "";
      all += " / (" + inner + ")";
    }
    return all;
  }

private:
  std::string text(const ExprP &e) {
    bool isKnown = true;
    walk(e, [&](const ExprP &x) {
      isKnown &= x->kind != ExprKind::Index && x->kind != ExprKind::Member &&
                 (x->kind != ExprKind::Var || scalars.count(x->name));
      return true;
    });
    return isKnown ? fmt::format("(long long)({})", print.expr(e)) : "";
  }

  const CheckedFunction &f;
  Dialect host;
  TreePrinter print;
  std::set<std::string> scalars;
};

} // namespace

void addDataRanges(CheckedFunction &f, const Compilation &c) {
  Extents extents(f);
  for (const CompiledRegion &r : c.regions) {
    const Region &region = r.program.region;
    if (region.function != f.signature.name)
      continue;
    Follower follower(region);
    follower.found = [&](const Origins &origins, const Variable &array, size_t dimension) {
      std::string extent = extents.of(array, dimension);
      for (const Origin &o : origins)
        for (CheckedObject &object : f.objects)
          if (object.isArray && object.name == region.variables.at(o.array).spelling &&
              object.type.isInteger() && !extent.empty())
            object.ranges.push_back({o.isLeast ? std::max<int64_t>(0, -o.offset) : 0,
                                     o.isMost ? fmt::format("{} - {}", extent, o.offset + 1) : "",
                                     o.isBound});
    };
    follower.run();
  }
}

} // namespace nw
