// Annotations, word by word.
#include "frontend/cuda/annotations.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

bool isWordLetter(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

struct Word {
  std::string text;
  unsigned offset = 0;
};

struct Wrong {
  unsigned offset;
  std::string message;
};

class Scan {
public:
  explicit Scan(const std::string &source) : source(source) { out.text = source; }

  Annotations run() {
    bool isLineStart = true;
    for (at = 0; at < source.size();) {
      if (source.compare(at, 2, "//") == 0) {
        at = lineEnd(at);
      } else if (source.compare(at, 2, "/*") == 0) {
        size_t end = source.find("*/", at + 2);
        at = end == std::string::npos ? source.size() : end + 2;
        continue; // a directive may follow
      } else if (source.compare(at, 2, "R\"") == 0 && (at == 0 || !isWordLetter(source[at - 1]))) {
        rawString();
      } else if (source[at] == '"' || source[at] == '\'') {
        literal();
      } else if (source[at] == '#' && isLineStart) {
        directive();
      } else if (isWordLetter(source[at])) {
        word();
      } else {
        isLineStart =
            source[at] == '\n' || (isLineStart && isspace(static_cast<unsigned char>(source[at])));
        at++;
        continue;
      }
      isLineStart = false;
    }
    return std::move(out);
  }

private:
  Location locate(unsigned offset) const {
    size_t line = offset ? source.rfind('\n', offset - 1) : std::string::npos;
    return {1 + int(std::count(source.begin(), source.begin() + offset, '\n')),
            int(offset - (line == std::string::npos ? 0 : line + 1)) + 1};
  }

  // The end of a line, over lines that go on.
  size_t lineEnd(size_t from) const {
    for (size_t end = source.find('\n', from);; end = source.find('\n', end + 1))
      if (end == std::string::npos)
        return source.size();
      else if (end == 0 || source[end - 1] != '\\')
        return end;
  }

  void literal() {
    char quote = source[at++];
    while (at < source.size() && source[at] != quote && source[at] != '\n')
      at += source[at] == '\\' ? 2 : 1;
    at = std::min(at + 1, source.size());
  }

  void rawString() {
    size_t open = source.find('(', at);
    if (open == std::string::npos) {
      at += 2;
      return;
    }
    std::string close = ")" + source.substr(at + 2, open - at - 2) + "\"";
    size_t end = source.find(close, open);
    at = end == std::string::npos ? source.size() : end + close.size();
  }

  void word() {
    size_t begin = at;
    while (at < source.size() && isWordLetter(source[at]))
      at++;
    if (source.compare(begin, at - begin, "__annotation") == 0)
      call(begin);
  }

  void skipBlanks(size_t &p) const {
    while (p < source.size() && isspace(static_cast<unsigned char>(source[p])))
      p++;
  }

  // __annotation ( L"words" ) ;
  void call(size_t begin) {
    size_t p = at;
    skipBlanks(p);
    bool isWhole = p < source.size() && source[p++] == '(';
    skipBlanks(p);
    isWhole = isWhole && source.compare(p, 2, "L\"") == 0;
    size_t open = p + 2, close = isWhole ? source.find('"', open) : std::string::npos;
    if (close != std::string::npos) {
      p = close + 1;
      skipBlanks(p);
      isWhole = p < source.size() && source[p++] == ')';
      skipBlanks(p);
      isWhole = isWhole && p < source.size() && source[p++] == ';';
    }
    if (!isWhole || close == std::string::npos) {
      wrong({unsigned(begin), "expected __annotation(L\"…\");"});
      return;
    }
    at = p;
    strip(begin, p);
    for (size_t k = begin; k < p; k++)
      if (out.text[k] != '\n')
        out.text[k] = ' ';
    try {
      paperForm(words(open, close));
    } catch (const Wrong &w) {
      wrong(w);
    }
  }

  // Leaves out the text, with its line where nothing else is on it.
  void strip(size_t begin, size_t end) {
    size_t first = begin, last = end;
    while (first > 0 && (source[first - 1] == ' ' || source[first - 1] == '\t'))
      first--;
    while (last < source.size() &&
           (source[last] == ' ' || source[last] == '\t' || source[last] == '\r'))
      last++;
    bool isAlone = (first == 0 || source[first - 1] == '\n') &&
                   (last >= source.size() || source[last] == '\n');
    if (isAlone)
      out.ranges.push_back({unsigned(first), unsigned(std::min(last + 1, source.size()))});
    else
      out.ranges.push_back({unsigned(begin), unsigned(end)});
  }

  std::vector<Word> words(size_t begin, size_t end) const {
    std::vector<Word> all;
    for (size_t p = begin; p < end;) {
      if (isspace(static_cast<unsigned char>(source[p])) || source[p] == '\\') {
        p++;
        continue;
      }
      size_t first = p;
      if (isWordLetter(source[p]))
        while (p < end && isWordLetter(source[p]))
          p++;
      else
        p++;
      all.push_back({source.substr(first, p - first), unsigned(first)});
    }
    return all;
  }

  // A number, or a name that the file defines as one.
  int64_t number(const Word &w, int depth = 0) const {
    if (!w.text.empty() && w.text.size() < 18 &&
        std::all_of(w.text.begin(), w.text.end(), [](unsigned char c) { return isdigit(c); }))
      return std::stoll(w.text);
    std::string define = "#define " + w.text + " ";
    if (size_t p = depth < 8 ? source.find(define) : std::string::npos; p != std::string::npos)
      if (std::vector<Word> value = words(p + define.size(), lineEnd(p)); value.size() == 1)
        return number({value[0].text, w.offset}, depth + 1);
    throw Wrong{w.offset, fmt::format("'{}' is not a number", w.text)};
  }

  void add(Annotation a) {
    a.at = locate(a.offset);
    out.all.push_back(std::move(a));
  }

  void paperForm(const std::vector<Word> &w) {
    if (w.empty())
      throw Wrong{unsigned(at) - 1, "the annotation is empty"};
    auto need = [&](size_t least, const char *form) {
      if (w.size() < least)
        throw Wrong{w.back().offset, fmt::format("expected \"{}\"", form)};
    };
    const std::string &kind = w[0].text;
    if (kind == "BoundChk") {
      if (w.size() > 1)
        throw Wrong{w[1].offset, "BoundChk takes no arguments"};
      add({AnnotationKind::Check, "", {}, 0, w[0].offset, {}});
    } else if (kind == "__global__") {
      need(3, "__global__ <threads per block> <blocks per SM>");
      if (w.size() > 3)
        throw Wrong{w[3].offset, "__global__ takes two numbers"};
      add({AnnotationKind::Kernel, "", {positive(w[1]), positive(w[2])}, 0, w[0].offset, {}});
    } else if (kind == "garray") {
      need(5, "garray <name> <rank> <element size> <rank sizes>");
      Annotation a{AnnotationKind::Array, w[1].text, {}, positive(w[3]), w[1].offset, {}};
      if (int64_t rank = positive(w[2]); rank != int64_t(w.size()) - 4)
        throw Wrong{w[2].offset,
                    fmt::format("the rank is {}, but {} sizes follow", rank, w.size() - 4)};
      for (size_t k = 4; k < w.size(); k++)
        a.numbers.push_back(positive(w[k]));
      add(a);
    } else if (kind == "loop") {
      need(5, "loop <iterator> <start> <end> <increment>");
      add({AnnotationKind::Loop, w[1].text, {}, 0, w[1].offset, {}});
    } else {
      throw Wrong{
          w[0].offset,
          fmt::format("'{}' is not an annotation; expected __global__, garray, BoundChk or loop",
                      kind)};
    }
  }

  int64_t positive(const Word &w) const {
    int64_t n = number(w);
    if (n < 1)
      throw Wrong{w.offset, "expected a number above 0"};
    return n;
  }

  // A number, or else the name of an argument.
  void size(const Word &w, Annotation &a) const {
    bool isName = isWordLetter(w.text[0]) && !isdigit(static_cast<unsigned char>(w.text[0])) &&
                  source.find("#define " + w.text + " ") == std::string::npos;
    a.numbers.push_back(isName ? 0 : positive(w));
    a.names.push_back(isName ? w.text : "");
  }

  void directive() {
    size_t begin = at, end = lineEnd(at);
    at = end;
    std::vector<Word> w = words(begin + 1, end);
    if (w.size() < 2 || w[0].text != "pragma" || w[1].text != "nestwarp")
      return;
    strip(begin, end);
    try {
      if (w.size() == 2)
        throw Wrong{w[1].offset, "expected kernel(…), array(…) or loop(…)"};
      for (size_t k = 2; k < w.size();)
        clause(w, k);
    } catch (const Wrong &x) {
      wrong(x);
    }
  }

  // One clause from word k on; k is moved behind it.
  void clause(const std::vector<Word> &w, size_t &k) {
    Word name = w[k++];
    auto take = [&](const char *text) {
      if (k >= w.size() || w[k].text != text)
        throw Wrong{k < w.size() ? w[k].offset : unsigned(w.back().offset + w.back().text.size()),
                    fmt::format("expected '{}'", text)};
      k++;
    };
    auto next = [&]() -> const Word & {
      if (k >= w.size())
        throw Wrong{unsigned(w.back().offset + w.back().text.size()), "the clause has no end"};
      return w[k++];
    };
    auto is = [&](const char *text) { return k < w.size() && w[k].text == text; };
    if (name.text == "kernel") {
      Annotation a{AnnotationKind::Kernel, "", {0, 0}, 0, name.offset, {}};
      take("(");
      do {
        const Word &what = next();
        if (what.text != "threads" && what.text != "blocks_per_sm")
          throw Wrong{
              what.offset,
              fmt::format("kernel(…) has no '{}'; expected threads or blocks_per_sm", what.text)};
        int64_t &value = a.numbers[what.text == "threads" ? 0 : 1];
        if (value)
          throw Wrong{what.offset, fmt::format("'{}' is given twice", what.text)};
        take("=");
        value = positive(next());
      } while (is(",") && ++k);
      take(")");
      add(a);
    } else if (name.text == "array") {
      take("(");
      do {
        const Word &array = next();
        Annotation a{AnnotationKind::Array, array.text, {}, 0, array.offset, {}};
        do {
          take("[");
          size(next(), a);
          take("]");
        } while (is("["));
        add(a);
      } while (is(",") && ++k);
      take(")");
    } else if (name.text == "loop") {
      take("(");
      const Word &counter = next();
      for (int n = 0; n < 3; n++) {
        take(",");
        next();
      }
      take(")");
      add({AnnotationKind::Loop, counter.text, {}, 0, counter.offset, {}});
    } else {
      throw Wrong{name.offset,
                  fmt::format("'{}' is not a clause; expected kernel, array or loop", name.text)};
    }
  }

  void wrong(const Wrong &w) {
    out.errors.push_back({"NW0130", Severity::Error, locate(w.offset), w.message, ""});
  }

  const std::string &source;
  size_t at = 0;
  Annotations out;
};

} // namespace

Annotations readAnnotations(const std::string &source) { return Scan(source).run(); }

} // namespace nw
