// Choices of the host: an alternative is verified for all sizes for which it is legal, profitable
// or not, and the fallback for all sizes.
#include "choices.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/interpreter/interpreter.h"
#include "verify/readers/positions.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

ExprP moreThan(int many) { return binary(">", v("n"), i32(many), kI32); }

// b[i] = a[i] by one kernel, and by copies of it as alternatives.
struct Copied {
  Copied() : program(buildProgram(region())) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, commonDevice());
    plan.kernels[0].vectorBytes = 0;
    plan.kernels[0].windowTile.clear();
    kernels = lower(program, d, s, plan, commonDevice());
    choice.kind = HostKind::Choice;
    choice.children = {launchOf(0)};
  }

  static Region region() {
    Region r = regionOf({loop("i", i32(0), v("n"), {assign(at("b", {v("i")}), at("a", {v("i")}))})},
                        {scalar("n"), scalar("i"), pointer("a"), pointer("b")});
    r.variables["i"].storage = Storage::Local;
    return r;
  }

  HostStep launchOf(int kernel) const {
    HostStep launch = firstLaunch(kernels.host);
    launch.kernel = kernel;
    return launch;
  }

  // The same kernel again, which does nothing for sizes for which `does` does not hold.
  Copied &alternative(const ExprP &legalIf, const ExprP &profitableIf, const ExprP &does) {
    Kernel copy = kernels.kernels.at(0);
    copy.name += "_" + std::to_string(kernels.kernels.size());
    copy.form = KernelForm::Windows;
    if (does)
      copy.body = ifElse(does, copy.body);
    kernels.kernels.push_back(copy);
    choice.alternatives.push_back({KernelForm::Windows,
                                   legalIf,
                                   profitableIf,
                                   false,
                                   {},
                                   launchOf(int(kernels.kernels.size()) - 1)});
    return *this;
  }

  std::set<std::string> found() {
    kernels.host = choice;
    std::set<std::string> names;
    for (const Finding &f : verifyKernels(program, kernels, commonDevice()))
      names.insert(f.check);
    return names;
  }

  Program program;
  Kernels kernels;
  HostStep choice;
};

const std::set<std::string> kNothing;

} // namespace

TEST(Choices, AlternativesThatDoTheSamePass) {
  EXPECT_EQ(Copied().alternative(nullptr, nullptr, nullptr).found(), kNothing);
  EXPECT_EQ(Copied().alternative(moreThan(5), moreThan(100), nullptr).found(), kNothing);
}

TEST(Choices, WhatIsMerelyProfitableIsVerifiedForAllSizes) {
  EXPECT_TRUE(Copied().alternative(nullptr, moreThan(5000), moreThan(3000)).found().count("cover"));
}

TEST(Choices, WhatIsLegalIsVerifiedThereAlone) {
  EXPECT_EQ(Copied().alternative(moreThan(5000), nullptr, moreThan(3000)).found(), kNothing);
  EXPECT_TRUE(Copied().alternative(moreThan(2000), nullptr, moreThan(3000)).found().count("cover"));
}

// The first may be legal, and not profitable.
TEST(Choices, TheSecondIsVerifiedWhereTheFirstIsLegal) {
  ExprP few = unary("!", moreThan(3000), kI32);
  EXPECT_TRUE(Copied()
                  .alternative(moreThan(2000), moreThan(9000), nullptr)
                  .alternative(nullptr, nullptr, few)
                  .found()
                  .count("cover"));
}

TEST(Choices, TheFallbackIsVerifiedForAllSizes) {
  Copied copied;
  copied.alternative(nullptr, nullptr, nullptr);
  copied.kernels.kernels[0].body = ifElse(moreThan(3000), copied.kernels.kernels[0].body);
  EXPECT_TRUE(copied.found().count("cover"));
}

TEST(Choices, AChoiceWithoutAFallbackIsSeen) {
  Copied copied;
  copied.alternative(nullptr, nullptr, nullptr).choice.children.clear();
  copied.kernels.host = copied.choice;
  EXPECT_FALSE(readingFindings(copied.program, copied.kernels).empty());
}

TEST(Choices, OnlyTheRuntimeLaunchesResidentKernels) {
  Copied copied;
  copied.alternative(nullptr, nullptr, nullptr);
  copied.kernels.kernels[1].form = KernelForm::Resident;
  EXPECT_TRUE(copied.found().count("positions"));
}

TEST(Choices, TheInterpreterTakesWhatIsSelectedAndLegal) {
  Copied copied;
  copied.alternative(moreThan(5), moreThan(9000), moreThan(9000));
  copied.kernels.host = copied.choice;
  auto differs = [&](int n, const FormSelection &selection) {
    SampleInput input;
    input.scalars = {{"n", n}};
    RunLimits limits;
    limits.selection = selection;
    return !compareRuns(copied.program.region, runOriginal(copied.program.region, input, limits),
                        runKernels(copied.program, copied.kernels, input, limits))
                .empty();
  };
  EXPECT_TRUE(differs(8, {{KernelForm::Windows}}));
  EXPECT_FALSE(differs(5, {{KernelForm::Windows}}));
  EXPECT_FALSE(differs(8, {{KernelForm::Tiles}}));
  EXPECT_FALSE(differs(8, {}));
}

TEST(Choices, SelectionsTakeEveryForm) {
  Copied copied;
  EXPECT_EQ(selectionsOf(copied.choice).size(), 1u);
  std::set<KernelForm> all;
  for (int f = int(KernelForm::Tiles); f <= int(KernelForm::Resident); f++) {
    HostAlternative a;
    a.form = KernelForm(f);
    all.insert(a.form);
    copied.choice.alternatives.push_back(a);
  }
  std::set<KernelForm> taken;
  for (const FormSelection &s : selectionsOf(copied.choice))
    taken.insert(s.forms.begin(), s.forms.end());
  EXPECT_EQ(taken, all);
  EXPECT_TRUE(selectionsOf(copied.choice)[0].forms.empty());
}

} // namespace nw::testing
