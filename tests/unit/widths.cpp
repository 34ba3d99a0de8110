// Whether values fit into 32 bits: bounds that one more would break, for fractions and for numbers.
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

} // namespace nw::testing
