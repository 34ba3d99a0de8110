// Plans in which each form of a step is run at small sizes.
#include "tune/forms.h"
#include <climits>
#include <gtest/gtest.h>

namespace nw::testing {

namespace {

KernelPlan plainKernel(const std::string &name) { return {name, {"S0"}, {"i"}, {256}, {}, {}, ""}; }

TEST(TuneForms, NoneWhereTheHostDoesNotChoose) {
  Plan p;
  p.kernels = {plainKernel("step0")};
  EXPECT_TRUE(plansByForm(p).empty());
}

TEST(TuneForms, EachTileInItsTurnThenThePlainOne) {
  Plan p;
  p.kernels = {plainKernel("step0"), plainKernel("step1")};
  p.kernels[0].tiles.resize(2);
  p.kernels[0].tiles[0].least = 198;
  p.kernels[0].tiles[1].least = 66;
  p.kernels[1].vectors = 16;
  p.kernels[1].vectorsFrom = 270336;
  std::vector<Plan> all = plansByForm(p);
  ASSERT_EQ(all.size(), 3u);
  std::vector<std::vector<int64_t>> numbers;
  for (const Plan &one : all)
    numbers.push_back(
        {one.kernels[0].tiles[0].least, one.kernels[0].tiles[1].least, one.kernels[1].vectorsFrom});
  EXPECT_EQ(numbers, (std::vector<std::vector<int64_t>>{
                         {1, 1, 1}, {INT_MAX, 1, INT_MAX}, {INT_MAX, INT_MAX, INT_MAX}}));
}

// The columns that threads of a joined kernel do not ask for stay; and the second step's own forms
// come after the joined one.
TEST(TuneForms, JoinedSteps) {
  Plan p;
  p.kernels = {plainKernel("step0"), plainKernel("step1")};
  p.kernels[0].join = JoinPlan{"step1", 256, 8, 1, 132, {528, 600}};
  for (KernelPlan &k : p.kernels)
    k.spread = SpreadPlan{"j", 0, {32, 8}, 128, false};
  std::vector<Plan> all = plansByForm(p);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kernels[0].join->from, (std::vector<int>{1, 512}));
  EXPECT_EQ(all[1].kernels[0].join->from, (std::vector<int>{INT_MAX, 512}));
  EXPECT_EQ(all[1].kernels[0].spread->from, 1);
  EXPECT_EQ(all[1].kernels[1].spread->from, 1);
  EXPECT_EQ(all[2].kernels[1].spread->from, INT_MAX);
}

} // namespace

} // namespace nw::testing
