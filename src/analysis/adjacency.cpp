// The search over subsets of references, groups of statements and released reductions.
#include "analysis/adjacency.h"
#include "analysis/placement_rows.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace nw {

isl::map neighbours(const Program &p, const AffineReference &r) {
  const Statement &s = *p.find(r.id.statement);
  const isl::map &relation = s.accesses[r.id.access].relation;
  size_t subscripts = r.linear.size();
  if (subscripts == 0)
    return relation.apply_range(relation.reverse())
        .subtract(relation.apply_range(relation.reverse()));
  std::string in, out;
  for (size_t k = 0; k < subscripts; k++) {
    in += fmt::format("{}a{}", k ? ", " : "", k);
    out += fmt::format("{}a{}{}", k ? ", " : "", k, k + 1 == subscripts ? " + 1" : "");
  }
  isl::map next(p.isl->get(), fmt::format("{{ {0}[{1}] -> {0}[{2}] }}", r.array, in, out));
  return relation.apply_range(next).apply_range(relation.reverse());
}

bool isCoalesced(const Program &p, const StatementPlacement &placement, const AffineReference &r) {
  isl::map pairs = neighbours(p, r);
  if (pairs.is_empty() || placement.space.empty())
    return false;
  const isl::set &domain = p.find(placement.statement)->domain;
  auto apart = [&](const ScheduleRow &row, int64_t distance) {
    isl::map value = asMap(domain, {row});
    isl::map other(p.isl->get(), fmt::format("{{ [v] -> [v + {}] }}", distance));
    return pairs.is_subset(value.apply_range(other).apply_range(value.reverse()));
  };
  for (const ScheduleRow &row : placement.time)
    if (!apart(row, 0))
      return false;
  for (size_t k = 0; k < placement.space.size(); k++)
    if (!apart(placement.space[k], k == 0 ? 1 : 0))
      return false;
  return true;
}

namespace {

using Numbers = std::vector<size_t>; // of statements, or of references; ascending

// A dependence between two statements of the program.
struct Edge {
  size_t source, target;
  RowCondition condition;
  bool isReduction;
};

// A way to schedule the statements of a group.
struct GroupSolution {
  std::vector<StatementPlacement> placements;
};

class Search {
public:
  Search(const Program &p, const Dependences &d, const std::vector<AffineReference> &references,
         const AdjacencyOptions &options)
      : program(p), references(references), options(options), solver(options.budget) {
    for (size_t k = 0; k < p.statements.size(); k++)
      number[p.statements[k].name] = k;
    for (const Dependence &x : d.all)
      for (const isl::map &m : mapsOf(x.relation))
        addEdges(m, x.isReduction);
    for (const AffineReference &r : references) {
      isl::map pairs = nw::neighbours(p, r);
      pairsOf.emplace_back(pairs.intersect_params(p.context), solver);
    }
    std::set<size_t> placed;
    for (size_t k = 0; k < p.statements.size(); k++)
      if (!placed.count(k)) {
        groups.push_back(connectedTo(k));
        placed.insert(groups.back().begin(), groups.back().end());
      }
  }

  AdjacencyResult run() {
    AdjacencyResult out;
    if (auto placements = combine({}, false, Released::None))
      out.ordinary = AdjacencyCandidate{{}, *placements};
    Numbers possible;
    for (size_t r = 0; r < references.size(); r++)
      if (!pairsOf[r].relation.is_empty() && isSolvable({r}))
        possible.push_back(r);
    for (const Numbers &subset : subsetsOf(possible, out.isComplete))
      for (Released released : {Released::Fewest, Released::All})
        if (released == Released::Fewest || options.relaxed)
          if (auto placements = combine(subset, options.relaxed, released))
            addCandidate(out.candidates, subset, *placements);
    out.isComplete &= !solver.isExhausted();
    return out;
  }

private:
  enum class Released { None, Fewest, All };

