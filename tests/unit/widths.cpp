// Whether values fit into 32 bits: bounds that one more would break, for fractions and for numbers.
#include "build.h"
#include "verify/readers/host_products.h"
#include "verify/readers/kernel_reader.h"
#include <gtest/gtest.h>

namespace nw::testing {

static bool doesFit(const char *value, const char *when, Scalar type = Scalar::I32) {
  IslContext context;
  return fits(isl::pw_aff(context.get(), value), typeOf(type), isl::set(context.get(), when));
}

TEST(Widths, TheLastNumberFitsAndTheNextDoesNot) {
  const char *sum = "[n, m] -> { [(n + m)] }";
  EXPECT_TRUE(doesFit(sum, "[n, m] -> { : 0 <= n <= 2147483640 and 0 <= m <= 7 }"));
  EXPECT_FALSE(doesFit(sum, "[n, m] -> { : 0 <= n <= 2147483640 and 0 <= m <= 8 }"));
  EXPECT_TRUE(doesFit(sum, "[n, m] -> { : -2147483640 <= n <= 0 and -8 <= m <= 0 }"));
  EXPECT_FALSE(doesFit(sum, "[n, m] -> { : -2147483640 <= n <= 0 and -9 <= m <= 0 }"));
  EXPECT_FALSE(doesFit(sum, "[n, m] -> { : 0 <= n <= 5 }"));
  EXPECT_TRUE(doesFit(sum, "[n, m] -> { : 0 <= n, m and n + m <= 4294967295 }", Scalar::U32));
  EXPECT_FALSE(doesFit(sum, "[n, m] -> { : 0 <= n, m and n + m <= 4294967296 }", Scalar::U32));
  EXPECT_FALSE(doesFit(sum, "[n, m] -> { : -1 <= n + m <= 5 }", Scalar::U32));
}

TEST(Widths, EveryPieceCounts) {
  EXPECT_FALSE(
      doesFit("[n] -> { [(n)] }", "[n] -> { : 0 <= n <= 9 or 2147483640 <= n <= 2147483648 }"));
  EXPECT_TRUE(
      doesFit("[n] -> { [(n)] }", "[n] -> { : 0 <= n <= 9 or 2147483640 <= n <= 2147483647 }"));
  const char *either = "[n] -> { [(n)] : n > 0; [(-2n)] : n <= 0 }";
  EXPECT_TRUE(doesFit(either, "[n] -> { : -1000 <= n <= 2147483647 }"));
  EXPECT_FALSE(doesFit(either, "[n] -> { : -1073741824 <= n <= 2147483647 }"));
  EXPECT_TRUE(doesFit("[n] -> { [(n)] }", "[n] -> { : n > 2147483647 and n < 5 }"));
}

TEST(Widths, NumbersFitWhereFractionsDoNot) {
  EXPECT_TRUE(doesFit("[n] -> { [(n)] }", "[n] -> { : 0 <= 2n <= 4294967295 }"));
  EXPECT_TRUE(doesFit("[n] -> { [(floor(n/2))] }", "[n] -> { : 0 <= n <= 4294967295 }"));
  EXPECT_FALSE(doesFit("[n] -> { [(floor(n/2))] }", "[n] -> { : 0 <= n <= 4294967296 }"));
}

// (n + 1) * (m + 1) * t, for sizes below a limit.
static std::string beyond(const ExprP &assumptions, const char *when) {
  IslContext context;
  AffineScope scope(context.get());
  for (const char *name : {"n", "m", "t", "r"})
    scope.addUnknown(name, name);
  ExprP n = binary("+", v("n", kI64), intConst(1), kI64),
        m = binary("+", v("m", kI64), intConst(1), kI64);
  return productBeyond64(binary("*", binary("*", n, m, kI64), v("t", kI64), kI64), scope,
                         isl::set(context.get(), when), assumptions);
}

// 2^62 / n + 1 / m + 1 / r >= 1
static ExprP bounded(int64_t limit, const char *third) {
  ExprP room = intConst(limit);
  for (ExprP count : {binary("+", v("n", kI64), intConst(1), kI64), v(third, kI64),
                      binary("+", v("m", kI64), intConst(1), kI64)})
    room = binary(
        "/", room,
        node(ExprKind::Select, {binary(">", count, intConst(1), kI32), count, intConst(1)}, kI64),
        kI64);
  return binary(">=", room, intConst(1), kI32);
}

TEST(Widths, ProductsOfTheHostFitOrAreAskedFor) {
  const char *small = "[n, m, t, r] -> { : 0 <= n, m, t < 1048576 and t <= r }",
             *large = "[n, m, t, r] -> { : 0 <= n, m, t < 67108864 and t <= r }",
             *open = "[n, m, t, r] -> { : 0 <= n, m, t and t <= r }",
             *negative = "[n, m, t, r] -> { : 0 <= n, m and t <= r }";
  EXPECT_EQ(beyond(nullptr, small), "");
  EXPECT_NE(beyond(nullptr, large), "");
  EXPECT_NE(beyond(nullptr, open), "");
  ExprP other = binary(">=", v("n", kI64), intConst(1), kI32);
  int64_t most = int64_t(1) << 62;
  for (const char *third : {"t", "r"}) { // r is as large as t
    EXPECT_EQ(beyond(bounded(most, third), open), "");
    EXPECT_EQ(beyond(binary("&&", other, bounded(most, third), kI32), open), "");
    EXPECT_NE(beyond(bounded(most, third), negative), "");
  }
  // The bound that is as large as both factors is left to the one that has no other.
  const char *near = "[n, m, t, r] -> { : 0 <= m < n and t = 0 }",
             *far = "[n, m, t, r] -> { : 0 <= n < m and t = 0 }";
  EXPECT_EQ(beyond(bounded(most, "t"), near), "");
  EXPECT_EQ(beyond(bounded(most, "t"), far), "");
  EXPECT_NE(beyond(bounded(most, "m"), open), "");
  EXPECT_NE(beyond(other, open), "");
  EXPECT_NE(beyond(binary("||", other, bounded(most, "t"), kI32), open), "");
}

} // namespace nw::testing
