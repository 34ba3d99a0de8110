// Algorithm 1 and what follows it.
#include "papers/affine_steps.h"
#include "analysis/adjacency.h"
#include "analysis/reuse.h"
#include "papers/affine_search.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw::papers {

namespace {

class AffineSteps {
public:
  explicit AffineSteps(const PaperRegion &region)
      : r(region), p(sourceOf(region.program)), dependences(computeDependences(p)) {}

  Lines run() {
    reuse();
    schedules();
    if (!taken)
      return lines;
    memories();
    AffineChoice choice{*taken, staged};
    for (const std::string &line : searchSteps(r, p, choice))
      lines.push_back(line);
    return lines;
  }

private:
  template <class... A> void say(fmt::format_string<A...> text, A &&...of) {
    lines.push_back(fmt::format(text, std::forward<A>(of)...));
  }

  std::string namesOf(const std::vector<AffineReference> &references) const {
    std::vector<std::string> names;
    for (const AffineReference &a : references)
      names.push_back(print(p, a));
    return listed(names);
  }

  // Section 4.1.
  void reuse() {
    withoutReuse = referencesWithoutReuse(p);
    std::set<std::string> said;
    for (const AffineReference &a : affineReferences(p, allStatements(p))) {
      if (a.linear.empty() || a.loops.empty() || !said.insert(print(p, a)).second)
        continue;
      ReferenceReuse found = reuseOf(a);
      bool isWithout = std::ranges::any_of(
          withoutReuse, [&](const AffineReference &w) { return print(p, w) == print(p, a); });
      std::string what = !found.redundantLoops.empty()
                             ? fmt::format("higher-order reuse along {}",
                                           listed(counters(p, found.redundantLoops)))
                         : found.isHigherOrder() ? "higher-order reuse"
                         : isWithout             ? "no reuse"
                                                 : "reuse by other references";
      say("reuse of {}: rank {} in {}: {}", print(p, a), found.rank, counted(found.loops, "loop"),
          what);
    }
  }

  // Algorithm 1.
  void schedules() {
    AdjacencyOptions options;
    options.relaxed = r.isRelaxed;
    found = findAdjacentSchedules(p, dependences, withoutReuse, options);
    say("Algorithm 1: references without reuse: {}; reductions {}", namesOf(withoutReuse),
        r.isRelaxed ? "may be reordered" : "keep their order");
    for (size_t k = 0; k < found.candidates.size(); k++)
      say("candidate {}: {}", k + 1, print(p, found.candidates[k]));
    for (const AffineReference &a : withoutReuse)
      if (std::ranges::none_of(found.candidates, [&](const AdjacencyCandidate &c) {
            return std::ranges::any_of(c.coalesced,
                                       [&](const AffineReference &o) { return o.id == a.id; });
          }))
        say("refused: {}: {}", print(p, a), whyNot(a));
    if (!found.isComplete)
      say("the search ended early: its budget is used up");
    if (found.ordinary)
      say("ordinary schedule: {}", print(p, *found.ordinary));
    if (!found.candidates.empty())
      taken = &found.candidates[0];
    else if (found.ordinary)
      taken = &*found.ordinary;
    if (!taken)
      say("no schedule was found");
    else
      say("taken: {}", found.candidates.empty() ? "the ordinary schedule" : "candidate 1");
  }

  // What stands in the way of a reference: found by leaving dependences out.
  std::string whyNot(const AffineReference &a) const {
    auto isPossible = [&](const Dependences &left) {
      AdjacencyOptions options;
      options.relaxed = r.isRelaxed;
      return !findAdjacentSchedules(p, left, {a}, options).candidates.empty();
    };
    Dependences none = dependences;
    none.all.clear();
    if (!isPossible(none))
      return "no schedule lets neighbouring threads touch its neighbours at one time";
    std::set<std::string> arrays;
    for (const Dependence &d : dependences.all)
      arrays.insert(d.array);
    for (const std::string &array : arrays) {
      Dependences left = dependences;
      std::erase_if(left.all, [&](const Dependence &d) { return d.array == array; });
      if (!isPossible(left))
        continue;
      bool isReduction = std::ranges::any_of(
          dependences.all, [&](const Dependence &d) { return d.array == array && d.isReduction; });
      return fmt::format("a schedule with its neighbours at one time breaks a dependence on {}{}",
                         array, isReduction ? ", which is reduced in order" : "");
    }
    return "each schedule with its neighbours at one time breaks a dependence";
  }