  // One edge for each part without disjunctions: a row may settle one and not the other.
  void addEdges(const isl::map &relation, bool isReduction) {
    size_t source = number.at(inputTupleOf(relation)), target = number.at(outputTupleOf(relation));
    isl::map known = relation.intersect_params(program.context).coalesce();
    std::vector<isl::map> parts;
    known.foreach_basic_map([&](const isl::basic_map &part) { parts.push_back(isl::map(part)); });
    for (const isl::map &part : parts) {
      // Flow, anti and output dependences of one accumulation are the same pairs.
      bool isKnown = std::any_of(edges.begin(), edges.end(), [&](const Edge &e) {
        return e.source == source && e.target == target && e.isReduction == isReduction &&
               part.is_subset(e.condition.relation);
      });
      if (!isKnown)
        edges.push_back({source, target, RowCondition(part, solver), isReduction});
    }
  }

  // All statements that are connected to this one by dependences, in either direction.
  Numbers connectedTo(size_t start) const {
    std::set<size_t> reached = {start};
    for (bool grew = true; grew;) {
      grew = false;
      for (const Edge &e : edges)
        if (reached.count(e.source) != reached.count(e.target)) {
          reached.insert({e.source, e.target});
          grew = true;
        }
    }
    return {reached.begin(), reached.end()};
  }

  // Parts of the group whose statements depend on each other in a cycle, each after those that it
  // depends on.
  std::vector<Numbers> cyclesOf(const Numbers &group, const std::set<size_t> &released) const {
    std::map<size_t, std::set<size_t>> after;
    for (size_t s : group)
      after[s].insert(s);
    for (bool grew = true; grew;) {
      grew = false;
      for (const Edge &e : edges)
        if (after.count(e.source) && !isReleased(e, released))
          for (size_t s : group)
            if (after[s].count(e.source))
              for (size_t t : std::set<size_t>(after[e.target]))
                grew |= after[s].insert(t).second;
    }
    std::vector<Numbers> out;
    std::set<size_t> placed;
    while (placed.size() < group.size())
      for (size_t s : group) {
        bool isReady = !placed.count(s);
        Numbers cycle;
        for (size_t t : group)
          if (after[t].count(s)) {
            if (after[s].count(t))
              cycle.push_back(t);
            else
              isReady &= placed.count(t) > 0;
          }
        if (isReady) {
          out.push_back(cycle);
          placed.insert(cycle.begin(), cycle.end());
          break;
        }
      }
    return out;
  }

  static bool isReleased(const Edge &e, const std::set<size_t> &released) {
    return e.isReduction && released.count(e.source);
  }

  // θ and π for statements that share a θ.
  std::optional<GroupSolution> placeTogether(const Numbers &statements, const Numbers &subset,
                                             const std::set<size_t> &released, int phase) {
    RowProblem problem;
    problem.bound = options.bound;
    std::map<size_t, size_t> place;
    for (size_t s : statements) {
      place[s] = problem.statements.size();
      problem.statements.push_back(&program.statements[s]);
      problem.neighbours.push_back(pairsIn(s, subset));
    }
    for (const Edge &e : edges)
      if (place.count(e.source) && place.count(e.target) && !isReleased(e, released))
        problem.dependences.push_back({place[e.source], place[e.target], e.condition});
    auto time = timeRows(problem, solver);
    if (!time)
      return std::nullopt;
    GroupSolution out;
    for (size_t s : statements) {
      const Statement &statement = program.statements[s];
      auto space =
          spaceRows(statement, pairsIn(s, subset), (*time)[place[s]], options.bound, solver);
      if (!space)
        return std::nullopt;
      StatementPlacement placement{statement.name, phase, (*time)[place[s]], *space, false};
      placement.combines = reducesAtOneTime(s, placement);
      out.placements.push_back(placement);
    }
    return out;
  }

  // Whether instances of a reduction that depend on each other only by it have the same time.
  bool reducesAtOneTime(size_t s, const StatementPlacement &placement) const {
    isl::map time = asMap(program.statements[s].domain, placement.time);
    isl::map same = time.apply_range(time.reverse());
    return std::any_of(edges.begin(), edges.end(), [&](const Edge &e) {
      return e.isReduction && e.source == s && !e.condition.relation.intersect(same).is_empty();
    });
  }

