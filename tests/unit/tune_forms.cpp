// Plans in which each form of a step is run at small sizes.
#include "tune/forms.h"
#include <climits>
#include <gtest/gtest.h>

namespace nw::testing {

namespace {

KernelPlan plainKernel(const std::string &name) {
  KernelPlan k;
  k.name = name;
  k.grid = {"i"};
  k.block = {256};
  return k;
}

TEST(TuneForms, NoneWhereTheHostDoesNotChoose) {
  Plan p;
  p.kernels = {plainKernel("step0")};
  EXPECT_TRUE(plansByForm(p).empty());
}

TEST(TuneForms, EachTileInItsTurnThenThePlainOne) {
  Plan p;
  p.kernels = {plainKernel("step0"), plainKernel("step1")};
  p.kernels[0].tiles.resize(2);
  p.kernels[0].tiles[0].profitableFrom = 198;
  p.kernels[0].tiles[1].profitableFrom = 66;
  p.kernels[1].vectorBytes = 16;
  p.kernels[1].vectorsProfitableFrom = 270336;
  std::vector<Plan> all = plansByForm(p);
  ASSERT_EQ(all.size(), 3u);
  std::vector<std::vector<int64_t>> numbers;
  for (const Plan &one : all)
    numbers.push_back({one.kernels[0].tiles[0].profitableFrom,
                       one.kernels[0].tiles[1].profitableFrom,
                       one.kernels[1].vectorsProfitableFrom});
  EXPECT_EQ(numbers, (std::vector<std::vector<int64_t>>{
                         {1, 1, 1}, {INT_MAX, 1, INT_MAX}, {INT_MAX, INT_MAX, INT_MAX}}));
}

// The columns that threads of a fused kernel do not ask for stay; and the second step's own forms
// come after the fused one.
TEST(TuneForms, FusedSteps) {
  Plan p;
  p.kernels = {plainKernel("step0"), plainKernel("step1")};
  p.kernels[0].fuse = FusePlan{"step1", 256, 8, 1, 132, {528, 600}};
  for (KernelPlan &k : p.kernels)
    k.blockReductions = {BlockReductionPlan{"j", ThreadAxis::X, {32, 8}, 128, false}};
  std::vector<Plan> all = plansByForm(p);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kernels[0].fuse->profitableFrom, (std::vector<int>{1, 512}));
  EXPECT_EQ(all[1].kernels[0].fuse->profitableFrom, (std::vector<int>{INT_MAX, 512}));
  EXPECT_EQ(all[1].kernels[0].blockReductions[0].profitableFrom, 1);
  EXPECT_EQ(all[1].kernels[1].blockReductions[0].profitableFrom, 1);
  EXPECT_EQ(all[2].kernels[1].blockReductions[0].profitableFrom, INT_MAX);
}

// Forms of one block reduction, one after the other.
TEST(TuneForms, BlockReductionsForLongAndShortRows) {
  Plan p;
  p.kernels = {plainKernel("step0")};
  p.kernels[0].blockReductions = {{"j", ThreadAxis::X, {256, 1}, 1024, false},
                                  {"j", ThreadAxis::X, {32, 8}, 32, false}};
  std::vector<std::vector<int>> numbers;
  for (const Plan &one : plansByForm(p))
    numbers.push_back({one.kernels[0].blockReductions[0].profitableFrom,
                       one.kernels[0].blockReductions[1].profitableFrom});
  EXPECT_EQ(numbers, (std::vector<std::vector<int>>{{1, 1}, {INT_MAX, 1}, {INT_MAX, INT_MAX}}));
}

} // namespace

} // namespace nw::testing
