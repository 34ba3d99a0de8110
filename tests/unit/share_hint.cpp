// The grammar of share hints, and the token that each mistake points at.
#include "frontend/openacc/share_hint.h"
#include <gtest/gtest.h>
#include <sstream>

namespace nw::openacc::testing {

// Words and signs with blanks between them.
static std::vector<HintToken> tokens(const std::string &text) {
  std::istringstream in(text);
  std::vector<HintToken> all;
  for (std::string word; in >> word;)
    all.push_back({word, {1, int(all.size()) + 1}});
  return all;
}

static ShareHint read(const std::string &text) { return readShareHint(tokens(text), {7, 3}); }

TEST(ShareHint, SectionsWithTheirLengths) {
  ShareHint h = read("( A [ TB_Y ] [ * ] : coalesce , B [ 2 * ( TB_X + 1 ) ] )");
  ASSERT_EQ(h.sections.size(), 2u);
  EXPECT_EQ(h.at.line, 7);
  EXPECT_EQ(h.sections[0].array, "A");
  EXPECT_TRUE(h.sections[0].coalesce);
  ASSERT_EQ(h.sections[0].lengths.size(), 2u);
  EXPECT_TRUE(share::isSame(h.sections[0].lengths[0], share::threadsY()));
  EXPECT_TRUE(h.sections[0].lengths[1].isAny());
  EXPECT_EQ(h.sections[0].lengthsAt[1].column, 7);
  EXPECT_EQ(h.sections[1].array, "B");
  EXPECT_FALSE(h.sections[1].coalesce);
  EXPECT_EQ(share::valueAt(h.sections[1].lengths[0], {32, 4, 1}), 66);
}

TEST(ShareHint, PrecedenceIsThatOfC) {
  EXPECT_EQ(share::valueAt(read("( A [ 20 - TB_X / 2 - 1 ] )").sections[0].lengths[0], {8, 1, 1}),
            15);
  EXPECT_EQ(share::valueAt(read("( A [ TB_Z + TB_Y * 3 ] )").sections[0].lengths[0], {1, 2, 5}),
            11);
}

// The number of the token, counted from 0; as many as there are for the end of the line.
TEST(ShareHint, MistakesPointAtTheirToken) {
  struct Case {
    const char *text;
    size_t token;
    const char *message;
  };
  const Case cases[] = {
      {"", 0, "expected '(' after share"},
      {"A [ 1 ]", 0, "expected '(' after share"},
      {"( )", 1, "share names no array"},
      {"( A )", 2, "expected '[' and a length for each dimension of 'A', found ')'"},
      {"( 3 [ 1 ] )", 1, "expected the name of an array, found '3'"},
      {"( A [ ] )", 3, "expected a length"},
      {"( A [ * + 1 ] )", 4, "expected ']' after a length, found '+'"},
      {"( A [ 1 + * ] )", 5, "'*' must stand alone"},
      {"( A [ n ] )", 3, "expected a number, TB_X, TB_Y, TB_Z or '(', found 'n'"},
      {"( A [ 0x10 ] )", 3, "in decimal digits"},
      {"( A [ 1000000000 ] )", 3, "below a thousand million"},
      {"( A [ ( 1 ] )", 5, "expected ')', found ']'"},
      {"( A [ 1 ] : fast )", 6, "expected 'coalesce' after ':', found 'fast'"},
      {"( A [ 1 ] B", 5, "expected ',' or ')' after a section, found 'B'"},
      {"( A [ 1 ] ,", 6, "expected the name of an array, found the end of the line"},
      {"( A [ 1 ] ) )", 6, "nothing more is expected"},
  };
  for (const Case &c : cases) {
    try {
      read(c.text);
      ADD_FAILURE() << "no mistake in " << c.text;
    } catch (const HintError &e) {
      EXPECT_EQ(e.token, c.token) << c.text;
      EXPECT_NE(e.message.find(c.message), std::string::npos) << c.text << ": " << e.message;
    }
  }
}

TEST(ShareHint, ParenthesesAreNotEndless) {
  std::string deep = "( A [ ";
  for (int k = 0; k < 200; k++)
    deep += "( ";
  EXPECT_THROW(read(deep + "1"), HintError);
}

} // namespace nw::openacc::testing
