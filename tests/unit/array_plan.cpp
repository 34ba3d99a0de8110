// Memories of a kernel's arrays: what each policy proposes on which device, what may be given
// instead, and what the verifier does not let pass.
#include "emit/kernel_text.h"
#include "lower/lower.h"
#include "pattern_kernels.h"
#include "plan/planner.h"
#include "plan/step_patterns.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "support/diagnostics.h"
#include "verify/checks/kernel_checks.h"

namespace nw::testing {

namespace {

struct Planned {
  Program program;
  Dependences dependences;
  Schedule scheduled;

  explicit Planned(const Program &plain)
      : program(privatize(plain)), dependences(computeDependences(program)),
        scheduled(schedule(program, dependences, true)) {}
  Plan plan(const DeviceSpec &device, SpacePolicy policy = SpacePolicy::Default) const {
    PlanOptions options;
    options.policy = policy;
    return propose(program, scheduled, device, options);
  }
  RegionFacts facts(const DeviceSpec &device) const { return factsOf(program, scheduled, device); }
  Kernels lowered(const Plan &plan, const DeviceSpec &device) const {
    return lower(program, dependences, scheduled, plan, device);
  }
  std::string text(const Kernels &kernels, Language language) const {
    return kernelText({{&program, &kernels, "f", "f.c:1"}}, language, {});
  }
};

const DeviceSpec &gtx285() { return *findDevice("gtx-285"); }
const DeviceSpec &h200() { return *findDevice("h200"); }

// "in read-only, out global", of the kernel that has most arrays.
std::string spacesOf(const Plan &plan) {
  const KernelPlan *most = &plan.kernels.at(0);
  for (const KernelPlan &k : plan.kernels)
    most = k.arrays.size() > most->arrays.size() ? &k : most;
  std::map<std::string, std::string> sorted;
  for (const ArrayPlan &a : most->arrays)
    sorted[a.name] = nameOf(a.space);
  std::string out;
  for (auto &[name, space] : sorted)
    out += (out.empty() ? "" : ", ") + name + " " + space;
  return out;
}

std::string whyOf(const Plan &plan, const std::string &array) {
  for (const KernelPlan &k : plan.kernels)
    for (const ArrayPlan &a : k.arrays)
      if (a.name == array)
        return a.why;
  return "";
}

// All entries of an array.
void put(Plan &plan, const std::string &array, MemorySpace space) {
  for (KernelPlan &k : plan.kernels)
    for (ArrayPlan &a : k.arrays)
      if (a.name == array)
        a.space = space;
}

std::string refusal(const Planned &of, const Plan &given, const DeviceSpec &device) {
  try {
    adopt(of.plan(h200()), of.facts(device), given, device);
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

} // namespace

// Small filters that all threads read at one address are constant where no cache serves plain
// loads, and only there.
TEST(ArrayPlan, FiltersByDefault) {
  Planned filter(convolution(i32(5)));
  EXPECT_EQ(spacesOf(filter.plan(gtx285())), "filter constant, in read-only, out global");
  EXPECT_EQ(spacesOf(filter.plan(h200())), "filter read-only, in read-only, out global");
  EXPECT_NE(whyOf(filter.plan(h200()), "filter")
                .find("100 bytes, all threads of a warp at one address, which the first-level "
                      "cache serves"),
            std::string::npos);
  EXPECT_NE(
      whyOf(filter.plan(gtx285()), "filter").find("__constant__ variable is one for all streams"),
      std::string::npos);
  EXPECT_EQ(whyOf(filter.plan(h200()), "out"), "written here");
}

// The refusing twins: as large as the problem, as large as a parameter says, and more than the
// device has.
TEST(ArrayPlan, LargeFiltersAreNotConstant) {
  EXPECT_EQ(spacesOf(Planned(convolution(v("t"))).plan(gtx285())),
            "filter read-only, in read-only, out global");
  DeviceSpec small = gtx285();
  small.constantBytes = 99;
  EXPECT_EQ(spacesOf(Planned(convolution(i32(5))).plan(small)),
            "filter read-only, in read-only, out global");
  small.constantBytes = 100;
  EXPECT_EQ(spacesOf(Planned(convolution(i32(5))).plan(small)),
            "filter constant, in read-only, out global");
}

// Algorithm 1 for the same programs: as the paper says, where it can be carried out.
TEST(ArrayPlan, ByPatterns) {
  auto spaces = [](const Program &p, const DeviceSpec &device) {
    return spacesOf(Planned(p).plan(device, SpacePolicy::Patterns));
  };
  EXPECT_EQ(spaces(vectorAddition(), gtx285()), "a global, b global, c global");
  EXPECT_EQ(spaces(convolution(i32(5)), gtx285()),
            "filter constant, in global, out global"); // in: strips of it in shared memory
  EXPECT_EQ(spaces(radiologicalPath(), gtx285()),
            "body read-only, cosine global, paths global, sine global");
  EXPECT_EQ(spaces(nonMaximumSuppression(), gtx285()),
            "lower read-only, middle read-only, peaks global, upper read-only");
  EXPECT_EQ(spaces(radiologicalPath(), h200()),
            "body global, cosine global, paths global, sine global"); // no texture path
  Plan mv = Planned(matrixVector()).plan(gtx285(), SpacePolicy::Patterns);
  EXPECT_NE(whyOf(mv, "y").find("patterns: texture memory (prefetch), staged in shared memory"),
            std::string::npos)
      << whyOf(mv, "y");
}

// Patterns over the schedule's own dimensions: data-dependent subscripts are random, and a mapping
// turns classes.
TEST(ArrayPlan, PatternsOfSteps) {
  Planned path(radiologicalPath());
  std::map<std::string, AccessPattern> patterns;
  for (const KernelPatterns &k : kernelPatterns(path.program, path.scheduled, path.plan(h200())))
    for (const ArrayPatterns &a : k.arrays)
      patterns[a.array] = a.references.at(0);
  EXPECT_EQ(patterns.at("body").intraThread.kind, PatternClass::Random);
  EXPECT_FALSE(patterns.at("body").isCoalesced);
  EXPECT_TRUE(patterns.at("paths").isCoalesced);
  EXPECT_TRUE(patterns.at("cosine").isCoalesced);
  EXPECT_EQ(patterns.at("sine").uses, (std::array<bool, 3>{false, true, false}));
  Plan turned = path.plan(h200());
  for (KernelPlan &k : turned.kernels)
    if (k.grid.size() == 2)
      std::swap(k.grid[0], k.grid[1]);
  for (const KernelPatterns &k : kernelPatterns(path.program, path.scheduled, turned))
    for (const ArrayPatterns &a : k.arrays)
      if (a.array == "paths") {
        EXPECT_FALSE(a.references.at(0).isCoalesced);
      }
}

// What the targets write: a promise for read-only arrays, none for global ones, and OpenCL's
// constant memory.
TEST(ArrayPlan, Text) {
  Planned filter(convolution(i32(5)));
  Plan plan = filter.plan(gtx285());
  Kernels constant = filter.lowered(plan, gtx285());
  EXPECT_NE(filter.text(constant, Language::OpenCl).find("__constant float (*filter)[5]"),
            std::string::npos)
      << filter.text(constant, Language::OpenCl);
  EXPECT_NE(filter.text(constant, Language::OpenCl).find("__global const float *restrict in"),
            std::string::npos);
  EXPECT_NE(filter.text(constant, Language::Cuda).find("const float (*__restrict__ filter)[5]"),
            std::string::npos);
  put(plan, "filter", MemorySpace::Global);
  put(plan, "in", MemorySpace::Global);
  Kernels global = filter.lowered(plan, gtx285());
  EXPECT_NE(filter.text(global, Language::OpenCl).find("__global const float (*filter)[5]"),
            std::string::npos);
  EXPECT_NE(filter.text(global, Language::Cuda).find("const float *in"), std::string::npos);
  EXPECT_NE(filter.text(global, Language::Cuda).find("float *__restrict__ out"), std::string::npos);
}

// A given plan: taken where nothing speaks against it, else refused with the reason.
TEST(ArrayPlan, Adopting) {
  Planned filter(convolution(i32(5)));
  Plan proposed = filter.plan(h200()), given = proposed;
  put(given, "filter", MemorySpace::Constant);
  put(given, "in", MemorySpace::Global);
  EXPECT_EQ(spacesOf(adopt(proposed, filter.facts(h200()), given, h200())),
            "filter constant, in global, out global");
  DeviceSpec small = h200();
  small.constantBytes = 99;
  EXPECT_NE(
      refusal(filter, given, small)
          .find("cannot have filter in constant memory: its 100 bytes exceed the 99 that are left"),
      std::string::npos);
  put(given, "out", MemorySpace::Constant);
  EXPECT_NE(refusal(filter, given, h200())
                .find("cannot have out in constant memory: the kernel writes it"),
            std::string::npos);
  put(given, "out", MemorySpace::ReadOnly);
  EXPECT_NE(
      refusal(filter, given, h200()).find("cannot declare out read-only: the kernel writes it"),
      std::string::npos);
  given = proposed;
  put(given, "in", MemorySpace::Constant);
  EXPECT_NE(
      refusal(filter, given, h200())
          .find("cannot have in in constant memory: its size is not the same for all arguments"),
      std::string::npos);
  given = proposed;
  given.kernels.back().arrays.emplace_back();
  given.kernels.back().arrays.back().name = "nobody";
  EXPECT_NE(refusal(filter, given, h200()).find("has no array 'nobody'"), std::string::npos);
  given = proposed;
  given.kernels.back().arrays.push_back(given.kernels.back().arrays.front());
  EXPECT_NE(refusal(filter, given, h200()).find("has two entries for the array"),
            std::string::npos);
  for (KernelPlan &k : given.kernels)
    k.arrays.clear(); // nothing said: as proposed
  EXPECT_EQ(spacesOf(adopt(proposed, filter.facts(h200()), given, h200())), spacesOf(proposed));
}

// The check accepts what lowering makes, and finds kernels that promise too much.
TEST(ArrayPlan, TheVerifierLooks) {
  Planned filter(convolution(i32(5)));
  Kernels good = filter.lowered(filter.plan(gtx285()), gtx285());
  EXPECT_TRUE(checkSpaces(filter.program, good, gtx285()).empty());
  auto bent = [&](const std::string &name, MemorySpace space) {
    Kernels k = good;
    for (Kernel &kernel : k.kernels)
      for (KernelParameter &q : kernel.parameters)
        if (q.name == name)
          q.space = space;
    return checkSpaces(filter.program, k, gtx285());
  };
  ASSERT_FALSE(bent("out", MemorySpace::ReadOnly).empty());
  EXPECT_NE(
      bent("out", MemorySpace::ReadOnly)[0].what.find("out is declared read-only, but is written"),
      std::string::npos);
  ASSERT_FALSE(bent("in", MemorySpace::Constant).empty());
  EXPECT_NE(bent("in", MemorySpace::Constant)[0].what.find("its size is not known"),
            std::string::npos);
  DeviceSpec small = gtx285();
  small.constantBytes = 99;
  EXPECT_FALSE(checkSpaces(filter.program, good, small).empty());
}

TEST(ArrayPlan, Json) {
  Plan plan = Planned(convolution(i32(5))).plan(gtx285());
  std::string text = toJson({plan});
  EXPECT_EQ(toJson(fromJson(text)), text);
  auto refused = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    try {
      fromJson(changed);
    } catch (const UserError &e) {
      return e.message;
    }
    return std::string();
  };
  EXPECT_NE(refused("\"constant\"", "\"texture\"")
                .find("space of entry 0 is \"texture\"; expected global, read-only, constant"),
            std::string::npos);
  EXPECT_NE(
      refused("\"space\"", "\"spaces\"").find("unknown field 'spaces'; did you mean 'space'?"),
      std::string::npos);
  EXPECT_NE(refused("\"constant\"", "3").find("space of entry 0 is 3"), std::string::npos);
}

} // namespace nw::testing
