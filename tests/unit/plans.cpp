// Plans as JSON, and plans that do not fit.
#include "build.h"
#include "plan/planner.h"
#include "support/diagnostics.h"

namespace nw::testing {

static TilePlan tileForm() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {16, 8};
  t.points = {8, 4};
  t.run = {4, 2};
  t.strip = "k";
  t.length = 8;
  t.staged = {{"A", 4}, {"B", 0}};
  t.together = 2;
  t.least = 198;
  return t;
}

static Plan example() {
  Plan p;
  p.function = "f";
  p.region = 2;
  p.schedule = "source order";
  p.kernels = {{"step0", {"S0", "S1"}, {"j", "i"}, {32, 8}, {4, 2}, {tileForm()}, "because"},
               {"step1", {"S2"}, {}, {}, {}, {}, "one thread"}};
  p.kernels[0].vectors = 16;
  p.kernels[0].vectorsFrom = 4096;
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
  const char *bad[] = {
      "",
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

// A plan of one kernel, with a piece of text in it.
static std::string oneKernel(const std::string &block, const std::string &more = "",
                             const std::string &entryMore = "") {
  return R"([{"function": "f", "region": 0, "schedule": "", "kernels": [{"name": "step0", "statements": ["S0"], "grid": ["i"], "block": )" +
         block + more + R"(}], "loops": [])" + entryMore + "}]";
}

static std::string refusalOf(const std::string &text) {
  try {
    fromJson(text);
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

TEST(Plans, NumbersAreIntegersInRange) {
  EXPECT_EQ(fromJson(oneKernel("[32]"))[0].kernels[0].block, std::vector<int>{32});
  for (const char *bad :
       {"[1e300]", "[0.5]", "[true]", "[null]", "[\"32\"]", "[[32]]", "[{}]", "32", "{}"})
    EXPECT_NE(refusalOf(oneKernel(bad)).find("'block' of kernel 0 of entry 0 is no "),
              std::string::npos)
        << bad;
  // As int these would be 32, -1 and 0.
  for (const char *bad : {"[4294967328]", "[18446744073709551615]", "[-9223372036854775808]",
                          "[2147483648]", "[-2147483649]"})
    EXPECT_NE(refusalOf(oneKernel(bad)).find("out of range"), std::string::npos) << bad;
  EXPECT_NE(
      refusalOf(oneKernel("[32]", "", ", \"reductionBlocks\": 4294967552")).find("out of range"),
      std::string::npos);
  EXPECT_NE(refusalOf(oneKernel("[32]", "", ", \"expanded\": 7")).find("no list"),
            std::string::npos);
}

TEST(Plans, EveryFieldOnceAndKnown) {
  EXPECT_NE(refusalOf(oneKernel("[32]", ", \"blok\": [64]")).find("unknown field 'blok'"),
            std::string::npos);
  EXPECT_NE(refusalOf(oneKernel("[32]", "", ", \"reductionblocks\": 7")).find("unknown field"),
            std::string::npos);
  EXPECT_NE(refusalOf(oneKernel("[32]", ", \"block\": [64]")).find("'block' is given twice"),
            std::string::npos);
  std::string entry = oneKernel("[32]").substr(1, oneKernel("[32]").size() - 2);
  EXPECT_NE(refusalOf("[" + entry + "," + entry + "]").find("two entries for region 0 of f"),
            std::string::npos);
}

TEST(Plans, FilesThatAreNoPlansAtAll) {
  std::string deep(5000000, '[');
  EXPECT_NE(refusalOf(deep).find("nested too deeply"), std::string::npos);
  std::string objects;
  for (int k = 0; k < 100000; k++)
    objects += "{\"a\":";
  EXPECT_NE(refusalOf(objects).find("nested too deeply"), std::string::npos);
  EXPECT_NE(refusalOf(std::string(kLargestPlan + 1, ' ')).find("larger than 16 MiB"),
            std::string::npos);
  // The message quotes no more than a little of the file.
  EXPECT_LT(refusalOf("[\"" + std::string(1000000, 'x')).size(), 500u);
  EXPECT_LT(refusalOf(oneKernel("[32]", ", \"" + std::string(1000000, 'x') + "\": 1")).size(),
            500u);
  EXPECT_NE(refusalOf(oneKernel("[32]", ", \"why\": \"\xff\xfe\"")), "");
  EXPECT_NE(refusalOf(std::string("[\0]", 3)), "");
  EXPECT_NE(refusalOf("\xef\xbb\xbf{}"), "");
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
TEST_F(Adopting, RefusesBlocksWhoseProductOverflows) {
  given.kernels[0].block.assign(100000, 2147483647);
  EXPECT_NE(refusal().find("too large"), std::string::npos);
  given.kernels[0].block = {2147483647, 2147483647};
  EXPECT_NE(refusal().find("too large"), std::string::npos);
}
TEST_F(Adopting, RefusesOtherNamesAndKinds) {
  given.kernels[0].name = "step7";
  EXPECT_NE(refusal().find("is called step0, not step7"), std::string::npos);
  given = example();
  given.kernels[0].kind = "reduction";
  EXPECT_NE(refusal().find("is of the kind parallel, not reduction"), std::string::npos);
  given.kernels[0].kind = ""; // need not be said
  EXPECT_EQ(refusal(), "");
  given.loops[0].loop = "k";
  EXPECT_NE(refusal().find("is over t, not k"), std::string::npos);
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
