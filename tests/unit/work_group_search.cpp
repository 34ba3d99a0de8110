// Tables 1 to 5 of patterns, typed in from the paper, on its GTX 285 and on devices that are not
// quite one. Columns that are measurements (MET, SU) are not here: nothing computes them.
#include "plan/work_group_search.h"
#include "pattern_kernels.h"
#include <algorithm>

namespace nw::testing {

static DeviceSpec gtx285() { return *findDevice("gtx-285"); }
static const int kNotPrinted = -1; // the table has no such column

struct Row {
  int ty, tx, activeGroups;
  double occupancy; // per cent
  int cost, gain, rank;
};

static void expectRows(const std::vector<GroupCandidate> &found, const std::vector<Row> &rows) {
  ASSERT_EQ(found.size(), rows.size());
  for (size_t k = 0; k < rows.size(); k++) {
    SCOPED_TRACE("row " + std::to_string(k + 1) + ": " + print(found[k], 2));
    EXPECT_EQ(found[k].group, (WorkGroup{{rows[k].tx, rows[k].ty, 1}}));
    if (rows[k].activeGroups != kNotPrinted) {
      EXPECT_EQ(found[k].activeGroups, rows[k].activeGroups);
    }
    if (rows[k].occupancy != kNotPrinted) {
      EXPECT_NEAR(100 * found[k].occupancy, rows[k].occupancy, 0.05);
    }
    EXPECT_EQ(found[k].cost, rows[k].cost);
    EXPECT_EQ(found[k].gain, rows[k].gain);
    EXPECT_EQ(found[k].rank, rows[k].rank);
  }
}

static std::vector<GroupCandidate> searchIn(const Program &program,
                                            std::vector<std::string> threads,
                                            std::vector<int> sizes, int registers,
                                            const DeviceSpec &device) {
  return searchWorkGroups(
      {{mappedKernel(program, along(program, threads), device)}, sizes, registers}, device);
}

static std::vector<GroupCandidate> matrixMultiplicationOn(const DeviceSpec &device,
                                                          int registers = 10) {
  return searchIn(matrixMultiplication(), {"i2", "i1"}, {512, 256, 128}, registers, device); // beta
}
static std::vector<GroupCandidate> vectorAdditionOn(const DeviceSpec &device) {
  return searchIn(vectorAddition(), {"i"}, {512, 256, 128, 64, 32, 16}, 3, device);
}
static std::vector<GroupCandidate> matrixVectorOn(const DeviceSpec &device) {
  return searchIn(matrixVector(), {"i1"}, {512, 256, 128, 64, 32, 16}, 17, device);
}
static std::vector<GroupCandidate> radiologicalPathOn(const DeviceSpec &device) {
  return searchIn(radiologicalPath(), {"cell", "row"}, {512, 256, 128, 64, 32}, 28, device);
}
static std::vector<GroupCandidate> nonMaximumSuppressionOn(const DeviceSpec &device) {
  return searchIn(nonMaximumSuppression(), {"x", "y"}, {512, 256, 128, 64, 32}, 15, device);
}

// ---- Cost and gain, section V-1

static const GroupArray &arrayOf(const MappedKernel &kernel, const std::string &name) {
  return *std::find_if(kernel.arrays.begin(), kernel.arrays.end(),
                       [&](const GroupArray &a) { return a.patterns.array == name; });
}

// 8 (ty) x 32 (tx) under alpha: costs 32, 0 and 256; A takes 32 x 8 and B 8 x 8 of local memory;
// gains of 8 x 8 each.
TEST(WorkGroupSearch, CostAndGainOfMappingAlpha) {
  Program mm = matrixMultiplication();
  MappedKernel kernel = mappedKernel(mm, alpha(mm), gtx285());
  WorkGroup group = {{32, 8, 1}};
  EXPECT_EQ(costOf(arrayOf(kernel, "A"), group), 32);
  EXPECT_EQ(costOf(arrayOf(kernel, "B"), group), 0);
  EXPECT_EQ(costOf(arrayOf(kernel, "C"), group), 8 * 32);
  EXPECT_EQ(stripLength(group, 2), 8);
  EXPECT_EQ(stagedElements(arrayOf(kernel, "A"), group, 2), 32 * 8);
  EXPECT_EQ(stagedElements(arrayOf(kernel, "B"), group, 2), 8 * 8);
  EXPECT_EQ(stagedElements(arrayOf(kernel, "C"), group, 2), 0);
  EXPECT_EQ(gainOf(arrayOf(kernel, "A"), group, 2), 8 * 8);
  EXPECT_EQ(gainOf(arrayOf(kernel, "B"), group, 2), 8 * 8);
  EXPECT_EQ(gainOf(arrayOf(kernel, "C"), group, 2), 0);
}

// By the same rules, in three dimensions: a[tx][ty][tz] costs W * H * D, a[tx][ty] W * H, and
// a[tz][ty][tx] nothing.
TEST(WorkGroupSearch, CostWithDepth) {
  auto costWith = [](std::vector<ExprP> subscripts) {
    StmtP s = assign(f("b", {v("k"), v("j"), v("i")}), f("a", subscripts));
    std::vector<ExprP> inner(subscripts.size() - 1, v("n"));
    Program p = programOf(
        {loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {loop("k", i32(0), v("n"), {s})})})},
        {"i", "j", "k"},
        {scalar("n"), pointer("a", kF32, inner), pointer("b", kF32, {v("n"), v("n")})});
    return costOf(arrayOf(mappedKernel(p, along(p, {"i", "j", "k"}), gtx285()), "a"), {{16, 4, 2}});
  };
  EXPECT_EQ(costWith({v("i"), v("j"), v("k")}), 16 * 4 * 2);
  EXPECT_EQ(costWith({v("i"), v("j")}), 16 * 4);
  EXPECT_EQ(costWith({v("k"), v("j"), v("i")}), 0);
  EXPECT_EQ(costWith({v("k"), v("j")}), 0); // tx is not involved
  EXPECT_EQ(costWith({v("j"), op("*", i32(2), v("i"))}), 16 * 4);
}

