// The choice between the two ways of scheduling.
#include "poly/schedule.h"
#include "poly/dense.h"
#include "poly/distribute.h"
#include "poly/init_fusion.h"
#include "poly/isl_schedule.h"
#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <tuple>

namespace nw {

namespace {

// For every statement: loops of its nest that run one after the other in a single thread or on the
// host.
struct Cost {
  int longestChain = 0;      // most sequential loops around a statement
  int serialLoops = 0;       // most loops of a statement that nothing runs in parallel with
  int reductionsInLoops = 0; // reductions that are launched again and again
  bool operator<(const Cost &other) const {
    return std::tie(longestChain, serialLoops, reductionsInLoops) <
           std::tie(other.longestChain, other.serialLoops, other.reductionsInLoops);
  }
};

void measure(const Program &p, const Step &s, int above, Cost &cost) {
  if (s.kind == StepKind::Sequence || s.kind == StepKind::Loop) {
    for (const Step &c : s.children)
      measure(p, c, above + (s.kind == StepKind::Loop), cost);
    return;
  }
  for (const std::string &name : s.statements) {
    int depth = int(p.find(name)->loops.size());
    int parallel = int(s.parallel.size());
    cost.longestChain = std::max(cost.longestChain, depth - parallel);
    cost.reductionsInLoops += s.kind == StepKind::Reduction && above > 0;
    if (s.kind == StepKind::Serial)
      cost.serialLoops = std::max(cost.serialLoops, depth - above);
  }
}

Cost costOf(const Program &p, const Step &s) {
  Cost cost;
  measure(p, s, 0, cost);
  return cost;
}

void noteLoopsAround(Step &s, const std::vector<Dimension> &around) {
  s.around = around;
  std::vector<Dimension> inner = around;
  if (s.kind == StepKind::Loop)
    inner.push_back(s.dimension);
  for (Step &c : s.children)
    noteLoopsAround(c, inner);
}

// Whether each thread of one parallel step, in each iteration of the loops around it, has one
// element of the private array for itself.
bool isOfOneThread(const Program &p, const Step &s, const std::string &array) {
  if (!s.children.empty())
    return std::any_of(s.children.begin(), s.children.end(),
                       [&](const Step &c) { return isOfOneThread(p, c, array); });
  if (s.kind != StepKind::Parallel)
    return false;
  isl::union_map threads = threadsOf(s);
  isl::union_map elements(p.isl->get(), "{ }");
  for (const Statement &x : p.statements)
    for (const Access &a : x.accesses)
      if (a.array == array) {
        if (!std::count(s.statements.begin(), s.statements.end(), x.name))
          return false;
        elements = elements.unite(isl::union_map(a.relation));
      }
  isl::union_map owners = elements.reverse().apply_range(threads);
  return owners.is_single_valued() && owners.reverse().is_single_valued();
}

} // namespace

isl::union_map threadsOf(const Step &s) {
  isl::union_map threads;
  for (const std::vector<Dimension> *dimensions : {&s.around, &s.parallel})
    for (const Dimension &d : *dimensions)
      threads = threads.is_null() ? isl::union_map(d.value) : threads.range_product(d.value);
  return threads;
}

size_t parallelNumber(const Step &s, const std::string &name) {
  size_t d = 0;
  while (s.parallel.at(d).name != name)
    d++;
  return d;
}

bool hasParallelism(const Step &s) {
  if (s.kind == StepKind::Parallel || s.kind == StepKind::Reduction)
    return true;
  for (const Step &c : s.children)
    if (hasParallelism(c))
      return true;
  return false;
}

bool isBetter(const Program &p, const Step &step, const Program &q, const Step &other) {
  return costOf(p, step) < costOf(q, other);
}

// For every statement: its loops that run in order.
static void noteChains(const Program &p, const Step &s, std::map<std::string, int> &chains) {
  for (const Step &c : s.children)
    noteChains(p, c, chains);
  if (s.children.empty())
    for (const std::string &name : s.statements)
      chains[name] = int(p.find(name)->loops.size()) - int(s.parallel.size());
}

bool leavesShorterChains(const Program &p, const Schedule &schedule, const Program &q,
                         const Schedule &other) {
  std::map<std::string, int> now, then;
  noteChains(p, schedule.root, now);
  noteChains(q, other.root, then);
  bool isShorter = schedule.how == "source order" && other.how != schedule.how;
  for (auto &[name, chain] : then) {
    if (!now.count(name) || now.at(name) > chain)
      return false;
    isShorter |= now.at(name) < chain;
  }
  for (auto &[name, chain] : now) {
    const Statement &s = *p.find(name);
    if (then.count(name))
      continue;
    int around = int(std::count_if(s.loops.begin(), s.loops.end(),
                                   [&](int id) { return size_t(id) < q.loops.size(); }));
    if (!s.isCopy || chain > around)
      return false;
  }
  return isShorter;
}

int chainsIn(const Program &p, const Step &s) {
  std::map<std::string, int> chains;
  noteChains(p, s, chains);
  int sum = 0;
  for (auto &[name, chain] : chains)
    sum += p.find(name)->isCopy ? 0 : chain;
  return sum;
}

static int loopsAround(const Step &s) {
  int most = 0;
  for (const Step &c : s.children)
    most = std::max(most, loopsAround(c));
  return most + (s.kind == StepKind::Loop);
}

bool hasLongChains(const Program &p, const Step &s) {
  return loopsAround(s) > 1 || isMostlySerial(p, s);
}

bool isMostlySerial(const Program &p, const Step &s) {
  return !hasParallelism(s) || costOf(p, s).serialLoops > 0;
}

Schedule schedule(const Program &p, const Dependences &dependences, bool relaxed) {
  Schedule out;
  out.how = "source order";
  std::set<std::string> inMemory, byIsl;
  out.root = distribute(
      p, dependences, relaxed,
      [&](const std::vector<size_t> &group, const Step &plain) -> std::optional<Step> {
        Cost cost = costOf(p, plain);
        if (cost.serialLoops == 0 && cost.reductionsInLoops == 0)
          return std::nullopt;
        // Fused first; apart only where that leaves shorter chains.
        std::optional<Step> other;
        for (bool fuse : {true, false}) {
          std::optional<Step> found = scheduleByIsl(p, group, dependences, fuse);
          if (found && hasParallelism(*found) && costOf(p, *found) < cost) {
            cost = costOf(p, *found);
            other = found;
          }
        }
        if (!other)
          return std::nullopt;
        for (size_t k : group)
          for (const Access &a : p.statements[k].accesses)
            if (p.arrays.at(a.array).kind == ArrayKind::Private)
              byIsl.insert(a.array);
        out.how = "source order and isl";
        return other;
      },
      inMemory);
  out.root = withFusedInits(p, dependences, out.root);
  noteLoopsAround(out.root, {});
  countDensely(p, out.root);
  out.expanded = inMemory;
  for (const std::string &name : byIsl)
    if (!isOfOneThread(p, out.root, name))
      out.expanded.insert(name);
  return out;
}

void collectStatements(const Step &s, std::vector<std::string> &out) {
  if (s.children.empty())
    out.insert(out.end(), s.statements.begin(), s.statements.end());
  for (const Step &c : s.children)
    collectStatements(c, out);
}

template <class T> static std::string text(const T &object) {
  std::ostringstream out;
  out << object;
  return out.str();
}

std::string print(const Step &s, int indent) {
  std::string pad(indent, ' ');
  std::string out;
  auto dimensions = [&] {
    std::string list;
    for (const Dimension &d : s.parallel)
      list += fmt::format("{}    {} = {}\n", pad, d.name, text(d.value));
    return list;
  };
  auto names = [&] {
    std::string list;
    for (const std::string &n : s.statements)
      list += " " + n;
    return list;
  };
  switch (s.kind) {
  case StepKind::Sequence:
    out = pad + "sequence\n";
    for (const Step &c : s.children)
      out += print(c, indent + 2);
    return out;
  case StepKind::Loop:
    return fmt::format("{}loop {} = {}\n{}", pad, s.dimension.name, text(s.dimension.value),
                       print(s.children[0], indent + 2));
  case StepKind::Parallel:
    return fmt::format("{}parallel{}\n{}{}    inside {}\n", pad, names(), dimensions(), pad,
                       text(s.inside));
  case StepKind::Reduction:
    return fmt::format("{}reduction{}\n{}", pad, names(), dimensions());
  case StepKind::Serial:
    return fmt::format("{}serial{}\n{}    inside {}\n", pad, names(), pad, text(s.inside));
  }
  return out;
}

std::string print(const Schedule &s) {
  return fmt::format("schedule ({})\n{}", s.how, print(s.root, 2));
}

} // namespace nw
