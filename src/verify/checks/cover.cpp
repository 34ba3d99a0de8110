// The checks 'cover' and 'bodies'.
#include "verify/checks/bodies.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/position_order.h"
#include <fmt/format.h>

namespace nw {

namespace {

std::vector<isl::pw_aff> allValues(const SchedulePosition &position) {
  std::vector<isl::pw_aff> all;
  for (const Coordinate &c : position.coordinates)
    all.push_back(c.value);
  return all;
}

} // namespace

std::vector<Finding> checkCover(const Program &p, const PositionReport &r) {
  std::vector<Finding> findings;
  auto say = [&](const std::string &what) { findings.push_back({"cover", what}); };
  for (const Statement &s : p.statements) {
    isl::set domain = s.domain.intersect_params(r.context);
    isl::set certain = isl::set::empty(domain.get_space()), seen = certain;
    bool areAllCertain = true;
    for (const SchedulePosition &position : r.positions) {
      if (position.statement != s.name || position.values.size() != s.loops.size())
        continue;
      isl::map where = relationTo(position, allValues(position), position.executed);
      isl::set executed = where.domain();
      if (!executed.is_subset(domain))
        say(fmt::format("{} executes what the source does not: {}", s.name,
                        inShort(executed.subtract(domain))));
      if (!executed.is_disjoint(seen))
        say(fmt::format("{} is executed twice, in two parts of {}: {}", s.name,
                        position.kernel->name, inShort(meet(executed, seen))));
      if (!asFunction(where).is_single_valued())
        say(fmt::format("{} is executed more than once in {}", s.name, position.kernel->name));
      seen = seen.unite(executed);
      bool isCertain =
          isl_set_plain_is_equal(position.certain.get(), position.executed.get()) == isl_bool_true;
      areAllCertain &= isCertain;
      certain =
          certain.unite(isCertain ? executed : relationTo(position, {}, position.certain).domain());
    }
    // A part executes what the fallback in its place does.
    if (r.isPart && areAllCertain)
      continue;
    if (const isl::set &wanted = r.isPart ? seen : domain; !wanted.is_subset(certain))
      say(fmt::format("{} is not executed everywhere: {}", s.name,
                      inShort(wanted.subtract(certain))));
  }
  return findings;
}

std::vector<Finding> checkBodies(const Program &p, const PositionReport &r) {
  std::vector<Finding> findings;
  for (const SchedulePosition &position : r.positions)
    if (std::optional<std::string> what = bodyDifference(p, position))
      findings.push_back({"bodies", fmt::format("{} in {}: {}", position.statement,
                                                position.kernel->name, *what)});
  return findings;
}

} // namespace nw
