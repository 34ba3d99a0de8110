// Text added to the user's file at positions that Clang names: what recording and guarding share.
#pragma once
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include <algorithm>
#include <string>
#include <vector>

namespace nw {

class SourceAdditions {
public:
  explicit SourceAdditions(clang::ASTContext &context)
      : context(context), sources(context.getSourceManager()) {}

  // Whether the range stands in the main file, outside of macros.
  bool isHere(clang::SourceRange r) const {
    return isPlain(r.getBegin()) && isPlain(r.getEnd()) && sources.isInMainFile(r.getBegin()) &&
           sources.isInMainFile(r.getEnd());
  }
  unsigned offsetOf(clang::SourceLocation at) const { return sources.getFileOffset(at); }
  unsigned endOf(clang::SourceLocation at) const {
    return offsetOf(clang::Lexer::getLocForEndOfToken(at, 0, sources, context.getLangOpts()));
  }
  std::string textOf(clang::SourceRange r) const {
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(r), sources,
                                       context.getLangOpts())
        .str();
  }

  // Additions at one position come in the order of their ranks: what ends an inner thing comes
  // first, and so does what begins an outer one.
  void add(unsigned offset, int rank, std::string text) {
    additions.push_back({offset, rank, std::move(text)});
  }

  // The source with all additions.
  std::string applied(std::string source) {
    std::sort(additions.begin(), additions.end(), [](const Addition &a, const Addition &b) {
      return std::make_pair(a.offset, a.rank) < std::make_pair(b.offset, b.rank);
    });
    for (size_t k = additions.size(); k-- > 0;)
      source.insert(additions[k].offset, additions[k].text);
    return source;
  }

private:
  struct Addition {
    unsigned offset;
    int rank;
    std::string text;
  };
  static bool isPlain(clang::SourceLocation at) { return at.isValid() && !at.isMacroID(); }

  clang::ASTContext &context;
  clang::SourceManager &sources;
  std::vector<Addition> additions;
};

} // namespace nw
