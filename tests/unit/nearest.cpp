// Mistyped words.
#include "support/nearest.h"
#include <gtest/gtest.h>

using namespace nw;

TEST(Nearest, CountsLettersThatDiffer) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("size", "size"), 0u);
  EXPECT_EQ(editDistance("size", "sise"), 1u);
  EXPECT_EQ(editDistance("size", "sizes"), 1u);
  EXPECT_EQ(editDistance("size", "siz"), 1u);
  EXPECT_EQ(editDistance("size", "szie"), 1u); // neighbours swapped
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsWhatWasMeant) {
  std::vector<std::string> commands = {"cc", "c++", "compile", "check", "explain", "devices"};
  EXPECT_EQ(nearestTo("complie", commands), "compile");
  EXPECT_EQ(nearestTo("chekc", commands), "check");
  EXPECT_EQ(nearestTo("device", commands), "devices");
  EXPECT_EQ(nearestTo("cc", commands), "cc");
}

TEST(Nearest, NamesNothingThatIsFar) {
  std::vector<std::string> commands = {"compile", "check"};
  EXPECT_EQ(nearestTo("frobnicate", commands), "");
  EXPECT_EQ(nearestTo("x", commands), "");
  EXPECT_EQ(nearestTo("check", {}), "");
}