  std::optional<GroupSolution> place(const Numbers &group, const Numbers &subset,
                                     const std::set<size_t> &released) {
    if (auto together = placeTogether(group, subset, released, 0))
      return together;
    GroupSolution out;
    int phase = 0;
    for (const Numbers &cycle : cyclesOf(group, released)) {
      auto part = placeTogether(cycle, subset, released, phase++);
      if (!part)
        return std::nullopt;
      out.placements.insert(out.placements.end(), part->placements.begin(), part->placements.end());
    }
    std::sort(out.placements.begin(), out.placements.end(),
              [&](auto &a, auto &b) { return number.at(a.statement) < number.at(b.statement); });
    return out;
  }

  // With as few reductions released as possible, or all of them.
  std::optional<GroupSolution> solve(const Numbers &group, const Numbers &subset, bool mayRelease,
                                     Released how) {
    Numbers inGroup;
    for (size_t r : subset)
      if (std::binary_search(group.begin(), group.end(), number.at(references[r].id.statement)))
        inGroup.push_back(r);
    auto key = std::tuple{group[0], inGroup, mayRelease, how};
    if (auto found = solved.find(key); found != solved.end())
      return found->second;
    std::optional<GroupSolution> solution;
    for (const std::set<size_t> &released : releases(group, mayRelease, how))
      if ((solution = place(group, inGroup, released)))
        break;
    solved.emplace(key, solution);
    return solution;
  }

  // Sets of reductions to release, in the order in which they are tried.
  std::vector<std::set<size_t>> releases(const Numbers &group, bool mayRelease,
                                         Released how) const {
    constexpr size_t kMostApart = 4; // reductions of a group of which all subsets are tried
    Numbers reductions;
    for (size_t s : group)
      if (std::any_of(edges.begin(), edges.end(),
                      [&](const Edge &e) { return e.isReduction && e.source == s; }))
        reductions.push_back(s);
    std::set<size_t> every(reductions.begin(), reductions.end());
    if (!mayRelease || how == Released::None)
      return {{}};
    if (how == Released::All)
      return {every};
    std::vector<std::set<size_t>> out = {{}};
    if (reductions.size() <= kMostApart)
      for (const Numbers &some : bySize(reductions))
        out.insert(
            out.begin() + 1,
            std::set<size_t>(some.begin(), some.end())); // from large to small, so the reverse
    else
      out.push_back(every);
    return out;
  }

  // All non-empty subsets, large ones first, of each size in order.
  static std::vector<Numbers> bySize(const Numbers &of) {
    std::vector<Numbers> out;
    for (unsigned bits = 1; bits < 1u << of.size(); bits++) {
      Numbers subset;
      for (size_t k = 0; k < of.size(); k++)
        if (bits >> k & 1)
          subset.push_back(of[k]);
      out.push_back(subset);
    }
    std::stable_sort(out.begin(), out.end(), [](auto &a, auto &b) { return a.size() > b.size(); });
    return out;
  }

  // Subsets of the references of one group: all of them alone where that works with reductions in
  // order, else every one.
  std::vector<Numbers> subsetsIn(const Numbers &group, const Numbers &possible, bool &isComplete) {
    constexpr size_t kMostReferences = 10;
    Numbers inGroup;
    for (size_t r : possible)
      if (std::binary_search(group.begin(), group.end(), number.at(references[r].id.statement)))
        inGroup.push_back(r);
    if (inGroup.empty() || solve(group, inGroup, false, Released::None))
      return {inGroup};
    if (inGroup.size() > kMostReferences) {
      inGroup.resize(kMostReferences);
      isComplete = false;
    }
    std::vector<Numbers> out;
    for (const Numbers &subset : bySize(inGroup))
      if (solve(group, subset, options.relaxed, Released::Fewest))
        out.push_back(subset);
    out.push_back({});
    return out;
  }

