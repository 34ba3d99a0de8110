// Text put around pieces of a source, pieces inside of pieces.
#pragma once
#include <string>
#include <vector>

namespace nw {

// A piece of the source, by offsets.
struct TextSpan {
  unsigned begin = 0, end = 0;
};

// Text around a piece of the source, or in place of it. Pieces are inside each other or apart.
struct TextBracket {
  unsigned begin = 0, end = 0;
  std::string before, after;
  bool replaces = false; // what is inside goes; line breaks stay
  int level = 0;         // of brackets around the same text, the smaller one is outside
};

// The source with all brackets.
std::string withBrackets(const std::string &source, std::vector<TextBracket> brackets);

} // namespace nw
