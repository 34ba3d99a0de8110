// Charts: the SVG is well-formed, and points stand where they belong.
#include "report/chart.h"
#include "report/svg.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <regex>

namespace nw::testing {

// Whether every element that is opened is closed, in order, and no stray < or & is left.
static bool isWellFormed(const std::string &xml) {
  std::vector<std::string> open;
  std::regex tag(
      R"(<(/?)([a-z]+)((?:\s+[A-Za-z0-9:-]+="[^"<]*")*)\s*(/?)>|&(?:amp|lt|gt|quot);|[^<&]+|[<&])");
  for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it) {
    std::string whole = it->str();
    if (whole == "<" || whole == "&")
      return false;
    if (whole[0] != '<' || (*it)[4] == "/")
      continue;
    if ((*it)[1] != "/")
      open.push_back((*it)[2]);
    else if (open.empty() || open.back() != (*it)[2])
      return false;
    else
      open.pop_back();
  }
  return open.empty();
}

// The centers of the circles.
static std::vector<std::pair<double, double>> circles(const std::string &svg) {
  std::vector<std::pair<double, double>> all;
  std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), circle), end; it != end; ++it)
    all.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  return all;
}

TEST(Charts, TheCheckItselfSeesMistakes) {
  EXPECT_TRUE(isWellFormed("<a><b x=\"1\"/>t &amp; u</a>"));
  for (const char *bad : {"<a>", "<a></b>", "</a>", "<a>1 < 2</a>", "<a>&</a>", "<a x=\"<\"/>"})
    EXPECT_FALSE(isWellFormed(bad)) << bad;
}

TEST(Charts, LinesAreWellFormedWhateverTheTexts) {
  LineChart chart{"a < b & \"c\" \x01 \xff",
                  {"x (elements)", Scale::Doublings},
                  {"GB/s", Scale::Decades},
                  {{"one & two", {{1, 100}, {2, 50}, {64, 3}}}, {"<empty>", {}}}};
  std::string svg = drawn(chart);
  EXPECT_TRUE(isWellFormed(svg));
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot; ? ?"), std::string::npos);
  EXPECT_NE(svg.find("x (elements)"), std::string::npos);
  EXPECT_NE(svg.find("GB/s"), std::string::npos);
}

TEST(Charts, EqualFactorsAreEqualDistancesOnALogarithmicAxis) {
  std::vector<std::pair<double, double>> c = circles(drawn(LineChart{
      "", {"", Scale::Doublings}, {"", Scale::Decades}, {{"", {{1, 1}, {8, 10}, {64, 100}}}}}));
  ASSERT_EQ(c.size(), 3u);
  EXPECT_NEAR(c[1].first - c[0].first, c[2].first - c[1].first, 0.2);
  EXPECT_NEAR(c[1].second - c[0].second, c[2].second - c[1].second, 0.2);
  EXPECT_LT(c[2].second, c[0].second); // larger is higher
  c = circles(drawn(LineChart{
      "", {"", Scale::Linear}, {"", Scale::Linear}, {{"", {{1, 1}, {8, 10}, {64, 100}}}}}));
  EXPECT_GT(c[2].first - c[1].first, 5 * (c[1].first - c[0].first));
}

TEST(Charts, WhatCannotBeShownIsLeftOut) {
  double infinite = std::numeric_limits<double>::infinity();
  std::string svg =
      drawn(LineChart{"",
                      {"", Scale::Doublings},
                      {"", Scale::Decades},
                      {{"", {{0, 1}, {1, -1}, {2, infinite}, {4, std::nan("")}, {4, 4}}}}});
  EXPECT_EQ(circles(svg).size(), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  for (Scale scale : {Scale::Linear, Scale::Decades, Scale::Doublings}) {
    std::string empty = drawn(LineChart{"", {"", scale}, {"", scale}, {}});
    EXPECT_TRUE(isWellFormed(empty));
    EXPECT_EQ(empty.find("nan"), std::string::npos);
  }
}

TEST(Charts, Bars) {
  std::string svg = drawn(BarChart{"times",
                                   {"ms", Scale::Linear},
                                   {"gemm", "lu"},
                                   {{"ours", {1, 4}}, {"theirs", {2, std::nan("")}}}});
  EXPECT_TRUE(isWellFormed(svg));
  std::regex bar("<rect [^>]*fill=\"#0072b2\"");
  EXPECT_EQ(
      std::distance(std::sregex_iterator(svg.begin(), svg.end(), bar), std::sregex_iterator()),
      3); // two bars and the legend
}

TEST(Charts, Ticks) {
  EXPECT_EQ(ticks(0, 10, Scale::Linear), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(1, 100, Scale::Decades), (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(ticks(1, 8, Scale::Doublings), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_LE(ticks(1, 1e12, Scale::Doublings).size(), 13u);
  EXPECT_EQ(tickLabel(65536, Scale::Doublings), "64Ki");
  EXPECT_EQ(tickLabel(2500000, Scale::Linear), "2.5M");
  EXPECT_EQ(tickLabel(0.001, Scale::Decades), "0.001");
}

} // namespace nw::testing
