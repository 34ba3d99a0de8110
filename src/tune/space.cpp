// Candidates of a space; tune/knobs.cpp has the decisions.
#include "tune/space.h"
#include <fmt/format.h>
#include <limits>

namespace nw {

size_t sizeOf(const Space &space) {
  size_t all = 1;
  for (const Knob &k : space.knobs)
    if (__builtin_mul_overflow(all, k.values.size(), &all))
      return std::numeric_limits<size_t>::max();
  return all;
}

Candidate proposedCandidate(const Space &space) {
  Candidate c;
  for (const Knob &k : space.knobs)
    c.push_back(k.proposed);
  return c;
}

Plan planOf(const Space &space, const Candidate &candidate) {
  Plan plan = space.proposed;
  for (size_t k = 0; k < space.knobs.size(); k++)
    if (candidate[k] != space.knobs[k].proposed)
      space.knobs[k].set(plan, candidate[k]);
  return plan;
}

std::string inWords(const Space &space, const Candidate &candidate) {
  std::string out;
  for (size_t k = 0; k < space.knobs.size(); k++)
    if (candidate[k] != space.knobs[k].proposed)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", space.knobs[k].name,
                         space.knobs[k].values[candidate[k]]);
  return out.empty() ? "as proposed" : out;
}

size_t distance(const Candidate &a, const Candidate &b) {
  size_t differing = 0;
  for (size_t k = 0; k < a.size(); k++)
    differing += a[k] != b[k];
  return differing;
}

std::vector<Candidate> neighbours(const Space &space, const Candidate &candidate) {
  std::vector<Candidate> all;
  for (size_t k = 0; k < space.knobs.size(); k++)
    for (size_t v = 0; v < space.knobs[k].values.size(); v++)
      if (v != candidate[k]) {
        all.push_back(candidate);
        all.back()[k] = v;
      }
  return all;
}

Candidate candidateAt(const Space &space, size_t number) {
  Candidate c = proposedCandidate(space);
  for (size_t k = 0; k < space.knobs.size(); k++) {
    size_t count = space.knobs[k].values.size();
    c[k] = (c[k] + number % count) % count;
    number /= count;
  }
  return c;
}

} // namespace nw
