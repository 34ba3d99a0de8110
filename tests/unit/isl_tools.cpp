// meet, which does what isl does, in less time; how long a context lives.
#include "support/isl_tools.h"
#include <gtest/gtest.h>

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
