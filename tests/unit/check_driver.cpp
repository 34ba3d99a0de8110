// The driver of nestwarp check, with libraries written by hand: it tells apart what differs, and
// nothing else.
#include "build.h"
#include "check/check_harness.h"
#include "driver/host_compiler.h"
#include "support/process.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw::testing {

namespace {

// void f(int n, T x[n])
CheckedFunction functionOf(const Type &type) {
  CheckedFunction f;
  f.signature.name = "f";
  f.signature.parameters = {scalar("n"), pointer("x", type)};
  f.objects = {{"n", kI32, false, false, ""}, {"x", type, false, true, "n"}};
  return f;
}

// Bodies are C text; `x` is the array and `n` its length.
struct Driver {
  ScratchDirectory scratch;
  CheckReport report;

  int run(const std::string &type, const std::string &original, const std::string &generated,
          const std::string &data, DriverOptions options = {}) {
    Type element = type == "int" ? kI32 : type == "float" ? kF32 : kF64;
    options.isDouble = type == "double";
    library("original", type, original);
    library("generated", type, generated);
    library("wider", type == "int" ? type : options.isDouble ? "long double" : "double", original);
    writeFile(scratch.path + "/driver.c",
              driverText(functionOf(element), {{"n", "100"}}, options, scratch.path));
    EXPECT_EQ(runCompiler(false, {"-w", scratch.path + "/driver.c", "-o", scratch.path + "/driver",
                                  "-ldl", "-lm"}),
              0);
    int status = nw::run({scratch.path + "/driver", scratch.path + "/report", data});
    report = readReport(readFile(scratch.path + "/report"));
    return status;
  }

private:
  void library(const std::string &stem, const std::string &type, const std::string &body) {
    std::string text =
        fmt::format("#include <math.h>\ntypedef {0} T;\nvoid nw_call(void **a) {{ int n = *(int "
                    "*)a[0]; T *x = a[1]; {1} }}\nvoid *nw_global(int k) {{ return 0; }}\n",
                    type, body);
    writeFile(scratch.path + "/" + stem + ".c", text);
    EXPECT_EQ(buildLibrary(stem, {"-O0"}, scratch.path, {}), 0);
  }
};

const char *const kDouble = "for (int i = 0; i < n; i++) x[i] = x[i] * 2;";

} // namespace

TEST(CheckDriver, OneElementOfIntegersIsFound) {
  Driver d;
  EXPECT_EQ(d.run("int", kDouble, fmt::format("{} x[37] += 1;", kDouble), "ordinary"), 1);
  ASSERT_EQ(d.report.differences.size(), 1u);
  EXPECT_EQ(d.report.differences[0].element, 37);
  EXPECT_EQ(d.report.differences[0].differing, 1);
  EXPECT_EQ(d.report.differences[0].count, 100);
  EXPECT_EQ(std::stoi(d.report.differences[0].generated),
            std::stoi(d.report.differences[0].original) + 1);
  EXPECT_EQ(d.report.scalars.at("n"), 100);
}

TEST(CheckDriver, TheSameIsTheSame) {
  for (const char *type : {"int", "float", "double"})
    for (const char *data : {"ordinary", "special"}) {
      Driver d;
      EXPECT_EQ(d.run(type, kDouble, kDouble, data), 0) << type << data;
      EXPECT_TRUE(d.report.differences.empty());
    }
}

TEST(CheckDriver, TheFirstOfSeveralIsReported) {
  Driver d;
  EXPECT_EQ(d.run("float", kDouble, fmt::format("{} x[12] += 1; x[80] -= 1;", kDouble), "ordinary"),
            1);
  ASSERT_EQ(d.report.differences.size(), 1u);
  EXPECT_EQ(d.report.differences[0].element, 12);
  EXPECT_EQ(d.report.differences[0].differing, 2);
  EXPECT_NE(d.report.differences[0].wider, "-");
}

