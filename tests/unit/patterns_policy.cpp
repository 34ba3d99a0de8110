// Memory spaces by Algorithm 1 of patterns: the paper's answers, its rules one by one, and a device
// with less.
#include "plan/patterns_policy.h"
#include "pattern_kernels.h"

namespace nw::testing {

using enum PatternSpace;

static std::map<std::string, SpaceChoice>
choicesFor(const Program &program, const ThreadMapping &mapping, const DeviceSpec &device) {
  std::map<std::string, SpaceChoice> choices;
  for (const SpaceChoice &c : chooseSpaces(arrayPatterns(program, mapping), device))
    choices[c.array] = c;
  return choices;
}
static const DeviceSpec &gtx285() { return *findDevice("gtx-285"); }

static void expectChoice(const SpaceChoice &c, PatternSpace backing, bool isStaged) {
  EXPECT_STREQ(nameOf(c.backing), nameOf(backing)) << c.array;
  EXPECT_EQ(c.isStaged, isStaged) << c.array;
}

// Section V: "arrays A and B possess access patterns that can benefit from data prefetching using
// local memory, and the output array C does not, so it is placed in global memory".
TEST(PatternsPolicy, MatrixMultiplication) {
  Program mm = matrixMultiplication();
  auto choices = choicesFor(mm, beta(mm), gtx285());
  EXPECT_EQ(choices.at("A").algorithm, Local);
  EXPECT_EQ(choices.at("B").algorithm, Local);
  expectChoice(choices.at("C"), Global, false);
  EXPECT_EQ(choices.at("C").algorithm, Global);
}

// Section VI: "global memory is selected for all arrays".
TEST(PatternsPolicy, VectorAddition) {
  Program p = vectorAddition();
  for (auto &[name, choice] : choicesFor(p, along(p, {"i"}), gtx285()))
    expectChoice(choice, Global, false);
}

// Section VI: global for the output; texture with prefetching to local for the vector, global with
// it for the matrix.
TEST(PatternsPolicy, MatrixVectorIsAPair) {
  Program p = matrixVector();
  auto choices = choicesFor(p, along(p, {"i1"}), gtx285());
  expectChoice(choices.at("x"), Global, false);
  expectChoice(choices.at("y"), Texture, true);
  expectChoice(choices.at("a"), Global, true);
  EXPECT_EQ(choices.at("y").algorithm, Local); // Algorithm 1 alone
  EXPECT_EQ(choices.at("a").algorithm, Local);
  EXPECT_EQ(print(choices.at("y")), "y: texture, staged in local (prefetch)");
}

// Section VI: "texture memory for the first array and global memory for the rest of the arrays".
TEST(PatternsPolicy, RadiologicalPath) {
  Program p = radiologicalPath();
  auto choices = choicesFor(p, along(p, {"cell", "row"}), gtx285());
  ASSERT_EQ(choices.size(), 4u);
  expectChoice(choices.at("body"), Texture, false);
  for (const char *name : {"paths", "sine", "cosine"})
    expectChoice(choices.at(name), Global, false);
}

// Section VI: "Texture memory is selected for the first three arrays and global memory is selected
// for the last array".
TEST(PatternsPolicy, NonMaximumSuppression) {
  Program p = nonMaximumSuppression();
  auto choices = choicesFor(p, along(p, {"x", "y"}), gtx285());
  for (const char *name : {"upper", "middle", "lower"})
    expectChoice(choices.at(name), Texture, false);
  expectChoice(choices.at("peaks"), Global, false);
}

// Lines 4 and 5; the twin has a filter as large as the problem.
TEST(PatternsPolicy, SmallFiltersAreConstant) {
  Program small = convolution(i32(5)), large = convolution(v("t"));
  auto choices = choicesFor(small, along(small, {"x", "y"}), gtx285());
  expectChoice(choices.at("filter"), Constant, false);
  expectChoice(choices.at("in"), Global, true);
  expectChoice(choices.at("out"), Global, false);
  expectChoice(choicesFor(large, along(large, {"x", "y"}), gtx285()).at("filter"), Texture, true);
}

// 5 x 5 floats are 100 bytes.
TEST(PatternsPolicy, ConstantMemoryIsTheDevices) {
  Program p = convolution(i32(5));
  DeviceSpec tight = gtx285(), tooTight = gtx285();
  tight.constantBytes = 100;
  tooTight.constantBytes = 99;
  expectChoice(choicesFor(p, along(p, {"x", "y"}), tight).at("filter"), Constant, false);
  expectChoice(choicesFor(p, along(p, {"x", "y"}), tooTight).at("filter"), Texture, true);
}

// Two filters of 36 bytes: whoever comes first.
TEST(PatternsPolicy, ConstantMemoryIsSharedOut) {
  StmtP s = addTo(f("out", {v("i")}), op("*", f("g", {v("k")}), f("h", {v("k")})));
  Program p = programOf({loop("i", i32(0), v("n"), {loop("k", i32(0), i32(9), {s})})}, {"i", "k"},
                        {scalar("n"), vector("out"), vector("g"), vector("h")});
  DeviceSpec tight = gtx285();
  tight.constantBytes = 71;
  EXPECT_EQ(choicesFor(p, along(p, {"i"}), gtx285()).at("h").backing, Constant);
  EXPECT_EQ(choicesFor(p, along(p, {"i"}), tight).at("g").backing, Constant);
  EXPECT_EQ(choicesFor(p, along(p, {"i"}), tight).at("h").backing, Texture);
}

TEST(PatternsPolicy, WithoutATexturePathAllIsGlobal) {
  Program p = radiologicalPath();
  DeviceSpec plain = gtx285();
  plain.readOnlyPath = false;
  SpaceChoice body = choicesFor(p, along(p, {"cell", "row"}), plain).at("body");
  expectChoice(body, Global, false);
  EXPECT_NE(body.reason.find("no texture path"), std::string::npos);
}

// Lines 17 to 27: b[i][j] = a[i][j] with i along tx.
TEST(PatternsPolicy, WrittenArrays) {
  auto choiceOfB = [](StmtP s) {
    Program p = programOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {s})})}, {"i", "j"},
                          {scalar("n"), matrix("a", "n"), matrix("b", "n")});
    return choicesFor(p, along(p, {"i", "j"}), gtx285()).at("b");
  };
  ExprP i = v("i"), j = v("j");
  expectChoice(choiceOfB(assign(f("b", {i, j}), f("a", {i, j}))), Texture,
               false); // write-only and uncoalesced
  expectChoice(choiceOfB(assign(f("b", {j, i}), f("a", {i, j}))), Global, false);
  expectChoice(choiceOfB(addTo(f("b", {i, j}), f("a", {i, j}))), Global, false); // read as well
}