  // ---- memories ----

  static IntegerMatrix factorsOf(const std::vector<ScheduleRow> &rows) {
    IntegerMatrix all;
    for (const ScheduleRow &row : rows)
      all.push_back(row.factors);
    return all;
  }

  // Whether subscripts are functions of these rows alone.
  static bool areFunctionsOf(const IntegerMatrix &subscripts, const IntegerMatrix &rows) {
    IntegerMatrix all = rows;
    all.insert(all.end(), subscripts.begin(), subscripts.end());
    return rankOf(all) == rankOf(rows);
  }

  const StatementPlacement *placementOf(const AffineReference &a) const {
    for (const StatementPlacement &s : taken->statements)
      if (s.statement == a.id.statement)
        return &s;
    return nullptr;
  }

  bool isWritten(const std::string &array) const {
    return std::ranges::any_of(p.statements, [&](const Statement &s) {
      return std::ranges::any_of(s.accesses,
                                 [&](const Access &a) { return a.array == array && a.isWrite; });
    });
  }

  bool isReducedBy(const std::string &statement, const std::string &array) const {
    const Statement &s = *p.find(statement);
    return s.reduction && s.reduction->array == array;
  }

  // Section 4.2: constant memory, registers; what is left uncoalesced or has reuse is staged.
  void memories() {
    std::map<std::string, std::vector<AffineReference>> byArray;
    for (const AffineReference &a : affineReferences(p, allStatements(p)))
      if (!a.linear.empty() && !a.loops.empty())
        byArray[a.array].push_back(a);
    for (const auto &[array, references] : byArray) {
      auto all = [&](auto &&is) {
        return std::ranges::all_of(references, [&](const AffineReference &a) {
          const StatementPlacement *s = placementOf(a);
          return s && is(a, *s);
        });
      };
      bool isSame = all([&](const AffineReference &a, const StatementPlacement &s) {
        return !s.time.empty() && areFunctionsOf(a.linear, factorsOf(s.time));
      });
      bool isOwn = all([&](const AffineReference &a, const StatementPlacement &s) {
        return !s.combines && areFunctionsOf(a.linear, factorsOf(s.space)) &&
               rankOf(a.linear) < int(a.loops.size());
      });
      bool isCombined = all([&](const AffineReference &a, const StatementPlacement &s) {
        return s.combines && isReducedBy(a.id.statement, a.array);
      });
      if (isCombined) {
        say("{}: combined: threads that reduce into one element put their values together by a "
            "tree",
            array);
        continue;
      }
      bool isCoalesced = all([&](const AffineReference &a, const StatementPlacement &) {
        return std::ranges::any_of(taken->coalesced, [&](const AffineReference &o) {
          return o.id.statement == a.id.statement && print(p, o) == print(p, a);
        });
      });
      place(array, references, isSame, isOwn, isCoalesced);
    }
  }

  void place(const std::string &array, const std::vector<AffineReference> &references, bool isSame,
             bool isOwn, bool isCoalesced) {
    std::optional<int64_t> bytes = bytesOf(p, array, r.sizes);
    bool fits = bytes && *bytes <= r.device.constantBytes;
    if (isSame && !isWritten(array) && fits)
      say("{}: constant memory: read only, all threads read one address at a time, {} of {} bytes",
          array, *bytes, r.device.constantBytes);
    else if (isOwn)
      say("{}: registers: its subscripts vary with the parallel loops alone", array);
    else if (isCoalesced)
      say("{}: global memory: neighbouring threads touch neighbours", array);
    else {
      bool hasReuse = std::ranges::none_of(
          withoutReuse, [&](const AffineReference &a) { return a.array == references[0].array; });
      say("{}: shared memory: {}; copied by {}, the innermost dealt out to the threads of a warp "
          "cyclically",
          array,
          isSame && !isWritten(array) ? "more than constant memory holds"
          : hasReuse                  ? "it has reuse"
                                      : "not coalesced, although it has no reuse",
          counted(int64_t(references[0].linear.size()), "loop"));
      staged.insert(array);
    }
  }

  const PaperRegion &r;
  const Program &p;
  const Dependences dependences;
  std::vector<AffineReference> withoutReuse;
  AdjacencyResult found;
  const AdjacencyCandidate *taken = nullptr;
  std::set<std::string> staged;
  Lines lines;
};

} // namespace

Lines affineSteps(const PaperRegion &region) { return AffineSteps(region).run(); }

} // namespace nw::papers