// References that differ are accesses of their own; those of the centre and of the row above are
// coalesced.
TEST(WorkGroupSearch, CostOfSeveralReferences) {
  Program p = stencil();
  EXPECT_EQ(costOf(arrayOf(mappedKernel(p, along(p, {"j", "i"}), gtx285()), "a"), {{32, 4, 1}}),
            2 * 32 * 4);
}

// Section V-2: "256 in a two-dimensional thread mapping has 2x128, 4x64, 8x32 and 16x16".
TEST(WorkGroupSearch, Shapes) {
  EXPECT_EQ(shapesOf(256, 2, gtx285()),
            (std::vector<WorkGroup>{{{128, 2, 1}}, {{64, 4, 1}}, {{32, 8, 1}}, {{16, 16, 1}}}));
  EXPECT_EQ(shapesOf(256, 1, gtx285()), (std::vector<WorkGroup>{{{256, 1, 1}}}));
  EXPECT_EQ(shapesOf(128, 3, gtx285()),
            (std::vector<WorkGroup>{{{32, 2, 2}}, {{16, 4, 2}}, {{16, 2, 4}}}));
  EXPECT_EQ(shapesOf(96, 2, gtx285()),
            (std::vector<WorkGroup>{{{48, 2, 1}}, {{32, 3, 1}}, {{16, 6, 1}}}));
  EXPECT_TRUE(shapesOf(40, 1, gtx285()).empty());   // no multiple of a half-warp
  EXPECT_TRUE(shapesOf(1024, 2, gtx285()).empty()); // more than a block may have
}

// ---- Table 1: matrix multiplication, mapping beta. "Costs are all zeros." It has no column of
// occupancy.

static const std::vector<Row> kTable1 = {
    {2, 256, 2, kNotPrinted, 0, 8, 9},   {4, 128, 2, kNotPrinted, 0, 32, 6},
    {8, 64, 2, kNotPrinted, 0, 128, 3},  {16, 32, 2, kNotPrinted, 0, 512, 1},
    {32, 16, 2, kNotPrinted, 0, 512, 1}, {2, 128, 4, kNotPrinted, 0, 8, 10},
    {4, 64, 4, kNotPrinted, 0, 32, 7},   {8, 32, 4, kNotPrinted, 0, 128, 4},
    {16, 16, 4, kNotPrinted, 0, 512, 2}, {2, 64, 8, kNotPrinted, 0, 8, 11},
    {4, 32, 8, kNotPrinted, 0, 32, 8},   {8, 16, 8, kNotPrinted, 0, 128, 5}};

