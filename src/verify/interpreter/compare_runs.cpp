// Comparison of two runs.
#include "verify/interpreter/interpreter.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

constexpr size_t kMostShown = 4;

std::string shown(const Value *v) {
  if (!v)
    return "its old value";
  return v->number != 0 ? fmt::format("{}", v->number) : std::to_string(v->integer);
}

bool isSame(const Value &a, const Value &b, double tolerance) {
  if (a.integer != b.integer)
    return false;
  if (a.number == b.number || (std::isnan(a.number) && std::isnan(b.number)))
    return true;
  return std::fabs(a.number - b.number) <=
         tolerance * std::max(std::fabs(a.number), std::fabs(b.number));
}

class Comparison {
public:
  Comparison(const Region &region, const RunResult &original, const RunResult &kernels,
             double tolerance)
      : region(region), original(original), kernels(kernels), tolerance(tolerance) {
    for (const StmtP &s :
         region.body) // what counters hold after their loops is set by the host text
      walkStmts(s, [&](const StmtP &x) {
        if (x->kind == StmtKind::For)
          counters.insert(x->loop.counter);
      });
  }

  std::vector<Finding> run() {
    results();
    transfers();
    return findings;
  }

private:
  bool isVisible(const std::string &name) const {
    auto v = region.variables.find(name);
    if (v == region.variables.end() || v->second.inside || counters.count(name))
      return false;
    return v->second.liveAfter || v->second.isPointer || v->second.storage == Storage::Global;
  }

  void different(const std::pair<std::string, int64_t> &lvalue, const Value *a, const Value *b) {
    if (isVisible(lvalue.first) && findings.size() < kMostShown)
      findings.push_back(
          {"result", fmt::format("{}[{}] is {} after the kernels, {} after the original",
                                 lvalue.first, lvalue.second, shown(b), shown(a))});
  }

  // Both maps are sorted, and hold what differs from the same input.
  void results() {
    auto a = original.memory.begin();
    auto b = kernels.memory.begin();
    while (a != original.memory.end() || b != kernels.memory.end()) {
      if (b == kernels.memory.end() || (a != original.memory.end() && a->first < b->first)) {
        different(a->first, &a->second, nullptr);
        ++a;
      } else if (a == original.memory.end() || b->first < a->first) {
        different(b->first, nullptr, &b->second);
        ++b;
      } else {
        if (!isSame(a->second, b->second, tolerance))
          different(a->first, &a->second, &b->second);
        ++a;
        ++b;
      }
    }
  }

  // What is copied, or touched on the device, must exist: by declaration, or because the original
  // touches it. Rows of arrays exist as a whole.
  void transfers() {
    for (auto &[name, range] : kernels.touched) {
      auto declared = original.declared.find(name);
      if (declared == original.declared.end())
        continue; // a scalar
      int64_t low = INT64_MAX, high = INT64_MIN, row = declared->second < 0 ? -declared->second : 1;
      if (auto t = original.touched.find(name); t != original.touched.end()) {
        auto floored = [&](int64_t x) { return x >= 0 ? x / row : -((-x + row - 1) / row); };
        low = floored(t->second.first) * row;
        high = floored(t->second.second) * row + row - 1;
      }
      if (declared->second > 0) {
        low = std::min<int64_t>(low, 0);
        high = std::max(high, declared->second - 1);
      }
      if (range.first < low || range.second > high)
        findings.push_back(
            {"transfers",
             fmt::format(
                 "elements {} to {} of {} are {}, of which only {} to {} are known to exist",
                 range.first, range.second, name, region.isOnDevice ? "touched" : "copied",
                 low > high ? 0 : low, low > high ? -1 : high)});
    }
  }

  const Region &region;
  const RunResult &original, &kernels;
  double tolerance;
  std::set<std::string> counters;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> compareRuns(const Region &region, const RunResult &original,
                                 const RunResult &kernels, double tolerance) {
  return Comparison(region, original, kernels, tolerance).run();
}

} // namespace nw
