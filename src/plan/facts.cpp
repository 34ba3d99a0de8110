// Facts of a region's steps.
#include "plan/facts.h"
#include "analysis/array_bytes.h"
#include "plan/lines.h"
#include "poly/movement.h"
#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

namespace nw {

std::optional<int> strideAlong(const Statement &s, const Access &a, const Step &step,
                               size_t dimension) {
  if (isl_map_dim(a.relation.get(), isl_dim_out) == 0)
    return 0;
  std::optional<std::vector<int64_t>> moves = movement(s, a, step, dimension);
  bool isInRow = moves && std::all_of(moves->begin(), moves->end() - 1,
                                      [](int64_t along) { return along == 0; });
  if (!isInRow || moves->back() < INT_MIN || moves->back() > INT_MAX)
    return std::nullopt;
  return int(moves->back());
}

namespace {

// Accesses that are coalesced when the dimension runs along threads, less those that jump.
int benefit(const Program &p, const Step &step, size_t dimension) {
  int score = 0;
  for (const std::string &name : step.statements) {
    const Statement &s = *p.find(name);
    for (const Access &a : s.accesses) {
      if (p.arrays.at(a.array).kind == ArrayKind::Private)
        continue;
      std::optional<int> stride = strideAlong(s, a, step, dimension);
      int weight = int(s.loops.size());
      score += !stride ? -weight : *stride == 1 || *stride == -1 ? 2 * weight : 0;
    }
  }
  return score;
}

// The parallel dimensions, the best one along threads first; the innermost among equals.
void orderGrid(const Program &p, const Step &step, StepFacts &facts) {
  size_t best = step.parallel.size() - 1;
  facts.score = INT_MIN;
  for (size_t d = 0; d < step.parallel.size() && facts.isParallel(); d++)
    if (int score = benefit(p, step, d); score >= facts.score) {
      best = d;
      facts.score = score;
    }
  facts.grid.push_back(step.parallel[best].name);
  for (size_t d = step.parallel.size(); d-- > 0;)
    if (d != best)
      facts.grid.push_back(step.parallel[d].name);
}

std::vector<ArrayFacts> arraysOf(const Program &program, const Step &step) {
  std::vector<ArrayFacts> arrays;
  for (const std::string &name : step.statements)
    for (const Access &a : program.find(name)->accesses) {
      const Array &array = program.arrays.at(a.array);
      if (array.kind != ArrayKind::Memory || array.isScalar())
        continue;
      auto found =
          std::ranges::find_if(arrays, [&](const ArrayFacts &x) { return x.name == a.array; });
      if (found == arrays.end()) {
        ArrayFacts x;
        x.name = a.array;
        for (const Statement &s : program.statements)
          x.isWrittenInRegion |= std::ranges::any_of(s.accesses, [&](const Access &other) {
            return other.array == a.array && other.isWrite;
          });
        if (!x.isWrittenInRegion)
          x.bytes = constantBytesOf(program, a.array);
        found = arrays.insert(arrays.end(), x);
      }
      found->isWritten |= a.isWrite;
    }
  return arrays;
}

StepFacts stepFacts(const Program &p, const Step &step, const DeviceSpec &device) {
  StepFacts f;
  f.kind = step.kind;
  f.statements = step.statements;
  f.arrays = arraysOf(p, step);
  f.isInLoop = !step.around.empty();
  if (step.kind == StepKind::Serial)
    return f;
  orderGrid(p, step, f);
  if (step.kind == StepKind::Reduction)
    return f;
  f.strips = rowStrips(p, step, f.grid, device);
  std::string why;
  if ((f.reduction = blockReductionParts(p, step, why)))
    f.whyNotLineAligned = f.reduction->inPhases ? "it has several phases"
                          : f.isInLoop
                              ? "its rows begin anew in every iteration of a loop around it"
                              : whyNoLines(p, step, *f.reduction);
  return f;
}

void collect(const Program &p, const Step &s, const DeviceSpec &device, RegionFacts &out) {
  if (s.kind != StepKind::Sequence && s.kind != StepKind::Loop) {
    out.push_back(stepFacts(p, s, device));
    return;
  }
  for (size_t n = 0; n < s.children.size(); n++) {
    collect(p, s.children[n], device, out);
    bool isPair = s.kind == StepKind::Sequence && s.around.empty() && n > 0 &&
                  s.children[n - 1].kind == StepKind::Parallel &&
                  s.children[n].kind == StepKind::Parallel;
    if (std::string why; isPair && out[out.size() - 2].reduction && out.back().reduction)
      out[out.size() - 2].fusion = fusionParts(p, s.children[n - 1], s.children[n], why);
  }
}

} // namespace

RegionFacts factsOf(const Program &program, const Schedule &schedule, const DeviceSpec &device) {
  RegionFacts facts;
  collect(program, schedule.root, device, facts);
  return facts;
}

std::string nameOf(StepKind kind) {
  return kind == StepKind::Serial      ? "serial"
         : kind == StepKind::Reduction ? "reduction"
                                       : "parallel";
}

std::string toJson(const std::vector<NamedFacts> &regions) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const NamedFacts &r : regions) {
    ordered_json steps = ordered_json::array();
    for (const StepFacts &f : *r.facts) {
      ordered_json step = {{"name", "step" + std::to_string(steps.size())},
                           {"kind", nameOf(f.kind)},
                           {"statements", f.statements},
                           {"grid", f.grid}};
      if (f.reduction)
        step["blockReduction"] = {{"loop", f.reduction->loop.name},
                                  {"inPhases", f.reduction->inPhases},
                                  {"lineAligned", f.whyNotLineAligned.empty()}};
      if (f.fusion)
        step["fuse"] = "step" + std::to_string(steps.size() + 1);
      for (const StripForm &s : f.strips)
        step["coalesce"].push_back(s.what);
      for (const ArrayFacts &a : f.arrays) {
        step["arrays"].push_back({{"name", a.name},
                                  {"isWritten", a.isWritten},
                                  {"isWrittenInRegion", a.isWrittenInRegion}});
        if (a.bytes)
          step["arrays"].back()["bytes"] = *a.bytes;
      }
      steps.push_back(step);
    }
    all.push_back({{"function", r.function}, {"region", r.region}, {"steps", steps}});
  }
  return all.dump(2) + "\n";
}

} // namespace nw
