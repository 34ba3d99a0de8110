// What is predicted for one access of a warp is what the emulation counts when it runs
// (tests/stride_counts.py makes the table, and the emulation's test holds it against its counts,
// for loads and stores).
#include "analysis/bank_conflicts.h"
#include <gtest/gtest.h>

namespace nw::testing {

namespace {

enum { global, shared };
struct StrideRow {
  int space, bytes, stride, first, cost;
};
#define ROW(space, bytes, stride, first, cost) {space, bytes, stride, first, cost},
const StrideRow kRows[] = {
#include "../emulation/strides.inc"
};
#undef ROW

std::vector<std::optional<int64_t>> lanesOf(const StrideRow &row) {
  std::vector<std::optional<int64_t>> lanes;
  for (int k = 0; k < 32; k++)
    lanes.push_back(int64_t(row.bytes) * (row.first + k * row.stride));
  return lanes;
}

std::string text(const StrideRow &r) {
  return std::to_string(r.bytes) + " bytes, stride " + std::to_string(r.stride) + ", first " +
         std::to_string(r.first);
}

} // namespace

TEST(Strides, TransactionsAreThoseThatAreCounted) {
  int rows = 0;
  for (const StrideRow &row : kRows)
    if (row.space == global) {
      EXPECT_EQ(transactionsOf(lanesOf(row), row.bytes, *findDevice("h200")).count, row.cost)
          << text(row);
      rows++;
    }
  EXPECT_EQ(rows, 160);
}

TEST(Strides, BankTurnsAreThoseThatAreCounted) {
  const DeviceSpec &d = *findDevice("h200");
  int rows = 0;
  for (const StrideRow &row : kRows)
    if (row.space == shared) {
      EXPECT_EQ(bankTurnsOf(lanesOf(row), row.bytes, d).turns, row.cost) << text(row);
      auto closed = stridedBankTurns(int64_t(row.stride) * row.bytes, row.bytes, d);
      ASSERT_TRUE(closed.has_value()) << text(row);
      EXPECT_EQ(closed->turns, row.cost) << text(row);
      rows++;
    }
  EXPECT_EQ(rows, 80);
}

// The refusing twin: on devices with other rules the same accesses cost something else.
TEST(Strides, OtherRulesCostSomethingElse) {
  int differing = 0;
  for (const StrideRow &row : kRows)
    if (row.space == global)
      differing +=
          transactionsOf(lanesOf(row), row.bytes, *findDevice("gtx-8800")).count != row.cost;
    else
      differing += bankTurnsOf(lanesOf(row), row.bytes, *findDevice("gtx-8800")).turns != row.cost;
  EXPECT_GT(differing, 100);
}

} // namespace nw::testing
