// Subscripts as sums of multiples: what is one, and what only looks like one.
#include "analysis/affine_row.h"
#include <gtest/gtest.h>

namespace nw::testing {

static std::optional<AffineRow> rowOf(const std::string &relation, int k = 0) {
  static IslContext isl;
  return affineRow(isl::map(isl.get(), relation), k);
}

TEST(AffineRow, SumsOfMultiples) {
  EXPECT_EQ(rowOf("[n, m] -> { S[i, j] -> A[2i - j + 3n - 1, j] : 0 <= i < n and 0 <= j < m }"),
            (AffineRow{{2, -1}, {{{"n", 3}}, -1}}));
  EXPECT_EQ(rowOf("[n, m] -> { S[i, j] -> A[2i - j + 3n - 1, j] : 0 <= i < n and 0 <= j < m }", 1),
            (AffineRow{{0, 1}, {}}));
  EXPECT_EQ(rowOf("{ S[i] -> A[7] : 0 <= i < 9 }"), (AffineRow{{0}, {{}, 7}}));
}

// What is always true of the domain does not hide where the subscript comes from, nor do pieces of
// it.
TEST(AffineRow, DomainsDoNotHideCoefficients) {
  EXPECT_EQ(rowOf("[n] -> { S[i, j] -> A[i + j] : 0 <= i < n and 0 <= j < n and i % 2 = 0 }"),
            (AffineRow{{1, 1}, {}}));
  EXPECT_EQ(rowOf("[n] -> { S[i] -> A[i] : 0 <= i < n and (i < 5 or i > 9) }"),
            (AffineRow{{1}, {}}));
}

TEST(AffineRow, RefusesWhatIsNone) {
  EXPECT_FALSE(rowOf("[n] -> { S[i] -> A[a] : 0 <= i < n and 0 <= a < n }")); // data decide
  EXPECT_FALSE(rowOf("[n] -> { S[i] -> A[floor(i/2)] : 0 <= i < n }"));       // a division
  EXPECT_FALSE(
      rowOf("[n] -> { S[i] -> A[i] : 0 <= i < 5; S[i] -> A[-i] : 5 <= i < n }")); // differs in kind
  EXPECT_FALSE(rowOf("{ S[i] -> A[99999999999999999999i] : 0 <= i < 9 }")); // no machine's number
  static IslContext isl;
  EXPECT_FALSE(affineRows(isl::map(isl.get(), "{ S[i] -> A[i, a] : 0 <= i < 9 and 0 <= a < 2 }")));
  EXPECT_FALSE(affineRows(isl::map(isl.get(), "{ S[i] -> A[i] : 1 = 0 }")));
}

} // namespace nw::testing
