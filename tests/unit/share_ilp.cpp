// The choice of the paper share's ILP factor.
#include "plan/share_ilp.h"
#include <cmath>
#include <gtest/gtest.h>

namespace nw::testing {

using namespace share;

namespace {

// Falls until `best` elements, rises after.
FactorCost bestAt(double best) {
  return [best](const Factor &f) {
    return 1 + std::abs(std::log2(double(f.elements())) - std::log2(best));
  };
}

std::vector<int64_t> alongY(const std::vector<Factor> &factors) {
  std::vector<int64_t> y;
  for (const Factor &f : factors)
    y.push_back(f.y);
  return y;
}

} // namespace

// "restricted by the upper and the lower bound of a TB size (1024 and 32), there are only five
// legal ILP factors": beside 1.
TEST(ShareIlp, LegalFactors) {
  const DeviceSpec &d = *findDevice("gtx-690");
  EXPECT_EQ(alongY(legalFactors({32, 32, 1}, d)), (std::vector<int64_t>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(legalFactors({1024, 1, 1}, d).size(), 1u); // never in X
  EXPECT_EQ(alongY(legalFactors({32, 12, 1}, d)),
            (std::vector<int64_t>{1, 2, 4})); // sides that are no power of two
  for (const Factor &f : legalFactors({32, 4, 4}, d))
    EXPECT_TRUE(f.y <= 4 && f.z <= 4);
  EXPECT_EQ(legalFactors({32, 4, 4}, d).size(), 9u);
  EXPECT_EQ(legalFactors({16, 1, 1}, d).size(), 1u); // less than a warp as it is
}

// 64 threads run in step on the HD 7850.
TEST(ShareIlp, LegalFactorsMoveWithTheDevice) {
  EXPECT_EQ(alongY(legalFactors({32, 8, 1}, *findDevice("hd-7850"))),
            (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(alongY(legalFactors({32, 8, 1}, *findDevice("gtx-690"))),
            (std::vector<int64_t>{1, 2, 4, 8}));
  FactorCost more = [](const Factor &f) { return 1.0 / double(f.elements()); };
  EXPECT_EQ(chooseFactor({32, 8, 1}, *findDevice("hd-7850"), {}, more).factor, (Factor{4, 1}));
  EXPECT_EQ(chooseFactor({32, 8, 1}, *findDevice("gtx-690"), {}, more).factor, (Factor{8, 1}));
}

TEST(ShareIlp, TheLeastTimeDecides) {
  const DeviceSpec &d = *findDevice("gtx-690");
  for (int64_t best : {1, 2, 4, 8}) {
    FactorChoice c = chooseFactor({32, 32, 1}, d, {}, bestAt(double(best)));
    EXPECT_EQ(c.factor.y, best);
    EXPECT_EQ(c.threads, (Shape{32, 32 / best, 1}));
  }
  EXPECT_EQ(chooseFactor({32, 32, 1}, d, {}, [](const Factor &) { return 1.0; }).factor,
            (Factor{1, 1})); // no gain: none
  EXPECT_NE(chooseFactor({32, 32, 1}, d, {}, bestAt(4)).why.find("8: 2"), std::string::npos);
}

TEST(ShareIlp, WhatCannotBeBuiltIsPassedOver) {
  const DeviceSpec &d = *findDevice("gtx-690");
  FactorCost cost = [](const Factor &f) {
    return f.y > 4 ? std::nullopt : std::optional(1.0 / double(f.y));
  };
  FactorChoice c = chooseFactor({32, 32, 1}, d, {}, cost);
  EXPECT_EQ(c.factor, (Factor{4, 1}));
  EXPECT_NE(c.why.find("8: not possible"), std::string::npos) << c.why;
  EXPECT_EQ(chooseFactor({32, 32, 1}, d, {}, [](const Factor &) { return std::optional<double>(); })
                .factor,
            (Factor{1, 1}));
}

TEST(ShareIlp, OnlyAfterTheMemoryPatternsAreClean) {
  int calls = 0;
  FactorCost cost = [&](const Factor &f) {
    return calls++, std::optional(1.0 / double(f.elements()));
  };
  FactorChoice c = chooseFactor({32, 32, 1}, *findDevice("gtx-690"), {"a is not coalesced"}, cost);
  EXPECT_EQ(c.factor, (Factor{1, 1}));
  EXPECT_EQ(calls, 0);
  EXPECT_NE(c.why.find("a is not coalesced"), std::string::npos);
}

} // namespace nw::testing
