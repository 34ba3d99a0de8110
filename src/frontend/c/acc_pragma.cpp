// The handler of acc pragmas.
#include "frontend/c/acc_pragma.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Pragma.h"

using namespace clang;

namespace nw {

void sayError(DiagnosticsEngine &engine, SourceLocation at, const std::string &message,
              const char *code) {
  engine.Report(at, engine.getCustomDiagID(DiagnosticsEngine::Error, "%0 [%1]")) << message << code;
}

namespace {

class AccPragma : public PragmaHandler {
public:
  explicit AccPragma(std::vector<LocatedHint> &hints) : PragmaHandler("acc"), hints(hints) {}

  void HandlePragma(Preprocessor &p, PragmaIntroducer introducer, Token &first) override {
    std::vector<Token> line;
    Token t;
    for (p.Lex(t); t.isNot(tok::eod) && t.isNot(tok::eof); p.Lex(t))
      line.push_back(t);
    if (!line.empty() && line[0].is(tok::identifier) && line[0].getIdentifierInfo()->isStr("share"))
      share(p, line, t.getLocation());
    else
      handBack(p, introducer, first, line, t.getLocation());
  }

private:
  void share(Preprocessor &p, const std::vector<Token> &line, SourceLocation end) {
    SourceManager &m = p.getSourceManager();
    auto locate = [&](SourceLocation at) {
      PresumedLoc where = m.getPresumedLoc(m.getExpansionLoc(at), false);
      return where.isValid() ? Location{int(where.getLine()), int(where.getColumn())} : Location{};
    };
    std::vector<openacc::HintToken> words;
    for (size_t k = 1; k < line.size(); k++)
      words.push_back({p.getSpelling(line[k]), locate(line[k].getLocation())});
    try {
      LocatedHint made{openacc::readShareHint(words, locate(line[0].getLocation())), 0,
                       line[0].getLocation()};
      if (!m.isInMainFile(made.at) || made.at.isMacroID())
        sayError(p.getDiagnostics(), made.at,
                 "share appears in a header or in _Pragma; write it as a #pragma line in the "
                 "source file itself",
                 "NW0310");
      made.offset = m.getFileOffset(m.getExpansionLoc(made.at));
      hints.push_back(made);
    } catch (const openacc::HintError &e) {
      sayError(p.getDiagnostics(),
               e.token + 1 < line.size() ? line[e.token + 1].getLocation() : end, e.message,
               "NW0310");
    }
  }

  static void handBack(Preprocessor &p, PragmaIntroducer introducer, Token &first,
                       const std::vector<Token> &line, SourceLocation end) {
    auto tokens = std::make_unique<Token[]>(line.size() + 2);
    Token &start = tokens[0], &stop = tokens[line.size() + 1];
    start.startToken();
    start.setKind(tok::annot_pragma_openacc);
    start.setLocation(introducer.Loc);
    start.setAnnotationRange(SourceRange(introducer.Loc, first.getLocation()));
    std::copy(line.begin(), line.end(), tokens.get() + 1);
    stop.startToken();
    stop.setKind(tok::annot_pragma_openacc_end);
    stop.setLocation(end);
    stop.setAnnotationEndLoc(end);
    p.EnterTokenStream(std::move(tokens), line.size() + 2, /*DisableMacroExpansion=*/false,
                       /*IsReinject=*/false);
  }

  std::vector<LocatedHint> &hints;
};

} // namespace

std::unique_ptr<PragmaHandler> replaceAccHandler(Preprocessor &p, std::vector<LocatedHint> &hints) {
  auto made = std::make_unique<AccPragma>(hints);
  p.RemovePragmaHandler(made.get()); // finds Clang's by its name; Clang's parser still owns that
  p.AddPragmaHandler(made.get());    // and takes ours away by the name when it ends
  return made;
}

} // namespace nw
