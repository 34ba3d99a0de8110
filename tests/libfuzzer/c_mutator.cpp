// The changes.
#include "c_mutator.h"
#include <algorithm>
#include <random>
#include <vector>

namespace {

using Tokens = std::vector<std::string>;

bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isNumber(const std::string &t) { return isdigit(static_cast<unsigned char>(t[0])); }
bool isName(const std::string &t) { return isWord(t[0]) && !isNumber(t); }
bool isBlank(const std::string &t) { return t[0] == ' ' || t[0] == '\n'; }

// Words, numbers, strings, operators, and blanks; directives of the preprocessor are one token.
Tokens tokensOf(const std::string &text) {
  static const char *const longOperators[] = {"<<=", ">>=", "...", "++", "--", "+=", "-=", "*=",
                                              "/=",  "%=",  "&=",  "|=", "^=", "->", "<<", ">>",
                                              "<=",  ">=",  "==",  "!=", "&&", "||"};
  Tokens out;
  for (size_t k = 0; k < text.size();) {
    size_t end = k + 1;
    char c = text[k];
    if (c == '#') {
      end = std::min(text.find('\n', k), text.size());
    } else if (text.compare(k, 2, "//") == 0) { // comments are of no interest
      k = std::min(text.find('\n', k), text.size());
      continue;
    } else if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (isWord(c)) {
      while (end < text.size() &&
             (isWord(text[end]) || (isdigit(static_cast<unsigned char>(c)) && text[end] == '.')))
        end++;
    } else if (isspace(static_cast<unsigned char>(c))) {
      bool line = false;
      for (end = k; end < text.size() && isspace(static_cast<unsigned char>(text[end])); end++)
        line |= text[end] == '\n';
      out.push_back(line ? "\n" : " ");
      k = end;
      continue;
    } else {
      for (const char *op : longOperators)
        if (text.compare(k, std::string(op).size(), op) == 0) {
          end = k + std::string(op).size();
          break;
        }
    }
    out.push_back(text.substr(k, end - k));
    k = end;
  }
  return out;
}

class Mutator {
public:
  Mutator(const std::string &text, const std::string &other, unsigned seed)
      : random(seed), tokens(tokensOf(text)), donor(tokensOf(other)) {}

  std::string run() {
    for (size_t k = pick(4) + 1; k > 0; k--)
      change();
    std::string out;
    for (const std::string &t : tokens)
      out += t;
    return out;
  }

private:
  size_t pick(size_t count) { return random() % count; }
  const std::string &among(const Tokens &list) { return list[pick(list.size())]; }

  // A token that `wanted` likes, near a place chosen by chance; the size when there is none.
  template <class Wanted> size_t find(const Tokens &list, Wanted wanted) {
    if (list.empty())
      return 0;
    size_t first = pick(list.size());
    for (size_t k = 0; k < list.size(); k++)
      if (size_t at = (first + k) % list.size(); wanted(list[at]))
        return at;
    return list.size();
  }

  // From an opening bracket to after the closing one; a statement from a `for` or `if` to its end.
  size_t endOf(const Tokens &list, size_t begin) {
    int depth = 0;
    for (size_t k = begin; k < list.size() && k < begin + 400; k++) {
      const std::string &t = list[k];
      depth += t == "(" || t == "{" || t == "[";
      depth -= t == ")" || t == "}" || t == "]";
      if (depth < 0)
        return k;
      if (depth == 0 && (t == "}" || t == ";" ||
                         ((t == ")" || t == "]") && list[begin] == (t == ")" ? "(" : "["))))
        return k + 1;
    }
    return begin + 1;
  }

  Tokens piece(const Tokens &list) {
    size_t begin = find(list, [&](const std::string &t) {
      return t == "for" || t == "if" || t == "{" || t == "(" || t == "[" || t == "while" ||
             isName(t);
    });
    if (begin >= list.size())
      return {};
    return Tokens(list.begin() + begin, list.begin() + std::min(endOf(list, begin), list.size()));
  }

  void insert(size_t at, const Tokens &what) {
    if (tokens.size() + what.size() < 6000)
      tokens.insert(tokens.begin() + at, what.begin(), what.end());
  }

  void replaceOneOf(const std::vector<Tokens> &kinds) {
    const Tokens &kind = kinds[pick(kinds.size())];
    size_t at = find(
        tokens, [&](const std::string &t) { return std::count(kind.begin(), kind.end(), t) > 0; });
    if (at < tokens.size())
      tokens[at] = among(kind);
  }