// The paper does not print the registers; "the register pressure allows for 2 active work groups"
// of 512 holds up to 16.
TEST(WorkGroupSearch, Table1) {
  for (int registers = 1; registers <= 16; registers++) {
    SCOPED_TRACE(registers);
    expectRows(matrixMultiplicationOn(gtx285(), registers), kTable1);
  }
}

// 512 x 17 = 8704 is more than half of 16384: one group of 512, so the search starts at 256, where
// 16384 / 4352 = 3.
TEST(WorkGroupSearch, Table1WithOneRegisterMore) {
  auto found = matrixMultiplicationOn(gtx285(), 17);
  ASSERT_EQ(found.size(), 7u);
  EXPECT_EQ(found[0].group, (WorkGroup{{128, 2, 1}}));
  EXPECT_EQ(found[0].activeGroups, 3);
}

// 8192 registers, 10 of a thread: one group of 512 (5120); 8192 / 2560 = 3 of 256; 8192 / 1536 = 5
// of 128, whose 1280 are rounded up to multiples of 512. So rows 6 to 12 are left, in the same
// order among themselves.
TEST(WorkGroupSearch, Table1WithHalfTheRegisters) {
  DeviceSpec device = gtx285();
  device.registers = 8192;
  expectRows(matrixMultiplicationOn(device), {{2, 128, 3, kNotPrinted, 0, 8, 6},
                                              {4, 64, 3, kNotPrinted, 0, 32, 4},
                                              {8, 32, 3, kNotPrinted, 0, 128, 2},
                                              {16, 16, 3, kNotPrinted, 0, 512, 1},
                                              {2, 64, 5, kNotPrinted, 0, 8, 7},
                                              {4, 32, 5, kNotPrinted, 0, 32, 5},
                                              {8, 16, 5, kNotPrinted, 0, 128, 3}});
}

// Memory instructions of 32 threads: the three shapes with 16 along tx are gone, and 16 x 32 is the
// only best one.
TEST(WorkGroupSearch, Table1WithAnotherHalfWarp) {
  DeviceSpec device = gtx285();
  device.coalescingGroup = 32;
  expectRows(matrixMultiplicationOn(device), {{2, 256, 2, kNotPrinted, 0, 8, 7},
                                              {4, 128, 2, kNotPrinted, 0, 32, 4},
                                              {8, 64, 2, kNotPrinted, 0, 128, 2},
                                              {16, 32, 2, kNotPrinted, 0, 512, 1},
                                              {2, 128, 4, kNotPrinted, 0, 8, 8},
                                              {4, 64, 4, kNotPrinted, 0, 32, 5},
                                              {8, 32, 4, kNotPrinted, 0, 128, 3},
                                              {2, 64, 8, kNotPrinted, 0, 8, 9},
                                              {4, 32, 8, kNotPrinted, 0, 32, 6}});
}

// 2048 bytes of local memory for a group. A takes ty and B tx floats of each of min(ty, tx) strips:
// all shapes of 512 take more (2x256: 2064, 4x128: 2112, 8x64: 2304, 16x32 and 32x16: 3072); 16x16
// takes 2048. So 256 is the largest.
TEST(WorkGroupSearch, Table1WithLessLocalMemory) {
  DeviceSpec device = gtx285();
  device.sharedBytes = 2048;
  auto found = matrixMultiplicationOn(device);
  expectRows(found, {{2, 128, 4, kNotPrinted, 0, 8, 6},
                     {4, 64, 4, kNotPrinted, 0, 32, 4},
                     {8, 32, 4, kNotPrinted, 0, 128, 2},
                     {16, 16, 4, kNotPrinted, 0, 512, 1},
                     {2, 64, 8, kNotPrinted, 0, 8, 7},
                     {4, 32, 8, kNotPrinted, 0, 32, 5},
                     {8, 16, 8, kNotPrinted, 0, 128, 3}});
  EXPECT_EQ(found[3].localBytes, 2048);
  device.sharedBytes = 2047;
  EXPECT_EQ(bestGroups(matrixMultiplicationOn(device), 1).at(0).group, (WorkGroup{{32, 8, 1}}));
}

