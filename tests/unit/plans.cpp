// Plans as JSON, and plans that do not fit.
#include "build.h"
#include "plan/planner.h"
#include "support/diagnostics.h"

namespace nw::testing {

static Plan example() {
  Plan p;
  p.function = "f";
  p.region = 2;
  p.schedule = "source order";
  p.kernels = {{"step0", {"S0", "S1"}, {"j", "i"}, {32, 8}, "because"}, {"step1", {"S2"}, {}, {}, "one thread"}};
  p.loops = {{"t", LaunchForm::Resident, "many short steps"}};
  p.expanded = {"x"};
  p.reductionBlocks = 100;
  return p;
}

TEST(Plans, RoundTrip) {
  std::string text = toJson({example(), Plan{}});
  std::vector<Plan> back = fromJson(text);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(toJson(back), text);
  EXPECT_EQ(back[0].kernels[0].grid, (std::vector<std::string>{"j", "i"}));
  EXPECT_EQ(back[0].loops[0].form, LaunchForm::Resident);
  EXPECT_EQ(back[0].reductionBlocks, 100);
}

TEST(Plans, BadJsonIsTheUsersMistake) {
  const char *bad[] = {"",
                       "{",
                       "[1]",
                       "\"plan\"",
                       "7",
                       "{}x",
                       R"([{"function": "f"}])",
                       R"([{"function": 3, "region": 0, "schedule": "", "kernels": [], "loops": []}])",
                       R"([{"function": "f", "region": 0, "schedule": "", "kernels": [{"name": "k"}], "loops": []}])",
                       R"([{"function": "f", "region": 0, "schedule": "", "kernels": [], "loops": [{"loop": "t", "form": "odd"}]}])"};
  for (const char *text : bad)
    EXPECT_THROW(fromJson(text), UserError) << text;
}

struct Adopting : ::testing::Test {
  Plan proposed = example(), given = example();
  DeviceSpec device = commonDevice();
  std::string refusal() {
    try {
      adopt(proposed, given, device);
    } catch (const UserError &e) {
      return e.message;
    }
    return "";
  }
};

TEST_F(Adopting, TakesWhatFits) {
  given.kernels[0].grid = {"i", "j"};
  given.kernels[0].block = {16, 4};
  given.loops[0].form = LaunchForm::Plain;
  given.reductionBlocks = 7;
  Plan taken = adopt(proposed, given, device);
  EXPECT_EQ(taken.kernels[0].grid, given.kernels[0].grid);
  EXPECT_EQ(taken.kernels[0].block, given.kernels[0].block);
  EXPECT_EQ(taken.loops[0].form, LaunchForm::Plain);
  EXPECT_EQ(taken.reductionBlocks, 7);
}

TEST_F(Adopting, RefusesAnotherNumberOfKernels) {
  given.kernels.pop_back();
  EXPECT_NE(refusal().find("another number of kernels"), std::string::npos);
}
TEST_F(Adopting, RefusesOtherStatements) {
  given.kernels[0].statements = {"S0"};
  EXPECT_NE(refusal().find("step0 has other statements"), std::string::npos);
}
TEST_F(Adopting, RefusesOtherDimensions) {
  given.kernels[0].grid = {"j", "k"};
  EXPECT_NE(refusal().find("step0"), std::string::npos);
}
TEST_F(Adopting, RefusesBlocksThatNoDeviceHas) {
  given.kernels[0].block = {1024, 1024};
  EXPECT_NE(refusal().find("too large"), std::string::npos);
  given.kernels[0].block = {0, 8};
  EXPECT_NE(refusal().find("empty block"), std::string::npos);
  given.kernels[0].block = {-32, -8};
  EXPECT_NE(refusal(), "");
  given.kernels[0].block = {65536, 65536, 65536, 65536};
  EXPECT_NE(refusal(), "");
}
TEST_F(Adopting, RefusesABlockForOneThreadOrNone) {
  given.kernels[1].block = {32};
  EXPECT_NE(refusal(), "");
  given = example();
  given.kernels[0].block.clear();
  EXPECT_NE(refusal(), "");
}
TEST_F(Adopting, RefusesAResidentLoopWhereNoneIsPossible) {
  proposed.loops[0].form = LaunchForm::Plain;
  EXPECT_NE(refusal().find("cannot run inside a kernel"), std::string::npos);
}
TEST_F(Adopting, RefusesReductionBlocksOutOfRange) {
  for (int bad : {0, -1, 65536}) {
    given.reductionBlocks = bad;
    EXPECT_NE(refusal(), "") << bad;
  }
}

} // namespace nw::testing
