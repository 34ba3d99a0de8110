// Algorithm 1 of patterns.
#include "plan/patterns_policy.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

bool ArrayPatterns::isRead() const {
  return std::any_of(references.begin(), references.end(),
                     [](const AccessPattern &p) { return !p.reference.isWrite; });
}
bool ArrayPatterns::isWritten() const {
  return std::any_of(references.begin(), references.end(),
                     [](const AccessPattern &p) { return p.reference.isWrite; });
}

namespace {

struct Pick {
  PatternSpace space;
  const char *reason;
};

// Lines 3 to 14.
Pick pickReadOnly(const AccessPattern &p, bool isSmall) {
  if (isSmall && p.isSameAddress)
    return {PatternSpace::Constant, "small, all threads read one address"};
  if (p.isPrefetchCandidate)
    return {PatternSpace::Local, "prefetch"};
  if (p.isCoalesced)
    return {PatternSpace::Global, "coalesced"};
  return {PatternSpace::Texture, "read-only, not coalesced"};
}

// Lines 17 to 27.
Pick pickWritten(const AccessPattern &p, bool isRead) {
  if (p.isPrefetchCandidate)
    return {PatternSpace::Local, "prefetch"};
  if (!p.isCoalesced && !isRead)
    return {PatternSpace::Texture, "write-only, not coalesced"};
  return {PatternSpace::Global, p.isCoalesced ? "coalesced" : "read and written"};
}

// Whether some loop or thread runs through neighbouring addresses, so that a copy can.
bool hasUnitStride(const AccessPattern &p) {
  const auto &rows = p.reference.access.rows;
  return !rows.empty() && std::any_of(rows.back().begin(), rows.back().end(),
                                      [](const Coefficient &c) { return std::abs(c.value) == 1; });
}

PatternSpace backingOfStaged(const ArrayPatterns &array) {
  const auto &all = array.references;
  bool isShared = std::all_of(all.begin(), all.end(), [](const AccessPattern &p) {
    return p.interThread.kind == PatternClass::None;
  });
  bool isContiguous = std::all_of(all.begin(), all.end(), hasUnitStride);
  return array.isWritten() || (!isShared && isContiguous) ? PatternSpace::Global
                                                          : PatternSpace::Texture;
}

} // namespace

PatternSpace preferredSpace(const std::vector<PatternSpace> &picks, bool isRead, bool isWritten) {
  using enum PatternSpace;
  std::vector<PatternSpace> order = !isWritten ? std::vector{Texture, Global, Local, Constant}
                                    : isRead   ? std::vector{Global, Local}
                                               : std::vector{Texture, Global, Local};
  for (PatternSpace space : order)
    if (std::find(picks.begin(), picks.end(), space) != picks.end())
      return space;
  return Global;
}

SpaceChoice chooseSpace(const ArrayPatterns &array, int64_t constantBytes,
                        const DeviceSpec &device) {
  SpaceChoice choice;
  bool isRead = array.isRead(), isWritten = array.isWritten(),
       isSmall = array.bytes && *array.bytes <= constantBytes;
  std::vector<Pick> picks;
  for (const AccessPattern &p : array.references) {
    picks.push_back(isWritten ? pickWritten(p, isRead) : pickReadOnly(p, isSmall));
    choice.picks.push_back(picks.back().space);
  }
  choice.array = array.array;
  choice.algorithm = preferredSpace(choice.picks, isRead, isWritten);
  choice.isStaged = choice.algorithm == PatternSpace::Local;
  choice.backing = choice.isStaged ? backingOfStaged(array) : choice.algorithm;
  for (const Pick &pick : picks)
    if (pick.space == choice.algorithm && choice.reason.empty())
      choice.reason = pick.reason;
  if (choice.backing == PatternSpace::Texture && !device.readOnlyPath) {
    choice.backing = PatternSpace::Global;
    choice.reason += "; no texture path on this device";
  }
  return choice;
}

std::vector<SpaceChoice> chooseSpaces(const std::vector<ArrayPatterns> &arrays,
                                      const DeviceSpec &device) {
  std::vector<SpaceChoice> choices;
  int64_t constantBytes = device.constantBytes;
  for (const ArrayPatterns &a : arrays) {
    choices.push_back(chooseSpace(a, constantBytes, device));
    if (choices.back().backing == PatternSpace::Constant)
      constantBytes -= *a.bytes;
  }
  return choices;
}

// The box around all positions that the program can touch, in bytes.
static std::optional<int64_t> bytesReached(const Program &program, const std::string &array) {
  std::optional<isl::set> reached;
  for (const Statement &s : program.statements)
    for (const Access &a : s.accesses)
      if (a.array == array)
        reached = reached ? reached->unite(a.relation.range()) : a.relation.range();
  if (!reached || reached->is_empty())
    return std::nullopt;
  isl::set box =
      isl::manage(isl_set_project_out(reached->copy(), isl_dim_param, 0, paramsOf(*reached)));
  const Array &shape = program.arrays.at(array);
  int64_t bytes = shape.elementBytes;
  for (int k = 0; k < dimsOf(box) - (shape.slots ? 1 : 0); k++) {
    if (!isBoundedDim(box, k, true) || !isBoundedDim(box, k, false))
      return std::nullopt;
    auto low = longOf(isl::manage(isl_set_dim_min_val(box.copy(), k))),
         high = longOf(isl::manage(isl_set_dim_max_val(box.copy(), k)));
    int64_t extent = 0;
    bool isTooFar = !low || !high || __builtin_sub_overflow(*high, *low, &extent) ||
                    __builtin_add_overflow(extent, 1, &extent);
    if (isTooFar || __builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return bytes;
}

std::vector<ArrayPatterns> arrayPatterns(const Program &program, const ThreadMapping &mapping,
                                         const std::vector<std::string> &statements) {
  std::vector<ArrayPatterns> arrays;
  for (AccessPattern &p : accessPatterns(program, mapping, statements)) {
    const std::string &name = p.reference.array;
    auto found = std::find_if(arrays.begin(), arrays.end(),
                              [&](const ArrayPatterns &a) { return a.array == name; });
    if (found == arrays.end())
      found = arrays.insert(
          arrays.end(),
          {name, {}, program.arrays.at(name).elementBytes, bytesReached(program, name)});
    found->references.push_back(std::move(p));
  }
  return arrays;
}

const char *nameOf(PatternSpace space) {
  static const char *const names[] = {"constant", "local", "global", "texture"};
  return names[int(space)];
}

std::string print(const SpaceChoice &choice) {
  return fmt::format("{}: {}{} ({})", choice.array, nameOf(choice.backing),
                     choice.isStaged ? ", staged in local" : "", choice.reason);
}

} // namespace nw