// Both mappings at once: equal gains, but alpha costs W + W * H, so beta leads; by cost, 16x16 is
// the best of alpha (272), before 32x16 (528) and 16x32 (544).
TEST(WorkGroupSearch, BetaIsBetterThanAlpha) {
  Program mm = matrixMultiplication();
  DeviceSpec device = gtx285();
  GroupSearch search = {{mappedKernel(mm, alpha(mm), device), mappedKernel(mm, beta(mm), device)},
                        {512, 256, 128},
                        10};
  auto best = bestGroups(searchWorkGroups(search, device), 6);
  ASSERT_EQ(best.size(), 6u);
  const std::tuple<size_t, int, int, int64_t> expected[] = {{1, 32, 16, 0},   {1, 16, 32, 0},
                                                            {1, 16, 16, 0},   {0, 16, 16, 272},
                                                            {0, 16, 32, 528}, {0, 32, 16, 544}};
  for (size_t k = 0; k < best.size(); k++)
    EXPECT_EQ(std::make_tuple(best[k].kernel, best[k].group.extents[0], best[k].group.extents[1],
                              best[k].cost),
              expected[k])
        << k;
}

// ---- Table 2: vector addition, 3 registers

TEST(WorkGroupSearch, Table2) {
  expectRows(vectorAdditionOn(gtx285()), {{1, 512, 2, 100, 0, 0, 3},
                                          {1, 256, 4, 100, 0, 0, 2},
                                          {1, 128, 8, 100, 0, 0, 1},
                                          {1, 64, 8, 50, 0, 0, 4},
                                          {1, 32, 8, 25, 0, 0, 5},
                                          {1, 16, 8, 25, 0, 0, 5}});
}

// 16 groups instead of 8: 64 threads fill the multiprocessor with the most groups, and the small
// ones do twice as well.
TEST(WorkGroupSearch, Table2WithMoreGroups) {
  DeviceSpec device = gtx285();
  device.residentBlocks = 16;
  expectRows(vectorAdditionOn(device), {{1, 512, 2, 100, 0, 0, 4},
                                        {1, 256, 4, 100, 0, 0, 3},
                                        {1, 128, 8, 100, 0, 0, 2},
                                        {1, 64, 16, 100, 0, 0, 1},
                                        {1, 32, 16, 50, 0, 0, 5},
                                        {1, 16, 16, 50, 0, 0, 5}});
}

// Warps of 16: a group of 16 no longer counts as 32 threads, and is worse than one of 32.
TEST(WorkGroupSearch, Table2WithSmallerWarps) {
  DeviceSpec device = gtx285();
  device.warp = 16;
  expectRows(vectorAdditionOn(device), {{1, 512, 2, 100, 0, 0, 3},
                                        {1, 256, 4, 100, 0, 0, 2},
                                        {1, 128, 8, 100, 0, 0, 1},
                                        {1, 64, 8, 50, 0, 0, 4},
                                        {1, 32, 8, 25, 0, 0, 5},
                                        {1, 16, 8, 12.5, 0, 0, 6}});
}

// 3 registers hardly matter; 2048 of them hold 1 group of 512 (1536), so the search starts at 256:
// 768 are rounded up to 1024, hence 2; 4 of 512 for 128; and 4 of 512 for all smaller ones. 50 %,
// 50 %, 25 %, 12.5 %, 12.5 %.
TEST(WorkGroupSearch, Table2WithFewRegisters) {
  DeviceSpec device = gtx285();
  device.registers = 2048;
  expectRows(vectorAdditionOn(device), {{1, 256, 2, 50, 0, 0, 2},
                                        {1, 128, 4, 50, 0, 0, 1},
                                        {1, 64, 4, 25, 0, 0, 3},
                                        {1, 32, 4, 12.5, 0, 0, 4},
                                        {1, 16, 4, 12.5, 0, 0, 4}});
}

// ---- Table 3: matrix-vector multiplication, 17 registers

