// One rule says when resident kernels are worthwhile. The runtime, the model and the stand-alone
// files each have a copy of its numbers.
#include "../../runtime/resident_rule.h"
#include "emit/cuda_in_place.h"
#include "emit/preludes.h"
#include "estimate/resident_rule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace nw::testing {

TEST(ResidentRule, TheModelHasTheRuntimesNumbers) {
  EXPECT_EQ(kSmallBlock, NW_SMALL_BLOCK);
  EXPECT_EQ(kRoundsInASmallBlock, NW_ROUNDS_IN_A_SMALL_BLOCK);
  EXPECT_EQ(kRoundsInABlock, NW_ROUNDS_IN_A_BLOCK);
  EXPECT_EQ(kRoundsInAGrid, NW_ROUNDS_IN_A_GRID);
  EXPECT_EQ(roundsInABlock(kSmallBlock - 1), kRoundsInASmallBlock);
  EXPECT_EQ(roundsInABlock(kSmallBlock), kRoundsInABlock);
}

TEST(ResidentRule, StandAloneFilesHaveThem) {
  auto has = [](const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  };
  std::string cuda = cudaHostPrelude(), inPlace = cudaInPlacePrelude(),
              opencl = openclHostPrelude();
  EXPECT_TRUE(has(inPlace, fmt::format("nw_wanted <= (nw_in_block < {} ? {} : {}) * nw_in_block",
                                       kSmallBlock, kRoundsInASmallBlock, kRoundsInABlock)));
  EXPECT_TRUE(has(inPlace, fmt::format("nw_wanted > {} * nw_resident", kRoundsInAGrid)));
  EXPECT_TRUE(has(cuda, fmt::format("wanted <= (inBlock < {} ? {} : {}) * inBlock", kSmallBlock,
                                    kRoundsInASmallBlock, kRoundsInABlock)));
  EXPECT_TRUE(has(cuda, fmt::format("wanted > {} * resident * inBlock", kRoundsInAGrid)));
  EXPECT_TRUE(has(opencl, fmt::format("(block[0] * block[1] < {} ? {}LL : {}LL) * block[0]",
                                      kSmallBlock, kRoundsInASmallBlock, kRoundsInABlock)));
}

} // namespace nw::testing