// j is not along threads: the thread walks through b.
TEST(PatternsPolicy, WrittenArraysArePrefetchedToo) {
  StmtP s = addTo(f("b", {v("i"), v("j")}), f("a", {v("i")}));
  Program p = programOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {s})})}, {"i", "j"},
                        {scalar("n"), vector("a"), matrix("b", "n")});
  expectChoice(choicesFor(p, along(p, {"i"}), gtx285()).at("b"), Global, true);
}

// Staged arrays other than mv's: copies of a[i][j][3] have no unit stride to go along; b is
// written, so it is not read through a texture, although all threads go through the same elements.
TEST(PatternsPolicy, BackingOfStagedArrays) {
  StmtP s = addTo(f("b", {v("j")}), f("a", {v("i"), v("j"), i32(3)}));
  Program p = programOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {s})})}, {"i", "j"},
                        {scalar("n"), pointer("a", kF32, {v("n"), i32(4)}), vector("b")});
  auto choices = choicesFor(p, along(p, {"i"}), gtx285());
  expectChoice(choices.at("a"), Texture, true);
  expectChoice(choices.at("b"), Global, true);
}

// Section IV: texture, global, local, constant; global, local; texture, global, local.
TEST(PatternsPolicy, Precedence) {
  EXPECT_EQ(preferredSpace({Constant, Local, Global, Texture}, true, false), Texture);
  EXPECT_EQ(preferredSpace({Constant, Local, Global}, true, false), Global);
  EXPECT_EQ(preferredSpace({Constant, Local}, true, false), Local);
  EXPECT_EQ(preferredSpace({Constant}, true, false), Constant);
  EXPECT_EQ(preferredSpace({Local, Global}, true, true), Global);
  EXPECT_EQ(preferredSpace({Local}, true, true), Local);
  EXPECT_EQ(preferredSpace({Local, Global, Texture}, false, true), Texture);
  EXPECT_EQ(preferredSpace({Local, Global}, false, true), Global);
  EXPECT_EQ(preferredSpace({Local}, false, true), Local);
}

// a[i][j] is coalesced, a[i][j - 1] is not: global and texture are picked, and texture counts.
TEST(PatternsPolicy, SeveralReferences) {
  Program p = stencil();
  SpaceChoice a = choicesFor(p, along(p, {"j", "i"}), gtx285()).at("a");
  EXPECT_EQ(std::count(a.picks.begin(), a.picks.end(), Global), 2);
  EXPECT_EQ(std::count(a.picks.begin(), a.picks.end(), Texture), 2);
  expectChoice(a, Texture, false);
}

} // namespace nw::testing
