// The checks 'cover' and 'bodies'.
#include "verify/checks/bodies.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/place_order.h"
#include <fmt/format.h>

namespace nw {

namespace {

std::vector<isl::pw_aff> allValues(const Place &place) {
  std::vector<isl::pw_aff> all;
  for (const Coordinate &c : place.coordinates)
    all.push_back(c.value);
  return all;
}

} // namespace

std::vector<Finding> checkCover(const Program &p, const PlaceReport &r) {
  std::vector<Finding> findings;
  auto say = [&](const std::string &what) { findings.push_back({"cover", what}); };
  for (const Statement &s : p.statements) {
    isl::set domain = s.domain.intersect_params(r.context);
    isl::set certain = isl::set::empty(domain.get_space()), seen = certain;
    for (const Place &place : r.places) {
      if (place.statement != s.name || place.values.size() != s.loops.size())
        continue;
      isl::map where = relationTo(place, allValues(place), place.executed);
      isl::set executed = where.domain();
      if (!executed.is_subset(domain))
        say(fmt::format("{} executes what the source does not: {}", s.name,
                        inShort(executed.subtract(domain))));
      if (!executed.intersect(seen).is_empty())
        say(fmt::format("{} is executed twice, in two parts of {}: {}", s.name, place.kernel->name,
                        inShort(executed.intersect(seen))));
      if (!isl_map_is_single_valued(asFunction(where).get()))
        say(fmt::format("{} is executed more than once in {}", s.name, place.kernel->name));
      seen = seen.unite(executed);
      certain = certain.unite(relationTo(place, {}, place.certain).domain());
    }
    if (!domain.is_subset(certain))
      say(fmt::format("{} is not executed everywhere: {}", s.name,
                      inShort(domain.subtract(certain))));
  }
  return findings;
}

std::vector<Finding> checkBodies(const Program &p, const PlaceReport &r) {
  std::vector<Finding> findings;
  for (const Place &place : r.places)
    if (std::optional<std::string> what = bodyDifference(p, place))
      findings.push_back(
          {"bodies", fmt::format("{} in {}: {}", place.statement, place.kernel->name, *what)});
  return findings;
}

} // namespace nw
