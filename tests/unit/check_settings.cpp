// Sizes of nestwarp check: one translation, several runs.
#include "check/check_settings.h"
#include "build.h"
#include "support/diagnostics.h"

namespace nw::testing {

namespace {

// The settings of each run, as the command makes them.
std::vector<CheckSettings> runsFor(const std::vector<std::string> &words) {
  std::vector<CheckSettings> runs;
  for (const auto &numbers : numbersByRun(words))
    runs.push_back({FloatingPoint::Reduce, numbers, {}, ""});
  return runs;
}

std::string refusalOf(const std::vector<std::string> &words) {
  try {
    numbersByRun(words);
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

} // namespace

TEST(CheckSizes, OneNumberIsOneRunWithoutWords) {
  std::vector<CheckSettings> runs = runsFor({"n=129"});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(sizesOfRuns(runs).at("n"), "129");
  EXPECT_EQ(runInWords(runs, 0), "");
  EXPECT_EQ(runsFor({}).size(), 1u);
}

TEST(CheckSizes, ListsGoSideBySide) {
  std::vector<CheckSettings> runs = runsFor({"n=1,33,200", "m=2,17,2", "steps=5"});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].sizes.at("n"), "33");
  EXPECT_EQ(runs[1].sizes.at("m"), "17");
  EXPECT_EQ(runs[1].sizes.at("steps"), "5");
  EXPECT_EQ(runInWords(runs, 2), " (m=2 n=200)"); // steps is the same in all runs
}

TEST(CheckSizes, OneDriverHoldsTheSizesOfAllRuns) {
  std::map<std::string, std::string> texts = sizesOfRuns(runsFor({"n=1,33,200", "m=2,17,2"}));
  EXPECT_EQ(texts.at("n"), "(nw_run == 0 ? 1 : (nw_run == 1 ? 33 : 200))");
  EXPECT_EQ(texts.at("m"), "(nw_run == 0 ? 2 : (nw_run == 1 ? 17 : 2))");
}

TEST(CheckSizes, ListsOfOtherLengthsAndOtherWordsAreRefused) {
  EXPECT_EQ(refusalOf({"m=1,2", "n=1,2,3"}),
            "--size: m has 2 values and n has 3; lists go side by side, so they are equally long");
  EXPECT_EQ(refusalOf({"n=1,,3"}), "--size n=: expected a number, as in n=129");
  EXPECT_EQ(refusalOf({"n=1,x"}), "--size n=x: expected a number, as in n=129");
}

} // namespace nw::testing
