// The parser of share hints.
#include "frontend/openacc/share_hint.h"
#include <cctype>

namespace nw::openacc {

namespace {

class HintParser {
public:
  HintParser(const std::vector<HintToken> &tokens, Location at) : tokens(tokens) { hint.at = at; }

  ShareHint run() {
    expect("(", "'(' after share");
    if (is(")"))
      fail("share names no arrays; expected share(A[TB_Y][*], …)");
    do
      section();
    while (take(","));
    expect(")", "',' or ')' after a section");
    if (next < tokens.size())
      fail("nothing more is expected after share(…)");
    return hint;
  }

private:
  bool is(const char *text) const { return next < tokens.size() && tokens[next].text == text; }
  bool take(const char *text) {
    bool found = is(text);
    next += found;
    return found;
  }
  [[noreturn]] void fail(std::string message) const { throw HintError{next, std::move(message)}; }
  std::string found() const {
    return next < tokens.size() ? "'" + tokens[next].text + "'" : "the end of the line";
  }
  void expect(const char *text, const char *what) {
    if (!take(text))
      fail(std::string("expected ") + what + ", found " + found());
  }
  Location here() const { return next < tokens.size() ? tokens[next].at : hint.at; }

  void section() {
    ShareSection s;
    s.at = here();
    if (next >= tokens.size() || !(std::isalpha(static_cast<unsigned char>(tokens[next].text[0])) ||
                                   tokens[next].text[0] == '_'))
      fail("expected the name of an array, found " + found());
    s.array = tokens[next++].text;
    while (is("[")) {
      next++;
      s.lengthsAt.push_back(here());
      if (is("]"))
        fail("expected a length: a number, TB_X, TB_Y, TB_Z, an expression of them, or *");
      if (is("*")) {
        next++;
        s.lengths.push_back(share::anyLength());
      } else
        s.lengths.push_back(sum());
      expect("]", "']' after a length");
    }
    if (s.lengths.empty())
      fail("expected '[' and a length for each dimension of '" + s.array + "', found " + found());
    if (take(":")) {
      if (!is("coalesce"))
        fail("expected 'coalesce' after ':', found " + found());
      next++;
      s.coalesce = true;
    }
    hint.sections.push_back(s);
  }

  // Parentheses inside each other, no deeper than anybody writes them.
  share::Length sum() {
    share::Length value = product();
    while (is("+") || is("-")) {
      bool adds = tokens[next++].text == "+";
      share::Length right = product();
      value = adds ? value + right : value - right;
    }
    return value;
  }

  share::Length product() {
    share::Length value = factor();
    while (is("*") || is("/")) {
      bool multiplies = tokens[next++].text == "*";
      share::Length right = factor();
      value = multiplies ? value * right : value / right;
    }
    return value;
  }

  share::Length factor() {
    constexpr int kDeepest = 100;
    if (is("(")) {
      if (++depth > kDeepest)
        fail("parentheses are nested too deeply");
      next++;
      share::Length inner = sum();
      expect(")", "')'");
      depth--;
      return inner;
    }
    if (take("TB_X"))
      return share::threadsX();
    if (take("TB_Y"))
      return share::threadsY();
    if (take("TB_Z"))
      return share::threadsZ();
    if (next < tokens.size() && std::isdigit(static_cast<unsigned char>(tokens[next].text[0]))) {
      const std::string &digits = tokens[next].text;
      if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
        fail("a length is a whole number below a thousand million, in decimal digits");
      next++;
      return share::number(std::stol(digits));
    }
    fail(is("*") ? "'*' must stand alone: it means any length and cannot be part of an expression"
                 : "expected a number, TB_X, TB_Y, TB_Z or '(', found " + found());
  }

  const std::vector<HintToken> &tokens;
  ShareHint hint;
  size_t next = 0;
  int depth = 0;
};

} // namespace

ShareHint readShareHint(const std::vector<HintToken> &tokens, Location at) {
  return HintParser(tokens, at).run();
}

} // namespace nw::openacc
