// The checks 'arguments' and 'overlap': what kernels are given under a name is what the source
// calls so, and memory of its own.
#include "verify/checks/kernel_checks.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

bool sameOrNone(const ExprP &a, const ExprP &b) { return a && b ? sameTree(a, b) : !a && !b; }

// Strides of an array come from its extents, all but the first.
bool hasExtentsOf(const KernelParameter &q, const Array &array) {
  size_t copies = array.kind == ArrayKind::Private ? 1 : 0; // expanded: one subscript for the copy
  if (q.extents.size() != array.extents.size() + copies)
    return false;
  for (size_t k = 1; k < q.extents.size(); k++)
    if (!sameOrNone(q.extents[k], array.extents[k - copies]))
      return false;
  return true;
}

// Of a copy of the array, where it is expanded.
int64_t bytesOfElement(const Array &array) {
  int64_t bytes = array.elementBytes;
  if (array.kind == ArrayKind::Private)
    for (const ExprP &e : array.extents)
      bytes *= e->integer;
  return bytes;
}

std::string wrong(const Program &p, const Kernels &k, const KernelParameter &q) {
  auto array = p.arrays.find(q.name);
  if (q.buffer >= 0) {
    if (size_t(q.buffer) >= k.buffers.size() || k.buffers[size_t(q.buffer)].name != q.name)
      return "is another buffer";
    const Buffer &b = k.buffers[size_t(q.buffer)];
    if (!(q.type == b.element))
      return "is passed as memory of another type";
    if (array == p.arrays.end() && b.elementBytes != bytesOf(b.element.scalar))
      return "has elements of another size";
    if (array == p.arrays.end())
      return b.array.empty() && !b.isArray ? "" : "is not an array of the source";
    if (!(b.element == array->second.variable.type) ||
        b.elementBytes != bytesOfElement(array->second))
      return "has elements of another type or size";
    if (b.array !=
        (array->second.kind == ArrayKind::Memory && !array->second.isOwn() ? q.name : ""))
      return "is memory of another array";
    if (b.isArray != array->second.isOwn() || (b.isArray && (b.copyIn || b.copyOut)))
      return "should be the region's own memory and is not, or the other way round";
    return hasExtentsOf(q, array->second) ? "" : "has other extents";
  }
  if (!q.value)
    return "has no value";
  bool isNamed = p.region.variables.count(q.name);
  for (const Parameter &x : p.parameters)
    isNamed |= x.name == q.name;
  // Counters of the host's loops have types of their own.
  bool isScalar = std::count(p.valueScalars.begin(), p.valueScalars.end(), q.name) > 0;
  for (const Parameter &x : p.parameters)
    isScalar |= x.name == q.name && x.value->kind == ExprKind::Var && x.value->name == q.name;
  if (auto v = p.region.variables.find(q.name);
      isScalar && v != p.region.variables.end() && !(q.type == v->second.type))
    return "has another type";
  return !isNamed || (q.value->kind == ExprKind::Var && q.value->name == q.name)
             ? ""
             : "has another value";
}

} // namespace

std::vector<Finding> checkOverlaps(const Program &p, const Kernels &k) {
  std::vector<Finding> findings;
  isl::set context = meet(p.context, p.assumptions);
  auto isWritten = [&](const std::string &array) {
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array && a.isWrite && !a.relation.intersect_params(context).is_empty())
          return true;
    return false;
  };
  std::set<std::string> written;
  for (auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Memory && isWritten(name))
      written.insert(name);
  std::set<std::pair<std::string, std::string>> tested;
  for (auto [a, b] : k.mayAlias) {
    tested.insert({k.buffers.at(size_t(a)).array, k.buffers.at(size_t(b)).array});
    tested.insert({k.buffers.at(size_t(b)).array, k.buffers.at(size_t(a)).array});
  }
  for (auto &[a, x] : p.arrays)
    for (auto &[b, y] : p.arrays)
      if (a < b && x.kind == ArrayKind::Memory && y.kind == ArrayKind::Memory && !x.isOwn() &&
          !y.isOwn() && (written.count(a) || written.count(b)) &&
          (x.variable.isPointer || y.variable.isPointer) && !tested.count({a, b}))
        findings.push_back(
            {"overlap", fmt::format("nothing checks whether {} and {} overlap", a, b)});
  // Scalars are read once, before the region: nothing that is written through a pointer may be
  // their memory.
  std::set<std::string> scalars(p.valueScalars.begin(), p.valueScalars.end());
  for (const Parameter &q : p.parameters)
    walk(q.value, [&](const ExprP &e) {
      if (e->kind == ExprKind::Var)
        scalars.insert(e->name);
      return true;
    });
  for (const std::string &name : scalars)
    for (auto &[array, x] : p.arrays) {
      auto v = p.region.variables.find(name);
      bool isOpen = v != p.region.variables.end() && v->second.addressKnown && !v->second.isConst &&
                    x.kind == ArrayKind::Memory && x.variable.isPointer && written.count(array);
      if (isOpen && std::none_of(k.scalarAlias.begin(), k.scalarAlias.end(), [&](const auto &one) {
            return one.first == name && k.buffers.at(size_t(one.second)).array == array;
          }))
        findings.push_back(
            {"overlap", fmt::format("nothing checks whether {} is part of {}", name, array)});
    }
  return findings;
}

std::vector<Finding> checkArguments(const Program &p, const Kernels &k) {
  std::vector<Finding> findings;
  for (const Parameter &given : k.scalars)
    for (const Parameter &q : p.parameters)
      if (given.name == q.name && (!(given.type == q.type) || !sameTree(given.value, q.value)))
        findings.push_back(
            {"arguments", fmt::format("the host takes {} for {}", print(given.value), q.name)});
  for (const Kernel &kernel : k.kernels) {
    std::set<std::string> names;
    for (const KernelParameter &q : kernel.parameters) {
      std::string what = names.insert(q.name).second ? wrong(p, k, q) : "is given twice";
      if (!what.empty())
        findings.push_back({"arguments", fmt::format("{}: {} {}", kernel.name, q.name, what)});
    }
  }
  return findings;
}

} // namespace nw
