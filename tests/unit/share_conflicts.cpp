// Conflict removal of the paper share: equations 20 and 21, every leaf of Figure 4, and the picks
// that it reports.
#include "plan/share_conflicts.h"
#include "analysis/bank_conflicts.h"
#include <gtest/gtest.h>

namespace nw::testing {

using namespace share;

namespace {

// A tile of 32 by 32 out of a matrix, which threads walk across: mt and mv.
ConflictFacts across() {
  ConflictFacts f;
  f.array = "a";
  f.rank = 2;
  f.stride = f.rowLength = 32;
  f.width = 4096;
  return f;
}

DeviceSpec kepler() { return *findDevice("gtx-690"); }
DeviceSpec radeon() { return *findDevice("hd-7850"); }

} // namespace

TEST(ShareBanks, Degrees) {
  DeviceSpec d = kepler(); // 32 banks of 4 bytes, a word is broadcast
  EXPECT_EQ(bankConflictDegree(0, 4, d), 1);
  EXPECT_EQ(bankConflictDegree(1, 4, d), 1);
  EXPECT_EQ(bankConflictDegree(2, 4, d), 2);
  EXPECT_EQ(bankConflictDegree(3, 4, d), 1);
  EXPECT_EQ(bankConflictDegree(32, 4, d), 32);
  EXPECT_EQ(bankConflictDegree(33, 4, d), 1);
  EXPECT_EQ(bankConflictDegree(48, 4, d), 16);
  EXPECT_EQ(bankConflictDegree(-32, 4, d), 32);
  EXPECT_EQ(bankConflictDegree(1, 1, d), 1); // bank_stride 1/4: broadcast
  EXPECT_EQ(bankConflictDegree(8, 1, d), 2);
  d.subWordRule = SubWordRule::Conflict;
  EXPECT_EQ(bankConflictDegree(1, 1, d), 4);
  EXPECT_EQ(bankConflictDegree(1, 2, d), 2);
  d.banks = d.bankGroup = 16; // as on devices that serve half-warps
  EXPECT_EQ(bankConflictDegree(32, 4, d), 16);
  EXPECT_EQ(bankConflictDegree(17, 4, d), 1);
}

// Where the equations hold they say what the device's rules say lane by lane.
TEST(ShareBanks, EquationsAgreeWithTheSimulation) {
  for (const char *name : {"gtx-690", "gtx-titan", "c2050", "h200"}) {
    const DeviceSpec &d = *findDevice(name);
    for (int64_t stride = 1; stride <= 70; stride++) {
      std::vector<std::optional<int64_t>> lanes;
      for (int k = 0; k < d.warp; k++)
        lanes.push_back(k * stride * 4);
      EXPECT_EQ(bankConflictDegree(stride, 4, d), bankTurnsOf(lanes, 4, d).degree())
          << name << " " << stride;
    }
  }
}

// "padding one column to each shared array, which is 2D and has a stride smaller than array width"
TEST(ShareRemoval, MtAndMvGetOneColumn) {
  for (const char *name : {"gtx-690", "gtx-titan", "c2050", "hd-7850"}) {
    Removal r = removeBankConflicts(across(), *findDevice(name));
    EXPECT_EQ(r.kind, RemovalKind::Padding) << name;
    EXPECT_EQ(r.pad, 1) << name;
    EXPECT_EQ(r.degree, 32) << name;
    EXPECT_NE(r.why.find("1 padding column"), std::string::npos) << r.why;
  }
  // 33 banks: a stride of 32 is none.
  DeviceSpec odd = kepler();
  odd.banks = 33;
  EXPECT_EQ(removeBankConflicts(across(), odd).kind, RemovalKind::None);
  // Banks of 8 bytes: bank_stride 16.
  DeviceSpec wide = kepler();
  wide.bankWidth = 8;
  EXPECT_EQ(removeBankConflicts(across(), wide).degree, 16);
}

TEST(ShareRemoval, EveryLeafOfTheTree) {
  ConflictFacts f = across();
  f.isArrayOfStructs = true;
  EXPECT_EQ(removeBankConflicts(f, kepler()).kind, RemovalKind::FieldArrays);
  f = across();
  f.width = 32; // the whole row
  EXPECT_EQ(removeBankConflicts(f, kepler()).kind, RemovalKind::Transpose);
  f = across();
  f.rank = 1;
  f.isAssociative = true;
  EXPECT_EQ(removeBankConflicts(f, kepler()).kind, RemovalKind::AccessReorder);
  f.isAssociative = false;
  Removal r = removeBankConflicts(f, kepler());
  EXPECT_EQ(r.kind, RemovalKind::ThreadRemap);
  EXPECT_EQ(r.placement, (std::array<std::array<int, 2>, 2>{{{1, 0}, {1, 1}}}));
  f = across();
  f.stride = 1;
  EXPECT_EQ(removeBankConflicts(f, kepler()).kind, RemovalKind::None);
}

TEST(ShareRemoval, FloatingPointIsReorderedOnlyWhenAsked) {
  ConflictFacts f = across();
  f.rank = 1;
  f.isAssociative = f.isFloatingPoint = true;
  Removal r = removeBankConflicts(f, kepler());
  EXPECT_EQ(r.kind, RemovalKind::ThreadRemap);
  EXPECT_NE(r.why.find("floating point"), std::string::npos) << r.why;
  EXPECT_EQ(removeBankConflicts(f, kepler(), {.padding = true, .reorderFloatingPoint = true}).kind,
            RemovalKind::AccessReorder);
}

// Strided within a row: longer rows change nothing.
TEST(ShareRemoval, PaddingThatDoesNotHelpIsNotDone) {
  ConflictFacts f = across();
  f.stride = 2;
  Removal r = removeBankConflicts(f, kepler());
  EXPECT_EQ(r.kind, RemovalKind::ThreadRemap);
  EXPECT_NE(r.why.find("no padding"), std::string::npos) << r.why;
  EXPECT_EQ(
      removeBankConflicts(across(), kepler(), {.padding = false, .reorderFloatingPoint = false})
          .kind,
      RemovalKind::ThreadRemap);
}

// HD 7850: 8 channels of 256 bytes. Blocks that are 32 rows of 4096 floats apart all begin in one
// channel.
TEST(ShareChannels, MtAndMvOnTheHd7850) {
  ConflictFacts f; // staged: neighbouring threads touch neighbours
  f.array = "in";
  f.rank = 2;
  f.rowLength = f.width = 4096;
  const int64_t apart = 32 * 4096 * 4;
  EXPECT_EQ(channelDegree(apart, radeon()), 8);
  EXPECT_EQ(channelDegree(apart + 4, radeon()), 8); // drifts, but not within eight blocks
  EXPECT_EQ(channelDegree(4 * 256, radeon()), 4);
  Removal mt = removeChannelConflicts(f, apart, radeon());
  EXPECT_EQ(mt.kind, RemovalKind::ThreadRemap);
  EXPECT_EQ(mt.placement, (std::array<std::array<int, 2>, 2>{{{1, 0}, {1, 1}}}));
  f.isAssociative = f.isFloatingPoint = true;
  EXPECT_EQ(
      removeChannelConflicts(f, apart, radeon(), {.padding = true, .reorderFloatingPoint = true})
          .kind,
      RemovalKind::AccessReorder);
  EXPECT_EQ(removeChannelConflicts(f, apart, radeon()).kind, RemovalKind::ThreadRemap);
  // A device that spreads its addresses has no such problem; nor has 7 channels, or blocks that are
  // 256 bytes apart.
  DeviceSpec blockReduction = radeon();
  blockReduction.memoryChannels = blockReduction.channelBytes = 0;
  Removal none = removeChannelConflicts(f, apart, blockReduction);
  EXPECT_EQ(none.kind, RemovalKind::None);
  EXPECT_NE(none.why.find("spreads all strides"), std::string::npos) << none.why;
  DeviceSpec seven = radeon();
  seven.memoryChannels = 7;
  EXPECT_EQ(removeChannelConflicts(f, apart, seven).kind, RemovalKind::None);
  EXPECT_EQ(removeChannelConflicts(f, 256, radeon()).kind, RemovalKind::None);
}

// Not staged: threads stride through the matrix. Rows that are one channel's piece longer (64
// floats) put neighbouring rows into neighbouring channels; fewer leave two of eight together.
TEST(ShareChannels, StridedAccessesAreForTheOtherBranches) {
  ConflictFacts f;
  f.array = "in";
  f.rank = 2;
  f.stride = f.rowLength = f.width = 4096;
  EXPECT_EQ(removeChannelConflicts(f, 4096 * 4, radeon()).kind, RemovalKind::Transpose);
  f.stride = 1024;
  Removal r = removeChannelConflicts(f, 4096 * 4, radeon());
  EXPECT_EQ(r.kind, RemovalKind::Padding);
  EXPECT_EQ(r.pad, 64);
}

} // namespace nw::testing
