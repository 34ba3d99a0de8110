// Bank conflicts in closed form, and padding: the values of affine (section 5, Algorithm 2) and
// share (step 8).
#include "analysis/bank_conflicts.h"
#include "plan/padding.h"
#include <gtest/gtest.h>
#include <numeric>

namespace nw::testing {

static const DeviceSpec &device(const char *name) { return *findDevice(name); }

// affine, section 5: gcd(stride, 16), and 1 for stride 0, on half-warps of the 8800 GTX.
TEST(BankConflictDegree, IsTheGreatestCommonDivisorOnHalfWarps) {
  EXPECT_EQ(bankConflictDegree(0, 4, device("gtx-8800")), 1);
  for (int stride = 1; stride <= 64; stride++)
    EXPECT_EQ(bankConflictDegree(stride, 4, device("gtx-8800")), std::gcd(stride, 16)) << stride;
  for (int stride = 1; stride <= 128; stride++)
    EXPECT_EQ(bankConflictDegree(stride, 4, device("gtx-690")), std::gcd(stride, 32)) << stride;
}

// share, step 8: |1 / bank_stride| below one bank; devices that broadcast a word pay once.
TEST(BankConflictDegree, PartsOfWords) {
  EXPECT_EQ(bankConflictDegree(1, 1, device("gtx-8800")), 4);
  EXPECT_EQ(bankConflictDegree(1, 2, device("gtx-8800")), 2);
  EXPECT_EQ(bankConflictDegree(1, 1, device("gtx-690")), 1);
  EXPECT_EQ(bankConflictDegree(1, 2, device("h200")), 1);
}

TEST(BankConflictDegree, RefusesElementsThatOverlap) {
  EXPECT_FALSE(stridedBankTurns(4, 8, device("h200")).has_value());
  EXPECT_FALSE(stridedBankTurns(2, 4, device("h200")).has_value()); // straddles words
  EXPECT_FALSE(stridedBankTurns(3, 3, device("h200")).has_value());
}

// Every device, with each rule set in turn, every stride and every position of the first element in
// its word.
TEST(BankConflictDegree, ClosedFormAndSimulationAgree) {
  for (DeviceSpec d : deviceCatalogue())
    for (SubWordRule parts : {SubWordRule::Conflict, SubWordRule::Broadcast})
      for (WideRule wide : {WideRule::TwoRequests, WideRule::Halves, WideRule::Whole})
        for (int bytes : {1, 2, 4, 8, 16})
          for (int64_t stride = -70; stride <= 70; stride++) {
            d.subWordRule = parts;
            d.wideRule = wide;
            for (int64_t first = 1 << 20; first < (1 << 20) + d.bankWidth; first += bytes) {
              std::vector<std::optional<int64_t>> lanes;
              for (int k = 0; k < d.warp; k++)
                lanes.push_back(first + k * stride * bytes);
              BankTurns simulated = bankTurnsOf(lanes, bytes, d);
              std::optional<BankTurns> closed = stridedBankTurns(stride * bytes, bytes, d, first);
              ASSERT_TRUE(closed.has_value());
              ASSERT_EQ(closed->turns, simulated.turns)
                  << d.name << ", rules " << int(parts) << int(wide) << ", elements of " << bytes
                  << ", stride " << stride << ", from " << first;
              ASSERT_EQ(closed->ideal, simulated.ideal);
            }
          }
}

// The same over other numbers of banks and widths, and groups that are no multiple of the banks.
TEST(BankConflictDegree, ClosedFormAndSimulationAgreeOnOtherBanks) {
  DeviceSpec d = device("h200");
  for (int banks : {1, 2, 7, 16, 24, 32, 64})
    for (int width : {4, 8})
      for (int group : {8, 16, 24, 32})
        for (int bytes : {2, 4, 8})
          for (int64_t stride = 0; stride <= 66; stride++) {
            d.banks = banks;
            d.bankWidth = width;
            d.bankGroup = group;
            std::vector<std::optional<int64_t>> lanes;
            for (int k = 0; k < d.warp; k++)
              lanes.push_back(k * stride * bytes);
            std::optional<BankTurns> closed = stridedBankTurns(stride * bytes, bytes, d);
            ASSERT_TRUE(closed.has_value());
            ASSERT_EQ(closed->turns, bankTurnsOf(lanes, bytes, d).turns)
                << banks << " " << width << " " << group << " " << bytes << " " << stride;
          }
}

// mt: a square tile is written by rows and read by columns. mv: a strip of each row is copied by
// rows, and each thread walks along its own row. Both get one padding column (share, reported
// picks; affine, Table 2).
TEST(Padding, OneColumnForTransposeAndMatrixVector) {
  std::vector<SharedReference> references = {{0, 1}, {1, 0}};
  for (auto [name, width] : {std::pair{"gtx-690", 32}, {"gtx-8800", 16}, {"gtx-8800", 32}}) {
    Padding p = choosePadding(references, width, 4, device(name));
    EXPECT_EQ(p.elements, 1) << name;
    EXPECT_EQ(p.degrees, (std::vector{1, 1}));
    EXPECT_EQ(p.degreesBefore, (std::vector{1, device(name).banks}));
    EXPECT_LT(p.cost, p.costBefore);
  }
}

// The refusing twins: nothing to gain, and rows that are odd already.
TEST(Padding, NoneWhereItDoesNotHelp) {
  EXPECT_EQ(choosePadding({{0, 1}}, 32, 4, device("gtx-690")).elements, 0);
  EXPECT_EQ(choosePadding({{1, 0}}, 33, 4, device("gtx-690")).elements, 0);
  EXPECT_EQ(choosePadding({{0, 0}}, 32, 4, device("gtx-690")).elements, 0); // broadcast
  EXPECT_EQ(choosePadding({}, 32, 4, device("gtx-690")).elements, 0);
}

// On a device with other banks the same tile wants another padding: none where an odd number of
// banks spreads a column already, and half the conflicts where words are twice as wide.
TEST(Padding, MovesWithTheBanks) {
  DeviceSpec d = device("gtx-690");
  d.banks = d.bankGroup = d.warp = 31;
  EXPECT_EQ(choosePadding({{0, 1}, {1, 0}}, 32, 4, d).elements, 0);
  d = device("gtx-690");
  d.bankWidth = 8;
  EXPECT_EQ(choosePadding({{0, 1}, {1, 0}}, 32, 4, d).degreesBefore, (std::vector{1, 16}));
  EXPECT_EQ(choosePadding({{0, 1}, {1, 0}}, 32, 4, device("gtx-690")).degreesBefore,
            (std::vector{1, 32}));
}

// C(n) = t_start + t_request * n: the start is paid by every reference, whatever the padding.
TEST(Padding, CostIsLinearInTheDegree) {
  DeviceSpec d = device("gtx-8800");
  d.sharedStartCycles = 10;
  d.sharedRequestCycles = 3;
  Padding p = choosePadding({{0, 1}, {1, 0}}, 16, 4, d);
  EXPECT_EQ(p.costBefore, (10 + 3 * 1) + (10 + 3 * 16));
  EXPECT_EQ(p.cost, 2 * (10 + 3 * 1));
}

// "Padding with respect to one reference might have a negative impact with respect to another"
// (section 5): a column and a diagonal in rows of 16. The diagonal is free without padding (stride
// 17); one element frees the column and makes the diagonal's stride 18, degree 2. They want
// different paddings: the sum decides.
TEST(Padding, AllReferencesCountTogether) {
  const DeviceSpec &d = device("gtx-8800");
  Padding p = choosePadding({{1, 0}, {1, 1}}, 16, 4, d);
  // Strides 16 + p and 17 + p: one of them is even always, at best 2; p = 1 gives 17 and 18.
  EXPECT_EQ(p.elements, 1);
  EXPECT_EQ(p.degrees, (std::vector{1, 2}));
  // The diagonal a hundred times as often: p = 0 gives 16 and 17; p = 2 gives 18 and 19, which
  // costs less.
  Padding q = choosePadding({{1, 0}, {1, 1, 100}}, 16, 4, d);
  EXPECT_EQ(q.elements, 2);
  EXPECT_EQ(q.degrees, (std::vector{2, 1}));
}

} // namespace nw::testing
