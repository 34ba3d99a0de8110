// Flags that change what C means: the last one counts, and what kernels cannot follow is told.
#include "driver/compiler_flags.h"
#include "support/diagnostics.h"
#include <gtest/gtest.h>
#include <set>

using namespace nw;

namespace {

TEST(CompilerFlags, EachIsListedOnce) {
  std::set<std::string> seen;
  for (const CompilerFlag &f : compilerFlags()) {
    EXPECT_TRUE(seen.insert(f.spelling).second) << f.spelling;
    EXPECT_EQ(compilerFlag(std::string(f.spelling)), &f) << f.spelling;
    EXPECT_NE(std::string(f.about), "");
  }
  EXPECT_EQ(compilerFlag("-g"), nullptr);
  EXPECT_EQ(compilerFlag("-fwrapvx"), nullptr);
}

TEST(CompilerFlags, TheLastOneCounts) {
  EXPECT_FALSE(meaningOf({}).wraps);
  EXPECT_TRUE(meaningOf({"-fwrapv"}).wraps);
  EXPECT_TRUE(meaningOf({"-fno-wrapv", "-g", "-fno-strict-overflow"}).wraps);
  EXPECT_FALSE(meaningOf({"-fwrapv", "-fno-wrapv"}).wraps);
  EXPECT_FALSE(meaningOf({"-fwrapv", "-fstrict-overflow"}).wraps);
  EXPECT_EQ(meaningOf({"-fsigned-char", "-funsigned-char"}).charFlag, "-funsigned-char");
  EXPECT_EQ(meaningOf({"-ffp-contract=off"}).contract, false);
  EXPECT_EQ(meaningOf({"-ffp-contract=off", "-ffp-contract=fast"}).contract, true);
  EXPECT_EQ(meaningOf({"-O2"}).contract, std::nullopt);
}

TEST(CompilerFlags, WhatKernelsCannotFollow) {
  EXPECT_TRUE(meaningOf({"-O2", "-ffast-math", "-fwrapv"}).host.empty());
  for (const char *flag : {"-ftrapv", "-frounding-math", "-fsanitize=address", "-fopenmp", "-m32"})
    ASSERT_EQ(meaningOf({"-O2", flag}).host.size(), 1u) << flag;
  EXPECT_TRUE(meaningOf({"-ftrapv", "-fno-trapv"}).host.empty());
  EXPECT_TRUE(meaningOf({"-fsanitize=address", "-fno-sanitize=all"}).host.empty());
  EXPECT_TRUE(meaningOf({"-m32", "-m64"}).host.empty());
  EXPECT_EQ(meaningOf({"-ftrapv", "-frounding-math"}).host.size(), 2u);
  EXPECT_TRUE(meaningOf({"-ftrapv", "-frounding-math"}).forClang.empty());
}

TEST(CompilerFlags, StrictMeansOneArithmetic) {
  EXPECT_NO_THROW(refuseMixedArithmetic(meaningOf({"-O3", "-ffp-contract=off", "-fwrapv"})));
  EXPECT_NO_THROW(refuseMixedArithmetic(meaningOf({"-ffast-math", "-fno-fast-math"})));
  EXPECT_NO_THROW(refuseMixedArithmetic(meaningOf({"-Ofast", "-O2"})));
  for (const char *flag : {"-Ofast", "-ffast-math", "-fno-signed-zeros", "-ffp-contract=fast"})
    EXPECT_THROW(refuseMixedArithmetic(meaningOf({flag})), UserError) << flag;
}

} // namespace
