// Transactions and bank conflicts of single accesses of a warp. The numbers for today's devices are
// those that tests/emulation/kernels/transactions.cu counts by running.
#include "analysis/transactions.h"
#include "analysis/footprint.h"
#include "analysis/traffic.h"
#include <gtest/gtest.h>

namespace nw::testing {

using Lanes = std::vector<std::optional<int64_t>>;

static Lanes strided(int64_t stride, int64_t first = 0, int lanes = 32) {
  Lanes all;
  for (int k = 0; k < lanes; k++)
    all.push_back(first + k * stride);
  return all;
}

static int sectors(const Lanes &lanes, int bytes = 4, const char *device = "h200") {
  return transactionsOf(lanes, bytes, *findDevice(device)).count;
}

TEST(Transactions, SectorsOfTodaysDevices) {
  EXPECT_EQ(sectors(strided(4)), 4);
  EXPECT_EQ(sectors(strided(8)), 8);       // every second
  EXPECT_EQ(sectors(strided(128)), 32);    // a column
  EXPECT_EQ(sectors(strided(4, 4)), 5);    // misaligned
  EXPECT_EQ(sectors(strided(0, 20)), 1);   // all the same
  EXPECT_EQ(sectors(strided(-4, 124)), 4); // backward
  EXPECT_EQ(sectors(strided(16), 16), 16); // four floats at once
  EXPECT_EQ(sectors(strided(8), 8), 8);    // doubles
  EXPECT_EQ(sectors(strided(1), 1), 1);
  EXPECT_EQ(idealTransactions(strided(128), 4, *findDevice("h200")), 4);
  EXPECT_EQ(idealTransactions(strided(0), 4, *findDevice("h200")), 1);
}

TEST(Transactions, LanesThatDoNotTakePart) {
  Lanes half = strided(4);
  for (int k = 16; k < 32; k++)
    half[size_t(k)].reset();
  EXPECT_EQ(sectors(half), 2);
  EXPECT_EQ(sectors(Lanes(32)), 0);
}

// Compute capability 1.0: half-warps, in order and aligned, or one transaction for each thread.
TEST(Transactions, InOrderRule) {
  EXPECT_EQ(sectors(strided(4), 4, "gtx-8800"), 2);
  EXPECT_EQ(sectors(strided(4, 4), 4, "gtx-8800"), 32);    // misaligned
  EXPECT_EQ(sectors(strided(-4, 124), 4, "gtx-8800"), 32); // backward
  EXPECT_EQ(sectors(strided(0), 4, "gtx-8800"), 32);
  EXPECT_EQ(sectors(strided(8), 8, "gtx-8800"), 2);
  EXPECT_EQ(sectors(strided(1), 1, "gtx-8800"), 32); // bytes are never put together
}

// Compute capability 1.2: the smallest aligned segments that hold what a half-warp touches.
TEST(Transactions, SegmentRule) {
  EXPECT_EQ(sectors(strided(4), 4, "gtx-285"), 2);
  EXPECT_EQ(sectors(strided(-4, 124), 4, "gtx-285"), 2);
  EXPECT_EQ(sectors(strided(0), 4, "gtx-285"), 2);
  EXPECT_EQ(sectors(strided(128), 4, "gtx-285"), 32);
  EXPECT_EQ(transactionsOf(strided(4), 4, *findDevice("gtx-285")).bytes, 128);
  EXPECT_EQ(transactionsOf(strided(0), 4, *findDevice("gtx-285")).bytes, 64);
}

// affine, Algorithm 2: the degree is gcd(stride, banks); the same word is a broadcast.
TEST(BankConflicts, DegreeIsTheGreatestCommonDivisor) {
  const DeviceSpec &today = *findDevice("h200"), &old = *findDevice("gtx-8800");
  for (auto [stride, degree] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {6, 2}, {16, 16}, {32, 32}, {33, 1}, {0, 1}})
    EXPECT_EQ(bankTurnsOf(strided(4 * stride), 4, today).turns, degree) << stride;
  for (auto [stride, degree] : {std::pair{1, 1}, {2, 2}, {3, 1}, {16, 16}, {17, 1}, {0, 1}})
    EXPECT_EQ(bankTurnsOf(strided(4 * stride), 4, old).degree(), degree) << stride;
}

TEST(BankConflicts, NarrowAndWideElements) {
  const DeviceSpec &today = *findDevice("h200"), &old = *findDevice("gtx-8800");
  EXPECT_EQ(bankTurnsOf(strided(1), 1, today).turns, 1);  // parts of a word are broadcast
  EXPECT_EQ(bankTurnsOf(strided(1), 1, old).degree(), 4); // four parts, four turns
  EXPECT_EQ(bankTurnsOf(strided(8), 8, today).turns, 2);  // halves of the warp
  EXPECT_EQ(bankTurnsOf(strided(8), 8, today).degree(), 1);
  EXPECT_EQ(bankTurnsOf(strided(8), 8, old).turns,
            2 * 2 * 2); // two half-warps, two requests each, stride two
}

