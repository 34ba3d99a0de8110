// The watch over time and memory.
#include "support/limits.h"
#include "support/isl_tools.h"
#include <gtest/gtest.h>

namespace nw::testing {

TEST(Limits, NothingIsReachedWithoutLimits) {
  Watch watch(Limits{0, 0, 0});
  EXPECT_EQ(watch.excess(), Watch::Excess::None);
  EXPECT_FALSE(watch.reached({}).has_value());
}

TEST(Limits, TheRemarkNamesTheOption) {
  Watch time(Limits{1e-9, 0, 0});
  ASSERT_TRUE(time.reached({3, 5}).has_value());
  EXPECT_EQ(time.reached({3, 5})->code, "NW0298");
  EXPECT_EQ(time.reached({3, 5})->at.line, 3);
  EXPECT_NE(time.reached({})->help.find("--time-limit"), std::string::npos);
  Watch memory(Limits{0, 1, 0});
  ASSERT_TRUE(memory.reached({}).has_value());
  EXPECT_NE(memory.reached({})->help.find("--memory-limit"), std::string::npos);
}

// A computation that isl would not finish while anybody waits.
static isl::set endless(isl::ctx ctx) {
  isl::set all(ctx, "{ [i, j, k, l] : 0 <= i, j, k, l <= 1000 }");
  for (int k = 2; k < 60; k++)
    all = all.subtract(isl::set(ctx, "{ [i, j, k, l] : exists e : i + 3 j + 5 k + 7 l = " +
                                         std::to_string(k) + " e + 1 }"))
              .coalesce();
  return all;
}

TEST(Limits, IslIsStoppedFromOutside) {
  IslContext isl;
  Watch watch(Limits{0.05, 0, 0});
  {
    Watch::Interruptible interruptible(watch, isl.get().get());
    EXPECT_THROW(endless(isl.get()), isl::exception);
    EXPECT_EQ(watch.excess(), Watch::Excess::Time);
  }
  // Afterwards the context can be used again.
  EXPECT_FALSE(isl::set(isl.get(), "{ [i] : 0 <= i < 3 }").is_empty());
}

TEST(Limits, IslStopsAtItsBudget) {
  IslContext isl;
  isl_ctx_set_max_operations(isl.get().get(), 10000);
  EXPECT_THROW(endless(isl.get()), isl::exception);
}

TEST(Limits, NumbersThatDoNotFitAreNoNumbers) {
  IslContext isl;
  EXPECT_EQ(longOf(intVal(isl.get(), 7)), 7);
  EXPECT_EQ(longOf(intVal(isl.get(), "9223372036854775807")), INT64_MAX);
  EXPECT_EQ(longOf(intVal(isl.get(), "-9223372036854775808")), INT64_MIN);
  EXPECT_FALSE(longOf(intVal(isl.get(), "9223372036854775808")).has_value());
  EXPECT_FALSE(longOf(intVal(isl.get(), "100000000000000000000000")).has_value());
  EXPECT_FALSE(longOf(isl::val(isl.get(), "1/2")).has_value());
}

} // namespace nw::testing
