// Plans as JSON, and plans that do not fit.
#include "build.h"
#include "plan/plan_fields.h"
#include "plan/planner.h"
#include "support/diagnostics.h"
#include <random>

namespace nw::testing {

static TilePlan tileForm() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {16, 8};
  t.threadTile = {8, 4};
  t.contiguous = {4, 2};
  t.strip = "k";
  t.stripLength = 8;
  t.staged = {{"A", 4}, {"B", 0}};
  t.minBlocksPerSm = 2;
  t.profitableFrom = 198;
  return t;
}

static Plan example() {
  Plan p;
  p.function = "f";
  p.region = 2;
  p.kernels.resize(2);
  p.kernels[0].name = "step0";
  p.kernels[0].grid = {"j", "i"};
  p.kernels[0].block = {32, 8};
  p.kernels[0].threadTile = {4, 2};
  p.kernels[0].tiles = {tileForm()};
  p.kernels[0].why = "because";
  p.kernels[0].vectorBytes = 16;
  p.kernels[0].vectorsProfitableFrom = 4096;
  p.kernels[1].name = "step1";
  p.kernels[1].why = "one thread";
  p.loops = {{"t", LaunchMode::Resident, "many short steps"}};
  p.reductionBlocks = 100;
  return p;
}

static RegionFacts exampleFacts() {
  RegionFacts facts(2);
  facts[0].grid = {"j", "i"};
  facts[1].kind = StepKind::Serial;
  return facts;
}

TEST(Plans, RoundTrip) {
  std::string text = toJson({example(), Plan{}});
  std::vector<Plan> back = fromJson(text);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(toJson(back), text);
  EXPECT_EQ(back[0].kernels[0].grid, (std::vector<std::string>{"j", "i"}));
  EXPECT_EQ(back[0].loops[0].form, LaunchMode::Resident);
  EXPECT_EQ(back[0].reductionBlocks, 100);
}