// The sizes of 256 to 64 are tried and dropped: "due to the local memory usage, the first valid
// work group size we can consider is 32" (64 x 64 + 64 floats are 16640 bytes of 16384). Cost, gain
// and rank are the paper's. Its active groups, 4 and 4, are not: 32 x 32 + 32 floats are 4224
// bytes, of which 16384 hold 3; and with 16 threads 1088 bytes, 17 registers and 16 threads all
// allow the 8 groups that the device can have. (4 would be right for 32 threads without the 128
// bytes of the vector; nothing gives 4 for 16.)
TEST(WorkGroupSearch, Table3) {
  const int ours[] = {3, 8};
  auto found = matrixVectorOn(gtx285());
  expectRows(found, {{1, 32, kNotPrinted, kNotPrinted, 32, 32 * 32 + 32, 1},
                     {1, 16, kNotPrinted, kNotPrinted, 16, 16 * 16 + 16, 2}});
  EXPECT_EQ(found[0].gain, 1056);
  EXPECT_EQ(found[1].gain, 272);
  for (size_t k = 0; k < found.size(); k++)
    EXPECT_EQ(found[k].activeGroups, ours[k]);
}

// 48 KB hold 16640 bytes, twice, but not the 66048 of 128 threads.
TEST(WorkGroupSearch, Table3WithMoreLocalMemory) {
  DeviceSpec device = gtx285();
  device.sharedBytes = device.sharedOptInBytes = device.sharedPerMultiprocessor = 49152;
  expectRows(matrixVectorOn(device), {{1, 64, 2, kNotPrinted, 64, 64 * 64 + 64, 1},
                                      {1, 32, 8, kNotPrinted, 32, 1056, 2},
                                      {1, 16, 8, kNotPrinted, 16, 272, 3}});
}

// 4096 bytes are 128 too few for 32 threads.
TEST(WorkGroupSearch, Table3WithLessLocalMemory) {
  DeviceSpec device = gtx285();
  device.sharedBytes = 4096;
  expectRows(matrixVectorOn(device), {{1, 16, 8, kNotPrinted, 16, 272, 1}});
}

TEST(WorkGroupSearch, Table3WithAnotherHalfWarp) {
  DeviceSpec device = gtx285();
  device.coalescingGroup = 32;
  expectRows(matrixVectorOn(device), {{1, 32, 3, kNotPrinted, 32, 1056, 1}});
}

// 8192 registers: a group of one warp gets those of two, 1088, rounded up to 1536: 5 of them. 32
// threads keep the 3 that local memory leaves them.
TEST(WorkGroupSearch, Table3WithHalfTheRegisters) {
  DeviceSpec device = gtx285();
  device.registers = 8192;
  expectRows(matrixVectorOn(device),
             {{1, 32, 3, kNotPrinted, 32, 1056, 1}, {1, 16, 5, kNotPrinted, 16, 272, 2}});
}

// ---- Table 4: radiological path, 28 registers. "Cost and Gain are all zeros."

// 512 is tried first: 512 x 28 = 14336 leaves no room for a second group.
TEST(WorkGroupSearch, Table4) {
  expectRows(radiologicalPathOn(gtx285()), {{2, 128, 2, 50, 0, 0, 3},
                                            {4, 64, 2, 50, 0, 0, 3},
                                            {8, 32, 2, 50, 0, 0, 3},
                                            {16, 16, 2, 50, 0, 0, 3},
                                            {2, 64, 4, 50, 0, 0, 2},
                                            {4, 32, 4, 50, 0, 0, 2},
                                            {8, 16, 4, 50, 0, 0, 2},
                                            {2, 32, 8, 50, 0, 0, 1},
                                            {4, 16, 8, 50, 0, 0, 1},
                                            {2, 16, 8, 25, 0, 0, 4}});
}

// 8192 registers hold 1 group of 256 (7168), 2 of 128 (3584), 4 of 64 (1792, rounded up to 2048),
// and 4 of 32, which get registers for two warps. 25 %, 25 %, 12.5 %.
TEST(WorkGroupSearch, Table4WithHalfTheRegisters) {
  DeviceSpec device = gtx285();
  device.registers = 8192;
  expectRows(radiologicalPathOn(device), {{2, 64, 2, 25, 0, 0, 2},
                                          {4, 32, 2, 25, 0, 0, 2},
                                          {8, 16, 2, 25, 0, 0, 2},
                                          {2, 32, 4, 25, 0, 0, 1},
                                          {4, 16, 4, 25, 0, 0, 1},
                                          {2, 16, 4, 12.5, 0, 0, 3}});
}