TEST(Footprint, Boxes) {
  EXPECT_EQ(segmentsTouched(4, {{4, 32}}, 32), 4);
  EXPECT_EQ(segmentsTouched(4, {{0, 32}}, 32), 1);
  EXPECT_EQ(segmentsTouched(4, {{4096, 32}}, 32), 32);
  EXPECT_EQ(segmentsTouched(4, {{4096, 32}, {4, 8}}, 32),
            32); // eight neighbours of each are in the same segment
  EXPECT_EQ(segmentsTouched(4, {{4, 1024}, {4096, 10}}, 32), 1280); // rows that follow each other
  EXPECT_EQ(segmentsTouched(4, {{-4, 32}}, 32), 4);
  EXPECT_EQ(segmentsTouched(4, {{4, 32}, {8192, 10}, {20000, 3}}, 32), 120);
  EXPECT_EQ(segmentsTouched(4, {{4, 32}, {8192, 10}, {16384, 3}}, 32),
            56); // two steps on is where it was: 14 rows
  EXPECT_EQ(segmentsTouched(4, {{4, 32}, {8192, 8}, {8192, 500}}, 32), 4 * 507);
}

// B[k][j] of a product, j along threads and blocks, k a loop: the 8 rows of threads share what one
// row fetches.
static ReferenceShape rows(double n) {
  ReferenceShape r;
  r.array = "B";
  r.accesses = n * n * n / 32;
  r.transactions = 4;
  r.threads[0] = {4, 32};
  r.threads[1] = {0, 8};
  r.blocks[0] = {128, n / 32};
  r.blocks[1] = {0, n / 8};
  r.loops = {{4 * n, n}};
  return r;
}

TEST(Traffic, ThreadsOfABlockShareLines) {
  const DeviceSpec &d = *findDevice("h200");
  double n = 1024, bytes = 4 * n * n;
  Traffic t = trafficOf({rows(n)}, {32768, double(d.l2Bytes), 1056}, d)[0];
  EXPECT_EQ(t.firstBytes, n * n * n / 32 * 128);
  EXPECT_EQ(t.secondBytes, t.firstBytes / 8);
  EXPECT_EQ(t.memoryBytes, bytes); // 4 MiB fit the second-level cache: once for the whole launch
}

TEST(Traffic, WithoutCachesEverythingReachesMemory) {
  Traffic t = trafficOf({rows(1024)}, {0, 0, 48}, *findDevice("gtx-8800"))[0];
  EXPECT_EQ(t.memoryBytes, t.firstBytes);
}

TEST(Traffic, WhatDoesNotFitIsFetchedAgain) {
  const DeviceSpec &d = *findDevice("h200");
  double n = 16384, bytes = 4 * n * n; // 1 GiB
  Traffic t = trafficOf({rows(n)}, {32768, double(d.l2Bytes), 1056}, d)[0];
  EXPECT_NEAR(t.memoryBytes / bytes, n / 8 / 2, 1); // once for each wave of two rows of blocks
}

// Averages of triangular loops are not whole numbers.
TEST(Traffic, CountsNeedNotBeWhole) {
  ReferenceShape r = rows(1024);
  r.loops = {{4096, 2.5}};
  Traffic t = trafficOf({r}, {200, 0, 1}, *findDevice("h200"))[0];
  EXPECT_GT(t.secondBytes, 0);
}

// Neighbours of a stencil are in the lines of the others.
TEST(Traffic, StencilsShareWhatTheyTouch) {
  const DeviceSpec &d = *findDevice("h200");
  double n = 8192;
  std::vector<ReferenceShape> five;
  for (double offset : {0.0, -4.0, 4.0, -4 * n, 4 * n}) {
    ReferenceShape r;
    r.array = "A";
    r.accesses = n * n / 32;
    r.transactions = offset == 0 || offset == -4 * n || offset == 4 * n ? 4 : 5;
    r.offset = offset;
    r.threads[0] = {4, 32};
    r.threads[1] = {4 * n, 8};
    r.blocks[0] = {128, n / 32};
    r.blocks[1] = {32 * n, n / 8};
    five.push_back(r);
  }
  double second = 0, memory = 0;
  for (const Traffic &t : trafficOf(five, {32768, double(d.l2Bytes), 1056}, d)) {
    second += t.secondBytes;
    memory += t.memoryBytes;
  }
  EXPECT_NEAR(second / (4 * n * n), 10.0 / 8 * 5 / 4,
              0.1);                           // ten rows for eight, five sectors for four
  EXPECT_NEAR(memory / (4 * n * n), 1, 0.35); // blocks of a wave share most of their edges
}

} // namespace nw::testing
