// meet, the search for points and divisors, which do what isl does, in less time; how long a
// context lives.
#include "support/isl_tools.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <isl/point.h>

namespace nw::testing {

TEST(IslTools, WhatIsInBothIsIslsIntersection) {
  IslContext context;
  const char *texts[] = {"[n] -> { : n > 3 }",
                         "[m] -> { : m > 5 }",
                         "[m, n] -> { : m < n }",
                         "[n] -> { : n < 3 }",
                         "[n, m] -> { : n = 4 or m > 7 }",
                         "[n] -> { : exists e: n = 2e }",
                         "{ : false }",
                         "{ : }"};
  for (const char *a : texts)
    for (const char *b : texts)
      for (const char *c : texts) {
        isl::set x(context.get(), a), y(context.get(), b), z(context.get(), c);
        isl::set both = x.intersect(y);
        EXPECT_TRUE(meet(x, y).is_equal(both)) << a << " and " << b;
        // Also of what meet has made, which isl may know to be empty.
        EXPECT_TRUE(meet(meet(x, y), z).is_equal(both.intersect(z))) << a << ", " << b << ", " << c;
      }
}

TEST(IslTools, TheSameOfRelations) {
  IslContext context;
  const char *texts[] = {"[n] -> { S[i] -> [j] : j < i + n }", "[m] -> { S[i] -> [j] : j > i + m }",
                         "[m, n] -> { S[i] -> [j] : m > n }", "[n] -> { S[i] -> [i] : n > i }",
                         "{ S[i] -> [j] : false }"};
  for (const char *a : texts)
    for (const char *b : texts)
      for (const char *c : texts) {
        isl::map x(context.get(), a), y(context.get(), b), z(context.get(), c);
        EXPECT_TRUE(meet(meet(x, y), z).is_equal(x.intersect(y).intersect(z)));
      }
}

// Conditions on three numbers between -4 and 4, drawn by chance; some hold nowhere, or for
// fractions alone.
class SomeConditions {
public:
  explicit SomeConditions(unsigned seed) : state(seed) {
    for (int many = draw(1, 4); many > 0; many--)
      sums.push_back({draw(-5, 5), draw(-5, 5), draw(-5, 5), draw(-9, 9), draw(0, 3) == 0});
    if (draw(0, 2) == 0)
      remainder = {draw(1, 3), draw(2, 5), draw(0, 1)};
  }

  std::string text() const {
    std::string all = "-4 <= x <= 4 and -4 <= y <= 4 and -4 <= z <= 4";
    for (auto [a, b, c, d, isEqual] : sums)
      all += fmt::format(" and {} x + {} y + {} z {} {}", a, b, c, isEqual ? "=" : ">=", d);
    if (remainder)
      all += fmt::format(" and ({} x + y) mod {} = {}", (*remainder)[0], (*remainder)[1],
                         (*remainder)[2]);
    return fmt::format("{{ [x, y, z] : {} }}", all);
  }

  bool hold(int x, int y, int z) const {
    for (auto [a, b, c, d, isEqual] : sums)
      if (int sum = a * x + b * y + c * z; isEqual ? sum != d : sum < d)
        return false;
    return !remainder || ((*remainder)[0] * x + y - (*remainder)[2]) % (*remainder)[1] == 0;
  }

private:
  struct Sum {
    int a, b, c, d;
    bool isEqual;
  };
  int draw(int least, int most) {
    state = state * 1664525u + 1013904223u;
    return least + int((state >> 16) % unsigned(most - least + 1));
  }
  unsigned state;
  std::vector<Sum> sums;
  std::optional<std::array<int, 3>> remainder;
};

TEST(IslTools, ASetIsEmptyWhereItHasNoPoint) {
  IslContext context;
  int empty = 0;
  for (unsigned seed = 0; seed < 2000; seed++) {
    SomeConditions conditions(seed * 7919);
    int points = 0;
    for (int n = 0; n < 9 * 9 * 9; n++)
      points += conditions.hold(n % 9 - 4, n / 9 % 9 - 4, n / 81 - 4);
    isl::set set(context.get(), conditions.text());
    ASSERT_EQ(set.is_empty(), points == 0) << conditions.text();
    empty += points == 0;
    if (points == 0)
      continue;
    isl_point *point = isl_set_sample_point(set.copy());
    auto at = [&](int d) {
      isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, d);
      int value = int(isl_val_get_num_si(v));
      isl_val_free(v);
      return value;
    };
    EXPECT_TRUE(conditions.hold(at(0), at(1), at(2))) << conditions.text();
    isl_point_free(point);
  }
  EXPECT_GT(empty, 200);
  EXPECT_LT(empty, 1800);
}