// A plan of one kernel, with a piece of text in it.
static std::string oneKernel(const std::string &block, const std::string &more = "",
                             const std::string &entryMore = "") {
  return R"([{"planVersion": 3, "function": "f", "region": 0, "kernels": [{"name": "step0", "grid": ["i"], "block": )" +
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

static void expectRefused(const std::string &text, const std::string &message) {
  EXPECT_NE(refusalOf(text).find(message), std::string::npos)
      << text.substr(0, 300) << "\n"
      << refusalOf(text) << "\nexpected " << message;
}

TEST(Plans, BadJsonIsTheUsersMistake) {
  for (const char *text : {"", "{", "[1]", "\"plan\"", "7", "{}x"})
    EXPECT_THROW(fromJson(text), UserError) << text;
  expectRefused(R"([{"planVersion": 3, "function": "f"}])", "entry 0 has no field 'region'");
  expectRefused(R"([{"planVersion": 3, "function": 3, "region": 0, "kernels": [], "loops": []}])",
                "function of entry 0 must be a text");
  expectRefused(
      R"([{"planVersion": 3, "function": "f", "region": 0, "kernels": [{"name": "k"}], "loops": []}])",
      "kernels[0] of entry 0 has no field 'grid'");
  expectRefused(
      R"([{"planVersion": 3, "function": "f", "region": 0, "kernels": [], "loops": [{"loop": "t", "form": "odd"}]}])",
      "loops[0].form of entry 0 is \"odd\"; expected plain, resident");
}

TEST(Plans, NumbersAreIntegersInRange) {
  EXPECT_EQ(fromJson(oneKernel("[32]"))[0].kernels[0].block, std::vector<int>{32});
  for (const char *bad : {"[1e300]", "[0.5]", "[true]", "[null]", "[\"32\"]", "[[32]]", "[{}]"})
    expectRefused(oneKernel(bad), "kernels[0].block[0] of entry 0 must be a whole number");
  for (const char *bad : {"32", "{}"})
    expectRefused(oneKernel(bad), "kernels[0].block of entry 0 must be a list");
  // As int these would be 32, -1 and 0.
  for (const char *bad :
       {"4294967328", "18446744073709551615", "-9223372036854775808", "2147483648", "-2147483649"})
    expectRefused(oneKernel(std::string("[") + bad + "]"),
                  std::string("block[0] of entry 0 is ") + bad + "; expected 1 to 65536");
  expectRefused(oneKernel("[1, 2, 3]"), "block of entry 0 has 3 entries; expected at most 2");
  expectRefused(oneKernel("[32]", "", ", \"reductionBlocks\": 4294967552"),
                "reductionBlocks of entry 0 is 4294967552; expected 1 to 65535");
  expectRefused(oneKernel("[32]", ", \"vectorBytes\": 12"),
                "vectorBytes of entry 0 is 12; expected 0, 4, 8 or 16");
  expectRefused(oneKernel("[32]", ", \"boundaryKernel\": 1"),
                "boundaryKernel of entry 0 must be true or false");
  expectRefused(oneKernel("[32]", ", \"tiles\": 7"), "tiles of entry 0 must be a list");
}

TEST(Plans, EveryFieldOnceAndKnown) {
  expectRefused(oneKernel("[32]", ", \"blok\": [64]"),
                "kernels[0] of entry 0 has an unknown field 'blok'; did you mean 'block'?");
  expectRefused(oneKernel("[32]", "", ", \"reductionblocks\": 7"),
                "did you mean 'reductionBlocks'?");
  expectRefused(oneKernel("[32]", ", \"hopper\": 7"),
                "unknown field 'hopper'; its fields are name, grid, block");
  expectRefused(oneKernel("[32]", ", \"block\": [64]"), "gives the field 'block' twice");
  std::string entry = oneKernel("[32]").substr(1, oneKernel("[32]").size() - 2);
  expectRefused("[" + entry + "," + entry + "]", "two entries for region 0 of f");
}

// Files of before there was a version are refused as a whole, with what became of their fields.
TEST(Plans, OlderFilesAreRefusedWithWhatChanged) {
  std::string old =
      R"([{"function": "f", "region": 0, "schedule": "", "kernels": [{"name": "step0", "kind": "parallel", "statements": ["S0"], "grid": ["i"], "block": [32], "points": [4], "vectors": 16, "vectorsFrom": 7, "tiles": [{"grid": ["i"], "run": [1, 1], "inside": 1, "least": 3}], "spread": {"loop": "j", "from": 128}}], "loops": [], "expanded": []}])";
  for (const char *part :
       {"entry 0 has no 'planVersion', so it is of version 1, and this nestwarp reads version 3",
        "kernels.points is threadTile now", "kernels.vectors is vectorBytes now",
        "kernels.vectorsFrom is vectorsProfitableFrom now",
        "kernels.tiles.inside is tail now (\"shift-inwards\" for 1, \"guard\" for 0)",
        "kernels.tiles.least is profitableFrom now",
        "kernels.spread is blockReductions now (a list of one entry)",
        "kernels.spread.from is profitableFrom now",
        "leave out schedule, expanded, kernels.kind, kernels.statements, which are no choices"})
    expectRefused(old, part);
  EXPECT_EQ(refusalOf(old).find("frame"), std::string::npos); // which it does not have
  std::string text = oneKernel("[32]");
  text.replace(text.find("3,"), 2, "4,");
  expectRefused(text, "entry 0 is of version 4, and this nestwarp reads version 3; make the plan");
  text.replace(text.find("4,"), 2, "\"3\",");
  expectRefused(text, "planVersion of entry 0 must be a whole number");
}

TEST(Plans, FilesOfVersion2AreRefusedWithWhatChanged) {
  std::string old = oneKernel(
      "[32]",
      R"(, "points": [4], "blockReduction": {"loop": "j", "axis": "x", "block": [256, 1], "profitableFrom": 128})");
  old.replace(old.find("3,"), 2, "2,");
  expectRefused(old, "entry 0 is of version 2, and this nestwarp reads version 3. What changed: "
                     "kernels.blockReduction is blockReductions now (a list of one entry); then "
                     "say \"planVersion\": 3, or make the plan anew with --plan-out");
  EXPECT_EQ(refusalOf(old).find("threadTile"), std::string::npos); // renamed before version 2
}

// Any value that the table admits comes back as it went.
namespace {

template <class Value> void draw(Value &, const auto &, std::mt19937 &) {}
void draw(std::string &v, const auto &, std::mt19937 &random) {
  v = std::string(1, char('a' + random() % 26));
}
void draw(bool &v, const auto &, std::mt19937 &random) { v = random() % 2; }
template <class Value>
  requires std::is_enum_v<Value>
void draw(Value &v, const auto &, std::mt19937 &random) {
  v = Value(random() % wordsOf(Value{}).size());
}
template <WholeNumber Value> void draw(Value &v, const auto &field, std::mt19937 &random) {
  const NumberRule &rule = field.numbers;
  int64_t most = std::min<int64_t>(rule.high, std::numeric_limits<Value>::max());
  if (!rule.allowed.empty())
    v = Value(rule.allowed[random() % rule.allowed.size()]);
  else
    v = Value(random() % 3 ? std::min(most, rule.low + int64_t(random() % 30)) : most);
}
template <HasFields Owner> void draw(Owner &owner, const auto &, std::mt19937 &random);
template <class Value> void draw(std::vector<Value> &v, const auto &field, std::mt19937 &random) {
  v.resize(field.entries.fewest + random() % 3);
  while (!field.entries.admits(v.size()))
    v.pop_back();
  for (Value &one : v)
    draw(one, field, random);
}
template <class Value> void draw(std::optional<Value> &v, const auto &field, std::mt19937 &random) {
  if (random() % 2)
    draw(v.emplace(), field, random);
}
template <HasFields Owner> void draw(Owner &owner, const auto &, std::mt19937 &random) {
  Fields<Owner>::visit([&](const auto &field) { draw(owner.*field.member, field, random); });
}

} // namespace

TEST(Plans, AnyValuesOfTheTableRoundTrip) {
  std::mt19937 random(20);
  for (int k = 0; k < 300; k++) {
    Plan plan;
    draw(plan, 0, random);
    EXPECT_EQ(wrongValues(plan), "");
    std::string text = toJson({plan});
    EXPECT_EQ(toJson(fromJson(text)), text);
  }
}

// No field of a table is described by nothing, and no two have one name.
TEST(Plans, EveryFieldHasAMeaning) {
  auto check = [](auto owner) {
    std::set<std::string> names;
    Fields<decltype(owner)>::visit([&](const auto &field) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_GT(std::string(field.meaning).size(), 8u) << field.name;
      EXPECT_TRUE(std::string(field.meaning).ends_with(".")) << field.name;
      for (int64_t drawn : field.drawn)
        EXPECT_TRUE(field.numbers.admits(drawn)) << field.name << " " << drawn;
    });
  };
  check(Plan{});
  check(KernelPlan{});
  check(TilePlan{});
  check(StagedArray{});
  check(ArrayPlan{});
  check(BlockReductionPlan{});
  check(FusePlan{});
  check(LoopPlan{});
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
  RegionFacts facts = exampleFacts();
  DeviceSpec device = commonDevice();
  std::string refusal() {
    try {
      adopt(proposed, facts, given, device);
    } catch (const UserError &e) {
      return e.message;
    }
    return "";
  }
};

