// The command line of nestwarp cc, sorted.
#include "driver/compiler_line.h"
#include "support/diagnostics.h"
#include <gtest/gtest.h>

using namespace nw;
using Words = std::vector<std::string>;

static Words linkWords(const CompilerLine &line) {
  Words words;
  for (const CompilerLine::LinkWord &l : line.link)
    words.push_back(l.isSource ? "<" + l.word + ">" : l.word);
  return words;
}

TEST(CompilerLine, SortsWhatTheCompilerAndTheLinkerGet) {
  CompilerLine line = readCompilerLine(
      {"-O2", "a.c", "-Iinc", "-D", "N=3", "-lfoo", "b.o", "-L", "lib", "b.cpp", "-o", "out"},
      false);
  EXPECT_EQ(line.sources, (Words{"a.c", "b.cpp"}));
  EXPECT_EQ(line.forward, (Words{"-O2", "-Iinc", "-D", "N=3"}));
  EXPECT_EQ(line.forClang, (Words{"-Iinc", "-D", "N=3"}));
  EXPECT_EQ(linkWords(line), (Words{"<a.c>", "-lfoo", "b.o", "-L", "lib", "<b.cpp>"}));
  EXPECT_EQ(line.output, "out");
  EXPECT_FALSE(line.compileOnly || line.passThrough);
}

TEST(CompilerLine, LinksAsCxxWhereASourceIsOrWhereItIsAskedFor) {
  EXPECT_FALSE(readCompilerLine({"a.c", "b.o"}, false).linksAsCxx());
  EXPECT_TRUE(readCompilerLine({"a.c", "b.cc"}, false).linksAsCxx());
  EXPECT_TRUE(readCompilerLine({"b.o"}, true).linksAsCxx());
}

TEST(CompilerLine, TakesEverySourceOfCxxAsCxx) {
  EXPECT_FALSE(readCompilerLine({"a.c"}, false).isCxxSource("a.c"));
  EXPECT_TRUE(readCompilerLine({"a.c"}, true).isCxxSource("a.c"));
  EXPECT_FALSE(readCompilerLine({"a.o"}, true).isCxxSource("a.o"));
}

TEST(CompilerLine, HandsOnWhatIsNoCompilation) {
  for (const char *flag : {"-E", "-S", "-M", "--version", "-x", "-print-search-dirs"})
    EXPECT_TRUE(readCompilerLine({flag, "a.c"}, false).passThrough) << flag;
}

TEST(CompilerLine, RefusesCudaAndMissingValues) {
  EXPECT_THROW(readCompilerLine({"a.cu"}, false), UserError);
  EXPECT_THROW(readCompilerLine({"a.c", "-o"}, false), UserError);
  EXPECT_THROW(readCompilerLine({"a.c", "-MF"}, false), UserError);
}
