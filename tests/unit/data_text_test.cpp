// Data directives as text: brackets, sections and what belongs to regions.
#include "frontend/openacc/data_mistakes.h"
#include "frontend/openacc/data_text.h"
#include <gtest/gtest.h>

using namespace nw;
using namespace nw::openacc;

TEST(TextBrackets, OneInsideTheOther) {
  EXPECT_EQ(withBrackets("abcdef", {{1, 5, "<", ">", false, 1},
                                    {1, 5, "{", "}", false, 0},
                                    {2, 3, "[", "]"},
                                    {5, 6, "(", ")"}}),
            "a{<b[c]de>}(f)");
}

TEST(TextBrackets, ReplacedTextKeepsItsLines) {
  EXPECT_EQ(withBrackets("x\n#a \\\n b\ny", {{2, 9, "f();", "", true}}), "x\nf();\n\ny");
}

TEST(TextBrackets, NothingChangesWithoutBrackets) { EXPECT_EQ(withBrackets("x\n", {}), "x\n"); }

TEST(DataText, WhatIsCovered) {
  std::string source = "{ /* a */ FOR; // b\n#pragma acc loop \\\n independent\nFOR; }";
  unsigned first = unsigned(source.find("FOR")), second = unsigned(source.rfind("FOR")),
           end = unsigned(source.size());
  EXPECT_TRUE(isCovered(source, 0, end, {{first, first + 4}, {second, second + 4}}));
  EXPECT_FALSE(isCovered(source, 0, end, {{first, first + 4}}));
  EXPECT_FALSE(isCovered(source, 0, end, {}));
}

static Directive update(DataClause c) {
  Directive d;
  d.kind = DirectiveKind::Update;
  d.inMainFile = true;
  d.at = {3, 1};
  d.beginOffset = 0;
  d.endOffset = 6;
  d.data = {c};
  return d;
}

static std::string textOf(const Directive &d) {
  return withBrackets("#......", dataBrackets({d}, {}, "#......", "a/f.c"));
}

static DataClause rows() {
  DataClause c;
  c.kind = DataKind::Host;
  c.variable = "p->a";
  c.text = "p->a[i:2][3:]";
  c.isPointer = true;
  c.dimensions = 2;
  c.extents = {"", "m"};
  c.sections = {{"i", "2"}, {"3", ""}};
  return c;
}

TEST(DataText, SectionOfAPointer) {
  EXPECT_EQ(textOf(update(rows())),
            "{ void *nw_data_0 = nw_data_begin(\"f.c:3\", 3, !!(1)); if (nw_data_0) { "
            "nw_data_item(nw_data_0, 8 /* host */, \"p->a[i:2][3:]\", (const void *)(p->a), (long "
            "long)sizeof((p->a)[0][0]), 2, "
            "(long long)(i), (long long)(2), -1ll, (long long)(3), -1ll, (long "
            "long)(sizeof((p->a)[0]) / sizeof((p->a)[0][0]))); } nw_data_end(nw_data_0); }.");
}

TEST(DataText, WholeArrayAndCondition) {
  DataClause c;
  c.kind = DataKind::Device;
  c.variable = c.text = "a";
  c.dimensions = 1;
  c.extents = {"8"};
  Directive d = update(c);
  d.condition = "n > 3";
  d.ifPresent = true;
  EXPECT_EQ(
      textOf(d),
      "{ void *nw_data_0 = nw_data_begin(\"f.c:3\", 3, !!(n > 3)); if (nw_data_0) { "
      "nw_data_item(nw_data_0, 9 /* device */ | 128 /* if_present */, \"a\", (const void *)(a), "
      "(long long)sizeof(a), 0); } nw_data_end(nw_data_0); }.");
}

TEST(DataText, NumbersStayOnTheHost) {
  DataClause c;
  c.kind = DataKind::Device;
  c.variable = c.text = "x";
  EXPECT_EQ(textOf(update(c)).find("nw_data_item"), std::string::npos);
}

TEST(DataText, WaitIsAStatement) {
  Directive d = update(rows());
  d.kind = DirectiveKind::Wait;
  d.data.clear();
  EXPECT_EQ(textOf(d), "{ }.");
}

TEST(DataText, AConstructThatIsNoRegionWorksOnTheDevicesValues) {
  Directive d;
  d.kind = DirectiveKind::ParallelLoop;
  d.inMainFile = true;
  d.at = {1, 1};
  d.endOffset = 2;
  d.blockBegin = 3;
  d.blockEnd = 7;
  d.condition = "big";
  std::string source = "#p\nFOR;\n";
  EXPECT_EQ(
      withBrackets(source, dataBrackets({d}, {}, source, "f.c")),
      "{ int nw_if_0 = !!((big)); void *nw_data_0 = nw_data_begin(\"f.c:1\", 0, !!(nw_if_0)); "
      "nw_host_begin(\"f.c:1\", nw_if_0); \n#line 1 \"f.c\"\n#p\nFOR; nw_host_end(nw_if_0); "
      "nw_data_end(nw_data_0); }\n");
  EXPECT_TRUE(dataBrackets({d}, {{0, 7}}, source, "f.c").empty()); // a region says it all
}

TEST(DataText, DevicePointersOfWhatIsAround) {
  DataClause c;
  c.kind = DataKind::DevicePtr;
  c.variable = "p";
  Directive d;
  d.kind = DirectiveKind::Data;
  d.blockBegin = 10;
  d.blockEnd = 50;
  d.data = {c};
  EXPECT_TRUE(isDevicePointer("p", 20, 30, {d}));
  EXPECT_FALSE(isDevicePointer("q", 20, 30, {d}));
  EXPECT_FALSE(isDevicePointer("p", 50, 60, {d}));
}

TEST(DataMistakes, PointersNeedALength) {
  DataClause c = rows();
  c.sections.clear();
  std::vector<Diagnostic> said = dataMistakes({update(c)});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].code, "NW0320");
  EXPECT_TRUE(dataMistakes({update(rows())}).empty());
}