TEST_F(Adopting, TakesWhatFits) {
  given.kernels[0].grid = {"i", "j"};
  given.kernels[0].block = {16, 4};
  given.loops[0].form = LaunchMode::Plain;
  given.reductionBlocks = 7;
  Plan taken = adopt(proposed, facts, given, device);
  EXPECT_EQ(taken.kernels[0].grid, given.kernels[0].grid);
  EXPECT_EQ(taken.kernels[0].block, given.kernels[0].block);
  EXPECT_EQ(taken.loops[0].form, LaunchMode::Plain);
  EXPECT_EQ(taken.reductionBlocks, 7);
}

TEST_F(Adopting, RefusesAnotherNumberOfKernels) {
  given.kernels.pop_back();
  EXPECT_NE(refusal().find("a different number of kernels"), std::string::npos);
}
TEST_F(Adopting, RefusesOtherDimensions) {
  given.kernels[0].grid = {"j", "k"};
  EXPECT_NE(refusal().find("step0"), std::string::npos);
}
TEST_F(Adopting, RefusesBlocksThatNoDeviceHas) {
  given.kernels[0].block = {1024, 1024};
  EXPECT_NE(refusal().find("too large"), std::string::npos);
  given.kernels[0].block = {0, 8};
  EXPECT_NE(refusal().find("block[0] = 0; expected 1 to 65536"), std::string::npos);
  given.kernels[0].block = {-32, -8};
  EXPECT_NE(refusal(), "");
  given.kernels[0].block = {65536, 65536, 65536, 65536};
  EXPECT_NE(refusal(), "");
}
TEST_F(Adopting, RefusesBlocksWhoseProductOverflows) {
  given.kernels[0].block.assign(100000, 2147483647);
  EXPECT_NE(refusal().find("block with 100000 entries; expected at most 2"), std::string::npos);
  given.kernels[0].block = {2147483647, 2147483647};
  EXPECT_NE(refusal().find("block[0] = 2147483647"), std::string::npos);
}
TEST_F(Adopting, RefusesOtherNames) {
  given.kernels[0].name = "step7";
  EXPECT_NE(refusal().find("is called step0, not step7"), std::string::npos);
  given = example();
  given.loops[0].loop = "k";
  EXPECT_NE(refusal().find("is over t, not k"), std::string::npos);
}
TEST_F(Adopting, RefusesReductionsWhoseBlockIsNoPowerOfTwo) {
  facts[0].kind = StepKind::Reduction;
  given.kernels[0] = KernelPlan{};
  given.kernels[0].name = "step0";
  given.kernels[0].grid = {"j", "i"};
  given.kernels[0].block = {48};
  EXPECT_NE(refusal().find("is a reduction whose block is not a power of two"), std::string::npos);
  given.kernels[0].block = {64};
  EXPECT_EQ(refusal(), "");
}
// Tails: what each of them goes with.
TEST_F(Adopting, RefusesTailsThatDoNotGoWithTheRest) {
  TilePlan &t = given.kernels[0].tiles[0];
  t.tail = Tail::Exact;
  EXPECT_NE(refusal().find("the tail 'exact', for which there are staged arrays and vectorBytes"),
            std::string::npos);
  t.vectorBytes = 16;
  EXPECT_EQ(refusal(), "");
  t.tail = Tail::ShiftInwards;
  EXPECT_NE(refusal().find("loads of 16 bytes for its copies, for which the tail is 'exact'"),
            std::string::npos);
  t.vectorBytes = 0;
  EXPECT_EQ(refusal(), "");
  t.staged.clear();
  EXPECT_NE(refusal().find("the tail 'shift-inwards', for which"), std::string::npos);
  t.tail = Tail::Guard;
  EXPECT_EQ(refusal(), "");
  t.async = true;
  EXPECT_NE(refusal().find("has asynchronous copies, for which there are two stages"),
            std::string::npos);
}
TEST_F(Adopting, RefusesValuesThatTheTableDoesNotAdmit) {
  given.kernels[0].tiles[0].stages = 3;
  EXPECT_NE(refusal().find("kernel step0 has tiles[0].stages = 3; expected 1 to 2"),
            std::string::npos);
  given = example();
  given.kernels[0].tiles[0].staged[1].swizzle = 3;
  EXPECT_NE(refusal().find("tiles[0].staged[1].swizzle = 3; expected 0, 2, 4, 8, 16, 32 or 64"),
            std::string::npos);
}
// Settled plans are taken.
TEST_F(Adopting, TakesWhatSettleLeaves) {
  TilePlan &t = given.kernels[0].tiles[0];
  t.tail = Tail::ShiftInwards;
  t.vectorBytes = 8;
  t.async = true;
  t.prefetch = 1;
  t.contiguous = {3, 4};
  EXPECT_NE(refusal(), "");
  settle(given.kernels[0]);
  EXPECT_EQ(refusal(), "");
  t.strip.clear();
  settle(given.kernels[0]);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(t.tail, Tail::Guard);
}
TEST_F(Adopting, RefusesABlockForOneThreadOrNone) {
  given.kernels[1].block = {32};
  EXPECT_NE(refusal(), "");
  given = example();
  given.kernels[0].block.clear();
  EXPECT_NE(refusal(), "");
}
TEST_F(Adopting, RefusesAResidentLoopWhereNoneIsPossible) {
  proposed.loops[0].form = LaunchMode::Plain;
  EXPECT_NE(refusal().find("cannot run inside a kernel"), std::string::npos);
}
TEST_F(Adopting, RefusesReductionBlocksOutOfRange) {
  for (int bad : {0, -1, 65536}) {
    given.reductionBlocks = bad;
    EXPECT_NE(refusal(), "") << bad;
  }
}

} // namespace nw::testing