// Neighbours cancel each other: in order the sum stays small, evens before odds it does not.
TEST(CheckDriver, SumsInAnotherOrderMayStrayAsTheOriginalDoesInOtherRoundings) {
  const char *terms = "T t[100]; for (int i = 0; i < n; i++) t[i] = x[i] + (i % 2 ? -300 : 300);";
  auto sum = [&](const std::string &loops) {
    return fmt::format("{} T s = 0; {} x[0] = s;", terms, loops);
  };
  std::string inOrder = sum("for (int i = 0; i < n; i++) s += t[i];");
  Driver d;
  EXPECT_EQ(d.run("float", inOrder,
                  sum("for (int i = 0; i < n; i += 2) s += t[i]; for (int i = 1; i < n; i += 2) s "
                      "+= t[i];"),
                  "ordinary"),
            0);
  EXPECT_EQ(d.run("float", inOrder, sum("for (int i = 0; i < n; i++) s += t[i]; s += 0.01f;"),
                  "ordinary"),
            1);
}

TEST(CheckDriver, SmallErrorsAreSeenAmongLargeNumbers) {
  Driver d; // on special data each element is judged by itself
  EXPECT_EQ(d.run("float", kDouble,
                  fmt::format("{} for (int i = 0; i < n; i++) if (fabsf(x[i]) < 1 && fabsf(x[i]) > "
                              "0.5f) {{ x[i] *= 1.001f; break; }}",
                              kDouble),
                  "special"),
            1);
}

TEST(CheckDriver, NotANumberAndInfinityAreNotConfused) {
  Driver nan, sign, payload;
  EXPECT_EQ(nan.run("float", kDouble,
                    fmt::format("{} for (int i = 0; i < n; i++) if (isnan(x[i])) x[i] = 0; for "
                                "(int i = 0; i < n; i++) if (isinf(x[i])) x[i] = NAN;",
                                kDouble),
                    "special"),
            1);
  EXPECT_EQ(sign.run("float", "x[3] = INFINITY;", "x[3] = -INFINITY;", "ordinary"), 1);
  EXPECT_EQ(payload.run("float", "x[3] = NAN;", "x[3] = -NAN;", "ordinary"), 0);
}

TEST(CheckDriver, ZerosAreToldApartWhenEveryBitCounts) {
  DriverOptions exact;
  exact.isExact = true;
  Driver loose, strict;
  EXPECT_EQ(loose.run("float", "x[3] = 0.0f;", "x[3] = -0.0f;", "ordinary"), 0);
  EXPECT_EQ(strict.run("float", "x[3] = 0.0f;", "x[3] = -0.0f;", "ordinary", exact), 1);
}

TEST(CheckDriver, OverflowOfTheNarrowTypeIsNotHeldAgainstAnotherOrder) {
  Driver
      d; // 3e38 + 3e38 - 3e38: infinite from left to right, finite from right to left and in double
  EXPECT_EQ(d.run("float", "volatile T y = 3e38f; x[3] = (y + y) - y;",
                  "volatile T y = 3e38f; x[3] = y + (y - y);", "ordinary"),
            0);
}

TEST(CheckDriver, FlushedDenormalsAreSeenUnlessMathIsFast) {
  std::string flush = "for (int i = 0; i < n; i++) if (fabsf(x[i]) < 1.17e-38f) x[i] = 0;";
  DriverOptions fast;
  fast.isFast = true;
  Driver d, f;
  EXPECT_EQ(d.run("float", kDouble, kDouble + flush, "special"), 1);
  EXPECT_EQ(f.run("float", kDouble, kDouble + flush, "special", fast), 0);
}

TEST(CheckHarness, SizesAreSmallWhereNoneIsLarge) {
  CheckedFunction f = functionOf(kF64);
  CheckSettings small, large;
  small.sizes = {{"n", "64"}};
  large.sizes = {{"n", "65"}};
  EXPECT_TRUE(hasSmallSizes(f, {CheckSettings()}));
  EXPECT_TRUE(hasSmallSizes(f, {small, small}));
  EXPECT_FALSE(hasSmallSizes(f, {small, large}));
  f.objects[1].count = "5000"; // as --extent says
  EXPECT_FALSE(hasSmallSizes(f, {small}));
  f.objects[1].count = "4000";
  f.objects[1].extents = {nullptr, intConst(40, kI32)};
  EXPECT_TRUE(hasSmallSizes(f, {small}));
  f.objects[1].extents = {intConst(65, kI32)};
  EXPECT_FALSE(hasSmallSizes(f, {small}));
}

} // namespace nw::testing
