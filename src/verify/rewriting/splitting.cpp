// The check 'splitting': where statements were split, every instance is in exactly one part of its
// statement, with the same code, the same accesses and the same time. Then all else is as it was,
// too: who touches what before whom.
#include "verify/rewriting/rewriting.h"
#include "verify/rewriting/same_program.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

class SplittingCheck {
public:
  SplittingCheck(const Program &now, const Program &then) : p(now), q(then) {}

  std::vector<Finding> run() {
    if (!frame())
      return {{"splitting", "is another program"}};
    for (const Statement &then : q.statements)
      whole(then);
    return findings;
  }

private:
  // The time of an instance is that of its loops and positions: parts are those that have their
  // statement's.
  static bool isPartOf(const Statement &part, const Statement &then) {
    return part.loops == then.loops && part.order == then.order;
  }

  bool frame() const {
    std::set<std::string> names;
    bool is = sameSurroundings(p, q) && p.loops.size() == q.loops.size() &&
              p.arrays.size() == q.arrays.size() && sameArrays(p, q);
    for (const Statement &s : p.statements)
      is = is && names.insert(s.name).second &&
           std::count_if(q.statements.begin(), q.statements.end(),
                         [&](const Statement &then) { return isPartOf(s, then); }) == 1;
    return is;
  }

  void whole(const Statement &then) {
    isl::set all = isl::set::empty(then.domain.get_space());
    auto wrong = [&](const Statement &s, const char *what) {
      findings.push_back({"splitting", fmt::format("{}, of {}: {}", s.name, then.name, what)});
    };
    for (const Statement &part : p.statements) {
      if (!isPartOf(part, then))
        continue;
      isl::set one = named(part.domain, then.name);
      if (!one.intersect(all).is_empty())
        wrong(part, "instances are in another part as well");
      if (!sameCode(part.body, then.body) || part.isCopy != then.isCopy ||
          !sameReduction(part.reduction, then.reduction))
        wrong(part, "its code differs");
      if (!std::equal(
              part.accesses.begin(), part.accesses.end(), then.accesses.begin(),
              then.accesses.end(), [&](const Access &a, const Access &b) {
                return sameUse(a, b) &&
                       namedInput(a.relation, then.name).is_equal(b.relation.intersect_domain(one));
              }))
        wrong(part, "an access touches other elements than before");
      all = all.unite(one);
    }
    if (!all.is_equal(then.domain))
      findings.push_back(
          {"splitting",
           fmt::format("the parts of {} do not have the same instances as before", then.name)});
  }

  const Program &p, &q;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkSplitting(const Program &now, const Program &then) {
  return SplittingCheck(now, then).run();
}

} // namespace nw
