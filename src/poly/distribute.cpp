// Distribution, parallel loops, fusion.
#include "poly/distribute.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

using Group = std::vector<size_t>;

// Strongly connected components in topological order, source order where free. Small graphs:
// reachability suffices.
std::vector<Group> components(size_t count, std::vector<std::vector<bool>> edge) {
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < count; i++)
      if (edge[i][k])
        for (size_t j = 0; j < count; j++)
          if (edge[k][j])
            edge[i][j] = true;
  std::vector<int> component(count, -1);
  std::vector<Group> groups;
  for (size_t i = 0; i < count; i++) {
    if (component[i] >= 0)
      continue;
    Group g;
    for (size_t j = i; j < count; j++)
      if (j == i || (edge[i][j] && edge[j][i])) {
        component[j] = int(groups.size());
        g.push_back(j);
      }
    groups.push_back(g);
  }
  std::vector<Group> ordered;
  std::vector<bool> done(groups.size(), false);
  while (ordered.size() < groups.size())
    for (size_t g = 0; g < groups.size(); g++) {
      if (done[g])
        continue;
      bool ready = true;
      for (size_t h = 0; h < groups.size(); h++)
        ready &= h == g || done[h] || !edge[groups[h][0]][groups[g][0]];
      if (ready) {
        done[g] = true;
        ordered.push_back(groups[g]);
        break;
      }
    }
  return ordered;
}

class Distributor {
public:
  Distributor(const Program &program, const Dependences &dependences, bool relaxed,
              const Alternative &alternative, std::set<std::string> &inMemory)
      : program(program), relaxed(relaxed), alternative(alternative), inMemory(inMemory) {
    for (const Dependence &d : dependences.all)
      for (const isl::map &m : mapsOf(d.relation)) {
        size_t from = numberOf(inputTupleOf(m)), to = numberOf(outputTupleOf(m));
        edges.push_back({from, to, m, d.isReduction});
      }
    for (const isl::map &m : mapsOf(dependences.asked))
      edges.push_back({numberOf(inputTupleOf(m)), numberOf(outputTupleOf(m)), m, false});
  }

  Step run() {
    std::vector<size_t> all(program.statements.size());
    for (size_t k = 0; k < all.size(); k++)
      all[k] = k;
    return sequenceOf(all, 0, edges);
  }

private:
  struct Edge {
    size_t from, to;
    isl::map relation;
    bool isReduction;
  };
  using Edges = std::vector<Edge>;

  size_t numberOf(const std::string &name) const {
    return size_t(program.find(name) - program.statements.data());
  }
  const Statement &statement(size_t k) const { return program.statements[k]; }

  static Edges within(const Group &group, const Edges &edges) {
    Edges out;
    for (const Edge &e : edges)
      if (std::count(group.begin(), group.end(), e.from) &&
          std::count(group.begin(), group.end(), e.to))
        out.push_back(e);
    return out;
  }

  // Statements that touch the same private variable belong together, unless all loops that have
  // copies of it run in order outside: then one copy in memory serves.
  bool glued(size_t a, size_t b, size_t level) const {
    for (const Access &x : statement(a).accesses)
      if (program.arrays.at(x.array).kind == ArrayKind::Private &&
          size_t(program.arrays.at(x.array).privateDepth) > level)
        for (const Access &y : statement(b).accesses)
          if (x.array == y.array)
            return true;
    return false;
  }

  std::vector<Group> groupsOf(const std::vector<size_t> &list, size_t level,
                              const Edges &among) const {
    std::map<size_t, size_t> position;
    for (size_t k = 0; k < list.size(); k++)
      position[list[k]] = k;
    std::vector<std::vector<bool>> edge(list.size(), std::vector<bool>(list.size(), false));
    for (const Edge &e : among)
      edge[position[e.from]][position[e.to]] = true;
    for (size_t a = 0; a < list.size(); a++)
      for (size_t b = a + 1; b < list.size(); b++)
        if (glued(list[a], list[b], level))
          edge[a][b] = edge[b][a] = true;
    std::vector<Group> groups = components(list.size(), edge);
    for (Group &g : groups)
      for (size_t &k : g)
        k = list[k];
    return groups;
  }

  Step sequenceOf(const std::vector<size_t> &list, size_t level, const Edges &edges) {
    Edges among = within(list, edges);
    std::vector<Group> groups = fused(groupsOf(list, level, among), level, among);
    Step out;
    for (const Group &g : groups) {
      std::set<std::string> before = inMemory;
      Step step = nestStep(g, level, within(g, among));
      std::optional<Step> other = level == 0 ? alternative(g, step) : std::nullopt;
      if (other)
        inMemory = before; // the alternative keeps its own account
      out.children.push_back(other ? *other : step);
    }
    if (out.children.size() == 1)
      return Step(out.children[0]);
    return out;
  }

