// Classes of access patterns.
#include "analysis/access_pattern.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

int ThreadMapping::dimensions() const {
  int last = 1;
  for (int k = 0; k < 3; k++)
    last = loops[k] >= 0 ? k + 1 : last;
  return last;
}

std::optional<ThreadMapping> mappingByCounters(const Program &program, const Statement &statement,
                                               const std::vector<std::string> &counters) {
  ThreadMapping mapping;
  if (counters.size() > mapping.loops.size())
    return std::nullopt;
  for (size_t k = 0; k < counters.size(); k++) {
    auto named = [&](int id) { return program.loop(id).counter == counters[k]; };
    auto found = std::find_if(statement.loops.begin(), statement.loops.end(), named);
    if (found == statement.loops.end())
      return std::nullopt;
    mapping.loops[k] = *found;
  }
  return mapping;
}

static int threadOf(const MatrixColumn &column, const ThreadMapping &mapping) {
  for (int k = 0; k < 3; k++)
    if (!column.isData() && mapping.loops[k] == column.loop)
      return k;
  return -1;
}

// Columns of each part, in the order in which they may lead.
static std::vector<size_t> interThreadColumns(const AccessMatrix &access,
                                              const ThreadMapping &mapping) {
  std::vector<size_t> columns;
  for (int thread = 0; thread < 3; thread++)
    for (size_t c = 0; c < access.columns.size(); c++)
      if (threadOf(access.columns[c], mapping) == thread)
        columns.push_back(c);
  return columns;
}

static std::vector<size_t> intraThreadColumns(const AccessMatrix &access,
                                              const ThreadMapping &mapping) {
  std::vector<size_t> columns;
  for (size_t c = access.columns.size(); c-- > 0;)
    if (threadOf(access.columns[c], mapping) < 0)
      columns.push_back(c);
  return columns;
}

static bool hasEntry(const AccessMatrix &access, size_t column) {
  return std::any_of(access.rows.begin(), access.rows.end(),
                     [&](const auto &row) { return !row[column].isZero(); });
}

static bool hasRandom(const AccessMatrix &access, size_t column) {
  return std::any_of(access.rows.begin(), access.rows.end(),
                     [&](const auto &row) { return row[column].isRandom; });
}

static Pattern classify(const AccessMatrix &access, const std::vector<size_t> &part) {
  auto leading =
      std::find_if(part.begin(), part.end(), [&](size_t c) { return hasEntry(access, c); });
  if (leading == part.end())
    return {};
  std::vector<size_t> entries; // rows of the leading column
  for (size_t r = 0; r < access.rows.size(); r++)
    if (!access.rows[r][*leading].isZero())
      entries.push_back(r);
  size_t row = entries.back();
  long value = access.rows[row][*leading].value;
  bool isTrue = entries.size() == 1 && row + 1 == access.rows.size();
  auto overlaps = [&](size_t r) {
    return std::any_of(part.begin(), part.end(),
                       [&](size_t c) { return c != *leading && !access.rows[r][c].isZero(); });
  };
  auto isWide = [&](size_t r) { return std::abs(access.rows[r][*leading].value) != 1; };
  if (std::any_of(part.begin(), part.end(), [&](size_t c) { return hasRandom(access, c); }))
    return {PatternClass::Random, isTrue};
  if (std::any_of(entries.begin(), entries.end(), isWide))
    return {PatternClass::NonUnitStride, isTrue};
  if (std::any_of(entries.begin(), entries.end(), overlaps))
    return {PatternClass::Overlapping, isTrue};
  if (value < 0)
    return {PatternClass::ReverseLinear, isTrue};
  return {access.offset[row].isZero() ? PatternClass::Linear : PatternClass::Shifted, isTrue};
}

bool runsOverProblemSize(const MatrixColumn &column, const AccessMatrix &access,
                         const ThreadMapping &mapping) {
  if (!column.iterations)
    return true;
  std::optional<int64_t> shortest;
  for (const MatrixColumn &c : access.columns)
    if (threadOf(c, mapping) >= 0 && c.iterations)
      shortest = std::min(shortest.value_or(*c.iterations), *c.iterations);
  return shortest && *column.iterations >= *shortest;
}

