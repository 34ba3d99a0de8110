// Instances to loops.
#include "lower/instances.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// The element of an expanded variable that belongs to the iteration; `counters` are replaced by
// their values.
ExprP elementOf(const InstanceContext &c, const ExprP &e, const Expansion &x,
                const std::map<std::string, ExprP> &counters) {
  ExprP slot;
  for (size_t k = 0; k < x.loops.size(); k++) {
    const SourceLoop &loop = c.program.loop(x.loops[k]);
    auto value = counters.find(loop.counter);
    ExprP counter =
        cast(value != counters.end() ? value->second : var(loop.counter, loop.type), kI64);
    ExprP here = binary("-", counter, x.first[k], kI64);
    slot = slot ? binary("+", binary("*", slot, x.count[k], kI64), here, kI64) : here;
  }
  return index(e, slot ? slot : intConst(0), e->type);
}

// Short enough to be written out where the counter is read.
constexpr int kShortValue = 7;

// Whether the statement reads the element that it writes.
bool isUpdate(const StmtP &body) {
  if (body->kind != StmtKind::Assign || body->exprs[0]->kind == ExprKind::Var)
    return false;
  int many = 0;
  walkExprs(body, [&](const ExprP &e) {
    many += sameTree(e, body->exprs[0]);
    return true;
  });
  return many > 1;
}

// Whether the value is the same in all iterations of the loops, and short. An element that is
// updated there can be in a register, where no variable of the loop tells which one it is.
bool isFixedIn(const std::vector<std::string> &loops, const ExprP &value) {
  int nodes = 0;
  bool is = !loops.empty();
  walk(value, [&](const ExprP &e) {
    is &=
        ++nodes <= kShortValue && (e->kind != ExprKind::Var || !std::ranges::count(loops, e->name));
    return is;
  });
  return is;
}

// Body of one instance inside of loops, with the source's counters bound to their values.
StmtP instantiate(const InstanceContext &c, const Statement &s, const std::vector<ExprP> &values,
                  const std::vector<std::string> &loops) {
  std::vector<StmtP> code;
  std::map<std::string, ExprP> replace;
  for (size_t k = 0; k < s.loops.size(); k++) {
    const SourceLoop &loop = c.program.loop(s.loops[k]);
    const ExprP &v = values[k];
    bool used = false;
    walkExprs(s.body, [&](const ExprP &e) {
      used |= e->kind == ExprKind::Var && (e->name == loop.counter || c.expansions.count(e->name));
      return true;
    });
    if (!used)
      continue;
    if (v->kind == ExprKind::Var || v->kind == ExprKind::Int ||
        (isUpdate(s.body) && isFixedIn(loops, v))) {
      replace[loop.counter] =
          v->kind == ExprKind::Int ? intConst(v->integer, loop.type) : cast(v, loop.type);
    } else {
      std::string name = c.dimensions.count(loop.counter) ? loop.counter + "_here" : loop.counter;
      while (c.program.region.variables.count(name) && name != loop.counter)
        name += "_";
      code.push_back(declare(name, loop.type, {}, {cast(v, loop.type)}));
      replace[loop.counter] = var(name, loop.type);
    }
  }
  StmtP given = s.body;
  if (auto f = c.reductions.find(s.name); f != c.reductions.end()) {
    auto other = c.reductionNames.find(s.name);
    std::string name = other == c.reductionNames.end() ? kReducedName : other->second;
    given = rewriteExprs(
        given, [&](const ExprP &e) { return sameTree(e, f->second) ? var(name, e->type) : e; });
  }
  StmtP body = rewriteExprs(given, [&](const ExprP &e) -> ExprP {
    if (e->kind != ExprKind::Var)
      return e;
    if (auto r = replace.find(e->name); r != replace.end())
      return r->second;
    auto x = c.expansions.find(e->name);
    if (x == c.expansions.end())
      return e;
    return elementOf(c, e, x->second, replace);
  });
  code.push_back(body);
  return instanceBlock(s.name, values, code);
}

} // namespace

ExprP expandedElement(const InstanceContext &c, const ExprP &slot) {
  return rewrite(slot, [&](const ExprP &e) -> ExprP {
    auto x = e->kind == ExprKind::Var ? c.expansions.find(e->name) : c.expansions.end();
    return x == c.expansions.end() ? e : elementOf(c, e, x->second, {});
  });
}

// The order without dimensions that have one value for all instances: isl looks at each of them at
// length, and they put nothing in order. Their names go, too. The last one stays: conditions come
// in another order without any.
static isl::union_map withoutFixed(const isl::union_map &order, std::vector<std::string> &names) {
  std::vector<isl::map> maps = mapsOf(order);
  auto valueAt = [](const isl::map &m, int k) {
    return isl::manage(isl_map_plain_get_val_if_fixed(m.get(), isl_dim_out, unsigned(k)));
  };
  for (int k = maps.empty() ? 0 : int(isl_map_dim(maps[0].get(), isl_dim_out)) - 1; k-- > 0;) {
    isl::val first = valueAt(maps[0], k);
    bool isFixed = std::all_of(maps.begin(), maps.end(), [&](const isl::map &m) {
      return int(isl_map_dim(m.get(), isl_dim_out)) > k &&
             isl_val_eq(first.get(), valueAt(m, k).get()) == isl_bool_true;
    });
    if (!isFixed)
      continue;
    for (isl::map &m : maps)
      m = isl::manage(isl_map_project_out(m.release(), isl_dim_out, unsigned(k), 1));
    names.erase(names.begin() + k);
  }
  isl::union_map out = isl::union_map::empty(order.ctx());
  for (const isl::map &m : maps)
    out = out.unite(isl::union_map(m));
  return out;
}

StmtP instances(const InstanceContext &c, const View &view, const isl::union_map &inside,
                std::vector<std::string> names) {
  isl::ctx ctx = c.program.isl->get();
  isl::union_map order = alignedWith(inside.intersect_domain(view.domain), view.context);
  int dims = 0;
  for (const isl::map &m : mapsOf(order))
    dims = std::max(dims, int(isl_map_dim(m.get(), isl_dim_out)));
  names.resize(size_t(dims));
  for (size_t k = 0; k < names.size(); k++)
    if (names[k].empty())
      names[k] = fmt::format("nw_t{}", k);
  order = withoutFixed(order, names);
  isl::ast_build build = isl::ast_build::from_context(view.context);
  isl_id_list *ids = isl_id_list_alloc(ctx.get(), int(names.size()));
  for (const std::string &name : names)
    ids = isl_id_list_add(ids, isl_id_alloc(ctx.get(), name.c_str(), nullptr));
  build = isl::manage(isl_ast_build_set_iterators(build.release(), ids));
  isl::ast_node node = build.node_from_schedule_map(order);
  return c.reader.stmt(node, [&](const std::string &name, const std::vector<ExprP> &values,
                                 const std::vector<std::string> &loops) {
    return instantiate(c, *c.program.find(name), values, loops);
  });
}

} // namespace nw