  // Fuses neighbours that share their parallel loops and lose none of them together.
  std::vector<Group> fused(const std::vector<Group> &groups, size_t level, const Edges &edges) {
    std::vector<Group> out;
    for (const Group &g : groups) {
      if (!out.empty()) {
        Group both = out.back();
        both.insert(both.end(), g.begin(), g.end());
        std::sort(both.begin(), both.end());
        size_t left = parallelLoops(out.back(), level, within(out.back(), edges)).size();
        size_t right = parallelLoops(g, level, within(g, edges)).size();
        size_t together = parallelLoops(both, level, within(both, edges)).size();
        if (left > 0 && left == right && together == left) {
          out.back() = both;
          continue;
        }
      }
      out.push_back(g);
    }
    return out;
  }

  size_t commonDepth(const Group &g) const {
    const std::vector<int> &first = statement(g[0]).loops;
    size_t common = first.size();
    for (size_t k : g) {
      const std::vector<int> &loops = statement(k).loops;
      common = std::min(common, loops.size());
      common =
          std::mismatch(first.begin(), first.begin() + common, loops.begin()).first - first.begin();
    }
    return common;
  }

  // Loops around the whole group, from `level` on, at which every dependence stays within one
  // iteration.
  std::vector<size_t> parallelLoops(const Group &g, size_t level, const Edges &edges,
                                    bool orderFreeReductions = false) const {
    std::vector<size_t> found;
    for (size_t d = level; d < commonDepth(g); d++) {
      bool free = true;
      for (const Edge &e : edges)
        if (free && !(orderFreeReductions && e.isReduction))
          free = e.relation.is_subset(
              isl::manage(isl_map_equate(e.relation.copy(), isl_dim_in, d, isl_dim_out, d)));
      if (free)
        found.push_back(d);
    }
    return found;
  }

  Dimension dimension(const Group &g, size_t level) const {
    Dimension d;
    bool down = program.loop(statement(g[0]).loops[level]).step < 0;
    d.name = nameOf(statement(g[0]), level);
    d.value = isl::union_map(program.isl->get(), "{ }");
    for (size_t k : g) {
      isl::pw_aff v = dimensionOn(statement(k).domain.get_space(), int(level));
      if (down)
        v = v.neg();
      d.value = d.value.unite(isl::union_map(
          isl::manage(isl_map_from_pw_aff(v.release())).intersect_domain(statement(k).domain)));
    }
    return d;
  }

  // A counter that runs down is scheduled by its negative, under another name.
  std::string nameOf(const Statement &s, size_t level) const {
    const SourceLoop &l = program.loop(s.loops[level]);
    return l.step < 0 ? "nw_minus_" + l.counter : l.counter;
  }

  std::vector<std::string> insideNames(const Group &g, size_t level,
                                       const std::vector<size_t> &skip) const {
    std::vector<std::string> names;
    size_t deepest = 0;
    for (size_t k : g)
      deepest = std::max(deepest, statement(k).loops.size());
    for (size_t d = level; d <= deepest; d++) {
      names.push_back("");
      if (d == deepest)
        break;
      // One name for the loop that all statements share here, none where they count in different
      // directions or a loop around has it (`for (j…) …; for (k…) for (j…) …`).
      std::string name;
      bool agree = true;
      if (!std::count(skip.begin(), skip.end(), d))
        for (size_t k : g)
          if (d < statement(k).loops.size()) {
            bool down = program.loop(statement(k).loops[d]).step < 0;
            agree &= name.empty() || down == name.starts_with("nw_minus_");
            if (name.empty())
              name = nameOf(statement(k), d);
          }
      bool isTaken = std::count(names.begin(), names.end(), name) > 0;
      for (size_t around : skip)
        isTaken |= around < d && nameOf(statement(g[0]), around) == name;
      names.push_back(agree && !isTaken ? name : "");
    }
    return names;
  }

