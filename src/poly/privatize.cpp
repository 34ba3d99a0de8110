// Privatisation by value flow: instances that hand a value to each other form a web; a web whose
// values never cross an iteration of its outer loops is private to them.
#include "poly/privatize.h"
#include "poly/dependences.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace nw {

namespace {

// Statement numbers connected by flow of the scalar.
std::vector<std::vector<size_t>> websOf(const Program &p, const std::string &scalar,
                                        const isl::union_map &flow) {
  std::vector<size_t> parent(p.statements.size());
  std::iota(parent.begin(), parent.end(), 0);
  std::function<size_t(size_t)> root = [&](size_t k) {
    return parent[k] == k ? k : parent[k] = root(parent[k]);
  };
  auto number = [&](const std::string &name) { return size_t(p.find(name) - p.statements.data()); };
  for (const isl::map &m : mapsOf(flow))
    parent[root(number(inputTupleOf(m)))] = root(number(outputTupleOf(m)));
  std::map<size_t, std::vector<size_t>> byRoot;
  for (size_t k = 0; k < p.statements.size(); k++)
    for (const Access &a : p.statements[k].accesses)
      if (a.array == scalar) {
        byRoot[root(k)].push_back(k);
        break;
      }
  std::vector<std::vector<size_t>> webs;
  for (auto &[r, w] : byRoot)
    webs.push_back(w);
  std::sort(webs.begin(), webs.end());
  return webs;
}

// How many outer loops the web shares such that its values stay within one iteration of them.
int privateDepth(const Program &p, const std::vector<size_t> &web, const isl::union_map &flow) {
  const std::vector<int> &first = p.statements[web[0]].loops;
  size_t common = first.size();
  for (size_t k : web) {
    const std::vector<int> &loops = p.statements[k].loops;
    common = std::min(common, loops.size());
    common =
        std::mismatch(first.begin(), first.begin() + common, loops.begin()).first - first.begin();
  }
  for (const isl::map &m : mapsOf(flow)) {
    auto inWeb = [&](const std::string &name) {
      return std::any_of(web.begin(), web.end(),
                         [&](size_t k) { return p.statements[k].name == name; });
    };
    if (!inWeb(inputTupleOf(m)))
      continue;
    for (size_t d = 0; d < common; d++) {
      isl::map equal = isl::manage(isl_map_equate(m.copy(), isl_dim_in, d, isl_dim_out, d));
      if (!m.is_subset(equal))
        common = d;
    }
  }
  return int(common);
}

StmtP renamed(const StmtP &body, const std::string &from, const std::string &to) {
  return rewriteExprs(body, [&](const ExprP &e) {
    return e->kind == ExprKind::Var && e->name == from ? var(to, e->type) : e;
  });
}

} // namespace

Program privatize(Program p) {
  std::vector<std::string> scalars;
  for (auto &[name, a] : p.arrays)
    if (a.kind == ArrayKind::Memory && a.isScalar() && !a.variable.liveAfter &&
        !a.variable.addressKnown && a.variable.storage != Storage::Global)
      scalars.push_back(name);
  for (const std::string &scalar : scalars) {
    const Array original = p.arrays.at(scalar);
    // Value flow through this scalar alone.
    isl::union_map flow(p.isl->get(), "{ }"), reads = flow, must = flow, may = flow;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == scalar) {
          (a.isWrite ? a.isMust ? must : may : reads) =
              (a.isWrite ? a.isMust ? must : may : reads).unite(isl::union_map(a.relation));
        }
    if (!reads.is_empty()) {
      isl::union_flow all = isl::union_access_info(reads)
                                .set_must_source(must)
                                .set_may_source(may.unite(must))
                                .set_schedule_map(sourceOrder(p))
                                .compute_flow();
      if (!all.may_no_source().is_empty())
        continue; // a value from before the region may be read
      flow = all.may_dependence();
    }
    int count = 0;
    auto webs = websOf(p, scalar, flow);
    for (const std::vector<size_t> &web : webs) {
      int depth = privateDepth(p, web, flow);
      if (depth == 0)
        continue;
      Array copy = original;
      copy.kind = ArrayKind::Private;
      copy.privateDepth = depth;
      const std::vector<int> &loops = p.statements[web[0]].loops;
      copy.privateLoops.assign(loops.begin(), loops.begin() + depth);
      copy.name = count++ == 0 ? scalar + "_p" : fmt::format("{}_p{}", scalar, count);
      while (p.region.variables.count(copy.name))
        copy.name += "_";
      copy.variable.name = copy.name;
      copy.variable.inside = true;
      for (size_t k : web) {
        Statement &s = p.statements[k];
        s.body = renamed(s.body, scalar, copy.name);
        if (s.reduction && s.reduction->array == scalar) {
          s.reduction->array = copy.name;
          s.reduction->target = rewrite(s.reduction->target, [&](const ExprP &e) {
            return e->kind == ExprKind::Var && e->name == scalar ? var(copy.name, e->type) : e;
          });
        }
        for (Access &a : s.accesses)
          if (a.array == scalar) {
            // S[i, j] -> x[]  becomes  S[i, j] -> x_p[i]
            isl::map r = a.relation;
            isl::map prefix = isl::manage(isl_map_project_out(
                isl_map_identity(isl_space_map_from_set(isl_set_get_space(s.domain.get()))),
                isl_dim_out, depth, dimsOf(s.domain) - depth));
            r = isl::manage(isl_map_flat_range_product(
                                prefix.release(), isl_map_reset_tuple_id(r.release(), isl_dim_out)))
                    .intersect_domain(s.domain);
            a.relation = namedOutput(r, copy.name);
            a.array = copy.name;
          }
      }
      p.region.variables[copy.name] = copy.variable;
      p.arrays.emplace(copy.name, copy);
    }
    bool left = false;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        left |= a.array == scalar;
    if (!left)
      p.arrays.erase(scalar);
  }
  return p;
}

} // namespace nw
