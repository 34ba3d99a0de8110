// Legality of schedules.
#include "verify/legality.h"
#include <fmt/format.h>
#include <sstream>

namespace nw {

namespace {

// One coordinate of an instance in the whole schedule.
struct Coordinate {
  isl::map value; // instance -> [x]
  bool isParallel;
};

template <class T> std::string text(const T &object) {
  std::ostringstream out;
  out << object;
  return out.str().substr(0, 400);
}

// For every statement its place: positions in sequences, values of loops, threads, and time inside.
class Places {
public:
  explicit Places(const Program &p) : p(p) {}

  void visit(const Step &s, std::map<std::string, std::vector<Coordinate>> prefix) {
    std::vector<std::string> names;
    collectStatements(s, names);
    switch (s.kind) {
    case StepKind::Sequence:
      for (size_t k = 0; k < s.children.size(); k++) {
        auto inner = prefix;
        std::vector<std::string> below;
        collectStatements(s.children[k], below);
        for (const std::string &n : below)
          inner[n].push_back({constant(n, int(k)), false});
        visit(s.children[k], inner);
      }
      return;
    case StepKind::Loop:
      append(prefix, names, s.dimension.value, false);
      visit(s.children[0], prefix);
      return;
    case StepKind::Reduction: folded.insert(s.statements.begin(), s.statements.end()); [[fallthrough]];
    default:
      for (const Dimension &d : s.parallel)
        append(prefix, names, d.value, true);
      if (s.kind != StepKind::Reduction)
        append(prefix, names, s.inside, false);
      for (const std::string &n : names) {
        times[n]++;
        place[n] = prefix[n];
      }
    }
  }

  std::map<std::string, std::vector<Coordinate>> place;
  std::map<std::string, int> times;
  std::set<std::string> folded; // reductions whose instances may be reordered among themselves

private:
  isl::map constant(const std::string &statement, int value) {
    const isl::set &domain = p.find(statement)->domain;
    isl::pw_aff v = constantOn(domain.get_space(), intVal(p.isl->get(), (long)value));
    return isl::manage(isl_map_from_pw_aff(v.release())).intersect_domain(domain);
  }

  void append(std::map<std::string, std::vector<Coordinate>> &prefix, const std::vector<std::string> &names, const isl::union_map &values, bool isParallel) {
    for (const isl::map &m : mapsOf(values))
      for (const std::string &n : names)
        if (inputTupleOf(m) == n)
          for (int k = 0; k < int(isl_map_dim(m.get(), isl_dim_out)); k++) {
            isl::map one = isl::manage(isl_map_project_out(m.copy(), isl_dim_out, k + 1, isl_map_dim(m.get(), isl_dim_out) - k - 1));
            one = isl::manage(isl_map_project_out(one.release(), isl_dim_out, 0, k));
            prefix[n].push_back({one, isParallel});
          }
  }

  const Program &p;
};

Places placesOf(const Program &p, const Schedule &schedule) {
  Places places(p);
  places.visit(schedule.root, {});
  return places;
}

} // namespace

std::vector<Finding> checkDependences(const Program &p, const Dependences &dependences, const Schedule &schedule) {
  std::vector<Finding> findings;
  Places places = placesOf(p, schedule);
  isl::map smaller(p.isl->get(), "{ [a] -> [b] : a > b }"), differs(p.isl->get(), "{ [a] -> [b] : a != b }"), same(p.isl->get(), "{ [a] -> [b] : a = b }");
  for (const Dependence &d : dependences.all)
    for (const isl::map &m : mapsOf(d.relation)) {
      std::string from = inputTupleOf(m), to = outputTupleOf(m);
      if (d.isReduction && from == to && places.folded.count(from))
        continue;
      const auto &a = places.place[from], &b = places.place[to];
      isl::map rest = m;
      for (size_t k = 0; k < std::min(a.size(), b.size()) && !rest.is_empty(); k++) {
        if (a[k].isParallel != b[k].isParallel) // different kinds of steps are told apart by a sequence before
          break;
        isl::map wrong = a[k].value.apply_range(a[k].isParallel ? differs : smaller).apply_range(b[k].value.reverse());
        if (!rest.intersect(wrong).is_empty())
          findings.push_back({"dependences", fmt::format("{} -> {} through {} is violated: {}", from, to, d.array, text(rest.intersect(wrong)))});
        rest = rest.intersect(a[k].value.apply_range(same).apply_range(b[k].value.reverse()));
      }
      if (!rest.is_empty() && from == to)
        findings.push_back({"dependences", fmt::format("instances of {} that depend on each other through {} share a place: {}", from, d.array, text(rest))});
      else if (!rest.is_empty())
        findings.push_back({"dependences", fmt::format("{} and {} share a place but depend on each other through {}", from, to, d.array)});
    }
  return findings;
}

std::vector<Finding> checkCoverage(const Program &p, const Schedule &schedule) {
  std::vector<Finding> findings;
  Places places = placesOf(p, schedule);
  for (const Statement &s : p.statements) {
    if (places.times[s.name] != 1) {
      findings.push_back({"coverage", fmt::format("{} stands {} times in the schedule", s.name, places.times[s.name])});
      continue;
    }
    isl::map time;
    for (const Coordinate &c : places.place[s.name]) {
      if (!s.domain.is_subset(c.value.domain()))
        findings.push_back({"coverage", fmt::format("some instances of {} have no place", s.name)});
      time = time.is_null() ? c.value : isl::manage(isl_map_flat_range_product(time.release(), c.value.copy()));
    }
    bool alone = time.is_null() ? dimsOf(s.domain) == 0 : bool(isl_map_is_injective(time.get()));
    if (!alone)
      findings.push_back({"coverage", fmt::format("several instances of {} share a place", s.name)});
  }
  return findings;
}

std::vector<Finding> checkBounds(const Program &p) {
  std::vector<Finding> findings;
  isl::set context = p.context.intersect(p.assumptions);
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses) {
      const Array &array = p.arrays.at(a.array);
      if (array.kind != ArrayKind::Memory || !array.flatSizes.empty())
        continue;
      isl::set range = a.relation.intersect_params(context).range();
      for (size_t k = 0; k < array.extents.size(); k++) {
        const ExprP &e = array.extents[k];
        if (!e || e->kind != ExprKind::Int || paramsOf(range) > 0)
          continue; // extents and subscripts that depend on parameters are the caller's promise
        isl::pw_aff x = dimensionOn(range.get_space(), int(k));
        isl::set outside = x.lt_set(constantOn(range.get_space(), intVal(p.isl->get(), 0L))).unite(x.ge_set(constantOn(range.get_space(), intVal(p.isl->get(), (long)e->integer))));
        if (!range.intersect(outside).is_empty())
          findings.push_back({"bounds", fmt::format("{} reaches outside {}: {}", s.name, a.array, text(range.intersect(outside)))});
      }
    }
  return findings;
}

} // namespace nw