  // All ways to take a subset of each group, those with more references first, without the empty
  // one.
  std::vector<Numbers> subsetsOf(const Numbers &possible, bool &isComplete) {
    std::vector<Numbers> out = {{}};
    for (const Numbers &group : groups) {
      std::vector<Numbers> longer;
      for (const Numbers &own : subsetsIn(group, possible, isComplete))
        for (const Numbers &before : out) {
          Numbers both = before;
          both.insert(both.end(), own.begin(), own.end());
          std::sort(both.begin(), both.end());
          longer.push_back(both);
        }
      std::stable_sort(longer.begin(), longer.end(),
                       [](auto &a, auto &b) { return a.size() > b.size(); });
      if (longer.size() > size_t(options.subsets)) {
        longer.resize(size_t(options.subsets));
        isComplete = false;
      }
      out = longer;
    }
    std::erase_if(out, [](const Numbers &subset) { return subset.empty(); });
    return out;
  }

  bool isSolvable(const Numbers &subset) {
    size_t statement = number.at(references[subset[0]].id.statement);
    for (const Numbers &group : groups)
      if (std::binary_search(group.begin(), group.end(), statement))
        return solve(group, subset, options.relaxed, Released::Fewest).has_value();
    return false;
  }

  std::optional<std::vector<StatementPlacement>> combine(const Numbers &subset, bool mayRelease,
                                                         Released how) {
    std::vector<StatementPlacement> all;
    for (const Numbers &group : groups) {
      auto part = solve(group, subset, mayRelease, how);
      if (!part)
        return std::nullopt;
      all.insert(all.end(), part->placements.begin(), part->placements.end());
    }
    std::sort(all.begin(), all.end(),
              [&](auto &a, auto &b) { return number.at(a.statement) < number.at(b.statement); });
    return all;
  }

  void addCandidate(std::vector<AdjacencyCandidate> &candidates, const Numbers &subset,
                    const std::vector<StatementPlacement> &placements) const {
    if (std::any_of(candidates.begin(), candidates.end(),
                    [&](auto &c) { return c.statements == placements; }))
      return;
    AdjacencyCandidate c;
    for (size_t r : subset)
      c.coalesced.push_back(references[r]);
    c.statements = placements;
    candidates.push_back(c);
  }

  std::vector<RowCondition> pairsIn(size_t statement, const Numbers &subset) const {
    std::vector<RowCondition> out;
    for (size_t r : subset)
      if (references[r].id.statement == program.statements[statement].name)
        out.push_back(pairsOf[r]);
    return out;
  }

  const Program &program;
  const std::vector<AffineReference> &references;
  const AdjacencyOptions &options;
  IntegerProgram solver;
  std::map<std::string, size_t> number;
  std::vector<Edge> edges;
  std::vector<RowCondition> pairsOf; // of neighbours, for each reference
  std::vector<Numbers> groups;
  std::map<std::tuple<size_t, Numbers, bool, Released>, std::optional<GroupSolution>> solved;
};

} // namespace

AdjacencyResult findAdjacentSchedules(const Program &p, const Dependences &d,
                                      const std::vector<AffineReference> &references,
                                      const AdjacencyOptions &options) {
  return Search(p, d, references, options).run();
}

std::string print(const Program &p, const StatementPlacement &placement) {
  const Statement &s = *p.find(placement.statement);
  std::vector<std::string> names = counters(p, s.loops);
  std::vector<std::string> parts;
  auto add = [&](const char *what, const std::vector<ScheduleRow> &rows) {
    std::string text;
    for (const ScheduleRow &row : rows)
      text += (text.empty() ? "" : ", ") + printAffine(row.factors, names, row.constant);
    if (!rows.empty())
      parts.push_back(fmt::format("{}={}", what, text));
  };
  if (placement.phase)
    parts.push_back(fmt::format("phase {}", placement.phase));
  add("θ", placement.time);
  add("π", placement.space);
  if (placement.combines)
    parts.push_back("combined");
  return fmt::format("{}: {}", placement.statement,
                     parts.empty() ? "once" : fmt::format("{}", fmt::join(parts, ", ")));
}

std::string print(const Program &p, const AdjacencyCandidate &candidate) {
  std::string out;
  for (const StatementPlacement &placement : candidate.statements)
    out += (out.empty() ? "" : "; ") + print(p, placement);
  for (size_t k = 0; k < candidate.coalesced.size(); k++)
    out += (k ? ", " : "; coalesced: ") + print(p, candidate.coalesced[k]);
  return out;
}

} // namespace nw