  // Source order of the group from `level` on; loops in `skip` are left out.
  isl::union_map inside(const Group &g, size_t level, const std::vector<size_t> &skip) const {
    isl::union_map all(program.isl->get(), "{ }");
    size_t deepest = 0;
    for (size_t k : g)
      deepest = std::max(deepest, statement(k).loops.size());
    for (size_t k : g) {
      const Statement &s = statement(k);
      std::string in, out;
      for (size_t d = 0; d < s.loops.size(); d++)
        in += fmt::format("{}i{}", d ? ", " : "", d);
      for (size_t d = level; d <= deepest; d++) {
        out += fmt::format("{}{}", d > level ? ", " : "", d < s.order.size() ? s.order[d] : 0);
        if (d == deepest)
          continue;
        bool skipped = std::count(skip.begin(), skip.end(), d);
        if (d < s.loops.size() && !skipped)
          out += fmt::format(", {}i{}", program.loop(s.loops[d]).step < 0 ? "-" : "", d);
        else
          out += ", 0";
      }
      isl::map m(program.isl->get(), fmt::format("{{ {}[{}] -> [{}] }}", s.name, in, out));
      all = all.unite(isl::union_map(m.intersect_domain(s.domain)));
    }
    return all;
  }

  Step parallelStep(StepKind kind, const Group &g, size_t level,
                    const std::vector<size_t> &loops) const {
    Step s;
    s.kind = kind;
    for (size_t d : loops)
      s.parallel.push_back(dimension(g, d));
    s.inside = inside(g, level, loops);
    s.insideNames = insideNames(g, level, loops);
    for (size_t k : g)
      s.statements.push_back(statement(k).name);
    return s;
  }

  Step nestStep(const Group &g, size_t level, const Edges &edges) {
    std::vector<size_t> loops = parallelLoops(g, level, edges);
    if (!loops.empty())
      return parallelStep(StepKind::Parallel, g, level, loops);
    if (g.size() == 1 && relaxed && statement(g[0]).reduction &&
        isPlainReduction(statement(g[0]), level)) {
      std::vector<size_t> reduced = parallelLoops(g, level, edges, true);
      if (reduced.size() == statement(g[0]).loops.size() - level && !reduced.empty())
        return parallelStep(StepKind::Reduction, g, level, reduced);
    }
    if (commonDepth(g) <= level)
      return parallelStep(StepKind::Serial, g, level, {});
    // The outermost loop runs in order; what it carries is then satisfied.
    Edges rest;
    for (const Edge &e : edges) {
      isl::map equal =
          isl::manage(isl_map_equate(e.relation.copy(), isl_dim_in, level, isl_dim_out, level));
      if (!equal.is_empty())
        rest.push_back({e.from, e.to, equal, e.isReduction});
    }
    Step s;
    s.kind = StepKind::Loop;
    s.dimension = dimension(g, level);
    s.children.push_back(sequenceOf(g, level + 1, rest));
    if (!hasParallelism(s.children[0]))
      return parallelStep(StepKind::Serial, g, level, {});
    shareInMemory(s.children[0]);
    for (size_t k : g)
      s.statements.push_back(statement(k).name);
    return s;
  }

  // Private variables that several steps touch.
  void shareInMemory(const Step &sequence) {
    std::map<std::string, int> users;
    for (const Step &c : sequence.children) {
      std::vector<std::string> names;
      collectStatements(c, names);
      std::set<std::string> touched;
      for (const std::string &n : names)
        for (const Access &a : program.find(n)->accesses)
          if (program.arrays.at(a.array).kind == ArrayKind::Private)
            touched.insert(a.array);
      for (const std::string &a : touched)
        if (++users[a] > 1)
          inMemory.insert(a);
    }
  }

  // Whether all instances under fixed outer loops reduce into one and the same element.
  bool isPlainReduction(const Statement &s, size_t level) const {
    for (size_t d = level; d < s.loops.size(); d++)
      if (mentions(s.reduction->target, program.loop(s.loops[d]).counter))
        return false; // one element perhaps, but written in terms of a counter that the reduction
                      // does not have
    for (const Access &a : s.accesses) {
      if (a.array != s.reduction->array)
        continue;
      isl::map spellings = projectOutInputs(a.relation, int(level), int(s.loops.size() - level));
      if (!spellings.is_single_valued())
        return false;
    }
    const Array &a = program.arrays.at(s.reduction->array);
    return a.kind == ArrayKind::Memory || size_t(a.privateDepth) <= level;
  }

  const Program &program;
  bool relaxed;
  const Alternative &alternative;
  std::set<std::string> &inMemory;
  Edges edges;
};

} // namespace

Step distribute(const Program &program, const Dependences &dependences, bool relaxed,
                const Alternative &alternative, std::set<std::string> &inMemory) {
  return Distributor(program, dependences, relaxed, alternative, inMemory).run();
}

} // namespace nw
