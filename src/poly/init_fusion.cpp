// Beginnings of steps.
#include "poly/init_fusion.h"
#include <algorithm>

namespace nw {

namespace {

class InitFusion {
public:
  InitFusion(const Program &program, const Dependences &dependences)
      : p(program), dependences(dependences) {}

  Step run(Step root) const {
    if (root.kind != StepKind::Sequence)
      return root;
    std::vector<Step> &all = root.children;
    for (size_t later = 1; later < all.size(); later++)
      for (size_t earlier = later; earlier-- > 0;)
        if (isStart(all[earlier], all[later]) && canWait(all, earlier, later)) {
          all[later] = together(all[earlier], all[later]);
          all.erase(all.begin() + long(earlier));
          later--;
          earlier = std::min(earlier, later);
        }
    if (all.size() == 1)
      return Step(all[0]);
    return root;
  }

private:
  // Whether the first step only sets or scales elements that the second goes on with, and each
  // thread of the second needs its own alone.
  bool isStart(const Step &first, const Step &second) const {
    if (first.kind != StepKind::Parallel || second.kind != StepKind::Parallel ||
        first.parallel.empty() || first.parallel.size() != second.parallel.size())
      return false;
    std::set<std::string> set, written;
    for (const std::string &name : first.statements) {
      const Statement &s = *p.find(name);
      if (s.loops.size() != first.parallel.size())
        return false;
      for (const Access &a : s.accesses) {
        if (!isOfOwnElement(s, a) || p.arrays.at(a.array).kind == ArrayKind::Private)
          return false;
        set.insert(a.array);
      }
    }
    bool hasLoops = false;
    for (const std::string &name : second.statements) {
      const Statement &s = *p.find(name);
      hasLoops |= s.loops.size() > second.parallel.size();
      for (const Access &a : s.accesses)
        if (a.isWrite)
          written.insert(a.array);
    }
    return hasLoops && std::includes(written.begin(), written.end(), set.begin(), set.end()) &&
           haveSameThreads(first, second) && staysInThreads(first, second);
  }

  // A write, or a read of an element that the same instance writes: nothing is fetched for it that
  // the second step would not fetch.
  static bool isOfOwnElement(const Statement &s, const Access &a) {
    return std::any_of(s.accesses.begin(), s.accesses.end(), [&](const Access &w) {
      return w.isWrite && w.array == a.array && w.relation.is_equal(a.relation);
    });
  }

  // Instance to the values of all parallel dimensions.
  isl::union_map threadsOf(const Step &s) const {
    isl::union_map all = s.parallel[0].value;
    for (size_t k = 1; k < s.parallel.size(); k++)
      all =
          isl::manage(isl_union_map_flat_range_product(all.release(), s.parallel[k].value.copy()));
    return all.intersect_params(p.context);
  }

  // For all sizes for which the second step has any, since the first may run alone for others.
  bool haveSameThreads(const Step &first, const Step &second) const {
    isl::union_set a = threadsOf(first).range(), b = threadsOf(second).range();
    isl::set sizes = isl::manage(isl_union_set_params(b.copy()));
    return !b.is_empty() && a.intersect_params(sizes).is_equal(b);
  }

  bool staysInThreads(const Step &first, const Step &second) const {
    isl::union_map same = threadsOf(first).apply_range(threadsOf(second).reverse());
    return between(first, second).intersect_params(p.context).is_subset(same);
  }

  isl::union_set instancesOf(const Step &s) const {
    std::vector<std::string> names;
    collectStatements(s, names);
    isl::union_set all(p.isl->get(), "{ }");
    for (const std::string &name : names)
      all = all.unite(isl::union_set(p.find(name)->domain));
    return all;
  }

  isl::union_map between(const Step &from, const Step &to) const {
    isl::union_map all(p.isl->get(), "{ }");
    for (const Dependence &d : dependences.all)
      all = all.unite(
          d.relation.intersect_domain(instancesOf(from)).intersect_range(instancesOf(to)));
    return all;
  }

  // Whether no step between the two depends on the earlier one.
  bool canWait(const std::vector<Step> &all, size_t earlier, size_t later) const {
    for (size_t k = earlier + 1; k < later; k++)
      if (!between(all[earlier], all[k]).is_empty())
        return false;
    return true;
  }

  // The times of a step with one in front that says which of the two it was.
  isl::union_map times(const Step &s, int which, int dims) const {
    isl::union_map all(p.isl->get(), "{ }");
    for (const isl::map &m : mapsOf(s.inside)) {
      int own = int(isl_map_dim(m.get(), isl_dim_out));
      isl_map *wide = isl_map_insert_dims(m.copy(), isl_dim_out, 0, 1);
      wide = isl_map_fix_si(isl_map_add_dims(wide, isl_dim_out, unsigned(dims - own)), isl_dim_out,
                            0, which);
      for (int k = own + 1; k <= dims; k++)
        wide = isl_map_fix_si(wide, isl_dim_out, unsigned(k), 0);
      all = all.unite(isl::union_map(isl::manage(wide)));
    }
    return all;
  }

  Step together(const Step &first, const Step &second) const {
    Step s = second;
    int dims = 0;
    for (const Step *one : {&first, &second})
      for (const isl::map &m : mapsOf(one->inside))
        dims = std::max(dims, int(isl_map_dim(m.get(), isl_dim_out)));
    s.inside = times(first, 0, dims).unite(times(second, 1, dims));
    s.insideNames.insert(s.insideNames.begin(), "");
    for (size_t k = 0; k < s.parallel.size(); k++)
      s.parallel[k].value = first.parallel[k].value.unite(second.parallel[k].value);
    s.statements = first.statements;
    s.statements.insert(s.statements.end(), second.statements.begin(), second.statements.end());
    return s;
  }

  const Program &p;
  const Dependences &dependences;
};

} // namespace

Step withFusedInits(const Program &program, const Dependences &dependences, const Step &root) {
  return InitFusion(program, dependences).run(root);
}

} // namespace nw