// Sizes have no bounds, as in most that is asked.
TEST(IslTools, ASetWithoutBoundsIsEmptyWhereItHasNoPoint) {
  IslContext context;
  auto isEmpty = [&](const char *text) { return isl::set(context.get(), text).is_empty(); };
  EXPECT_TRUE(isEmpty("[n, m] -> { [i, j] : 0 <= i < n and j >= n and j < i + m and m <= 1 }"));
  EXPECT_FALSE(isEmpty("[n, m] -> { [i, j] : 0 <= i < n and j >= n and j < i + m and m <= 2 }"));
  EXPECT_TRUE(isEmpty("[n] -> { [i, j] : 2i = 2j + 2n + 1 }"));
  EXPECT_TRUE(isEmpty("[n, m] -> { [i, j] : 3 <= 6i + 6j + 6n <= 5 }"));
  EXPECT_FALSE(isEmpty("[n, m] -> { [i, j] : 3 <= 6i + 6j + 6n <= 5 + m and m > 100 }"));
  EXPECT_FALSE(isEmpty("[n] -> { [i, j] : n > 1000000 and 7i + 5j = n }"));
}

isl::val gcdOf(const IslContext &context, const char *a, const char *b) {
  return isl::manage(
      isl_val_gcd(intVal(context.get(), a).release(), intVal(context.get(), b).release()));
}

TEST(IslTools, DivisorsAreTheGreatestOfSmallAndOfLargeNumbers) {
  IslContext context;
  struct {
    const char *a, *b, *divisor;
  } cases[] = {{"0", "0", "0"},
               {"12", "-18", "6"},
               {"4294967296", "6", "2"},
               {"0", "-8589934592", "8589934592"},
               {"12884901888", "8589934592", "4294967296"},
               {"-9223372036854775807", "9223372036854775807", "9223372036854775807"},
               {"-9223372036854775808", "9223372036854775807", "1"},
               {"55340232221128654848", "36893488147419103232", "18446744073709551616"}};
  for (auto &[a, b, divisor] : cases)
    EXPECT_TRUE(gcdOf(context, a, b).eq(intVal(context.get(), divisor))) << a << " " << b;
}

TEST(IslTools, ConstraintsAreDividedByTheirDivisor) {
  IslContext context;
  auto isSame = [&](const char *a, const char *b) {
    isl::set x(context.get(), a), y(context.get(), b);
    return x.is_equal(y) && bool(isl_set_plain_is_equal(x.get(), y.get()));
  };
  EXPECT_TRUE(isSame("[n] -> { [i, j] : 6i + 4j >= 2n + 2 }", "[n] -> { [i, j] : 3i + 2j > n }"));
  EXPECT_TRUE(isSame("[n] -> { [i] : 8589934592i = 4294967296n }", "[n] -> { [i] : 2i = n }"));
  EXPECT_TRUE(isSame("[n] -> { [i] : 12884901888i >= 6n }", "[n] -> { [i] : 2147483648i >= n }"));
  EXPECT_TRUE(isSame("[n] -> { [i] : 7i >= 4294967296n }", "[n] -> { [i] : 7i >= 4294967296n }"));
}

// A value of the kind that Program is.
struct Value {
  SharedContext isl = std::make_shared<IslContext>();
  isl::set set = isl::set(isl->get(), "[n] -> { : n > 3 }");
};

TEST(IslTools, AContextOutlivesTheMembersThatAssignmentReplaces) {
  ::testing::internal::CaptureStderr();
  {
    Value value;
    isl_options_set_on_error(value.isl->get().get(), ISL_ON_ERROR_WARN);
    value = Value();
    EXPECT_TRUE(value.set.is_equal(isl::set(value.isl->get(), "[n] -> { : n > 3 }")));
  }
  // isl complains of a context that ends before its objects, and keeps it for good.
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

} // namespace nw::testing