  void change() {
    if (tokens.empty())
      tokens = tokensOf("void f(int n, float a[n]) { for (int i = 0; i < n; i++) a[i] = i; }");
    static const Tokens numbers = {"0",
                                   "1",
                                   "-1",
                                   "2",
                                   "3",
                                   "7",
                                   "31",
                                   "32",
                                   "63",
                                   "64",
                                   "127",
                                   "-128",
                                   "255",
                                   "4096",
                                   "65535",
                                   "65536",
                                   "2147483647",
                                   "(-2147483647-1)",
                                   "4294967295u",
                                   "2147483648",
                                   "4611686018427387904",
                                   "9223372036854775807",
                                   "(-9223372036854775807-1)",
                                   "18446744073709551615u",
                                   "1e30f",
                                   "0.5",
                                   "0x7fffffff",
                                   "1000000007"};
    static const std::vector<Tokens> kinds = {
        {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "<", "<=", ">",
         ">=", "==", "!=", ","},
        {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="},
        {"++", "--"},
        {"int", "long", "unsigned", "float", "double", "char", "short", "size_t", "_Bool",
         "unsigned long", "signed char", "unsigned short", "long long", "int *", "volatile int",
         "long double"},
        {"if", "while", "for", "return", "do", "else", "switch"},
        {"break", "continue", "return", "goto x"},
        {"const", "static", "volatile", "restrict", "register", "inline", ""},
        {"i", "j", "k", "n", "m", "x", "t", "a", "b"},
    };
    static const std::vector<std::string> snippets = {"for (int q = 0; q < 10; q++) ",
                                                      "for (long q = n; q > 0; q -= 3) ",
                                                      "for (unsigned q = 0; q < n; q += 2) ",
                                                      "if (i % 2) ",
                                                      "if (i == j) ",
                                                      "while (x < 3) ",
                                                      " + i * n",
                                                      " + 2147483647",
                                                      " * 2147483647L",
                                                      "int y = i; ",
                                                      "int t[4] = {1, 2}; ",
                                                      "(i < 5 ? i : n)",
                                                      "-",
                                                      "!",
                                                      "~",
                                                      "(unsigned char)",
                                                      "(long)",
                                                      "(float)",
                                                      "\n#pragma scop\n",
                                                      "\n#pragma endscop\n",
                                                      "[i]",
                                                      "[i + 1]",
                                                      "[2 * i]",
                                                      "[n - i]",
                                                      "[j][i]",
                                                      "[i / 3]",
                                                      "[i % 4]",
                                                      "[i * j]",
                                                      "[a[i]]",
                                                      "a[i] = a[i + 1]; ",
                                                      "s += a[i]; ",
                                                      "else ",
                                                      "{ ",
                                                      "} ",
                                                      "; ",
                                                      "&",
                                                      "*",
                                                      "&a[i]",
                                                      ".x",
                                                      "->x",
                                                      "sizeof(int)",
                                                      "\n#define M i\n"};
    size_t at = pick(tokens.size());
    switch (pick(16)) {
    case 0:
      tokens.erase(tokens.begin() + at);
      return;
    case 1:
      insert(at, {tokens[pick(tokens.size())]});
      return;
    case 2:
      std::swap(tokens[at], tokens[pick(tokens.size())]);
      return;
    case 3:
    case 4:
    case 5:
      if (size_t number = find(tokens, isNumber); number < tokens.size())
        tokens[number] = pick(3) ? among(numbers) : std::to_string(pick(40));
      return;
    case 6:
    case 7:
      replaceOneOf(kinds);
      return;
    case 8: { // a name becomes another name of the text
      size_t to = find(tokens, isName), from = find(tokens, isName);
      if (to < tokens.size())
        tokens[to] = tokens[from];
      return;
    }
    case 9:
    case 10:
      insert(at, tokensOf(snippets[pick(snippets.size())]));
      return;
    case 11: { // a block or a bracket goes
      size_t begin = find(tokens, [](const std::string &t) {
        return t == "for" || t == "if" || t == "{" || t == "[" || isName(t);
      });
      if (begin < tokens.size())
        tokens.erase(tokens.begin() + begin,
                     tokens.begin() + std::min(endOf(tokens, begin), tokens.size()));
      return;
    }
    case 12:
    case 13:
      insert(at, piece(donor.empty() ? tokens : donor));
      return;
    case 14: { // a piece in place of another
      size_t begin = find(tokens, [](const std::string &t) {
        return t == "for" || t == "(" || t == "[" || t == "{";
      });
      if (begin >= tokens.size())
        return;
      Tokens by = piece(donor.empty() ? tokens : donor);
      tokens.erase(tokens.begin() + begin,
                   tokens.begin() + std::min(endOf(tokens, begin), tokens.size()));
      insert(begin, by);
      return;
    }
    default: { // an expression around itself
      size_t begin = find(tokens, [](const std::string &t) { return isName(t) || isNumber(t); });
      if (begin < tokens.size() && !isBlank(tokens[begin])) {
        std::string inner = tokens[begin];
        static const Tokens around = {"(%+1)", "(%*%)", "-%",      "(%<<3)", "(%/2)",
                                      "(%%4)", "a[%]",  "(%?%:1)", "(int)%", "(%,%)"};
        std::string made;
        for (char c : among(around))
          made += c == '%' ? inner : std::string(1, c);
        tokens[begin] = made;
      }
    }
    }
  }

  std::mt19937 random;
  Tokens tokens, donor;
};

} // namespace

std::string mutatedC(const std::string &text, const std::string &other, unsigned seed) {
  return Mutator(text, other, seed).run();
}
