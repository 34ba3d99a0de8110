// Memory spaces of a kernel's arrays.
#include "plan/array_plan.h"
#include "plan/facts.h"
#include "plan/step_patterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace nw {

namespace {

// Why an array cannot be in constant memory, of which `left` bytes are left; nothing where it can.
std::string wrongConstant(const ArrayFacts &array, int64_t left, int arrays) {
  if (array.isWritten)
    return "the kernel writes it";
  if (array.isWrittenInRegion)
    return "another kernel of the region writes it";
  if (!array.bytes)
    return "its size is not the same for all arguments";
  if (*array.bytes > left)
    return fmt::format("its {} bytes exceed the {} that are left of the device's constant memory",
                       *array.bytes, left);
  if (arrays >= kMostConstantArrays)
    return fmt::format("{} arrays are there already, and OpenCL promises no more",
                       kMostConstantArrays);
  return "";
}

// What is left of constant memory while arrays of one kernel go there.
struct ConstantMemory {
  int64_t left;
  int arrays = 0;
  std::string wrong(const ArrayFacts &array) const { return wrongConstant(array, left, arrays); }
  void take(const ArrayFacts &array) {
    left -= *array.bytes;
    arrays++;
  }
};

// CUDA's constant memory is not an argument of a kernel.
std::string howConstant(const DeviceSpec &device) {
  return device.kind == DeviceKind::Cuda
             ? "; CUDA's text reads it through plain const pointers, since a __constant__ variable "
               "is one for all streams and would be copied on every call"
             : "";
}

void placeReadOnly(ArrayPlan &array, const DeviceSpec &device) {
  array.space = MemorySpace::ReadOnly;
  array.why = device.readOnlyPath
                  ? "only read here: loads may take the read-only path"
                  : "only read here: promised to the compiler; the device has no read-only path";
}

const ArrayPatterns *find(const std::vector<ArrayPatterns> &all, const std::string &name) {
  auto found = std::ranges::find_if(all, [&](const ArrayPatterns &a) { return a.array == name; });
  return found == all.end() ? nullptr : &*found;
}

bool isSameAddress(const ArrayPatterns *array) {
  return array && std::ranges::all_of(array->references,
                                      [](const AccessPattern &p) { return p.isSameAddress; });
}

void placeByDefault(std::vector<ArrayPlan> &arrays, const std::vector<ArrayFacts> &facts,
                    const std::function<std::vector<ArrayPatterns>()> &patterns,
                    const DeviceSpec &device) {
  ConstantMemory constant{device.constantBytes};
  std::optional<std::vector<ArrayPatterns>> known; // asked for only where they decide something
  for (size_t k = 0; k < arrays.size(); k++) {
    ArrayPlan &a = arrays[k];
    const ArrayFacts &fact = facts[k];
    if (fact.isWritten) {
      a.why = "written here";
      continue;
    }
    placeReadOnly(a, device);
    if (!constant.wrong(fact).empty())
      continue;
    if (!known)
      known = patterns();
    if (!isSameAddress(find(*known, a.name)))
      continue;
    if (device.l1Bytes > 0) {
      a.why = fmt::format("only read here: {} bytes, all threads of a warp at one address, which "
                          "the first-level cache serves as constant memory would",
                          *fact.bytes);
      continue;
    }
    a.space = MemorySpace::Constant;
    a.why = fmt::format("only read: {} bytes, all threads of a warp at one address, and no cache "
                        "serves plain loads{}",
                        *fact.bytes, howConstant(device));
    constant.take(fact);
  }
}

// Algorithm 1's answer, as far as it can be carried out.
void placeByPatterns(std::vector<ArrayPlan> &arrays, const std::vector<ArrayFacts> &facts,
                     const std::vector<ArrayPatterns> &patterns, const DeviceSpec &device) {
  ConstantMemory constant{device.constantBytes};
  std::vector<SpaceChoice> choices = chooseSpaces(patterns, device);
  for (size_t k = 0; k < arrays.size(); k++) {
    ArrayPlan &a = arrays[k];
    const ArrayFacts &fact = facts[k];
    auto choice =
        std::ranges::find_if(choices, [&](const SpaceChoice &c) { return c.array == a.name; });
    if (choice == choices.end()) {
      a.why = "never accessed";
      continue;
    }
    a.why = fmt::format("patterns: {} memory ({})", nameOf(choice->backing), choice->reason);
    if (choice->isStaged)
      a.why += ", staged in shared memory, which is not decided here";
    if (choice->backing == PatternSpace::Constant) {
      std::string wrong = constant.wrong(fact);
      a.space = wrong.empty() ? MemorySpace::Constant : MemorySpace::ReadOnly;
      a.why += wrong.empty() ? howConstant(device) : "; not done: " + wrong;
      if (wrong.empty())
        constant.take(fact);
    } else if (choice->backing == PatternSpace::Texture) {
      a.space = fact.isWritten ? MemorySpace::Global : MemorySpace::ReadOnly;
      a.why += fact.isWritten ? "; plain stores, since textures cannot be written"
                              : "; loads may take the read-only path";
    }
  }
}

} // namespace

void placeArrays(const Program &program, const Schedule &schedule,
                 const std::vector<StepFacts> &facts, const DeviceSpec &device, SpacePolicy policy,
                 Plan &plan) {
  std::vector<PlannedStep> steps = plannedSteps(schedule.root);
  for (size_t k = 0; k < plan.kernels.size() && k < steps.size(); k++) {
    KernelPlan &kernel = plan.kernels[k];
    auto patterns = [&] {
      return stepPatterns(program, *steps[k].step, steps[k].outer, kernel.grid);
    };
    for (const ArrayFacts &a : facts[k].arrays)
      kernel.arrays.push_back({a.name, MemorySpace::Global, ""});
    if (policy == SpacePolicy::Patterns)
      placeByPatterns(kernel.arrays, facts[k].arrays, patterns(), device);
    else
      placeByDefault(kernel.arrays, facts[k].arrays, patterns, device);
  }
}

std::string adoptArrays(std::vector<ArrayPlan> &proposed, const std::vector<ArrayFacts> &facts,
                        const std::vector<ArrayPlan> &given, const DeviceSpec &device) {
  std::set<std::string> seen;
  for (const ArrayPlan &g : given) {
    auto found =
        std::ranges::find_if(proposed, [&](const ArrayPlan &a) { return a.name == g.name; });
    if (found == proposed.end())
      return fmt::format("has no array '{}'", g.name);
    if (!seen.insert(g.name).second)
      return fmt::format("has two entries for the array {}", g.name);
    if (g.space == MemorySpace::ReadOnly && facts[size_t(found - proposed.begin())].isWritten)
      return fmt::format("cannot declare {} read-only: the kernel writes it", g.name);
    found->space = g.space;
    found->why = g.why;
  }
  ConstantMemory constant{device.constantBytes};
  for (size_t k = 0; k < proposed.size(); k++)
    if (proposed[k].space == MemorySpace::Constant) {
      if (std::string wrong = constant.wrong(facts[k]); !wrong.empty())
        return fmt::format("cannot have {} in constant memory: {}", proposed[k].name, wrong);
      constant.take(facts[k]);
    }
  return "";
}

} // namespace nw