// ---- Table 5: non-maximum suppression, 15 registers. "Cost and Gain are all zeros."

static const std::vector<Row> kTable5 = {
    {2, 256, 2, 100, 0, 0, 3}, {4, 128, 2, 100, 0, 0, 3}, {8, 64, 2, 100, 0, 0, 3},
    {16, 32, 2, 100, 0, 0, 3}, {32, 16, 2, 100, 0, 0, 3}, {2, 128, 4, 100, 0, 0, 2},
    {4, 64, 4, 100, 0, 0, 2},  {8, 32, 4, 100, 0, 0, 2},  {16, 16, 4, 100, 0, 0, 2},
    {2, 64, 8, 100, 0, 0, 1},  {4, 32, 8, 100, 0, 0, 1},  {8, 16, 8, 100, 0, 0, 1},
    {2, 32, 8, 50, 0, 0, 4},   {4, 16, 8, 50, 0, 0, 4},   {2, 16, 8, 25, 0, 0, 5}};

TEST(WorkGroupSearch, Table5) { expectRows(nonMaximumSuppressionOn(gtx285()), kTable5); }

// With twice the registers, 28 of them limit no more than 15 did: Table 4's kernel gets Table 5's
// answers.
TEST(WorkGroupSearch, Table4WithTwiceTheRegisters) {
  DeviceSpec device = gtx285();
  device.registers = 32768;
  expectRows(radiologicalPathOn(device), kTable5);
}

// 768 threads hold one group of 512, 3 of 256 and 6 of 128, all of them full; 8 of 64 are two
// thirds, 8 of 32 one third.
TEST(WorkGroupSearch, Table5WithFewerThreads) {
  DeviceSpec device = gtx285();
  device.residentThreads = 768;
  expectRows(nonMaximumSuppressionOn(device), {{2, 128, 3, 100, 0, 0, 2},
                                               {4, 64, 3, 100, 0, 0, 2},
                                               {8, 32, 3, 100, 0, 0, 2},
                                               {16, 16, 3, 100, 0, 0, 2},
                                               {2, 64, 6, 100, 0, 0, 1},
                                               {4, 32, 6, 100, 0, 0, 1},
                                               {8, 16, 6, 100, 0, 0, 1},
                                               {2, 32, 8, 66.67, 0, 0, 3},
                                               {4, 16, 8, 66.67, 0, 0, 3},
                                               {2, 16, 8, 33.33, 0, 0, 4}});
}

// Half-warps of 8 add one shape to each size: 64x8, 32x8, 16x8, 8x8 and 4x8.
TEST(WorkGroupSearch, Table5WithAnotherHalfWarp) {
  DeviceSpec device = gtx285();
  device.coalescingGroup = 8;
  auto found = nonMaximumSuppressionOn(device);
  ASSERT_EQ(found.size(), 20u);
  const std::pair<int, int> added[] = {{64, 3}, {32, 2}, {16, 1}, {8, 4}, {4, 5}}; // ty, rank
  size_t k = 0;
  for (const GroupCandidate &c : found)
    if (c.group.extents[0] == 8) {
      ASSERT_LT(k, std::size(added));
      EXPECT_EQ(std::make_pair(c.group.extents[1], c.rank), added[k++]);
    }
  EXPECT_EQ(k, std::size(added));
}

// ---- What cannot be

TEST(WorkGroupSearch, NothingFits) {
  EXPECT_TRUE(matrixMultiplicationOn(gtx285(), 100)
                  .empty()); // 12800 registers of 128 threads: never two groups
  DeviceSpec device = gtx285();
  device.sharedBytes = 64;
  EXPECT_TRUE(matrixVectorOn(device).empty());
  EXPECT_TRUE(searchIn(vectorAddition(), {"i"}, {2000000000, 0, -16}, 3, gtx285()).empty());
  EXPECT_TRUE(bestGroups({}, 3).empty());
}

} // namespace nw::testing
