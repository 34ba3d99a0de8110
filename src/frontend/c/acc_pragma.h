// `#pragma acc share(...)` is none of the standard's. Clang's handler of acc pragmas is replaced by
// one that keeps these hints and hands everything else back, as the tokens that Clang's own handler
// makes of it.
#pragma once
#include "frontend/openacc/share_hint.h"
#include "clang/Lex/Preprocessor.h"

namespace nw {

struct LocatedHint {
  openacc::ShareHint hint;
  unsigned offset = 0; // of `share`, in the main file
  clang::SourceLocation at;
  bool isBound = false; // a nest has it
};

// To be called before the first token is read, where OpenACC is on. Wrong hints are errors, said at
// the token. The handler belongs to the caller and must outlive the parser.
std::unique_ptr<clang::PragmaHandler> replaceAccHandler(clang::Preprocessor &preprocessor,
                                                        std::vector<LocatedHint> &hints);

// An error as Clang writes it, with our code.
void sayError(clang::DiagnosticsEngine &engine, clang::SourceLocation at,
              const std::string &message, const char *code);

} // namespace nw