AccessPattern patternOf(const MatrixReference &reference, const ThreadMapping &mapping) {
  const AccessMatrix &access = reference.access;
  AccessPattern p;
  p.reference = reference;
  p.mapping = mapping;
  for (size_t c = 0; c < access.columns.size(); c++)
    if (int thread = threadOf(access.columns[c], mapping); thread >= 0)
      p.uses[thread] = hasEntry(access, c);
  p.interThread = classify(access, interThreadColumns(access, mapping));
  p.intraThread = classify(access, intraThreadColumns(access, mapping));
  bool isRandom = access.isRandom();
  bool isLinear = p.interThread.kind == PatternClass::Linear ||
                  p.interThread.kind == PatternClass::ReverseLinear;
  p.isCoalesced = isLinear && p.interThread.isTrue && !isRandom;
  p.isPrefetchCandidate = p.intraThread.kind == PatternClass::Linear && !isRandom;
  p.isSameAddress = p.interThread.kind == PatternClass::None &&
                    p.intraThread.kind != PatternClass::None && !isRandom;
  for (size_t c = 0; c < access.columns.size(); c++)
    if (hasEntry(access, c) && runsOverProblemSize(access.columns[c], access, mapping))
      p.isSameAddress = false;
  return p;
}

std::vector<AccessPattern> accessPatterns(const Program &program, const ThreadMapping &mapping,
                                          const std::vector<std::string> &statements) {
  std::vector<AccessPattern> patterns;
  for (const MatrixReference &r : matrixReferences(program)) {
    if (!statements.empty() &&
        std::find(statements.begin(), statements.end(), r.statement) == statements.end())
      continue;
    const std::vector<int> &around = program.find(r.statement)->loops;
    auto isMissing = [&](int loop) {
      return loop >= 0 && std::find(around.begin(), around.end(), loop) == around.end();
    };
    if (std::none_of(mapping.loops.begin(), mapping.loops.end(), isMissing))
      patterns.push_back(patternOf(r, mapping));
  }
  return patterns;
}

std::string nameOf(const Pattern &pattern) {
  static const char *const names[] = {
      "no", "random", "non-unit stride", "overlapping", "reverse linear", "shifted", "linear"};
  if (pattern.kind == PatternClass::None || pattern.kind == PatternClass::Random)
    return names[int(pattern.kind)];
  return fmt::format("{} {}", pattern.isTrue ? "true" : "false", names[int(pattern.kind)]);
}

std::string textOf(const Coefficient &c) { return c.isRandom ? "Z" : fmt::format("{}", c.value); }

std::string textOf(const MatrixOffset &o) {
  std::string text;
  auto add = [&](long factor, const std::string &name) {
    std::string magnitude = name.empty()            ? fmt::format("{}", std::abs(factor))
                            : std::abs(factor) == 1 ? name
                                                    : fmt::format("{}*{}", std::abs(factor), name);
    text += text.empty() ? (factor < 0 ? "-" : "") + magnitude
                         : (factor < 0 ? " - " : " + ") + magnitude;
  };
  for (auto &[name, factor] : o.parameters)
    add(factor, name);
  if (o.constant || text.empty())
    add(o.constant, "");
  return text;
}

std::vector<std::string> columnNames(const AccessPattern &p) {
  static const char *const threads[] = {"tx", "ty", "tz"};
  std::vector<std::string> names;
  for (const MatrixColumn &c : p.reference.access.columns) {
    int thread = threadOf(c, p.mapping);
    names.push_back(thread < 0 ? c.name : fmt::format("{}={}", c.name, threads[thread]));
  }
  return names;
}

std::string classesOf(const AccessPattern &p) {
  std::string text = fmt::format("{} inter-thread pattern, {} intra-thread pattern",
                                 nameOf(p.interThread), nameOf(p.intraThread));
  text += !p.isCoalesced ? ""
          : p.uses[0]    ? "; coalesced"
                         : "; coalesced along the other threads, one address along tx";
  text += p.isSameAddress ? "; same address" : "";
  text += p.isPrefetchCandidate ? "; prefetch candidate" : "";
  return text;
}

std::string print(const AccessPattern &p) {
  const AccessMatrix &access = p.reference.access;
  std::string text = fmt::format("{} {} {}\n", p.reference.statement,
                                 p.reference.isWrite ? "writes" : "reads", p.reference.array);
  std::vector<std::string> heads = columnNames(p);
  text += "   ";
  for (const std::string &head : heads)
    text += " " + head;
  text += " | offset\n";
  for (size_t r = 0; r < access.rows.size(); r++) {
    text += "  [";
    for (size_t c = 0; c < heads.size(); c++)
      text += fmt::format(" {:>{}}", textOf(access.rows[r][c]), heads[c].size());
    text += fmt::format(" | {} ]\n", textOf(access.offset[r]));
  }
  return text + "  " + classesOf(p) + "\n";
}

} // namespace nw
